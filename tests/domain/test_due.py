"""Is the next look moved only where it must be, and never put off for ever?"""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain import promise, transitions
from makegood.domain.errors import InvalidInput
from makegood.domain.history import Role, Verb
from makegood.domain.instant import Instant, after
from makegood.domain.operation import REVIEW_SHARD, Operation, Status
from makegood.domain.promise import Promise
from makegood.domain.reason import Reason

from tests.domain.design_table import permitted_case
from tests.support.rows import HOUR, LIMITS, MINUTE, NOW, SECOND, SETTLED, T, ago, ahead, hand, operation, terms

GRACE = LIMITS.retry_grace


def test_a_claim_leaves_the_next_look_where_it_is() -> None:
    assert permitted_case(Verb.CLAIM, Status.PENDING, Role.WORKER).moved(Verb.CLAIM).due_at == NOW


def test_a_touch_puts_the_next_look_off_by_the_stale_time_and_counts_the_dispatch() -> None:
    after = permitted_case(Verb.TOUCH, Status.PENDING, Role.RECONCILER).moved(Verb.TOUCH)
    assert (after.due_at, after.dispatches) == (ahead(T), 1)


def test_a_touch_uses_the_types_own_stale_time() -> None:
    own = hand(Role.RECONCILER, stale_after=HOUR)
    assert transitions.touch(operation(), own, reason=Reason.LOST_DISPATCH).due_at == ahead(HOUR)


def retried(wait: timedelta, due_at: Instant) -> Operation:
    row = operation(Status.PROCESSING, due_at=due_at, dispatches=3)
    return transitions.schedule_retry(row, hand(Role.WORKER), wait=wait, error="TransientError")


def test_a_retry_leaves_the_next_look_if_that_comes_after_its_time_and_the_grace() -> None:
    assert retried(MINUTE, ahead(MINUTE + GRACE)).due_at == ahead(MINUTE + GRACE)
    assert retried(MINUTE, ahead(T)).due_at == ahead(T)


def test_a_retry_moves_the_next_look_that_would_come_before_its_time_and_the_grace() -> None:
    assert retried(MINUTE, ahead(MINUTE + GRACE - SECOND / 1000)).due_at == ahead(MINUTE + GRACE)
    assert retried(HOUR, NOW).due_at == ahead(HOUR + GRACE)


def test_the_grace_of_a_retry_exceeds_the_skew_margin() -> None:
    assert LIMITS.skew_margin < GRACE


def test_a_retry_may_be_dispatched_anew_as_often_as_a_fresh_row() -> None:
    assert retried(MINUTE, NOW).dispatches == 0


@pytest.mark.parametrize("verb", [Verb.RELEASE, Verb.REQUEST_CANCEL])
def test_what_does_not_change_the_next_look_does_not_pay_for_it(verb: Verb) -> None:
    role = Role.RECONCILER if verb is Verb.RELEASE else Role.OPERATOR
    assert permitted_case(verb, Status.PROCESSING, role).moved(verb).due_at == NOW


def test_an_unproven_outcome_is_looked_at_when_the_settle_window_is_over() -> None:
    after = permitted_case(Verb.AWAIT, Status.PROCESSING, Role.WORKER).moved(Verb.AWAIT)
    assert after.due_at == ahead(SETTLED)


def test_review_is_sorted_by_when_a_row_entered_it_even_past_its_deadline() -> None:
    row = operation(Status.RETRY_SCHEDULED, deadline_at=ago(HOUR))
    after = transitions.escalate(row, hand(Role.RECONCILER), reason=Reason.DEADLINE_PASSED)
    assert (after.due_shard, after.due_at) == (REVIEW_SHARD, NOW)


def submitted(**facts: Any) -> Operation:
    wanted = Promise(operation_type="sync", entity="customer/452", expected_version=7, **facts)
    return promise.submit(wanted, now=NOW, write_id="write-1", terms=terms())


def test_a_new_row_is_looked_at_once_it_is_stale() -> None:
    row = submitted()
    assert (row.due_at, row.dispatches, row.expires_at) == (ahead(T), 0, None)
    assert row.due_shard in {"open#00", "open#01", "open#02", "open#03"}


def test_a_row_for_later_is_looked_at_when_its_time_and_the_grace_are_over() -> None:
    assert submitted(not_before=ahead(HOUR)).due_at == ahead(HOUR + GRACE)
    assert submitted(not_before=ahead(MINUTE)).due_at == ahead(T)


def test_a_row_with_a_near_deadline_is_looked_at_then() -> None:
    assert submitted(deadline_at=ahead(MINUTE)).due_at == ahead(MINUTE)


def test_the_policys_deadline_counts_from_submission_and_the_promises_own_wins() -> None:
    wanted = Promise(operation_type="sync", entity="customer/452", expected_version=7)
    by_policy = promise.submit(wanted, now=NOW, write_id="w", terms=terms(deadline=HOUR))
    own = Promise(operation_type="sync", entity="customer/452", expected_version=7, deadline_at=ahead(2 * HOUR))
    by_promise = promise.submit(own, now=NOW, write_id="w", terms=terms(deadline=HOUR))
    assert (by_policy.deadline_at, by_promise.deadline_at) == (ahead(HOUR), ahead(2 * HOUR))


@pytest.mark.parametrize(
    "facts",
    [{"deadline_at": NOW}, {"deadline_at": ahead(HOUR), "not_before": ahead(HOUR)}, {"deadline_at": ago(SECOND)}],
)
def test_a_deadline_that_leaves_no_time_is_refused_at_the_door(facts: dict[str, Instant]) -> None:
    with pytest.raises(InvalidInput, match=r"deadline .*Z: it must lie after now and after not_before"):
        submitted(**facts)


durations = st.timedeltas(min_value=timedelta(), max_value=timedelta(days=400))


@given(wait=durations, until_due=durations, until_deadline=st.none() | durations)
def test_whatever_the_wait_a_retry_is_looked_at_in_time(
    wait: timedelta, until_due: timedelta, until_deadline: timedelta | None
) -> None:
    deadline_at = None if until_deadline is None else ahead(until_deadline)
    row = operation(Status.PROCESSING, due_at=ahead(until_due), deadline_at=deadline_at)
    moved = transitions.schedule_retry(row, hand(Role.WORKER), wait=wait, error="TransientError")
    assert moved.due_at is not None
    assert moved.not_before is not None
    if deadline_at is None:
        assert moved.due_at >= after(moved.not_before, LIMITS.skew_margin)
    else:
        assert moved.due_at <= deadline_at
