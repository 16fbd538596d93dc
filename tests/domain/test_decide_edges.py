"""Where exactly does each rule of the sweep begin and end, and what counts as an anomaly?"""

from datetime import timedelta

import pytest
from makegood.domain import promise, transitions
from makegood.domain.decide import Anomaly, Dispatch, Escalate, Leave, Observe, Release, anomaly, decide
from makegood.domain.history import Role
from makegood.domain.operation import Operation, Status
from makegood.domain.promise import Promise
from makegood.domain.reason import Reason

from tests.case import case
from tests.support.rows import HOUR, LIMITS, MINUTE, NOW, SECOND, T, ago, ahead, hand, operation, terms

MS = SECOND / 1000
CLAIM = "claim-2"
FRESH = [(T - SECOND, Leave), (T - MS, Leave), (T, Dispatch), (T + SECOND, Dispatch)]


def submitted(**facts: int) -> Operation:
    wanted = Promise(operation_type="sync", entity="customer/452", expected_version=7, **facts)  # type: ignore[arg-type]
    return promise.submit(wanted, now=NOW, write_id="write-1", terms=terms())


@pytest.mark.parametrize(("age", "action"), FRESH)
def test_a_new_row_is_left_alone_until_it_is_stale_to_the_millisecond(age: timedelta, action: type) -> None:
    assert type(decide(submitted(), now=ahead(age), terms=terms())) is action


@pytest.mark.parametrize(("age", "action"), FRESH)
def test_a_touched_row_is_as_fresh_as_a_new_one(age: timedelta, action: type) -> None:
    touched = transitions.touch(operation(), hand(Role.RECONCILER), reason=Reason.LOST_DISPATCH)
    assert type(decide(touched, now=ahead(age), terms=terms())) is action


def test_a_fresh_row_says_until_when_it_is_left_alone() -> None:
    assert decide(submitted(), now=NOW, terms=terms()) == Leave(reason=Reason.NOT_DUE, until=ahead(T))


@pytest.mark.parametrize("age", [timedelta(0), HOUR, 24 * HOUR, 400 * 24 * HOUR])
def test_a_claimed_row_is_left_alone_however_old(age: timedelta) -> None:
    row = operation(Status.PROCESSING, created_at=ago(age), updated_at=ago(age), due_at=ago(age))
    assert decide(row, now=NOW, terms=terms()) == Leave(reason=Reason.LEASE_RUNNING, until=ahead(2 * MINUTE))


@pytest.mark.parametrize(
    ("over", "action"), [(timedelta(), Leave), (LIMITS.skew_margin, Leave), (LIMITS.skew_margin + MS, Release)]
)
def test_a_lease_is_believed_for_the_skew_margin_beyond_its_end(over: timedelta, action: type) -> None:
    row = operation(Status.PROCESSING, lease_ends_at=ago(over))
    assert type(decide(row, now=NOW, terms=terms())) is action


@case("F085")
@pytest.mark.parametrize("skew", [-LIMITS.skew_margin, LIMITS.skew_margin])
def test_no_live_claim_is_taken_from_a_worker_whose_clock_is_off_by_the_margin(skew: timedelta) -> None:
    claimed = transitions.claim(operation(), hand(Role.WORKER, now=ahead(skew)), token=CLAIM)
    assert isinstance(decide(claimed, now=ahead(LIMITS.lease), terms=terms()), Leave)


@pytest.mark.parametrize("skew", [-LIMITS.skew_margin, LIMITS.skew_margin])
def test_a_dead_claim_is_taken_once_the_stale_time_is_over_whatever_the_workers_clock(skew: timedelta) -> None:
    claimed = transitions.claim(submitted(), hand(Role.WORKER, now=ahead(skew)), token=CLAIM)
    assert decide(claimed, now=ahead(T), terms=terms()) == Release()


