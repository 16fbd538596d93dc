"""What waits for a person: all that matters of each operation, in one block, the differences line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain.operation import Intent, Status
from makegood.ports import Unreadable

from makegood_cli.reasons import latest, words
from makegood_cli.screens import outcome
from makegood_cli.screens.sheet import faint, joined, pairs, said, stacked, state
from makegood_cli.words import age, counted, duration, moment, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from makegood.domain.instant import Instant
    from makegood.domain.operation import Operation
    from makegood.flows.review import Case
    from rich.console import Console
    from rich.text import Text

Pair = tuple[str, "Text | str"]

NOTHING = "nothing waits for a person: whatever was promised has ended or is under way"


def show(console: Console, found: Sequence[Case | Unreadable], now: Instant) -> None:
    """Print a block for each."""
    for number, each in enumerate(found):
        if number:
            console.print()
        if isinstance(each, Unreadable):
            _unreadable(console, each)
        else:
            block(console, each, now)


def summary(shown: int, *, more: bool, limit: int) -> str:
    """Say how many wait, how to see more, and what to do."""
    beyond = f"; there are more: --limit is {limit}" if more else ""
    return f"{counted(shown, 'operation')}{beyond}. Decide: `makegood decide ID ACTION --reason …`"


def nothing(types: Sequence[str], known: Collection[str]) -> str:
    """Say that nothing waits, of all or of the types that were asked for."""
    if not types:
        return NOTHING
    odd = unknown(types, known)
    return f"nothing of type {' or '.join(types)} waits for a person{f'; {odd}' if odd else ''}"


def block(console: Console, case: Case, now: Instant) -> None:
    """Print all that matters of one."""
    row = case.operation
    console.print(joined(said(row.operation_id, "bold"), faint(f"  revision {row.revision}")), soft_wrap=True)
    pairs(console, *facts(case, now), indent=2)


def facts(case: Case, now: Instant) -> Iterator[Pair]:
    """Yield what a person should know before they decide."""
    operation = case.operation
    yield "what", f"{operation.operation_type} {operation.entity} version {operation.expected_version}"
    yield "destination", case.destination
    yield "status", _status(case)
    yield "age", f"promised {moment(operation.created_at, now)}"
    yield "attempts", _attempts(operation)
    yield from _trouble(operation)
    yield "verdict", _verdict(operation, now)
    if operation.verdict and operation.verdict.differences:
        yield "difference", stacked(*outcome.differences(operation.verdict.differences))
    if operation.remote_id is not None:
        yield "remote id", operation.remote_id
    for taken in operation.decisions:
        yield "decided", outcome.decision(taken, now)
    if operation.is_terminal:
        return
    yield "doubling", _risk(case.risk)
    yield "recommended", said(case.recommended.value, "bold") if case.recommended else "nothing by itself"
    yield "advice", case.advice


def _status(case: Case) -> Text:
    stands = state(case.operation.status.value)
    if case.operation.status is not Status.MANUAL_REVIEW:
        return stands
    because = latest(case.operation)
    return joined(stands, f" for {duration(case.waiting)}", f": {words(because)}" if because else "")


def _attempts(operation: Operation) -> str:
    tried = counted(operation.attempt, "attempt") if operation.attempt else "not tried yet"
    return f"{tried}, to undo its effect" if operation.intent is Intent.COMPENSATION else tried


def _trouble(operation: Operation) -> Iterator[Pair]:
    if operation.last_error is not None:
        yield "last error", said(operation.last_error, "red")
    if operation.cancel_reason is not None:
        yield "cancel asked", operation.cancel_reason


def _verdict(operation: Operation, now: Instant) -> Text:
    found = operation.verdict
    if found is None:
        return faint("none: nobody has looked at what is there")
    answered = f": {found.answered}" if found.answered else ""
    return joined(outcome.kind(found.kind.value), f", {age(found.at, now)}{answered} (asked: {found.asked})")


def _risk(risk: str) -> Text:
    style = {"none": "green", "low": "yellow"}.get(risk.partition(":")[0], "bold red")
    return said(risk, style)


def _unreadable(console: Console, found: Unreadable) -> None:
    console.print(said(found.operation_id, "bold"), soft_wrap=True)
    pairs(console, ("unreadable", said(found.why, "red")), indent=2)
