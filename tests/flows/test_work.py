"""Does a message lead to one call and the truth about it, or to no call and a reason?"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from makegood.domain.operation import Status
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import Outcome
from makegood.domain.reason import Reason
from makegood.flows.work import Fate

from tests.support.deployment import Deployment
from tests.support.faults import BrokenRows
from tests.support.rows import LIMITS, MINUTE, NOW, SECOND, operation

MS = SECOND / 1000


@pytest.fixture
def house() -> Deployment:
    return Deployment()


def test_one_message_leads_to_one_call_and_the_effect_is_confirmed(house: Deployment) -> None:
    house.submitted()
    (worked,) = house.delivered()
    assert (worked.fate, worked.reason, worked.called, worked.error) == (Fate.DONE, "agreed", True, None)
    assert [(m.verb, m.source, m.target) for m in worked.moves] == [
        ("claim", "pending", "processing"),
        ("confirm", "processing", "confirmed"),
    ]
    row = house.row()
    assert (row.status, row.attempt, row.revision, row.remote_id) == (Status.CONFIRMED, 1, 3, "crm-9")
    assert house.remote.calls == {"op-1": 1}


def test_perform_gets_the_operation_its_key_its_number_and_a_deadline(house: Deployment) -> None:
    row = house.submitted(payload={"to": "gold"})
    house.delivered()
    (attempt,) = house.remote.attempts
    assert (attempt.idempotency_key, attempt.number) == (row.idempotency_key, 1)
    assert attempt.operation.payload == {"to": "gold"}
    assert (attempt.deadline_at - house.clock.now(), attempt.time_limit) == (50_000, LIMITS.perform_deadline)


def test_the_deadline_leaves_time_to_settle_before_the_invocation_ends(house: Deployment) -> None:
    house.submitted()
    house.worked(time_left=LIMITS.perform_deadline + house.work.settle_reserve)
    (attempt,) = house.remote.attempts
    assert attempt.time_limit == LIMITS.perform_deadline


@pytest.mark.parametrize("left", [-MINUTE, timedelta(), MS, LIMITS.perform_deadline, timedelta(seconds=50.499)])
def test_a_message_for_which_too_little_time_is_left_is_handed_back_unclaimed(
    house: Deployment, left: timedelta
) -> None:
    house.submitted()
    before = house.picture()
    worked = house.worked(time_left=left)
    assert (worked.fate, worked.reason, worked.called) == (Fate.HAND_BACK, Reason.OUT_OF_TIME, False)
    assert house.picture() == before


def test_the_same_message_twice_is_one_call(house: Deployment) -> None:
    house.submitted()
    house.worked()
    before = house.picture()
    again = house.worked()
    assert (again.fate, again.reason, again.called, again.moves) == (Fate.DONE, Reason.TERMINAL, False, ())
    assert (house.picture(), house.remote.calls["op-1"]) == (before, 1)


def test_a_message_that_comes_again_while_the_first_is_worked_on_changes_nothing(house: Deployment) -> None:
    house.submitted()
    seen: list[Any] = []

    def meanwhile(attempt: Attempt) -> Outcome:
        before = house.picture()
        seen.append(house.worked())
        assert house.picture() == before
        return house.remote.apply(attempt)

    house.remote.script = [meanwhile]
    house.worked()
    assert [(worked.fate, worked.reason, worked.called) for worked in seen] == [
        (Fate.DONE, Reason.LEASE_RUNNING, False)
    ]
    assert (house.row().status, house.row().attempt, house.remote.calls["op-1"]) == (Status.CONFIRMED, 1, 1)


def test_a_message_for_an_operation_that_never_was_creates_nothing(house: Deployment) -> None:
    worked = house.worked("nope")
    assert (worked.fate, worked.reason, house.store.rows) == (Fate.DONE, Reason.ORPHAN, {})


NOT_CLAIMABLE = {
    Status.PROCESSING: Reason.LEASE_RUNNING,
    Status.AWAITING_CONFIRMATION: Reason.AWAITING,
    Status.MANUAL_REVIEW: Reason.IN_REVIEW,
    Status.CONFIRMED: Reason.TERMINAL,
    Status.COMPENSATED: Reason.TERMINAL,
    Status.NOT_APPLICABLE: Reason.TERMINAL,
}


@pytest.mark.parametrize("status", NOT_CLAIMABLE)
def test_a_message_for_a_row_that_cannot_be_claimed_is_done_with_and_changes_nothing(
    house: Deployment, status: Status
) -> None:
    house.store.rows["op-1"] = operation(status)
    before = house.picture()
    worked = house.worked()
    assert (worked.fate, worked.reason, worked.called) == (Fate.DONE, NOT_CLAIMABLE[status], False)
    assert (house.picture(), house.remote.calls) == (before, {})


def test_a_terminal_row_that_expired_but_is_still_there_is_not_revived(house: Deployment) -> None:
    row = operation(Status.CONFIRMED, expires_at=house.clock.now() // 1000 - 86_400)
    house.store.rows["op-1"] = row
    assert house.worked().reason is Reason.TERMINAL
    assert house.row() == row


def test_an_operation_type_that_this_release_does_not_know_is_never_claimed_and_its_message_comes_again(
    house: Deployment,
) -> None:
    house.store.rows["op-1"] = operation(operation_type="charge")
    before = house.picture()
    worked = house.worked()
    assert (worked.fate, worked.reason) == (Fate.HAND_BACK, Reason.UNKNOWN_TYPE)
    assert worked.operation_type == "charge"
    assert house.picture() == before


@pytest.mark.parametrize("reason", [Reason.NEWER_FORMAT, Reason.UNREADABLE])
def test_a_row_that_cannot_be_understood_is_never_claimed_and_its_message_comes_again(
    house: Deployment, reason: Reason
) -> None:
    house.submitted()
    before = house.picture()
    store = BrokenRows(house.store, unreadable=["op-1"], newer=reason is Reason.NEWER_FORMAT)
    worked = house.worked(flow=replace(house.work, store=store))
    assert (worked.fate, worked.reason, worked.error) == (Fate.HAND_BACK, reason, "created_at is a text")
    assert house.picture() == before


def test_a_message_that_comes_early_is_handed_back_and_burns_no_attempt(house: Deployment) -> None:
    house.submitted(not_before=house.clock.now() + 1)
    before = house.picture()
    worked = house.worked()
    assert (worked.fate, worked.reason) == (Fate.HAND_BACK, Reason.TOO_EARLY)
    assert house.picture() == before
    house.clock.advance(MS)
    assert house.worked().called


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"attempt": 8, "not_before": NOW}, Reason.ATTEMPTS_USED),
        ({"uncertain": True, "first_claimed_at": 0}, Reason.KEY_TOO_OLD),
    ],
)
def test_what_may_not_be_sent_any_more_is_left_to_the_sweep(
    house: Deployment, facts: dict[str, Any], reason: Reason
) -> None:
    house.store.rows["op-1"] = operation(Status.RETRY_SCHEDULED, **facts)
    before = house.picture()
    worked = house.worked()
    assert (worked.fate, worked.reason, worked.called) == (Fate.DONE, reason, False)
    assert house.picture() == before
    assert house.swept().record.acted == {"escalate": 1}
