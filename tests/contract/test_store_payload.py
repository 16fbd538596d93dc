"""Does a large payload live and die with its row, in an item of its own that no transition pays for?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain import transitions
from makegood.domain.errors import StoreError
from makegood.domain.history import Role
from makegood.domain.operation import Operation, Status
from makegood.domain.reason import Reason
from makegood.ports import Added, Applied, Claimed, Moved, Present

from tests.contract import builders as a
from tests.contract.worlds import TABLE

if TYPE_CHECKING:
    from tests.contract.worlds import Dynamo

LARGE = {"text": "x" * 600}


@pytest.fixture
def row(table: Dynamo) -> Operation:
    """Add a row whose payload is large."""
    added = a.promised(payload=LARGE)
    assert table.store.add(added) == Added(added)
    return added


def claimed(table: Dynamo, row: Operation) -> Operation:
    """Claim a row."""
    answer = table.store.claim(a.claim(row))
    assert isinstance(answer, Claimed)
    return answer.operation


def test_a_large_payload_is_not_in_the_row(table: Dynamo, row: Operation) -> None:
    assert "payload" not in table.item(row.operation_id)
    assert "payload" in table.item(row.operation_id, "payload")
    assert table.store.find([row.operation_id]) == {row.operation_id: replace(row, payload={})}


def test_a_claim_brings_the_payload(table: Dynamo, row: Operation) -> None:
    assert claimed(table, row).payload == LARGE


def test_a_row_that_was_found_can_be_completed(table: Dynamo, row: Operation) -> None:
    (found,) = table.store.find([row.operation_id]).values()
    assert isinstance(found, Operation)
    assert table.store.with_payload(found) == row


def test_a_small_payload_needs_no_completion(table: Dynamo) -> None:
    small = a.promised(payload={"x": 1})
    assert table.store.with_payload(small) == small
    assert table.requests["GetItem"] == 0


def test_a_taken_id_leaves_the_first_payload(table: Dynamo, row: Operation) -> None:
    other = a.promised(payload={"text": "y" * 600}, operation_id=row.operation_id)
    assert table.store.add(other) == Present(replace(row, payload={}))
    assert table.store.with_payload(row) == row


def test_the_payload_that_an_expired_row_left_behind_is_replaced(table: Dynamo, row: Operation) -> None:
    table.client.delete_item(TableName=TABLE, Key={"pk": {"S": row.operation_id}, "sk": {"S": "operation"}})
    other = a.promised(payload={"text": "y" * 600}, operation_id=row.operation_id)
    assert table.store.add(other) == Added(other)
    assert table.store.with_payload(other) == other


def test_the_payload_expires_with_its_row(table: Dynamo, row: Operation) -> None:
    held = claimed(table, row)
    confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
    assert table.store.apply(held, confirmed) == Applied(confirmed)
    assert table.item(row.operation_id, "payload")["expires_at"] == table.item(row.operation_id)["expires_at"]


def test_a_row_kept_for_ever_keeps_its_payload(table: Dynamo, row: Operation) -> None:
    held = claimed(table, row)
    reviewed = transitions.escalate(held, a.hand(), reason=Reason.REJECTED)
    closed = transitions.close(
        reviewed, a.hand(role=Role.OPERATOR), reason=Reason.DECIDED, words="void", decision=a.DECISION
    )
    table.store.apply(held, reviewed)
    assert table.store.apply(reviewed, closed) == Applied(closed)
    assert "expires_at" not in table.item(row.operation_id, "payload")


def test_a_terminal_move_on_a_row_that_moved_changes_neither_item(table: Dynamo, row: Operation) -> None:
    held = claimed(table, row)
    other = replace(held, claim_token="another", write_id=a.fresh())  # noqa: S106 - a fence, not a secret
    table.place(other)
    confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
    assert table.store.apply(held, confirmed) == Moved(replace(other, payload={}))
    assert "expires_at" not in table.item(row.operation_id, "payload")


def test_a_terminal_move_does_not_wait_for_a_payload_that_is_gone(table: Dynamo, row: Operation) -> None:
    held = claimed(table, row)
    table.client.delete_item(TableName=TABLE, Key={"pk": {"S": row.operation_id}, "sk": {"S": "payload"}})
    confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
    assert table.store.apply(held, confirmed) == Applied(confirmed)
    assert table.store.find([row.operation_id]) == {row.operation_id: replace(confirmed, payload={})}
    assert table.count() == 1


def test_a_terminal_move_of_two_items_creates_neither(table: Dynamo) -> None:
    held = a.claimed(a.promised(payload=LARGE))
    confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
    assert table.store.apply(held, confirmed) == Moved(None)
    assert table.count() == 0


@pytest.mark.parametrize("payload", [{"S": "[]"}, {"S": "{"}, {"M": {}}, None], ids=["list", "broken", "map", "gone"])
def test_a_payload_that_cannot_be_read_is_an_error_that_names_the_operation(
    table: Dynamo, row: Operation, payload: dict[str, Any] | None
) -> None:
    key = {"pk": {"S": str(row.operation_id)}, "sk": {"S": "payload"}}
    table.client.delete_item(TableName=TABLE, Key=key)
    if payload is not None:
        table.place_item({**key, "payload": payload})
    with pytest.raises(StoreError, match=row.operation_id):
        table.store.claim(a.claim(row))


@pytest.mark.parametrize("payload", [{"x": 1}, LARGE], ids=["small", "large"])
def test_the_outbox_commits_with_the_business_change_or_not_at_all(table: Dynamo, payload: dict[str, Any]) -> None:
    promised = a.promised(payload=payload)
    business = {"Put": {"TableName": TABLE, "Item": {"pk": {"S": "order"}, "sk": {"S": "1"}}}}
    entries = table.store.as_transact_items(promised)
    table.client.transact_write_items(TransactItems=[business, *entries])
    assert table.store.with_payload(promised) == promised
    assert table.store.find([promised.operation_id]).keys() == {promised.operation_id}
    with pytest.raises(table.client.exceptions.TransactionCanceledException):
        table.client.transact_write_items(
            TransactItems=[{"Put": {**business["Put"], "Item": {"pk": {"S": "order"}, "sk": {"S": "2"}}}}, *entries]
        )
    assert table.item("order", "2") == {}


def test_a_row_with_a_large_payload_walks_its_whole_life(table: Dynamo, row: Operation) -> None:
    held = claimed(table, row)
    awaiting = transitions.await_proof(held, a.hand(), reason=Reason.ACCEPTED)
    assert table.store.apply(held, awaiting) == Applied(awaiting)
    seen = table.store.find([row.operation_id])[row.operation_id]
    assert isinstance(seen, Operation)
    sweep = a.hand(role=Role.RECONCILER)
    proven = transitions.confirm_by_proof(seen, sweep, verdict=a.VERDICT, evidence=a.EVIDENCE)
    assert table.store.apply(seen, proven) == Applied(proven)
    assert table.store.find([row.operation_id]) == {row.operation_id: proven}
    assert proven.status is Status.CONFIRMED
