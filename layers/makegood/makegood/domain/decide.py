"""What a sweep should do with one operation, and why. First match decides; every open row matches exactly one rule."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TypeAlias, assert_never

from makegood.domain.guards import key_is_fresh
from makegood.domain.instant import Instant, after, between
from makegood.domain.limits import SQS_DELAY_LIMIT
from makegood.domain.operation import Operation, Status
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason


class Anomaly(StrEnum):
    """What should not happen, and is counted against the halt cap."""

    LOST_DISPATCH = "lost_dispatch"
    DEAD_CLAIM = "dead_claim"
    UNCLAIMED_RETRY = "unclaimed_retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Do nothing. `until` is when this rule ends to hold, if time alone ends it."""

    reason: Reason
    until: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Take the claim from a worker that is gone."""

    reason: Reason = Reason.LEASE_OVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalate:
    """Put it in front of a person."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """Touch it, then send its message."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe:
    """Ask the outside system what really happened."""

    reason: Reason = Reason.AWAITING


Action: TypeAlias = Leave | Release | Escalate | Dispatch | Observe

_ANOMALIES = {
    Reason.LOST_DISPATCH: Anomaly.LOST_DISPATCH,
    Reason.RETRY_UNCLAIMED: Anomaly.UNCLAIMED_RETRY,
    Reason.LEASE_OVER: Anomaly.DEAD_CLAIM,
}


def decide(operation: Operation, *, now: Instant, terms: Terms, untouched_for: timedelta | None = None) -> Action:
    """Say what a sweep should do with one operation, and why.

    `untouched_for` is a person's own measure of staleness for one run: pending, retry and claimed rows count as stale
    when nothing has written them for that long, wherever their `due_at` lies.
    """
    match operation.status:
        case Status.MANUAL_REVIEW:
            return Leave(reason=Reason.IN_REVIEW)
        case Status.PROCESSING:
            return _of_claimed(operation, now, terms, untouched_for)
        case Status.PENDING | Status.RETRY_SCHEDULED:
            return _of_waiting(operation, now, terms, untouched_for)
        case Status.AWAITING_CONFIRMATION:
            return _not_due(operation, now) or Observe()
        case Status.CONFIRMED | Status.COMPENSATED | Status.NOT_APPLICABLE:
            return Leave(reason=Reason.TERMINAL)
        case _:
            assert_never(operation.status)


def anomaly(operation: Operation, action: Action) -> Anomaly | None:
    """Say which anomaly a decided row is; first sends of what was to wait, and due observations, are ordinary work."""
    match action:
        case Dispatch() | Release():
            return _ANOMALIES.get(action.reason)
        case Escalate():
            return _ANOMALIES.get(_why_waiting(operation))
        case Leave() | Observe():
            return None
        case _:
            assert_never(action)


def _of_claimed(operation: Operation, now: Instant, terms: Terms, untouched_for: timedelta | None) -> Action:
    if operation.lease_ends_at is not None:
        believed_until = after(operation.lease_ends_at, terms.limits.skew_margin)
        if now <= believed_until:
            return Leave(reason=Reason.LEASE_RUNNING, until=believed_until)
    return _fresh(operation, now, untouched_for) or Release()


def _of_waiting(operation: Operation, now: Instant, terms: Terms, untouched_for: timedelta | None) -> Action:
    if fresh := _fresh(operation, now, untouched_for):
        return fresh
    if operation.not_before is not None and operation.not_before > now:
        return Leave(reason=Reason.TOO_EARLY, until=operation.not_before)
    if reason := _given_up(operation, now, terms):
        return Escalate(reason=reason)
    return Dispatch(reason=_why_waiting(operation))


def _fresh(operation: Operation, now: Instant, untouched_for: timedelta | None) -> Leave | None:
    if untouched_for is None:
        return _not_due(operation, now)
    stale_at = after(operation.updated_at, untouched_for)
    return Leave(reason=Reason.NOT_DUE, until=stale_at) if now < stale_at else None


def _not_due(operation: Operation, now: Instant) -> Leave | None:
    if operation.due_at is not None and operation.due_at > now:
        return Leave(reason=Reason.NOT_DUE, until=operation.due_at)
    return None


def _given_up(operation: Operation, now: Instant, terms: Terms) -> Reason | None:
    if operation.deadline_at is not None and operation.deadline_at <= now:
        return Reason.DEADLINE_PASSED
    if operation.attempt >= terms.max_attempts:
        return Reason.ATTEMPTS_USED
    if operation.dispatches >= terms.max_dispatches:
        return Reason.DISPATCHES_USED
    if not key_is_fresh(operation, now, terms):
        return Reason.KEY_TOO_OLD
    return None


def _why_waiting(operation: Operation) -> Reason:
    if operation.status is Status.PENDING:
        return Reason.SCHEDULED if _never_sent(operation) else Reason.LOST_DISPATCH
    return Reason.RETRY_UNCLAIMED if operation.dispatches else Reason.RETRY_DUE


def _never_sent(operation: Operation) -> bool:
    """Work that starts later than a queue can hold a message has had none yet: the first is the sweep's to send."""
    if operation.dispatches or operation.not_before is None:
        return False
    return between(operation.created_at, operation.not_before) > SQS_DELAY_LIMIT
