"""The stack as a whole: its processes, its queues, its sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.explain import last_run
from makegood_cli.screens.sheet import Column, Sheet, pairs, said
from makegood_cli.screens.sweeps import ONLY_WATCHING, listed
from makegood_cli.screens.why import halt, sweeps
from makegood_cli.words import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from makegood.domain.instant import Instant
    from makegood.domain.run import Acknowledgement, Control, RunRecord
    from makegood.settings import SweepSettings
    from rich.console import Console
    from rich.text import Text

    from makegood_cli.local.processes import Process
    from makegood_cli.local.stack import LocalStack
    from makegood_cli.stacks import Depth


def processes(console: Console, found: Mapping[str, Process | None]) -> None:
    """Print which processes of the local stack run."""
    sheet = Sheet((Column(name="PROCESS"), Column(name="STATE"), Column(name="PID", right=True), Column(name="PORT")))
    for name, process in found.items():
        if process is None:
            sheet.add(name, said("stopped", "red"), "", "")
            continue
        sheet.add(name, said("running", "green"), str(process.pid), str(process.port or ""))
    sheet.print(console)
    console.print()


def queues(console: Console, depths: Mapping[str, Depth]) -> None:
    """Print what the queues hold."""
    names = ("WAITING", "IN FLIGHT", "DELAYED")
    sheet = Sheet((Column(name="QUEUE"), *(Column(name=name, right=True) for name in names)))
    for name, depth in depths.items():
        style = "bold red" if "dead" in name and depth.waiting else ""
        sheet.add(said(name, style), said(f"{depth.waiting:,}", style), f"{depth.in_flight:,}", f"{depth.delayed:,}")
    sheet.print(console)


def sweeping(
    console: Console, now: Instant, control: Control, runs: Sequence[RunRecord], settings: SweepSettings
) -> None:
    """Print when the sweep last ran, whether it is halted, and what it learnt of outcomes."""
    console.print()
    limits = settings.sweep
    if settings.only_watching:
        pairs(console, ("watching", said(ONLY_WATCHING, "bold red")))
    pairs(
        console,
        ("sweeps", sweeps(now, runs, limits.schedule_interval)),
        ("halt", halt(now, control, runs, cap=limits.halt_cap)),
        *_told(last_run(runs)),
    )
    console.print()


def control(console: Console, found: Control, now: Instant, *, cap: int, types: Mapping[str, str]) -> None:
    """Print the sweep's control row, and the types that were halted alone."""
    pairs(console, *_halted(found, now, cap), *_types(types), *_given(found.acknowledgement, now))


def local(console: Console, found: LocalStack) -> None:
    """Print where the local stack is."""
    console.print(said(f"{found.name} is up", "green"))
    pairs(
        console, ("engine", found.endpoint_url), ("CRM", found.crm_url), ("table", found.outputs.get("TableName", "–"))
    )


def _told(run: RunRecord | None) -> Iterator[tuple[str, str]]:
    """Yield what the last run learnt of outcomes, where it learnt anything."""
    if run is None:
        return
    if run.verdicts:
        yield "verdicts", listed(run.verdicts)
    if run.would:
        yield "withheld", f"{listed(run.would)}; `makegood scorecard` says what speaks for raising a mode"
    for name, why in run.not_asked.items():
        yield "not asked", f"{name}: {why}; the next sweep asks again"


def _halted(found: Control, now: Instant, cap: int) -> Iterator[tuple[str, Text | str]]:
    yield "halted", said("no", "green") if found.halted_since is None else said("yes", "bold red")
    if found.halted_since is not None:
        yield "since", moment(found.halted_since, now)
        yield "why", found.halted_why or "not said"
    yield "cap", f"{cap} anomalies"


def _types(types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((f"halted: {name}", why) for name, why in types.items())


def _given(given: Acknowledgement | None, now: Instant) -> Iterator[tuple[str, str]]:
    if given is None:
        yield "acknowledged", "no"
        return
    holds = "until" if now < given.until else "expired"
    yield "acknowledged", f"by {given.by}, {moment(given.at, now)}"
    yield holds, moment(given.until, now)
    yield "drain rate", f"{given.drain_rate} rows a sweep"
    yield "reason", given.reason
