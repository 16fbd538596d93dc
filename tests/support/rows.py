"""Rows, terms and hands for tests: a sentence names the facts that matter, a builder supplies the rest."""

from datetime import timedelta
from typing import Any

from makegood.domain import history
from makegood.domain.evidence import Decision, Evidence, Verdict, VerdictKind
from makegood.domain.history import Actor, Role, Verb
from makegood.domain.instant import Instant, after
from makegood.domain.limits import Limits
from makegood.domain.moving import Hand
from makegood.domain.operation import (
    REVIEW_SHARD,
    Intent,
    Operation,
    OperationId,
    Status,
    idempotency_key_for,
    shard_of,
)
from makegood.domain.policy import Policy, Terms
from makegood.domain.reason import Reason

NOW = Instant(1_790_000_000_000)  #: 2026-09-21T14:13:20Z
LIMITS = Limits()
T = LIMITS.stale_after
SETTLED = LIMITS.settle_window + LIMITS.skew_margin  #: until absence counts; another clock wrote when an attempt ended
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)

WORKER = Actor(role=Role.WORKER)
RECONCILER = Actor(role=Role.RECONCILER)
PRODUCER = Actor(role=Role.PRODUCER)
OPERATOR = Actor(role=Role.OPERATOR, name="alice")
ACTORS = {actor.role: actor for actor in (WORKER, RECONCILER, PRODUCER, OPERATOR)}

_ENTERED_BY = {
    Status.PROCESSING: Verb.CLAIM,
    Status.AWAITING_CONFIRMATION: Verb.AWAIT,
    Status.RETRY_SCHEDULED: Verb.SCHEDULE_RETRY,
    Status.MANUAL_REVIEW: Verb.ESCALATE,
    Status.CONFIRMED: Verb.CONFIRM,
    Status.COMPENSATED: Verb.COMPENSATED,
    Status.NOT_APPLICABLE: Verb.CLOSE,
}


def ago(duration: timedelta, now: Instant = NOW) -> Instant:
    """Return the instant that lies `duration` before now."""
    return after(now, -duration)


def ahead(duration: timedelta, now: Instant = NOW) -> Instant:
    """Return the instant that lies `duration` after now."""
    return after(now, duration)


def terms(limits: Limits = LIMITS, **policy: Any) -> Terms:
    """Return the terms of a type whose policy says this."""
    return Policy(**policy).under(limits)


def hand(
    role: Role, *, now: Instant = NOW, write_id: str = "write-new", limits: Limits = LIMITS, **policy: Any
) -> Hand:
    """Return the hand of this role, under a policy that says this."""
    return Hand(now=now, actor=ACTORS[role], write_id=write_id, terms=terms(limits, **policy))


def operation(status: Status = Status.PENDING, **facts: Any) -> Operation:
    """Return a row that was written `stale_after` ago, is due now, and looks as the flows leave one in this status."""
    identifier = OperationId(facts.pop("operation_id", "op-1"))
    intent = facts.get("intent", Intent.EFFECT)
    usual: dict[str, Any] = {
        "operation_id": identifier,
        "operation_type": "sync",
        "entity": "customer/452",
        "expected_version": 7,
        "expected_fields": {"plan": "gold"},
        "fingerprint": "f" * 32,
        "idempotency_key": idempotency_key_for(identifier, intent),
        "status": status,
        "write_id": "write-old",
        "created_at": ago(T),
        "updated_at": ago(T),
        "due_shard": shard_of(identifier, LIMITS.shards),
        "due_at": NOW,
        "history": _history(status),
    }
    return Operation(**{**usual, **_of_status(status), **facts})


def evidence(**facts: Any) -> Evidence:
    """Return evidence that agrees with what `operation()` expects."""
    return Evidence(**{"at": NOW, "remote_id": "crm-9", "version": 7, "fields": {"plan": "gold"}, **facts})


def verdict(kind: VerdictKind) -> Verdict:
    """Return a fresh verdict."""
    return Verdict(kind=kind, at=NOW, asked="the CRM, by key")


def decision(**facts: Any) -> Decision:
    """Return what a person decided."""
    usual = {"at": NOW, "by": "alice", "seen_revision": 1, "action": "retry", "reason": "the CRM was restored"}
    return Decision(**{**usual, **facts})


def _history(status: Status) -> tuple[str, ...]:
    first = history.pack(at=ago(T), verb=Verb.SUBMIT, target=Status.PENDING, actor=PRODUCER, reason=Reason.SUBMITTED)
    if status is Status.PENDING:
        return (first,)
    verb = _ENTERED_BY[status]
    return (first, history.pack(at=ago(T), verb=verb, target=status, actor=WORKER, reason=Reason.DELIVERED))


def _of_status(status: Status) -> dict[str, Any]:
    tried = {"attempt": 1, "first_claimed_at": ago(5 * MINUTE), "attempt_ended_at": ago(4 * MINUTE)}
    match status:
        case Status.PENDING:
            return {}
        case Status.PROCESSING:
            lease = {"claim_token": "claim-1", "claimed_at": ago(MINUTE), "lease_ends_at": ahead(MINUTE)}
            return {"attempt": 1, "first_claimed_at": ago(MINUTE), **lease}
        case Status.RETRY_SCHEDULED:
            return {**tried, "not_before": ago(3 * MINUTE)}
        case Status.AWAITING_CONFIRMATION:
            return {**tried, "uncertain": True}
        case Status.MANUAL_REVIEW:
            return {**tried, "due_shard": REVIEW_SHARD, "due_at": ago(MINUTE)}
        case Status.CONFIRMED | Status.COMPENSATED | Status.NOT_APPLICABLE:
            return {**tried, "due_shard": None, "due_at": None, "expires_at": ahead(LIMITS.retention) // 1000}
