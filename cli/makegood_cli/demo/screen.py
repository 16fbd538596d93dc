"""The report for people: tables of figures, what is wrong in words, and what waits for a person.

Right at 80 columns and without colour.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from makegood_cli.reasons import words
from makegood_cli.screens import case
from makegood_cli.screens.sheet import Column, Sheet, faint, said
from makegood_cli.words import counted, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console
    from rich.text import Text

    from makegood_cli.demo.story import Told

SHOWN = 5  #: breaches of one invariant that are named; --json names all
CAUSES = {
    "queue_purged": "a queue was purged with their messages in it",
    "send_failed": "the send failed after the row was written",
    "send_lost": "the message was lost on its way to the queue",
    "worker_killed": "the worker was killed in the middle of its call",
}
UNANSWERED = {
    "worker_killed": "its worker was killed in the middle of it",
    "answer_lost": "it timed out",
    "changed_elsewhere": "it timed out; somebody else changed the customer",
    "cancelled": "it timed out, and was wanted no more",
    "charge_lost": "a charge timed out; charges cannot be looked up",
    "outage": "it timed out, and the CRM closed",
}
VERDICTS = {
    "correct": "found there as promised",
    "missing": "certainly not there",
    "divergent": "found, but not as promised",
    "ambiguous": "nobody can say",
    "not_applicable": "something newer is there",
}
HOW_TO_DECIDE = "They would: makegood decide ID retry|confirm|compensate|close --reason '…'"


def show(console: Console, report: Mapping[str, Any], told: Told) -> None:
    """Print the whole report."""
    console.print()
    _table(console, "Losing and healing", _losing(report["losing"]))
    _table(console, "Calls of which nobody knew the end", _doubting(report["doubting"]))
    _table(console, "Above the cap", _refusing(report["refusing"]))
    _table(console, "In all", _whole(report))
    _exceptions(console, told)
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
        yield _number(count), "lost", CAUSES[cause]
    yield _number(part["delivered_twice"]["operations"]), "doubled", "delivered twice at once"
    yield _number(part["delivered_again_later"]["operations"]), "doubled", "delivered again when long confirmed"
    for kind, count in part["found_by_sweeps"].items():
        yield _number(count), "found", f"by a sweep: {kind}"
    sweeps = part["sweeps"]
    by_demo = f"{sweeps['by_demo']} by the demo"
    yield _number(sum(sweeps.values())), "sweeps", f"{sweeps['by_schedule']} by EventBridge's own schedule, {by_demo}"
    yield _number(part["confirmed"], "green"), "confirmed", "the effect is there"
    yield _number(part["compensated"], "green"), "compensated", "the effect is gone, as was wanted"
    for reason, count in part["in_review"].items():
        yield _number(count, "yellow"), "in review", words(reason)
    if part["open"]:
        yield _number(part["open"], "bold red"), "open", "neither ended nor in front of a person"


def _doubting(part: Mapping[str, Any]) -> Iterator[tuple[Text, str, str]]:
    for cause, count in part["unanswered"].items():
        yield _number(count["operations"]), "unanswered", f"{UNANSWERED[cause]}; {count['applied']} applied"
    yield _number(part["turned_away"]), "turned away", "by the closed CRM; no attempt was counted"
    looks = part["looks"]
    more = f"{looks['in_vain']} in vain; {counted(part['stopped_asking'], 'sweep')} stopped asking"
    yield _number(looks["asked"]), "looks", f"at the CRM, {more}"
    for verdict, count in part["verdicts"].items():
        yield _number(count), verdict, VERDICTS[verdict]
    led = part["led_to"]
    yield _number(led.get("confirmed", 0), "green"), "confirmed", "by that look, with no other call"
    yield _number(led.get("sent_again", 0), "green"), "sent again", "under the same key"
    yield _number(led.get("taken_back", 0), "green"), "taken back", "found there, and wanted no more"
    yield _number(led.get("divergent", 0), "yellow"), "in review", "what somebody else wrote is left alone"
    yield _number(led.get("not_observable", 0), "yellow"), "in review", "nothing is charged a second time"
    count = part["in_review_for_want_of_an_answer"]
    yield _number(count, _style(count)), "in review", "because the CRM was closed for a while"


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
    doubled, lost, stands = report["double_effects"], report["lost"], report["standing"]
    waiting = sum(stands["in_review"].values())
    ended = f"{stands['confirmed']} confirmed, {stands['compensated']} compensated"
    yield _number(stands["promised"]), "promised", f"{ended}, {waiting} in review"
    yield _number(doubled, _style(doubled)), "double effects at the CRM", "though it forgot every key at once"
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


def _exceptions(console: Console, told: Told) -> None:
    """Print what waits for a person, as `makegood exceptions` does, and how to decide."""
    console.print(said(f"What a person would decide now: {counted(len(told.exceptions), 'operation')}", "bold"))
    console.print()
    case.show(console, told.exceptions, told.ended_at)
    if told.exceptions:
        console.print()
    console.print(said(HOW_TO_DECIDE if told.exceptions else case.NOTHING))
    console.print()


def _prose(console: Console, text: str) -> None:
    """Print a sentence that folds under its own beginning."""
    sheet = Sheet((Column(), Column(folds=True)))
    sheet.add("", faint(text))
    sheet.print(console)


def _verdict(report: Mapping[str, Any]) -> Text:
    planted = f", planted: {report['fault']}" if report["fault"] else ""
    how = f"seed {report['seed']}, {duration(timedelta(seconds=report['seconds']))}{planted}"
    if report["ok"]:
        return said("Nothing lost, nothing doubled", "bold green") + faint(f"  ({how})")
    return said("The demo has failed", "bold red") + faint(f"  ({how})")


def _number(count: int, style: str = "bold") -> Text:
    return said(f"{count:,}", style)


def _style(count: int) -> str:
    return "bold red" if count else "bold green"
