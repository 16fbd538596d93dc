"""The report for people: two tables of figures, and what is wrong in words. Right at 80 columns and without colour."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from makegood_cli.reasons import words
from makegood_cli.screens.sheet import Column, Sheet, faint, said
from makegood_cli.words import counted, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console
    from rich.text import Text

SHOWN = 5  #: breaches of one invariant that are named; --json names all
CAUSES = {
    "queue_purged": "a queue was purged with their messages in it",
    "send_failed": "the send failed after the row was written",
    "send_lost": "the message was lost on its way to the queue",
    "worker_killed": "the worker was killed in the middle of its call",
    "answer_lost": "the call timed out",
}


def show(console: Console, report: Mapping[str, Any]) -> None:
    """Print the whole report."""
    console.print()
    _table(console, "Losing and healing", _losing(report["losing"]))
    _table(console, "Above the cap", _refusing(report["refusing"]))
    _table(console, "In all", _whole(report))
    _broken(console, report)
    console.print(_verdict(report))


def _table(console: Console, title: str, lines: Iterator[tuple[Text, str, str]]) -> None:
    console.print(said(title, "bold"))
    sheet = Sheet((Column(right=True), Column(), Column(folds=True)))
    for figure, name, more in lines:
        sheet.add(figure, name, faint(more))
    sheet.print(console, indent=2)
    console.print()


def _losing(part: Mapping[str, Any]) -> Iterator[tuple[Text, str, str]]:
    yield _number(part["submitted"]), "submitted", "from a file, at a bounded pace"
    for cause, count in part["lost_by_cause"].items():
        more = f"; the CRM had applied {part['answers_lost']['applied']}" if cause == "answer_lost" else ""
        yield _number(count), "lost", CAUSES[cause] + more
    yield _number(part["delivered_twice"]["operations"]), "doubled", "delivered twice at once"
    yield _number(part["delivered_again_later"]["operations"]), "doubled", "delivered again when long confirmed"
    for kind, count in part["found_by_sweeps"].items():
        yield _number(count), "found", f"by a sweep: {kind}"
    sweeps = part["sweeps"]
    by_demo = f"{sweeps['by_demo']} by the demo"
    yield _number(sum(sweeps.values())), "sweeps", f"{sweeps['by_schedule']} by EventBridge's own schedule, {by_demo}"
    yield _number(part["confirmed"], "green"), "confirmed", "the CRM shows the effect"
    for reason, count in part["in_review"].items():
        yield _number(count, "yellow"), "in review", words(reason)
    if part["open"]:
        yield _number(part["open"], "bold red"), "open", "neither ended nor in front of a person"


def _refusing(part: Mapping[str, Any]) -> Iterator[tuple[Text, str, str]]:
    yield _number(part["lost"]), "lost", f"against a cap of {part['cap']}"
    yield said(""), "the sweep", ", ".join(part["outcomes"]) + (f": {part['why']}" if part["why"] else "")
    same = part["table_before"] == part["table_after"]
    how = "byte-identical" if same else "CHANGED"
    yield said(""), "the table", f"{how} (sha256 {part['table_before'][:12]} and {part['table_after'][:12]})"
    yield _number(part["messages"]), "messages", "in the queues after the halt"
    yield _number(part["halts_in_series"]), "halts", f"in the series SweepHalted; the alarm is {part['alarm']}"
    runs = " and ".join(str(count) for count in part["drained"]) or "nothing"
    by = f"acknowledged by {part['acknowledged_by']}: {part['drain_rate']} rows a sweep"
    yield _number(sum(part["drained"])), "drained", f"{runs}; {by}"
    yield _number(part["confirmed"], "green"), "confirmed", "the CRM shows the effect"


def _whole(report: Mapping[str, Any]) -> Iterator[tuple[Text, str, str]]:
    doubled, lost = report["double_effects"], report["lost"]
    yield _number(doubled, _style(doubled)), "double effects at the CRM", "it forgot every key at once"
    yield _number(lost, _style(lost)), "lost", "neither ended nor in front of a person"
    holding = sum(each["holds"] for each in report["invariants"])
    yield _number(holding), "invariants hold", f"of {len(report['invariants'])}"


def _broken(console: Console, report: Mapping[str, Any]) -> None:
    for each in report["invariants"]:
        if each["holds"]:
            continue
        console.print(said(f"BROKEN  {each['name']} (DESIGN {each['design']})", "bold red"))
        _prose(console, each["says"])
        sheet = Sheet((Column(), Column(folds=True)))
        for breach in each["breaches"][:SHOWN]:
            sheet.add(breach["operation_id"] or "-", breach["words"])
        sheet.print(console, indent=2)
        if (more := len(each["breaches"]) - SHOWN) > 0:
            console.print(faint(f"  and {counted(more, 'more place')}; --json names all"))
        console.print()
    if report["missing"]:
        sheet = Sheet((Column(), Column(folds=True)))
        for what in report["missing"]:
            sheet.add(said("NOT SHOWN", "bold red"), what)
        sheet.print(console)
        console.print()


def _prose(console: Console, text: str) -> None:
    """Print a sentence that folds under its own beginning."""
    sheet = Sheet((Column(), Column(folds=True)))
    sheet.add("", faint(text))
    sheet.print(console)


def _verdict(report: Mapping[str, Any]) -> Text:
    planted = f" with the fault {report['fault']} planted" if report["fault"] else ""
    how = f"seed {report['seed']}, {duration(timedelta(seconds=report['seconds']))}{planted}"
    if report["ok"]:
        return said("Nothing lost, nothing doubled", "bold green") + faint(f"  ({how})")
    return said("The demo has failed", "bold red") + faint(f"  ({how})")


def _number(count: int, style: str = "bold") -> Text:
    return said(f"{count:,}", style)


def _style(count: int) -> str:
    return "bold red" if count else "bold green"
