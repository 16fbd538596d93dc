"""What follows from a judgement: the policy's step within its mode and the table's guards, or a person's question.

A step that the mode withholds or the table does not permit becomes the recommendation of a row in review.
"""

from dataclasses import dataclass, replace

from makegood.domain import history, transitions
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Verb
from makegood.domain.instant import after
from makegood.domain.judge import Again, Judged, Judgement
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Operation, shard_of
from makegood.domain.policy import Mode, Policy, Step
from makegood.domain.reason import Reason
from makegood.domain.scrub import scrubbed

_LEAST_MODE = {Step.CONFIRM: Mode.CONFIRM, Step.REQUEUE: Mode.CORRECT, Step.COMPENSATE: Mode.CORRECT}
_REACH = {Mode.OBSERVE: 0, Mode.CONFIRM: 1, Mode.CORRECT: 2}
_VERBS = {
    Step.CONFIRM: Verb.CONFIRM_BY_PROOF,
    Step.REQUEUE: Verb.REQUEUE,
    Step.COMPENSATE: Verb.COMPENSATE,
    Step.CLOSE: Verb.CLOSE,
}
_STILL_THERE = (VerdictKind.CORRECT, VerdictKind.DIVERGENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Where a judgement led. `would` is the verb that the policy wanted and the mode withheld."""

    after: Operation
    would: Verb | None = None


def follow(operation: Operation, judgement: Judgement, hand: Hand, *, fraction: float) -> Followed:
    """Move an operation that awaits confirmation by what a look said. `fraction` is the draw for jitter."""
    if isinstance(judgement, Again):
        return Followed(after=_again(operation, judgement, hand, fraction))
    step = step_for(operation, judgement, hand.terms.policy)
    if _is_too_soon(operation, judgement, step, hand):
        return Followed(after=_again(operation, Again(reason=Reason.NOT_SETTLED), hand, fraction))
    if step is Step.REVIEW:
        return Followed(after=_to_review(operation, judgement, hand, judgement.reason))
    recommended = replace(judgement, verdict=replace(judgement.verdict, recommendation=step.value))
    if _is_withheld(step, hand.terms.policy.mode):
        after = _to_review(operation, recommended, hand, Reason.ONLY_OBSERVING)
        return Followed(after=after, would=verb_of(operation, step))
    if _is_late(operation, hand) and step is Step.REQUEUE:
        return Followed(after=_to_review(operation, recommended, hand, Reason.DEADLINE_PASSED))
    try:
        return Followed(after=_taken(operation, step, judgement, hand, fraction))
    except ImpossibleTransition as refused:
        words = scrubbed(str(refused).partition("; ")[2])
        return Followed(after=_to_review(operation, recommended, hand, Reason.NOT_PERMITTED, words))


def step_for(operation: Operation, judged: Judged, policy: Policy) -> Step:
    """Say which step the policy wants for a verdict, whatever the mode and the guards say."""
    kind = judged.verdict.kind
    if operation.intent is Intent.COMPENSATION:
        return _step_of_undoing(kind, policy)
    if kind is VerdictKind.MISSING and _was_ruled_out(operation):
        return Step.CLOSE
    if operation.cancel_reason is None or kind is VerdictKind.AMBIGUOUS:
        return policy.step(kind)
    if kind is VerdictKind.DIVERGENT and policy.on_divergent is Step.REVIEW:
        return Step.REVIEW  # the wish is about our effect; what somebody else wrote would go with it
    return policy.on_cancelled if kind in _STILL_THERE else Step.CLOSE


def verb_of(operation: Operation, step: Step) -> Verb:
    """Name the verb that takes a step."""
    undone = step is Step.CONFIRM and operation.intent is Intent.COMPENSATION
    return Verb.COMPENSATED_BY_PROOF if undone else _VERBS[step]


def _step_of_undoing(kind: VerdictKind, policy: Policy) -> Step:
    if kind is VerdictKind.MISSING:
        return Step.CONFIRM
    return Step.REQUEUE if kind in _STILL_THERE and policy.idempotent else Step.REVIEW


def _was_ruled_out(operation: Operation) -> bool:
    """Say whether the last attempt met a rule against it: sent again, it would meet it again."""
    for entry in reversed([*history.read(operation.history)]):
        if isinstance(entry, history.Entry) and entry.verb in (Verb.AWAIT, Verb.CLAIM):
            return entry.reason == Reason.RULED_OUT
    return False


def _is_withheld(step: Step, mode: Mode) -> bool:
    return _REACH[mode] < _REACH[_LEAST_MODE.get(step, Mode.OBSERVE)]


def _is_too_soon(operation: Operation, judged: Judged, step: Step, hand: Hand) -> bool:
    """Say whether a call of ours may still land and change what was seen, or what may be done about it."""
    ended_at, seen = operation.attempt_ended_at, judged.evidence.version if judged.evidence else None
    if ended_at is None or hand.now >= after(ended_at, hand.terms.settled_after):
        return False
    older = operation.intent is Intent.EFFECT and seen is not None and seen < operation.expected_version
    return step in (Step.REQUEUE, Step.COMPENSATE) or older


def _is_late(operation: Operation, hand: Hand) -> bool:
    return operation.deadline_at is not None and operation.deadline_at <= hand.now


def _again(operation: Operation, again: Again, hand: Hand, fraction: float) -> Operation:
    if _is_late(operation, hand):
        return transitions.escalate(operation, hand, reason=Reason.DEADLINE_PASSED)
    wait = hand.terms.policy.observation_backoff.wait_apart(operation.observations + 1, fraction=fraction)
    return transitions.observe_again(operation, hand, wait=wait, reason=again.reason, absences=again.absences)


def _to_review(operation: Operation, judged: Judged, hand: Hand, reason: Reason, words: str | None = None) -> Operation:
    return transitions.escalate(
        operation, hand, reason=reason, error=words, verdict=judged.verdict, evidence=judged.evidence
    )


def _taken(operation: Operation, step: Step, judged: Judged, hand: Hand, fraction: float) -> Operation:
    verdict = judged.verdict
    match step:
        case Step.CONFIRM if operation.intent is Intent.COMPENSATION:
            return transitions.compensated_by_proof(operation, hand, verdict=verdict)
        case Step.CONFIRM:
            return transitions.confirm_by_proof(
                operation, hand, verdict=verdict, evidence=judged.evidence, reason=judged.reason
            )
        case Step.REQUEUE:
            wait = hand.terms.policy.backoff.wait(operation.attempt, fraction=fraction)
            return transitions.requeue(operation, hand, verdict=verdict, wait=wait)
        case Step.COMPENSATE:
            shard = shard_of(operation.operation_id, hand.terms.limits.shards)
            return transitions.compensate(operation, hand, verdict=verdict, shard=shard)
        case Step.CLOSE:
            return transitions.close(operation, hand, reason=judged.reason, words=judged.reason.words, verdict=verdict)
        case Step.REVIEW:
            return _to_review(operation, judged, hand, judged.reason)
