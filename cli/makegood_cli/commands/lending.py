"""`lend`: the local stack for functions that run in containers, such as those of `sam local invoke`."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from makegood_cli import console
from makegood_cli.commands.output import local_session_of
from makegood_cli.exits import NOT_RUNNING, Ended, ExitCode
from makegood_cli.local import lending
from makegood_cli.local import stack as local_stack

ENV_FILE = "env.json"  #: in the state folder
NO_PROFILE = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN")  #: of the person; they belong to an account


def lend(
    context: typer.Context,
    *,
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="What to run, behind a --.")],
    env_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the variables; .makegood/env.json if it is left out."),
    ] = None,
) -> None:
    """Run a command, such as `sam local invoke`, whose containers reach the local stack meanwhile.

    First it writes what a deployment would fill in, for --env-vars. The command gets the
    keys of the role of the function that it names. Needs a container engine (Docker).
    When the command has ended containers are shut out again; the exit code is its own.
    It never reaches a deployed stack.
    """
    places = local_session_of(context).world.places
    found = local_stack.status(places).stack
    if found is None:
        raise Ended(ExitCode.FAULT, NOT_RUNNING)
    with lending.lent(found, places) as lent:
        path = env_file or places.state / ENV_FILE
        path.write_text(json.dumps(lent.variables, indent=2) + "\n")
        console.note(f"wrote {path}")
        code = _run(command, lent.environment_for(command))
    raise typer.Exit(code)


def _run(command: list[str], told: Mapping[str, str]) -> int:
    """Run the command at this terminal; return its exit code. A Ctrl-C is the command's to answer."""
    environment = {name: value for name, value in os.environ.items() if name not in NO_PROFILE} | dict(told)
    try:
        child = subprocess.Popen(command, env=environment)  # noqa: S603 - the person's own command, no shell
    except FileNotFoundError as error:
        raise Ended(ExitCode.FAULT, f"there is no command {command[0]!a}") from error
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return child.wait()
    finally:
        signal.signal(signal.SIGINT, usual)
