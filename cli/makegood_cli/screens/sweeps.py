"""What sweeps did: the counts of one run, the plan of a dry one, the records of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from makegood.domain.instant import between
from makegood.domain.run import RunOutcome

from makegood_cli.reasons import words
from makegood_cli.screens.sheet import Column, Sheet, faint, pairs, said, stacked, state
from makegood_cli.words import age, counted, duration, to_the_second

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from makegood.domain.instant import Instant
    from makegood.domain.run import RunRecord
    from rich.console import Console
    from rich.text import Text

LOOK = "observe"  #: what a plan calls a look at an operation's outcome
ONLY_WATCHING = (
    "sweeps only watch here (the parameter Sweeps is observe). Nothing was written to an operation and nothing was "
    "sent; nobody reconciles"
)


def counts(console: Console, summary: Mapping[str, Any]) -> None:
    """Print what one run counted."""
    is_dry = bool(summary["dry_run"])
    console.print(_headline(summary))
    console.print()
    sheet = Sheet((Column(right=True), Column(), Column(folds=True)))
    for count, name, more in _rows(summary, is_dry=is_dry):
        sheet.add(f"{count:,}", name, faint(more))
    sheet.print(console)


def plan(console: Console, items: Sequence[Mapping[str, str]]) -> None:
    """Print what a dry run would do, oldest first."""
    console.print()
    sheet = Sheet((Column(name="OPERATION"), Column(name="WOULD"), Column(name="BECAUSE", folds=True)))
    for item in items:
        what = f"  {item['operation_type']} {item['entity']}"
        sheet.add(
            stacked(item["operation_id"], faint(what)),
            stacked(item["action"], faint(item["status"])),
            words(item["reason"]),
        )
    sheet.print(console)


def records(console: Console, runs: Sequence[RunRecord], now: Instant) -> None:
    """Print run records, newest first."""
    names = ("SCANNED", "ANOMALIES", "ACTED", "SENT", "LEFT", "TOOK")
    sheet = Sheet((Column(name="BEGAN"), Column(name="ENDED AS"), *(Column(name=name, right=True) for name in names)))
    for run in runs:
        sheet.add(
            stacked(to_the_second(run.started_at), faint(age(run.started_at, now))),
            _outcome(run),
            f"{run.scanned:,}",
            f"{sum(run.anomalies.values()):,}",
            f"{sum(run.acted.values()):,}",
            f"{run.sent:,}",
            f"{run.remaining:,}",
            duration(between(run.started_at, run.ended_at)),
        )
    sheet.print(console)
    told = list(_latest(runs))
    if told:
        console.print()
        pairs(console, *told)


def _headline(summary: Mapping[str, Any]) -> Text:
    dry = "Dry run, nothing touched, nothing sent: " if summary["dry_run"] else "Sweep "
    line = said(dry) + state(str(summary["outcome"]))
    if summary["outcome"] == RunOutcome.OBSERVED:
        line += said(f": {ONLY_WATCHING}")
    if summary.get("halted_why"):
        line += said(f": {summary['halted_why']}")
    if summary.get("acknowledged_by"):
        line += said(f", above the cap by leave of {summary['acknowledged_by']}")
    return line


def _rows(summary: Mapping[str, Any], *, is_dry: bool) -> Iterator[tuple[int, str, str]]:
    yield summary["scanned"], "scanned", "due rows that were read and judged"
    yield from ((count, "anomalies", kind) for kind, count in summary["anomalies"].items())
    yield from ((count, *_acted(name, is_dry=is_dry)) for name, count in summary["acted"].items())
    yield from ((count, "verdicts", kind) for kind, count in summary.get("verdicts", {}).items())
    for verb, count in summary.get("would", {}).items():
        yield count, "withheld", f"{verb}: {_withheld_by(summary)}"
    yield from ((count, "left alone", words(code)) for code, count in summary["skipped"].items())
    if not is_dry:
        yield summary["sent"], "sent", "messages that a queue took"
    if summary["send_failures"]:
        trouble = summary.get("send_trouble") or "the rows become stale again by themselves"
        yield summary["send_failures"], "not sent", trouble
    for name, why in summary.get("not_asked", {}).items():
        yield 1, "not asked", f"{name} any further in this run: {why}; its other rows are put off"
    for name, why in summary["errors"].items():
        yield 1, "error", f"{name}: {why}"
    for name, why in summary["halted_types"].items():
        yield summary["skipped"].get("type_halted", 0), "halted", f"{name}: {why}"
    for name in summary.get("unknown_types", ()):
        yield (
            summary["skipped"].get("unknown_type", 0),
            "unknown",
            f"{name}: the release that runs does not know this type",
        )
    yield summary["remaining"], "remaining", "known to be due and not acted on; the next run goes on"


def _acted(name: str, *, is_dry: bool) -> tuple[str, str]:
    if name == LOOK and is_dry:
        return "would be looked at", "what follows nobody knows before the outside system is asked"
    return ("would be moved" if is_dry else "moved"), name


def _withheld_by(summary: Mapping[str, Any]) -> str:
    is_watching = summary["outcome"] == RunOutcome.OBSERVED
    return "this deployment only watches" if is_watching else "the type's mode leaves that to a person"


def _outcome(run: RunRecord) -> Text:
    return stacked(state(run.outcome.value), *_notes(run))


def _latest(runs: Sequence[RunRecord]) -> Iterator[tuple[str, str]]:
    """Yield what the latest runs that looked at anything learnt and withheld."""
    if verdicts := next((run.verdicts for run in runs if run.verdicts), None):
        yield "last verdicts", listed(verdicts)
    if withheld := next((run.would for run in runs if run.would), None):
        yield "last withheld", listed(withheld)


def listed(counts: Mapping[str, int]) -> str:
    """Say counts in one line: `correct 3, missing 1`."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _notes(run: RunRecord) -> Iterator[Text]:
    if run.dry_run:
        yield faint("dry run")
    if run.halted_types:
        yield said("types halted", "bold red")
    if run.would:
        yield said(f"{sum(run.would.values()):,} withheld", "yellow")
    if run.not_asked:
        yield said(f"no answer for {', '.join(run.not_asked)}", "red")
    if run.send_failures:
        yield said(f"{run.send_failures:,} not sent", "red")
    if run.error_count:
        yield said(counted(run.error_count, "error"), "red")