def test_a_processing_row_without_a_lease_is_released_and_not_left_for_ever() -> None:
    row = operation(Status.PROCESSING, lease_ends_at=None)
    assert decide(row, now=NOW, terms=terms()) == Release()
    assert transitions.release(row, hand(Role.RECONCILER)).status is Status.AWAITING_CONFIRMATION


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"deadline_at": NOW}, Reason.DEADLINE_PASSED),
        ({"attempt": 8}, Reason.ATTEMPTS_USED),
        ({"dispatches": 5}, Reason.DISPATCHES_USED),
        ({"uncertain": True, "first_claimed_at": ago(24 * HOUR - 4 * MINUTE)}, Reason.KEY_TOO_OLD),
    ],
)
def test_giving_up_says_why(facts: dict[str, int], reason: Reason) -> None:
    row = operation(Status.RETRY_SCHEDULED, **facts)
    assert decide(row, now=NOW, terms=terms()) == Escalate(reason=reason)


def test_a_row_that_may_not_start_yet_is_left_alone_even_past_its_deadline() -> None:
    row = operation(Status.RETRY_SCHEDULED, not_before=ahead(MS), deadline_at=ago(MINUTE))
    assert decide(row, now=NOW, terms=terms()) == Leave(reason=Reason.TOO_EARLY, until=ahead(MS))


@pytest.mark.parametrize(("untouched", "action"), [(10 * MINUTE - MS, Leave), (10 * MINUTE, Dispatch)])
@pytest.mark.parametrize("due_at", [ago(HOUR), ahead(5 * MINUTE)])
def test_minutes_judge_staleness_by_the_last_write_alone(due_at: int, untouched: timedelta, action: type) -> None:
    row = operation(updated_at=ago(untouched), due_at=due_at)
    assert type(decide(row, now=NOW, terms=terms(), untouched_for=10 * MINUTE)) is action


def test_minutes_never_shorten_a_running_lease() -> None:
    row = operation(Status.PROCESSING, updated_at=ago(HOUR))
    assert isinstance(decide(row, now=NOW, terms=terms(), untouched_for=10 * MINUTE), Leave)


ANOMALIES: list[tuple[Operation, Anomaly | None]] = [
    (operation(), Anomaly.LOST_DISPATCH),
    (operation(dispatches=4), Anomaly.LOST_DISPATCH),
    (operation(dispatches=5), Anomaly.LOST_DISPATCH),
    (operation(deadline_at=NOW), Anomaly.LOST_DISPATCH),
    (operation(Status.PROCESSING, lease_ends_at=ago(HOUR)), Anomaly.DEAD_CLAIM),
    (operation(Status.PROCESSING), None),
    (operation(Status.RETRY_SCHEDULED), None),
    (operation(Status.RETRY_SCHEDULED, deadline_at=NOW), None),
    (operation(Status.RETRY_SCHEDULED, dispatches=1), Anomaly.UNCLAIMED_RETRY),
    (operation(Status.AWAITING_CONFIRMATION), None),
    (operation(Status.MANUAL_REVIEW), None),
    (operation(due_at=ahead(MS)), None),
]


@pytest.mark.parametrize(("row", "kind"), ANOMALIES)
def test_only_what_should_not_happen_counts_against_the_cap(row: Operation, kind: Anomaly | None) -> None:
    assert anomaly(row, decide(row, now=NOW, terms=terms())) == kind


def test_the_first_dispatch_of_work_scheduled_beyond_the_queues_reach_is_ordinary_work() -> None:
    for_later = submitted(not_before=ahead(HOUR))
    at = ahead(HOUR + LIMITS.retry_grace)
    action = decide(for_later, now=at, terms=terms())
    assert action == Dispatch(reason=Reason.SCHEDULED)
    assert anomaly(for_later, action) is None
    sent = transitions.touch(for_later, hand(Role.RECONCILER, now=at), reason=Reason.SCHEDULED)
    again = decide(sent, now=ahead(HOUR + LIMITS.retry_grace + T), terms=terms())
    assert anomaly(sent, again) is Anomaly.LOST_DISPATCH


def test_scheduled_work_that_had_a_message_counts_as_lost() -> None:
    row = submitted(not_before=ahead(15 * MINUTE))
    action = decide(row, now=ahead(HOUR), terms=terms())
    assert anomaly(row, action) is Anomaly.LOST_DISPATCH


def test_an_outcome_that_is_due_is_observed_and_says_why() -> None:
    assert decide(operation(Status.AWAITING_CONFIRMATION), now=NOW, terms=terms()) == Observe()
