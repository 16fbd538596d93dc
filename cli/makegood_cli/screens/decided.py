"""What became of a person's wish: a decision that stands, a cancellation that ended it or is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain.operation import Status

from makegood_cli.outlook import settled_by
from makegood_cli.screens import outcome
from makegood_cli.screens.sheet import faint, joined, pairs, said, state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.policy import Policy
    from makegood.domain.review import Action
    from makegood.flows.cancel import Cancelled
    from makegood.flows.review import Taken
    from rich.console import Console
    from rich.text import Text


def taken(console: Console, done: Taken, action: Action, by: str) -> None:
    """Print a decision that stands, what it rests on, and what comes next."""
    source = done.move.source.value if done.move.source else "–"
    console.print(said(f"{action.value}: {source} → ") + state(done.move.target.value), soft_wrap=True)
    pairs(console, *_rests(done, by), indent=2)


def cancelled(console: Console, done: Cancelled, policy: Policy | None) -> None:
    """Print whether it ended, or what settles it. `policy` is missing where this release does not know its type."""
    operation = done.operation
    if operation.is_terminal:
        console.print(joined(state(operation.status.value), f": {_ended(done)}"))
        return
    again = "had been asked for before" if done.move is None else "is remembered"
    console.print(said(f"its cancellation {again}; it is ") + state(operation.status.value))
    if policy is not None:
        pairs(console, ("settled by", settled_by(operation, policy)), indent=2)


def _ended(done: Cancelled) -> str:
    if done.move is not None:
        return "it ended, and no attempt may have been applied"
    undone = done.operation.status is Status.COMPENSATED
    return "it had ended before, and its effect is undone" if undone else "it had ended before"


def _rests(done: Taken, by: str) -> Iterator[tuple[str, Text | str]]:
    operation, decision = done.operation, done.operation.decisions[-1]
    yield "by", by
    yield "reason", decision.reason
    if decision.stated:
        yield "you saw", decision.stated
    if done.answer:
        yield "asked now", f"no verdict: {done.answer}"
    elif operation.verdict is not None and decision.verdict is not None:
        yield (
            "verdict",
            joined(outcome.kind(operation.verdict.kind.value), faint(f" (asked: {operation.verdict.asked})")),
        )
    yield "next", _next(done)


def _next(done: Taken) -> str:
    if done.operation.is_terminal:
        return "nothing: it has ended, and that is for ever"
    what = "undoes its effect" if done.operation.status is Status.PENDING else "tries it again"
    return f"a worker {what}: " + ("its message is sent" if done.dispatched else "a sweep sends its message")
