"""If the reply to a write is lost and the SDK sends it again, is the first one recognised as ours, and only ours?

The hook lets botocore believe that the first answer never came: it sends the same request again, and the condition,
which held the first time, fails on our own write.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from makegood.domain import transitions
from makegood.domain.history import Role
from makegood.domain.operation import Status
from makegood.domain.reason import Reason
from makegood.ports import Added, Applied, Claimed, Moved, NotClaimed, Unreadable

from tests.contract import builders as a
from tests.double.losing import losing_first_reply

if TYPE_CHECKING:
    from tests.contract.worlds import Dynamo

LARGE = {"text": "x" * 600}


def test_an_add_whose_reply_was_lost_is_ours(table: Dynamo) -> None:
    row = a.promised()
    with losing_first_reply(table.client, "PutItem"):
        assert table.store.add(row) == Added(row)
    assert table.count() == 1


def test_a_large_add_whose_reply_was_lost_is_ours(table: Dynamo) -> None:
    row = a.promised(payload=LARGE)
    with losing_first_reply(table.client, "TransactWriteItems"):
        assert table.store.add(row) == Added(row)
    assert table.count() == 2


def test_a_claim_whose_reply_was_lost_is_ours_and_counted_once(table: Dynamo) -> None:
    row = a.promised()
    table.place(row)
    claim = a.claim(row)
    with losing_first_reply(table.client, "UpdateItem"):
        answer = table.store.claim(claim)
    assert isinstance(answer, Claimed)
    assert (answer.operation.claim_token, answer.operation.attempt) == (claim.token, 1)
    assert table.store.find([row.operation_id]) == {row.operation_id: answer.operation}


def test_a_large_claim_whose_reply_was_lost_has_its_payload(table: Dynamo) -> None:
    row = a.promised(payload=LARGE)
    table.store.add(row)
    with losing_first_reply(table.client, "UpdateItem"):
        answer = table.store.claim(a.claim(row))
    assert isinstance(answer, Claimed)
    assert answer.operation.payload == LARGE


def test_a_confirmation_whose_reply_was_lost_is_written_once(table: Dynamo) -> None:
    held = a.claimed()
    table.place(held)
    confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
    with losing_first_reply(table.client, "UpdateItem"):
        assert table.store.apply(held, confirmed) == Applied(confirmed)
    (found,) = table.store.find([held.operation_id]).values()
    assert found == confirmed
    assert [entry.split(" ")[1] for entry in confirmed.history].count("cf") == 1


def test_a_terminal_move_of_two_items_whose_reply_was_lost_is_ours(table: Dynamo) -> None:
    row = a.promised(payload=LARGE)
    table.store.add(row)
    held = a.claimed(row)
    table.place(held)
    confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
    with losing_first_reply(table.client, "TransactWriteItems"):
        assert table.store.apply(held, confirmed) == Applied(confirmed)
    assert table.item(row.operation_id, "payload")["expires_at"] == {"N": str(confirmed.expires_at)}


def test_anothers_claim_in_between_is_not_taken_for_ours(table: Dynamo) -> None:
    row = a.promised()
    table.place(row)
    other = a.claimed(row)
    with losing_first_reply(table.client, "UpdateItem", meanwhile=lambda: table.place(other)):
        assert table.store.claim(a.claim(row)) == NotClaimed(other)


@pytest.mark.parametrize("same_revision", [True, False])
def test_anothers_touch_in_between_that_looks_like_ours_is_not_ours(table: Dynamo, *, same_revision: bool) -> None:
    row = a.promised()
    table.place(row)
    ours = transitions.touch(row, a.hand(role=Role.RECONCILER), reason=Reason.LOST_DISPATCH)
    theirs = replace(ours, write_id=a.fresh(), revision=ours.revision if same_revision else ours.revision + 1)
    with losing_first_reply(table.client, "UpdateItem", meanwhile=lambda: table.place(theirs)):
        assert table.store.apply(row, ours) == Moved(theirs)


def test_a_claim_that_lands_and_is_cancelled_before_the_second_reply_is_still_ours(table: Dynamo) -> None:
    row = a.promised()
    table.place(row)

    def cancel() -> None:
        (held,) = table.store.find([row.operation_id]).values()
        assert not isinstance(held, Unreadable)
        assert held.status is Status.PROCESSING
        table.place(transitions.request_cancel(held, a.hand(role=Role.PRODUCER), words="ordered twice"))

    with losing_first_reply(table.client, "UpdateItem", meanwhile=cancel):
        answer = table.store.claim(a.claim(row))
    (found,) = table.store.find([row.operation_id]).values()
    assert not isinstance(found, Unreadable)
    assert answer == Claimed(found)
    assert (found.attempt, found.cancel_reason) == (1, "ordered twice")
