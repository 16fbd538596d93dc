"""The moves that an answer from outside, a policy or a person brings about; part of the table as `transitions` is."""

from datetime import timedelta

from makegood.domain import operation as op
from makegood.domain.evidence import Closure, Decision, Evidence, Verdict
from makegood.domain.history import Verb
from makegood.domain.instant import after
from makegood.domain.moving import Hand, decided, moved, no_later, permitted, proven, waiting
from makegood.domain.operation import Intent, Operation
from makegood.domain.reason import Reason


def confirm_by_proof(
    operation: Operation,
    hand: Hand,
    *,
    verdict: Verdict,
    evidence: Evidence | None,
    reason: Reason = Reason.PROVEN,
    decision: Decision | None = None,
) -> Operation:
    """End with the effect proven by a fresh observation."""
    row = permitted(operation, Verb.CONFIRM_BY_PROOF, hand.actor.role, hand.facts(verdict=verdict, evidence=evidence))
    return proven(operation, row, hand, reason, evidence, verdict=verdict, **decided(operation, decision))


def compensated_by_proof(
    operation: Operation, hand: Hand, *, verdict: Verdict, decision: Decision | None = None
) -> Operation:
    """End with the effect proven gone by a fresh observation."""
    row = permitted(operation, Verb.COMPENSATED_BY_PROOF, hand.actor.role, hand.facts(verdict=verdict))
    return moved(operation, row, hand, Reason.PROVEN, verdict=verdict, **decided(operation, decision))


def requeue(operation: Operation, hand: Hand, *, verdict: Verdict, wait: timedelta) -> Operation:
    """Allow another attempt, because the effect is certainly missing and the remote still knows the key.

    An attempt to undo is allowed another one because the effect is still there.
    """
    row = permitted(operation, Verb.REQUEUE, hand.actor.role, hand.facts(verdict=verdict))
    reason = Reason.MISSING if operation.intent is Intent.EFFECT else Reason.STILL_THERE
    return waiting(operation, row, hand, reason, wait, verdict=verdict)


def observe_again(
    operation: Operation, hand: Hand, *, wait: timedelta, reason: Reason = Reason.STILL_UNKNOWN, absences: int = 0
) -> Operation:
    """Look again later; the settle window is not started anew."""
    row = permitted(operation, Verb.OBSERVE_AGAIN, hand.actor.role, hand.facts())
    return moved(
        operation,
        row,
        hand,
        reason,
        observations=operation.observations + 1,
        absences=absences,
        due_at=no_later(operation, after(hand.now, wait)),
    )


def retry(
    operation: Operation, hand: Hand, *, decision: Decision, verdict: Verdict | None = None, shard: str
) -> Operation:
    """Allow new attempts by a person's decision."""
    facts = hand.facts(verdict=verdict, stated=decision.stated, reason_given=bool(decision.reason))
    row = permitted(operation, Verb.RETRY, hand.actor.role, facts)
    changes = {"attempt": 0, "verdict": verdict, "due_shard": shard, **decided(operation, decision)}
    return waiting(operation, row, hand, Reason.DECIDED, timedelta(), **changes)


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
        deadline_at=None,  # it was the effect's; an effect that came too late is undone all the same
        verdict=verdict,
        due_shard=shard,
        due_at=after(hand.now, hand.terms.stale_after),
        **decided(operation, decision),
    )


def request_cancel(operation: Operation, hand: Hand, *, words: str) -> Operation:
    """Close what was never uncertainly tried; let the others remember the wish until their outcome is known."""
    row = permitted(operation, Verb.REQUEST_CANCEL, hand.actor.role, hand.facts(reason_given=bool(words)))
    closure = Closure(reason=words, by=str(hand.actor)) if row.target else None
    return moved(operation, row, hand, Reason.CANCELLED, cancel_reason=words, closure=closure)
