"""`sweep` and `sweeps`: start the reconciler once, and read what its runs did."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from makegood.domain.run import RunOutcome
from makegood.flows.order import asked

from makegood_cli import console, options
from makegood_cli.commands.output import print_json, session_of
from makegood_cli.exits import ExitCode, Told
from makegood_cli.options import AsJson, Types
from makegood_cli.screens import sweeps as screen


def sweep(
    context: typer.Context,
    *,
    minutes: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Stale is what nothing has written for so many minutes.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Act on at most so many rows; it only lowers the drain rate.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show exactly what would be done; touch nothing, send nothing.")
    ] = False,
    types: Types = None,
    as_json: AsJson = False,
) -> None:
    """Sweep once, now: put back what should be moving and is not.

    It runs the stack's own reconciler function, so its reserved concurrency, its role
    and its lease hold. Above the halt cap it refuses: nothing is written to an
    operation, nothing is sent, and the exit code is 3. No option lifts the cap; that
    takes `makegood acknowledge`. A dry run leaves a record of itself and no other trace.
    """
    given = {"minutes": minutes, "limit": limit, "operation_types": types, "dry_run": dry_run}
    event = options.event_of(given)
    stack = session_of(context).stack()
    rooms = stack.rooms
    rooms.sweep.check(asked(event, run_id="asked by a person", until=rooms.clock.now()))
    with console.waiting("Sweeping"):
        summary = stack.sweep(event)
    if as_json:
        print_json(summary)
    else:
        screen.counts(console.stdout(), summary)
        if summary.get("plan"):
            screen.plan(console.stdout(), summary["plan"])
    _end(summary)


def sweeps(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Show at most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the records of the latest sweeps, newest first.

    Records are kept for 30 days. A sweep that failed leaves none: the reconciler's log
    has it, and the alarm on missing sweeps tells. It only reads.
    """
    rooms = session_of(context).stack().rooms
    runs = rooms.ledger.runs(limit)
    if as_json:
        print_json({"sweeps": list(runs)})
        return
    if runs:
        screen.records(console.stdout(), runs, rooms.clock.now())
    else:
        console.note("no sweep is on record yet")


def _end(summary: Mapping[str, Any]) -> None:
    """End as the run demands."""
    if summary["outcome"] == RunOutcome.OVERLAPPED:
        raise Told(ExitCode.REFUSED, "another sweep is running; nothing was done. Try again when it has ended")
    if summary["outcome"] == RunOutcome.HALTED:
        raise Told(
            ExitCode.HALTED,
            f"halted: {summary['halted_why']}; nothing was touched or sent. `makegood list` shows the pile; "
            "once you know its cause, `makegood acknowledge` lets sweeps drain it",
        )
    if summary["halted_types"]:
        names = ", ".join(summary["halted_types"])
        raise Told(ExitCode.HALTED, f"halted for {names}: above the type's own cap; nothing of it was touched or sent")
