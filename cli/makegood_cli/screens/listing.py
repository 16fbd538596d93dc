"""Many operations, two lines each: the id whole, what it is, how it stands, and when somebody must look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain.operation import Intent
from makegood.ports import Unreadable

from makegood_cli.screens.outcome import kind
from makegood_cli.screens.sheet import Column, Sheet, faint, joined, said, stacked, state
from makegood_cli.words import age, counted, to_the_second, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from makegood.domain.instant import Instant
    from makegood.domain.operation import Operation
    from makegood.ports import Found
    from rich.console import Console
    from rich.text import Text


def show(console: Console, found: Sequence[Found], now: Instant) -> None:
    """Print operations."""
    sheet = Sheet((Column(name="OPERATION"), Column(name="STATUS"), Column(name="DUE")))
    for each in found:
        sheet.add(*_unreadable(each) if isinstance(each, Unreadable) else _row(each, now))
    sheet.print(console)


def summary(shown: int, *, more: bool, limit: int) -> str:
    """Say how many were shown, and how to see more."""
    return counted(shown, "operation") + (f"; there are more: --limit is {limit}" if more else "")


def nothing(*, scan: bool, statuses: Sequence[str], types: Sequence[str], known: Collection[str]) -> str:
    """Say that nothing matches what was asked for, and what else may be the cause."""
    given = (("status", statuses), ("type", types))
    asked = " and ".join(f"{name} {' or '.join(wanted)}" for name, wanted in given if wanted)
    where = "in the whole table" if scan else "among the open operations (--scan reads the ended ones, too)"
    odd = unknown(types, known)
    return f"nothing matches{f' {asked}' if asked else ''} {where}{f'; {odd}' if odd else ''}"


def _row(operation: Operation, now: Instant) -> tuple[Text, Text, Text]:
    what = f"  {operation.operation_type} {operation.entity} v{operation.expected_version}"
    status = stacked(state(operation.status.value), _known(operation))
    return stacked(operation.operation_id, faint(what)), status, _due(operation, now)


def _known(operation: Operation) -> Text:
    tried = f"attempt {operation.attempt}" if operation.attempt else "not tried yet"
    undoing = ", to undo" if operation.intent is Intent.COMPENSATION else ""
    found = operation.verdict
    return joined(faint(f"{tried}{undoing}"), ", " if found else "", kind(found.kind.value) if found else "")


def _due(operation: Operation, now: Instant) -> Text:
    if operation.due_at is None:
        return stacked(to_the_second(operation.updated_at), faint(f"ended {age(operation.updated_at, now)}"))
    return stacked(to_the_second(operation.due_at), faint(age(operation.due_at, now)))


def _unreadable(found: Unreadable) -> tuple[Text, Text, Text]:
    return stacked(found.operation_id, faint(f"  {found.why}")), said("unreadable", "red"), said("")
