"""DESIGN's section 7 written down a second time: rules that exclude each other, so that exactly one holds for a row."""

from collections.abc import Callable, Mapping

from makegood.domain.decide import Action, Dispatch, Escalate, Leave, Observe, Release
from makegood.domain.instant import Instant
from makegood.domain.operation import Operation, Status
from makegood.domain.policy import Terms

from tests.support.rows import MINUTE

WAITING = {Status.PENDING, Status.RETRY_SCHEDULED}
SKEW = 60_000  #: milliseconds
KEY_RESERVE = 240_000  #: a lease of 120 s and a settle window of 120 s

Rule = Callable[[Operation, Instant, Terms], bool]


def is_due(row: Operation, now: Instant, _: Terms) -> bool:
    """Say whether the sweep is asked about the row at all."""
    return row.due_at is not None and row.due_at <= now


def lease_running(row: Operation, now: Instant, _: Terms) -> bool:
    """Say whether a worker may still believe in its claim, on whichever clock."""
    return row.lease_ends_at is not None and now <= row.lease_ends_at + SKEW


def too_early(row: Operation, now: Instant, _: Terms) -> bool:
    """Say whether no attempt is allowed yet."""
    return row.not_before is not None and row.not_before > now


def given_up(row: Operation, now: Instant, terms: Terms) -> bool:
    """Say whether nothing may be sent any more."""
    lifetime = terms.policy.key_lifetime // (MINUTE / 60_000)
    first = row.first_claimed_at
    key_too_old = row.uncertain and first is not None and lifetime - (now - first) <= KEY_RESERVE
    past = row.deadline_at is not None and row.deadline_at <= now
    return past or row.attempt >= terms.max_attempts or row.dispatches >= terms.max_dispatches or key_too_old


def waiting(*wanted: Rule, unless: tuple[Rule, ...] = ()) -> Rule:
    """Return the rule for rows that wait to be claimed, of which these things hold and those do not."""
    return lambda *row: (
        row[0].status in WAITING and all(rule(*row) for rule in wanted) and not any(rule(*row) for rule in unless)
    )


def of(status: Status, *wanted: Rule, unless: tuple[Rule, ...] = ()) -> Rule:
    """Return the rule for rows of this status, of which these things hold and those do not."""
    return lambda *row: (
        row[0].status is status and all(rule(*row) for rule in wanted) and not any(rule(*row) for rule in unless)
    )


RULES: Mapping[str, tuple[Rule, type[Action]]] = {
    "in review: leave": (of(Status.MANUAL_REVIEW), Leave),
    "claimed, lease running: leave": (of(Status.PROCESSING, lease_running), Leave),
    "claimed, lease over, not due: leave": (of(Status.PROCESSING, unless=(lease_running, is_due)), Leave),
    "claimed, lease over: release": (of(Status.PROCESSING, is_due, unless=(lease_running,)), Release),
    "waiting, not due: leave": (waiting(unless=(is_due,)), Leave),
    "waiting, too early: leave": (waiting(is_due, too_early), Leave),
    "waiting, used up or too late: escalate": (waiting(is_due, given_up, unless=(too_early,)), Escalate),
    "waiting: touch, then dispatch": (waiting(is_due, unless=(too_early, given_up)), Dispatch),
    "awaiting, not due: leave": (of(Status.AWAITING_CONFIRMATION, unless=(is_due,)), Leave),
    "awaiting: observe": (of(Status.AWAITING_CONFIRMATION, is_due), Observe),
}
