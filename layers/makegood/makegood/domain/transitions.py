"""The functions that apply the table: Operation → Operation. They take the time and the hand; they ask for nothing.

Each asks `permitted` first, which raises for a move that the table does not allow. What comes back is the whole row
as it will stand, so a store writes the difference under the condition that the row is still the one that was seen.
"""

from datetime import timedelta
from typing import Any

from makegood.domain import operation as op
from makegood.domain.evidence import Closure, Decision, Evidence, Verdict
from makegood.domain.history import Verb
from makegood.domain.instant import Instant, after, earliest
from makegood.domain.moving import Hand, moved, permitted
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.reason import Reason
from makegood.domain.table import Row


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
    return _proven(operation, row, hand, Reason.AGREED, evidence)


def compensated(operation: Operation, hand: Hand, *, evidence: Evidence) -> Operation:
    """End with the effect proven undone by the remote's own answer."""
    row = permitted(operation, Verb.COMPENSATED, hand.actor.role, hand.facts(evidence=evidence))
    return _proven(operation, row, hand, Reason.AGREED, evidence)


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
        due_at=_no_later(operation, after(hand.now, hand.terms.confirmation_window)),
    )


def schedule_retry(operation: Operation, hand: Hand, *, wait: timedelta, error: str) -> Operation:
    """Allow the next attempt after a wait; this one certainly had no effect."""
    row = permitted(operation, Verb.SCHEDULE_RETRY, hand.actor.role, hand.facts())
    return _waiting(operation, row, hand, Reason.TRANSIENT, wait, last_error=error)


def escalate(operation: Operation, hand: Hand, *, reason: Reason, error: str | None = None) -> Operation:
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
        due_shard=op.REVIEW_SHARD,
        due_at=hand.now,
    )


def close(
    operation: Operation, hand: Hand, *, reason: Reason, words: str, decision: Decision | None = None
) -> Operation:
    """End without the effect, because it does not apply. Taking this road twice changes nothing."""
    if operation.status is Status.NOT_APPLICABLE:
        return operation
    row = permitted(operation, Verb.CLOSE, hand.actor.role, hand.facts(reason_given=bool(words)))
    return moved(
        operation, row, hand, reason, closure=Closure(reason=words, by=str(hand.actor)), **_decided(operation, decision)
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
        due_at=_no_later(operation, after(hand.now, hand.terms.stale_after)),
    )


def release(operation: Operation, hand: Hand) -> Operation:
    """Take a claim from a worker whose lease is over. The effect is unknown, so it is observed before anything else."""
    row = permitted(operation, Verb.RELEASE, hand.actor.role, hand.facts())
    return moved(operation, row, hand, Reason.LEASE_OVER, uncertain=True)


def confirm_by_proof(
    operation: Operation, hand: Hand, *, verdict: Verdict, evidence: Evidence, decision: Decision | None = None
) -> Operation:
    """End with the effect proven by a fresh observation."""
    row = permitted(operation, Verb.CONFIRM_BY_PROOF, hand.actor.role, hand.facts(verdict=verdict, evidence=evidence))
    return _proven(operation, row, hand, Reason.PROVEN, evidence, verdict=verdict, **_decided(operation, decision))


def compensated_by_proof(
    operation: Operation, hand: Hand, *, verdict: Verdict, decision: Decision | None = None
) -> Operation:
    """End with the effect proven gone by a fresh observation."""
    row = permitted(operation, Verb.COMPENSATED_BY_PROOF, hand.actor.role, hand.facts(verdict=verdict))
    return moved(operation, row, hand, Reason.PROVEN, verdict=verdict, **_decided(operation, decision))


def requeue(operation: Operation, hand: Hand, *, verdict: Verdict, wait: timedelta) -> Operation:
    """Allow another attempt, because the effect is certainly missing and the remote still knows the key."""
    row = permitted(operation, Verb.REQUEUE, hand.actor.role, hand.facts(verdict=verdict))
    return _waiting(operation, row, hand, Reason.MISSING, wait, verdict=verdict)


def observe_again(
    operation: Operation, hand: Hand, *, wait: timedelta, reason: Reason = Reason.STILL_UNKNOWN
) -> Operation:
    """Look again later; the settle window is not started anew."""
    row = permitted(operation, Verb.OBSERVE_AGAIN, hand.actor.role, hand.facts())
    due_at = _no_later(operation, after(hand.now, wait))
    return moved(operation, row, hand, reason, observations=operation.observations + 1, due_at=due_at)


def retry(
    operation: Operation, hand: Hand, *, decision: Decision, verdict: Verdict | None = None, shard: str
) -> Operation:
    """Allow new attempts by a person's decision."""
    facts = hand.facts(verdict=verdict, stated=decision.stated, reason_given=bool(decision.reason))
    row = permitted(operation, Verb.RETRY, hand.actor.role, facts)
    changes = {"attempt": 0, "verdict": verdict, "due_shard": shard, **_decided(operation, decision)}
    return _waiting(operation, row, hand, Reason.DECIDED, timedelta(), **changes)


def compensate(
    operation: Operation, hand: Hand, *, verdict: Verdict, shard: str, decision: Decision | None = None
) -> Operation:
    """Turn the operation round: its attempts now undo the effect, under a key of their own."""
    row = permitted(operation, Verb.COMPENSATE, hand.actor.role, hand.facts(verdict=verdict))
    return moved(
        operation,
        row,
        hand,
        Reason.COMPENSATION,
        intent=Intent.COMPENSATION,
        idempotency_key=op.idempotency_key_for(operation.operation_id, Intent.COMPENSATION),
        attempt=0,
        dispatches=0,
        uncertain=False,
        first_claimed_at=None,
        attempt_ended_at=None,
        not_before=None,
        verdict=verdict,
        due_shard=shard,
        due_at=_no_later(operation, after(hand.now, hand.terms.stale_after)),
        **_decided(operation, decision),
    )


def request_cancel(operation: Operation, hand: Hand, *, words: str) -> Operation:
    """Close what was never uncertainly tried; let the others remember the wish until their outcome is known."""
    row = permitted(operation, Verb.REQUEST_CANCEL, hand.actor.role, hand.facts(reason_given=bool(words)))
    closure = Closure(reason=words, by=str(hand.actor)) if row.target else None
    return moved(operation, row, hand, Reason.CANCELLED, cancel_reason=words, closure=closure)


def _proven(operation: Operation, row: Row, hand: Hand, reason: Reason, evidence: Evidence, **more: Any) -> Operation:
    remote_id = evidence.remote_id or operation.remote_id
    return moved(operation, row, hand, reason, evidence=evidence, remote_id=remote_id, last_error=None, **more)


def _waiting(operation: Operation, row: Row, hand: Hand, reason: Reason, wait: timedelta, **more: Any) -> Operation:
    not_before = after(hand.now, wait)
    due_at = max(operation.due_at or not_before, after(not_before, hand.terms.limits.retry_grace))
    return moved(
        operation, row, hand, reason, dispatches=0, not_before=not_before, due_at=_no_later(operation, due_at), **more
    )


def _decided(operation: Operation, decision: Decision | None) -> dict[str, Any]:
    return {"decisions": (*operation.decisions, decision)} if decision else {}


def _no_later(operation: Operation, due_at: Instant) -> Instant:
    """Never look later than the deadline."""
    return earliest(due_at, operation.deadline_at) or due_at
