"""The functions that apply the table: Operation → Operation. They take the time and the hand; they ask for nothing.

Each asks `permitted` first, which raises for a move that the table does not allow. What comes back is the whole row
as it will stand, so a store writes the difference under the condition that the row is still the one that was seen.
"""

from dataclasses import replace
from datetime import timedelta

from makegood.domain import operation as op
from makegood.domain.evidence import Closure, Decision, Evidence, Verdict, VerdictKind
from makegood.domain.history import Verb
from makegood.domain.instant import Instant, after
from makegood.domain.moving import Hand, decided, moved, no_later, permitted, proven, waiting
from makegood.domain.operation import Operation, Status
from makegood.domain.reason import Reason
from makegood.domain.resolving import (
    compensate,
    compensated_by_proof,
    confirm_by_proof,
    observe_again,
    request_cancel,
    requeue,
    retry,
)

__all__ = [
    "await_proof",
    "claim",
    "close",
    "compensate",
    "compensated",
    "compensated_by_proof",
    "confirm",
    "confirm_by_proof",
    "escalate",
    "observe_again",
    "put_off",
    "release",
    "request_cancel",
    "requeue",
    "retry",
    "schedule_retry",
    "touch",
]


def claim(operation: Operation, hand: Hand, *, token: str) -> Operation:
    """Take an unclaimed operation for one attempt, until the lease ends."""
    row = permitted(operation, Verb.CLAIM, hand.actor.role, hand.facts())
    return moved(
        operation,
        row,
        hand,
        Reason.DELIVERED,
        attempt=operation.attempt + 1,
        claim_token=token,
        claimed_at=hand.now,
        lease_ends_at=after(hand.now, hand.terms.limits.lease),
        first_claimed_at=operation.first_claimed_at or hand.now,
        verdict=None,
    )


def confirm(operation: Operation, hand: Hand, *, evidence: Evidence) -> Operation:
    """End with the effect proven by the remote's own answer."""
    row = permitted(operation, Verb.CONFIRM, hand.actor.role, hand.facts(evidence=evidence))
    return proven(operation, row, hand, Reason.AGREED, evidence)


def compensated(operation: Operation, hand: Hand, *, evidence: Evidence) -> Operation:
    """End with the effect proven undone by the remote's own answer."""
    row = permitted(operation, Verb.COMPENSATED, hand.actor.role, hand.facts(evidence=evidence))
    return proven(operation, row, hand, Reason.AGREED, evidence)


def await_proof(
    operation: Operation,
    hand: Hand,
    *,
    reason: Reason,
    remote_id: str | None = None,
    evidence: Evidence | None = None,
    verdict: Verdict | None = None,
    error: str | None = None,
) -> Operation:
    """Stop until the outcome is proven: the effect may exist, so nothing is sent again before an answer."""
    row = permitted(operation, Verb.AWAIT, hand.actor.role, hand.facts())
    return moved(
        operation,
        row,
        hand,
        reason,
        uncertain=True,
        remote_id=remote_id or operation.remote_id,
        evidence=evidence or operation.evidence,
        verdict=verdict,
        last_error=error or operation.last_error,
        observations=0,
        absences=0,
        due_at=no_later(operation, after(hand.now, hand.terms.confirmation_window)),
    )


def schedule_retry(operation: Operation, hand: Hand, *, wait: timedelta, error: str) -> Operation:
    """Allow the next attempt after a wait; this one certainly had no effect."""
    row = permitted(operation, Verb.SCHEDULE_RETRY, hand.actor.role, hand.facts())
    return waiting(operation, row, hand, Reason.TRANSIENT, wait, last_error=error)


def put_off(operation: Operation, hand: Hand, *, wait: timedelta, error: str, reason: Reason) -> Operation:
    """Allow the next attempt after a wait, and give this one back: nothing was sent, and it was not at fault."""
    uncounted = replace(operation, attempt=operation.attempt - 1)
    row = permitted(uncounted, Verb.SCHEDULE_RETRY, hand.actor.role, hand.facts())
    return waiting(uncounted, row, hand, reason, wait, last_error=error)


def escalate(
    operation: Operation,
    hand: Hand,
    *,
    reason: Reason,
    error: str | None = None,
    verdict: Verdict | None = None,
    evidence: Evidence | None = None,
) -> Operation:
    """Put the operation in front of a person. Taking this road twice changes nothing."""
    if operation.status is Status.MANUAL_REVIEW:
        return operation
    row = permitted(operation, Verb.ESCALATE, hand.actor.role, hand.facts())
    return moved(
        operation,
        row,
        hand,
        reason,
        last_error=error or operation.last_error,
        verdict=verdict or operation.verdict,
        evidence=evidence or operation.evidence,
        absences=operation.absences if verdict is None or verdict.kind is VerdictKind.MISSING else 0,
        due_shard=op.REVIEW_SHARD,
        due_at=hand.now,
    )


def close(
    operation: Operation,
    hand: Hand,
    *,
    reason: Reason,
    words: str,
    verdict: Verdict | None = None,
    decision: Decision | None = None,
) -> Operation:
    """End without the effect, because it does not apply. Taking this road twice changes nothing."""
    if operation.status is Status.NOT_APPLICABLE:
        return operation
    row = permitted(operation, Verb.CLOSE, hand.actor.role, hand.facts(reason_given=bool(words)))
    return moved(
        operation,
        row,
        hand,
        reason,
        closure=Closure(reason=words, by=str(hand.actor)),
        verdict=verdict or operation.verdict,
        **decided(operation, decision),
    )


def touch(operation: Operation, hand: Hand, *, reason: Reason, due_until: Instant | None = None) -> Operation:
    """Mark a stale row as seen, before its dispatch. `due_until` is the horizon if it is not now."""
    row = permitted(operation, Verb.TOUCH, hand.actor.role, hand.facts(due_until=due_until))
    return moved(
        operation,
        row,
        hand,
        reason,
        dispatches=operation.dispatches + 1,
        due_at=no_later(operation, after(hand.now, hand.terms.stale_after)),
    )


def release(operation: Operation, hand: Hand) -> Operation:
    """Take a claim from a worker whose lease is over. The effect is unknown, so it is observed before anything else."""
    row = permitted(operation, Verb.RELEASE, hand.actor.role, hand.facts())
    return moved(operation, row, hand, Reason.LEASE_OVER, uncertain=True, observations=0, absences=0)
