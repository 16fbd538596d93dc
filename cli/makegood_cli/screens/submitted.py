"""What became of what was promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.screens.sheet import Column, Sheet, faint, pairs, said
from makegood_cli.words import counted

if TYPE_CHECKING:
    from makegood.flows.submit import Submitted
    from rich.console import Console

    from makegood_cli.batch import Report

SHOWN = 20  #: failed lines that are named; --json names all


def one(console: Console, submitted: Submitted) -> None:
    """Print one operation's id, and how it stands."""
    console.print(said(submitted.operation.operation_id, "bold"), soft_wrap=True)
    console.print(faint(_how(submitted)))


def many(console: Console, report: Report) -> None:
    """Print a file's counts and its bad lines."""
    pairs(console, *((f"{count:,}", what) for count, what in _counts(report)))
    if not report.failed:
        return
    console.print()
    sheet = Sheet((Column(name="LINE", right=True), Column(name="REASON", folds=True)))
    for failed in report.failed[:SHOWN]:
        sheet.add(str(failed.line), failed.reason)
    sheet.print(console)
    if len(report.failed) > SHOWN:
        console.print(faint(f"and {counted(len(report.failed) - SHOWN, 'line')} more; --json names all"))


def _how(submitted: Submitted) -> str:
    if not submitted.created:
        return f"promised before; it is {submitted.operation.status.value}"
    if submitted.dispatched:
        return "promised, and its message is sent"
    because = f" ({submitted.trouble})" if submitted.trouble else ""
    return f"promised; no message is sent yet{because}, a sweep will see to it"


def _counts(report: Report) -> list[tuple[int, str]]:
    counts = [(report.created, "submitted")]
    if report.present:
        counts.append((report.present, "promised before, left as they are"))
    if report.undispatched:
        counts.append((report.undispatched, "of them without a message yet; a sweep will see to it"))
    if report.failed:
        counts.append((len(report.failed), "failed"))
    return counts
