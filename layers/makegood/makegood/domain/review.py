"""A person's decision on an operation: what may be decided, what it must say, and the move it comes to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from makegood.domain import transitions
from makegood.domain.answer import kept_id
from makegood.domain.errors import ImpossibleTransition, InvalidInput
from makegood.domain.evidence import Decision, Evidence, Verdict, VerdictKind
from makegood.domain.guards import key_is_fresh
from makegood.domain.instant import Instant, after, iso
from makegood.domain.judge import Again, Judgement
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Operation, OperationId, Status, shard_of
from makegood.domain.reason import Reason
from makegood.domain.scrub import one_line, scrubbed

WORDS_LIMIT = 300  #: characters of a reason, or of what a person says they saw
DECISIONS_LIMIT = 40  #: of one operation; all are kept in its row, which must never grow too large to move
_NOT_THERE = (Reason.NOT_SETTLED, Reason.SEEN_ABSENT)  #: why a look that saw nothing is no verdict yet


class Action(StrEnum):
    """What a person may decide."""

    RETRY = "retry"
    CONFIRM = "confirm"
    COMPENSATE = "compensate"
    CLOSE = "close"


FITS: Mapping[Action, frozenset[Status]] = {
    Action.RETRY: frozenset({Status.MANUAL_REVIEW}),
    Action.CONFIRM: frozenset({Status.MANUAL_REVIEW, Status.AWAITING_CONFIRMATION}),
    Action.COMPENSATE: frozenset({Status.MANUAL_REVIEW, Status.AWAITING_CONFIRMATION}),
    Action.CLOSE: frozenset(
        {Status.PENDING, Status.RETRY_SCHEDULED, Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW}
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person wants, and what they looked at when they decided."""

    operation_id: OperationId
    action: Action
    reason: str
    seen_revision: int
    stated: str | None = None  #: what they saw outside, in their words
    remote_id: str | None = None  #: the remote's id of what they saw


def words(text: str, *, what: str) -> str:
    """Accept a person's words: one line, at most 300 characters.

    Raises:
        InvalidInput: nothing was said, or too much.
    """
    line = one_line(text, limit=10 * WORDS_LIMIT)
    if not line:
        raise InvalidInput(f"{what}: say it in words; it is kept with the decision")
    if len(line) > WORDS_LIMIT:
        raise InvalidInput(f"{what}: {len(line)} characters; at most {WORDS_LIMIT} are kept. Link to the rest")
    return line


def worded(wish: Wish) -> Wish:
    """Accept a person's wish with its words in one line each; raises as `words`."""
    stated = None if wish.stated is None else words(wish.stated, what="evidence")
    remote_id = kept_id(wish.remote_id) or None
    return replace(wish, reason=words(wish.reason, what="reason"), stated=stated, remote_id=remote_id)


def misfit(operation: Operation, wish: Wish) -> str | None:
    """Say why an operation as it stands cannot be decided upon so; `None` if nothing speaks against it."""
    if operation.revision != wish.seen_revision:
        return (
            f"it moved since it was looked at: revision {operation.revision} now, {wish.seen_revision} then; "
            "look at it again"
        )
    if operation.is_terminal:
        return f"it is {operation.status}, and that is for ever"
    if operation.status not in FITS[wish.action]:
        fitting = ", ".join(sorted(status.value for status in FITS[wish.action]))
        return f"it is {operation.status}; {wish.action} is for: {fitting}"
    if wish.action is Action.RETRY and len(operation.decisions) >= DECISIONS_LIMIT:
        return f"people have decided upon it {len(operation.decisions)} times; close it and promise it anew"
    return None


def too_old(operation: Operation, wish: Wish, hand: Hand) -> str | None:
    """Say why an operation may not be sent any more, where that is what is wanted."""
    if wish.action is not Action.RETRY or key_is_fresh(operation, hand.now, hand.terms):
        return None
    return (
        "it may have been applied, and the remote may have forgotten its key: a retry could be a second effect. "
        "If it is certainly not there, close it and promise it anew"
    )


def too_soon(operation: Operation, wish: Wish, hand: Hand) -> str | None:
    """Say why another attempt must wait, where the last call may still land and the remote would apply both."""
    settled_at = _settled_at(operation, hand)
    if wish.action is not Action.RETRY or not operation.uncertain or hand.now >= settled_at:
        return None
    if hand.terms.policy.idempotent:
        return None
    return (
        f"its last call may still land until {iso(settled_at)}, and the remote would apply a second one again; "
        "decide again then"
    )


