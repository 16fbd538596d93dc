"""Does a move land only on the row that was seen, whole, once, and on nothing that does not exist?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.domain import transitions
from makegood.domain.history import Role
from makegood.domain.operation import Operation, Status
from makegood.domain.reason import Reason
from makegood.ports import Applied, Moved

from tests.case import case
from tests.contract import builders as a

if TYPE_CHECKING:
    from tests.contract.worlds import World


def touched(row: Operation) -> Operation:
    """Return the row as a sweep would touch it."""
    return transitions.touch(row, a.hand(role=Role.RECONCILER), reason=Reason.LOST_DISPATCH)


def moves() -> dict[str, tuple[Operation, Operation]]:
    """Return a move for each verb that leaves its mark on other attributes."""
    waiting, held = a.promised(), a.claimed()
    awaiting, reviewed = a.in_status(Status.AWAITING_CONFIRMATION), a.in_status(Status.MANUAL_REVIEW)
    sweep, person = a.hand(role=Role.RECONCILER), a.hand(role=Role.OPERATOR)
    return {
        "touch": (waiting, touched(waiting)),
        "confirm": (held, transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)),
        "await": (held, transitions.await_proof(held, a.hand(), reason=Reason.UNCERTAIN, error="ReadTimeout: 10 s")),
        "schedule_retry": (held, transitions.schedule_retry(held, a.hand(), wait=timedelta(hours=1), error="503")),
        "escalate": (held, transitions.escalate(held, a.hand(), reason=Reason.REJECTED, error="422")),
        "close": (held, transitions.close(held, a.hand(), reason=Reason.RULED_OUT, words="superseded")),
        "observe_again": (awaiting, transitions.observe_again(awaiting, sweep, wait=timedelta(minutes=5))),
        "confirm_by_proof": (
            reviewed,
            transitions.confirm_by_proof(reviewed, person, verdict=a.VERDICT, evidence=a.EVIDENCE, decision=a.DECISION),
        ),
        "request_cancel": (held, transitions.request_cancel(held, a.hand(role=Role.PRODUCER), words="ordered twice")),
        "everything": (waiting, replace(a.full(), operation_id=waiting.operation_id)),
        "nothing left": (a.full(), a.promised()),
    }


@pytest.mark.parametrize("verb", moves())
def test_a_move_leaves_the_row_exactly_as_the_domain_made_it(world: World, verb: str) -> None:
    before, after = moves()[verb]
    after = replace(after, operation_id=before.operation_id)
    world.place(before)
    assert world.store.apply(before, after) == Applied(after)
    assert world.store.find([before.operation_id]) == {before.operation_id: after}


MOVED = {
    "another revision": {"revision": 2},
    "another status": {"status": Status.RETRY_SCHEDULED},
    "claimed meanwhile": {"claim_token": "somebody", "status": Status.PROCESSING, "lease_ends_at": a.LATER},
}


@pytest.mark.parametrize("change", MOVED.values(), ids=MOVED)
def test_a_row_that_moved_is_shown_and_stays(world: World, change: dict[str, object]) -> None:
    seen = a.promised()
    moved = replace(seen, write_id=a.fresh(), **change)  # type: ignore[arg-type]  # a case's own fields
    world.place(moved)
    assert world.store.apply(seen, touched(seen)) == Moved(moved)
    assert world.store.find([seen.operation_id]) == {seen.operation_id: moved}


def test_a_worker_whose_claim_passed_on_changes_nothing(world: World) -> None:
    zombie = a.claimed()
    other = replace(zombie, claim_token="another", write_id=a.fresh())  # noqa: S106 - a fence, not a secret
    world.place(other)
    assert world.store.apply(zombie, transitions.confirm(zombie, a.hand(), evidence=a.EVIDENCE)) == Moved(other)
    assert world.store.find([zombie.operation_id]) == {zombie.operation_id: other}


@case("F028")
@pytest.mark.parametrize("verb", moves())
def test_no_move_creates_a_row(world: World, verb: str) -> None:
    before, after = moves()[verb]
    assert world.store.apply(before, replace(after, operation_id=before.operation_id)) == Moved(None)
    assert world.count() == 0


def test_the_same_move_again_is_ours(world: World) -> None:
    before = a.promised()
    after = touched(before)
    world.place(before)
    world.store.apply(before, after)
    assert world.store.apply(before, after) == Applied(after)
    assert world.store.find([before.operation_id]) == {before.operation_id: after}


def test_anothers_move_that_looks_the_same_is_not_ours(world: World) -> None:
    before = a.promised()
    ours, theirs = touched(before), touched(before)
    assert ours == replace(theirs, write_id=ours.write_id)
    world.place(before)
    world.store.apply(before, theirs)
    assert world.store.apply(before, ours) == Moved(theirs)


def test_the_road_taken_twice_writes_nothing(world: World) -> None:
    reviewed = a.in_status(Status.MANUAL_REVIEW)
    world.place(reviewed)
    again = transitions.escalate(reviewed, a.hand(role=Role.RECONCILER), reason=Reason.DEADLINE_PASSED)
    assert world.store.apply(reviewed, again) == Applied(reviewed)
    assert world.store.find([reviewed.operation_id]) == {reviewed.operation_id: reviewed}
