"""Which rule picks or spares an operation now, until when, and what then."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.domain.decide import Leave
from makegood.domain.reason import Reason
from makegood.ports import Unreadable

from makegood_cli.explain import last_run, name_of, promise_of
from makegood_cli.reasons import words
from makegood_cli.screens import outcome
from makegood_cli.screens.sheet import Column, Sheet, faint, pairs, said, stacked, state
from makegood_cli.words import duration, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from makegood.domain.decide import Action
    from makegood.domain.instant import Instant
    from makegood.domain.limits import SweepLimits
    from makegood.domain.run import Control, RunRecord
    from makegood.ports import Found
    from rich.console import Console
    from rich.text import Text

    from makegood_cli.explain import Explanation, Step
    from makegood_cli.outlook import Prospect

#: What ends a rule that time alone does not end.
_UNTIL = {
    Reason.TERMINAL: "for ever",
    Reason.IN_REVIEW: "until a person decides",
    Reason.UNKNOWN_TYPE: "until a release that knows its type is deployed",
    Reason.NEWER_FORMAT: "until that release is deployed",
    Reason.UNREADABLE: "until somebody mends it",
}


def show(console: Console, found: Found, explanation: Explanation) -> None:
    """Print the answer in one sentence, then the steps it rests on."""
    console.print(said(found.operation_id, "bold"), soft_wrap=True)
    console.print(_what(found))
    console.print()
    console.print(said(sentence(explanation)))
    console.print()
    _steps(explanation).print(console)
    if explanation.prospects:
        console.print()
        _prospects(explanation).print(console)


def show_around(
    console: Console, explanation: Explanation, *, control: Control, runs: Sequence[RunRecord], sweep: SweepLimits
) -> None:
    """Print what holds for the whole stack: the worker, the schedule, the cap."""
    console.print()
    pairs(
        console,
        *_people(explanation),
        *_worker(explanation),
        ("sweeps", sweeps(explanation.now, runs, sweep.schedule_interval)),
        ("halt", halt(explanation.now, control, runs, cap=sweep.halt_cap)),
    )


def sentence(explanation: Explanation) -> str:
    """Say it in one sentence."""
    rule, last = explanation.rule, explanation.steps[-1].action
    if isinstance(rule, Leave):
        then = "" if isinstance(last, Leave) else f" Then the next sweep {_promise(last, explanation)}."
        return f"Sweeps leave it alone {_until(rule, explanation.now)}: {rule.reason.words}.{then}"
    promise = f"the next sweep {_promise(rule, explanation)}: {rule.reason.words}"
    if (hold := explanation.hold) is not None:
        return f"Nothing is done about it: {hold.what} ({hold.words}). Otherwise {promise}."
    return f"T{promise[1:]}."


def halt(now: Instant, control: Control, runs: Sequence[RunRecord], *, cap: int) -> str:
    """Say whether the sweep is halted, in one line."""
    given = control.acknowledged(now)
    if given is not None:
        return f"acknowledged by {given.by} until {moment(given.until, now)}, {given.drain_rate} rows a sweep"
    if control.halted_since is not None:
        return f"halted since {moment(control.halted_since, now)}: {control.halted_why}"
    run = last_run(runs)
    if run is not None and run.halted_types:
        return "; ".join(f"{name} is halted: {why}" for name, why in run.halted_types.items())
    return f"not halted; the cap is {cap} anomalies"


def sweeps(now: Instant, runs: Sequence[RunRecord], interval: timedelta) -> str:
    """Say how often sweeps run and when the last began, in one line."""
    every = f"one every {duration(interval)}"
    run = last_run(runs)
    if run is None:
        return f"{every}; no run is on record"
    quiet = now - run.started_at > 2 * interval / timedelta(milliseconds=1)
    warning = "; none since, so see whether the schedule lives" if quiet else ""
    return f"{every}; the last began {moment(run.started_at, now)}, {run.outcome.value}{warning}"


def _what(found: Found) -> Text:
    if isinstance(found, Unreadable):
        return said(found.why, "red")
    version = f"{found.operation_type} {found.entity} version {found.expected_version}, "
    return said(version) + state(found.status.value)


def _until(rule: Leave, now: Instant) -> str:
    return _UNTIL.get(rule.reason, "until it moves") if rule.until is None else f"until {moment(rule.until, now)}"


def _steps(explanation: Explanation) -> Sheet:
    sheet = Sheet((Column(name="FROM"), Column(name="SWEEPS"), Column(name="BECAUSE", folds=True)))
    for number, step in enumerate(explanation.steps):
        start = said("now") if not number else said(_in(step.at, explanation.now))
        sheet.add(start, name_of(step.action), stacked(*_because(step, explanation.now)))
    return sheet


def _because(step: Step, now: Instant) -> Iterator[Text | str]:
    yield step.action.reason.words
    if isinstance(step.action, Leave):
        yield faint(_until(step.action, now))
    if step.anomaly is not None:
        yield faint(f"an anomaly ({step.anomaly.value}): it counts against the halt cap")


def _promise(action: Action, explanation: Explanation) -> str:
    return promise_of(action, can_ask=explanation.can_ask)


def _prospects(explanation: Explanation) -> Sheet:
    sheet = Sheet((Column(name="IF IT IS"), Column(name="THEN"), Column(name="BECAUSE", folds=True)))
    look_at = min(each.since for each in explanation.prospects)
    for each in explanation.prospects:
        told = _follows(each, explanation.now, look_at)
        sheet.add(outcome.kind(each.verdict.value), state(each.target.value), told)
    return sheet


def _follows(prospect: Prospect, now: Instant, look_at: Instant) -> Text:
    lines: list[Text | str] = [words(prospect.reason)]
    if prospect.would is not None:
        lines.append(faint(f"{prospect.would.value} is then recommended to a person"))
    if prospect.since > look_at:
        lines.append(faint(f"not before {moment(prospect.since, now)}"))
    return stacked(*lines)


def _people(explanation: Explanation) -> Iterator[tuple[str, str]]:
    if explanation.advice is not None:
        yield "advice", f"{explanation.advice}; `makegood decide` decides"
    if explanation.cancelled is not None:
        yield "cancel asked", f"it is settled by {explanation.cancelled}"


def _in(instant: Instant, now: Instant) -> str:
    return f"in {duration(timedelta(milliseconds=instant - now))}"


def _worker(explanation: Explanation) -> Iterator[tuple[str, str]]:
    if explanation.is_claimable:
        free = "may claim it as soon as a message that names it comes"
        yield "workers", free if explanation.worker is None else f"may not claim it: {explanation.worker.words}"