def resolved(operation: Operation, wish: Wish, judgement: Judgement | None, hand: Hand) -> Operation:
    """Move an operation as a person decided, with the fresh verdict or what they say they saw.

    Raises:
        ImpossibleTransition: what was seen does not allow it.
    """
    _require_no_contradiction(operation, wish, judgement, hand)
    verdict, evidence = _seen(operation, wish, judgement, hand)
    decision = _decision(operation, wish, verdict, hand)
    shard = shard_of(operation.operation_id, hand.terms.limits.shards)
    match wish.action:
        case Action.RETRY:
            return transitions.retry(operation, hand, decision=decision, verdict=verdict, shard=shard)
        case Action.COMPENSATE:
            return transitions.compensate(
                operation, hand, verdict=_known(operation, verdict), shard=shard, decision=decision
            )
        case Action.CLOSE:
            _require_not_there(operation, verdict)
            return transitions.close(
                operation, hand, reason=Reason.DECIDED, words=wish.reason, verdict=verdict, decision=decision
            )
        case Action.CONFIRM if operation.intent is Intent.COMPENSATION:
            return transitions.compensated_by_proof(
                operation, hand, verdict=_known(operation, verdict), decision=decision
            )
        case Action.CONFIRM:
            return transitions.confirm_by_proof(
                operation,
                hand,
                verdict=_known(operation, verdict),
                evidence=evidence,
                reason=Reason.DECIDED,
                decision=decision,
            )


def _require_no_contradiction(operation: Operation, wish: Wish, judgement: Judgement | None, hand: Hand) -> None:
    """Refuse a word that it is there where a look saw nothing just now, be it too early for a verdict."""
    if not isinstance(judgement, Again) or judgement.reason not in _NOT_THERE:
        return
    if not wish.stated or _stated_kind(operation, wish) is not VerdictKind.CORRECT:
        return
    again = f"after {iso(max(hand.now, _settled_at(operation, hand)))}"
    raise ImpossibleTransition(f"{operation.operation_id}: it was not there just now; decide again {again}")


def _settled_at(operation: Operation, hand: Hand) -> Instant:
    return after(operation.attempt_ended_at or operation.created_at, hand.terms.settled_after)


def _require_not_there(operation: Operation, verdict: Verdict | None) -> None:
    """Refuse to say that what was just seen, as it was promised, does not apply: a terminal status tells the truth."""
    if verdict is None or verdict.kind is not VerdictKind.CORRECT:
        return
    undoing = operation.intent is Intent.COMPENSATION
    way_out = "let it be undone, or undo it there and confirm that" if undoing else "confirm or compensate"
    raise ImpossibleTransition(f"{operation.operation_id}: its effect is there as promised; {way_out}")


def _decision(operation: Operation, wish: Wish, verdict: Verdict | None, hand: Hand) -> Decision:
    shown = operation.verdict
    return Decision(
        at=hand.now,
        by=hand.actor.name or str(hand.actor),
        seen_revision=wish.seen_revision,
        action=wish.action.value,
        reason=wish.reason,
        stated=wish.stated,
        verdict=verdict.kind.value if verdict else None,
        recommended=shown.recommendation if shown else None,
        policy_version=shown.policy_version if shown else hand.terms.policy.version,
    )


def _seen(
    operation: Operation, wish: Wish, judgement: Judgement | None, hand: Hand
) -> tuple[Verdict | None, Evidence | None]:
    """Take the fresh verdict; where there is none, or nobody can say, take the person's word for it."""
    if judgement is not None and not isinstance(judgement, Again):
        asked = hand.terms.policy.capability.can_ask and judgement.verdict.kind is not VerdictKind.AMBIGUOUS
        if asked or not wish.stated:
            return judgement.verdict, judgement.evidence
    kind = _stated_kind(operation, wish)
    if not wish.stated or kind is None:
        return None, None
    verdict = Verdict(
        kind=kind,
        at=hand.now,
        asked="a person",
        answered=scrubbed(wish.stated, limit=WORDS_LIMIT),
        policy_version=hand.terms.policy.version,
    )
    evidence = Evidence(at=hand.now, remote_id=wish.remote_id, summary=verdict.answered)
    return verdict, evidence


def _stated_kind(operation: Operation, wish: Wish) -> VerdictKind | None:
    undoing = operation.intent is Intent.COMPENSATION
    match wish.action:
        case Action.CONFIRM:
            return VerdictKind.MISSING if undoing else VerdictKind.CORRECT
        case Action.COMPENSATE:
            return VerdictKind.CORRECT
        case Action.RETRY:
            return VerdictKind.CORRECT if undoing else VerdictKind.MISSING
        case Action.CLOSE:
            return None


def _known(operation: Operation, verdict: Verdict | None) -> Verdict:
    if verdict is None:
        raise ImpossibleTransition(
            f"{operation.operation_id}: nobody has seen what is there now; say with --evidence what you saw"
        )
    return verdict
