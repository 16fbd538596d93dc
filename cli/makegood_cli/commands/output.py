"""How a command answers: a screen for people, or one JSON document for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import typer

from makegood_cli.exits import Ended, ExitCode
from makegood_cli.json_text import as_data, rendered
from makegood_cli.words import plain

if TYPE_CHECKING:
    from makegood_cli.stacks import Session


def session_of(context: typer.Context) -> Session:
    """Return this run's session."""
    return cast("Session", context.obj)


def local_session_of(context: typer.Context) -> Session:
    """Return this run's session; a verb that starts and stops things is for the local stack alone."""
    session = session_of(context)
    if session.choice.stack:
        wanted = f"`{context.info_name}` is for the local stack; deploy and delete others with sam"
        raise typer.BadParameter(wanted, param_hint="'--stack'")
    return session


def print_json(value: object) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(rendered(as_data(value)) + "\n")


def require_person(session: Session) -> None:
    """Refuse to ask where nobody is at a terminal: what a pipe says is no person's answer.

    Raises:
        Ended: nobody can be asked.
    """
    if not session.world.has_person():
        raise Ended(ExitCode.REFUSED, "nobody is at a terminal to be asked; --yes does not ask. Nothing was written")


def agreed(question: str) -> bool:
    """Ask a person on stderr, since stdout is for results. Anything but a yes is a no."""
    sys.stderr.write(f"{plain(question)} [y/N]: ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stderr.write("\n")  # the input has ended; nobody typed the line's end
    return answer.strip().lower() in {"y", "yes"}
