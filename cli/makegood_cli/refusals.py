"""Why a decision was refused, in a person's words, and what can be decided instead by the same rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from makegood.domain import review
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Actor, Role
from makegood.domain.judge import Judged
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Status
from makegood.domain.review import Action
from makegood.domain.table import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.operation import Operation
    from makegood.domain.review import Wish
    from makegood.flows.cancel import Refused

    from makegood_cli.stacks import Rooms

_A_WORD = "what a person saw there"
#: What a guard of the table wants, to somebody who decides. Where several do not hold the first says enough.
WANTED = {
    Guard.VERDICT_CORRECT: "to confirm it, its effect must be seen there as promised",
    Guard.VERDICT_GONE: "to confirm that it is undone, its effect must be seen to be gone",
    Guard.VERDICT_FOUND: "to compensate it, its effect must be seen there",
    Guard.FOR_EFFECT: "its effect is being undone already",
    Guard.FOR_COMPENSATION: "its effect is not being undone",
    Guard.STILL_WANTED: "its cancellation was asked for, so it is not sent again",
    Guard.SETTLED: "its last call may still land there; wait a moment",
    Guard.EVIDENCE: "nothing proves it",
}
RETRY_WANTS = {
    Intent.EFFECT: "to try it again, its effect must be seen to be missing there",
    Intent.COMPENSATION: "to undo it once more, its effect must be seen there still",
}


def told(wish: Wish, refused: Refused, rooms: Rooms) -> str:
    """Say why, and which actions are possible now, without and with a person's word for what is there."""
    seen = f" (asked just now: {refused.seen})" if refused.seen else ""
    because = _because(refused) if refused.lacks else _said(wish, refused)
    parts = [
        f"{wish.operation_id} is not decided: {because}{seen if refused.lacks else ''}",
        *_ways_out(wish, refused, rooms),
    ]
    return f"{'. '.join(parts)}. Nothing was written"


def _because(refused: Refused) -> str:
    for guard in refused.lacks:
        if guard == Guard.CHECKED:
            return _unchecked(refused)
        if guard in WANTED:
            return WANTED[Guard(guard)]
    return f"it lacks: {', '.join(refused.lacks)}"


def _unchecked(refused: Refused) -> str:
    judged, intent = refused.judgement, refused.operation.intent
    kind = judged.verdict.kind if isinstance(judged, Judged) else None
    done = VerdictKind.CORRECT if intent is Intent.EFFECT else VerdictKind.MISSING
    if kind is done:
        return "another attempt is not needed: " + (
            "its effect is there" if intent is Intent.EFFECT else "it is undone"
        )
    return RETRY_WANTS[intent]


def _said(wish: Wish, refused: Refused) -> str:
    return refused.why.removeprefix(f"{wish.operation_id}: ")


def _ways_out(wish: Wish, refused: Refused, rooms: Rooms) -> Iterator[str]:
    operation = refused.operation
    if operation.is_terminal or operation.revision != wish.seen_revision:
        return
    if operation.status is Status.PROCESSING:
        yield "A worker has it just now: wait for what it is answered"
        return
    hand = _hand(operation, rooms)
    able = [each for each in Action if not rooms.review.why_not(operation, replace(wish, action=each), hand)]
    if _is_unasked(refused, rooms):
        yield f"What fits one that is {operation.status.value}, if it is seen there so: {', '.join(able) or 'nothing'}"
        return
    free = [action for action in able if _is_possible(replace(wish, action=action), refused, rooms)]
    worded = [replace(wish, action=action, stated=_A_WORD) for action in able if action not in free]
    by_word = [each.action for each in worded if not wish.stated and _is_possible(each, refused, rooms)]
    if free:
        yield f"Possible now: {', '.join(free)}"
    if by_word:
        yield f"Possible if you say with --evidence what you saw there yourself: {', '.join(by_word)}"
    if not free and not by_word:
        yield "Nothing else is possible now"


def _is_unasked(refused: Refused, rooms: Rooms) -> bool:
    """Say whether nobody has looked yet, and a look may change what is possible."""
    operation = refused.operation
    looked = refused.judgement is not None or refused.seen is not None
    can_ask = rooms.registry.terms_of(operation.operation_type).policy.capability.can_ask
    return can_ask and not looked and operation.first_claimed_at is not None


def _is_possible(wish: Wish, refused: Refused, rooms: Rooms) -> bool:
    try:
        review.resolved(refused.operation, wish, refused.judgement, _hand(refused.operation, rooms))
    except ImpossibleTransition:
        return False
    return True


def _hand(operation: Operation, rooms: Rooms) -> Hand:
    terms = rooms.registry.terms_of(operation.operation_type)
    return Hand(now=rooms.clock.now(), actor=Actor(role=Role.OPERATOR, name="a person"), write_id="", terms=terms)
