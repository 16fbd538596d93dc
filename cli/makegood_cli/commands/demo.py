"""`demo`: lose work on purpose, heal it, audit it."""

import importlib
from typing import Annotated

import typer

from makegood_cli.commands.output import local_session_of
from makegood_cli.options import AsJson


def demo(
    context: typer.Context,
    *,
    seed: Annotated[int, typer.Option(metavar="N", help="Repeat the run with this seed.")] = 1,
    fault: Annotated[
        str | None,
        typer.Option("--break", metavar="FAULT", help="Plant a fault, such as no-touch; the demo must fail."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lose work on purpose, let the sweep heal it, and audit what came of it.

    It starts a local stack of its own, submits 204 operations, purges a queue, kills a
    worker in the middle of its calls, drops and doubles messages, lets calls time out and
    the CRM close for a while, sweeps, and prints what an auditor finds in the CRM's own
    logs and the table, and what a person would now decide. Then it takes that stack down;
    it never touches yours. It takes under three minutes. The exit code is 1 if an
    invariant is broken, or if something did not happen that was to be shown.
    """
    story = importlib.import_module("makegood_cli.demo")
    code = story.run(local_session_of(context).world.places, seed=seed, fault=fault, as_json=as_json)
    raise typer.Exit(code)
