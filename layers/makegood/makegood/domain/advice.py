"""What a person should know before they decide: the risk of doubling an effect, and what is advised."""

from collections.abc import Mapping

from makegood.domain.evidence import VerdictKind
from makegood.domain.guards import key_is_fresh
from makegood.domain.instant import Instant, after, iso
from makegood.domain.operation import Intent, Operation
from makegood.domain.policy import Step, Terms
from makegood.domain.review import Action

_ACTIONS = {Step.CONFIRM: Action.CONFIRM, Step.REQUEUE: Action.RETRY, Step.COMPENSATE: Action.COMPENSATE}
_BY_KIND: Mapping[VerdictKind, tuple[Action | None, str]] = {
    VerdictKind.CORRECT: (Action.CONFIRM, "confirm: the outside system proves it"),
    VerdictKind.DIVERGENT: (None, "find out who changed it there; then compensate, or close and promise it anew"),
    VerdictKind.AMBIGUOUS: (None, "look there yourself; then confirm, or retry, and say with --evidence what you saw"),
    VerdictKind.NOT_APPLICABLE: (Action.CLOSE, "close: something newer has taken its place"),
}
_UNSEEN = "look there yourself; close if nothing is there, otherwise compensate, or close once it is undone there"
_THERE = "it is there and wanted no more: compensate, or close once it is undone there; confirm if it is to stay"
_OF_GIVEN_UP: Mapping[VerdictKind, tuple[Action | None, str]] = {
    VerdictKind.CORRECT: (None, _THERE),
    VerdictKind.DIVERGENT: (None, _THERE),
    VerdictKind.AMBIGUOUS: (None, _UNSEEN),
}
_TRIED_AGAIN = {
    Intent.EFFECT: (VerdictKind.MISSING,),
    Intent.COMPENSATION: (VerdictKind.CORRECT, VerdictKind.DIVERGENT),
}


def risk(operation: Operation, *, now: Instant, terms: Terms) -> str:
    """Say in words what a retry could double."""
    if (count := _doubled(operation)) is not None:
        return f"it has happened: the effect was found {count} times"
    what = "undone" if operation.intent is Intent.COMPENSATION else "applied"
    if not operation.uncertain:
        return f"none: no attempt may have been {what}"
    if not terms.policy.idempotent:
        return f"high: it may have been {what}, and the remote would apply a repeated call again"
    if not key_is_fresh(operation, now, terms):
        return f"high: it may have been {what}, and the remote may have forgotten its key; a retry is refused"
    until = after(operation.first_claimed_at or now, terms.policy.key_lifetime - terms.key_reserve)
    return f"low: it may have been {what}, but the remote applies a key once and knows this one until {iso(until)}"


def advised(operation: Operation, *, now: Instant, terms: Terms) -> tuple[Action | None, str]:
    """Return the action that is recommended, if one is, and what to do in words."""
    verdict = operation.verdict
    if verdict is None:
        return _by_state(operation, now, terms)
    may_be_sent = key_is_fresh(operation, now, terms) and not _is_given_up(operation)
    if not may_be_sent and verdict.kind in _TRIED_AGAIN[operation.intent]:
        return _by_state(operation, now, terms)
    if verdict.recommendation in set(Step):
        action = _ACTIONS.get(Step(verdict.recommendation), Action.CLOSE)
        return action, f"{action}: the policy would have done so"
    if operation.intent is Intent.COMPENSATION and verdict.kind in _TRIED_AGAIN[operation.intent]:
        return Action.RETRY, "mend what stood in its way, then retry: its effect was to be undone and is still there"
    if _is_given_up(operation) and verdict.kind in _OF_GIVEN_UP:
        return _OF_GIVEN_UP[verdict.kind]
    return _BY_KIND.get(verdict.kind) or _by_state(operation, now, terms)


def _by_state(operation: Operation, now: Instant, terms: Terms) -> tuple[Action | None, str]:
    if _is_given_up(operation) and operation.uncertain and operation.verdict is None:
        return None, _UNSEEN
    if _is_given_up(operation):
        return Action.CLOSE, "close: its cancellation was asked for"
    if not key_is_fresh(operation, now, terms):
        return None, "look there yourself; then confirm, or close and promise it anew: its key is too old to be sent"
    if operation.uncertain and operation.verdict is None:
        return None, "look there yourself; then confirm, or retry, and say with --evidence what you saw"
    return Action.RETRY, "mend what stood in its way, then retry"


def _is_given_up(operation: Operation) -> bool:
    return operation.cancel_reason is not None and operation.intent is Intent.EFFECT


def _doubled(operation: Operation) -> str | None:
    differences = operation.verdict.differences if operation.verdict else ()
    return next((each.observed for each in differences if each.field == "count"), None)
