"""What a result file came to: a row for each operation that was judged, and what nothing was said of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.reasons import words
from makegood_cli.screens import outcome
from makegood_cli.screens.sheet import Column, Sheet, faint, pairs, said, stacked
from makegood_cli.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from makegood.flows.check import Checked, Report
    from rich.console import Console
    from rich.text import Text

NAMED = 20  #: line numbers that are named; --json names all
SHOWN = 500  #: operations in the table; --json has all


def show(console: Console, report: Report, *, dry_run: bool) -> None:
    """Print what became of a whole file."""
    if dry_run:
        console.print(said("Dry run: nothing is written, nothing is sent.", "bold"))
        console.print()
    if report.checked:
        sheet = Sheet((Column(name="OPERATION"), Column(name="VERDICT"), Column(name="FOLLOWS", folds=True)))
        for each in report.checked[:SHOWN]:
            sheet.add(_what(each), _verdict(each), _follows(each, dry_run=dry_run))
        sheet.print(console)
        if len(report.checked) > SHOWN:
            console.print(faint(f"and {counted(len(report.checked) - SHOWN, 'operation')} more; --json has all"))
        console.print()
    pairs(console, *_counts(report))


def _what(each: Checked) -> Text:
    return stacked(each.operation.operation_id, faint(f"  {each.operation.entity}, {_lines(each.lines)}"))


def _verdict(each: Checked) -> Text:
    return outcome.kind(each.verdict) if each.verdict else faint("none yet")


def _follows(each: Checked, *, dry_run: bool) -> Text:
    because = faint(words(each.reason))
    if each.held_back:
        return stacked("left as it stands", because)
    if each.would is not None and (each.landed or dry_run):
        return stacked(each.verb.value, because, faint(f"{each.would.value} is left to a person by its type's mode"))
    if each.landed or dry_run:
        return stacked(each.verb.value, because)
    return stacked(said(f"{each.verb.value} did not land: it moved meanwhile", "yellow"), because)


def _counts(report: Report) -> Iterator[tuple[str, str]]:
    yield f"{len(report.checked):,}", "judged"
    if report.unmatched:
        yield f"{len(report.unmatched):,}", f"matched nothing that awaits confirmation: {_lines(report.unmatched)}"
    if report.silent:
        yield f"{report.silent:,}", "await confirmation and are not mentioned; they are left as they are"
    if report.tally.sent:
        yield f"{report.tally.sent:,}", "messages sent"
    if report.tally.send_failures:
        yield f"{report.tally.send_failures:,}", "messages not sent; a sweep sends them"
    for name, why in report.tally.errors.items():
        yield "error", f"{name}: {why}"


def _lines(numbers: Sequence[int]) -> str:
    named = ", ".join(str(number) for number in numbers[:NAMED])
    beyond = f" and {counted(len(numbers) - NAMED, 'line')} more" if len(numbers) > NAMED else ""
    return ("line " if len(numbers) == 1 else "lines ") + named + beyond
