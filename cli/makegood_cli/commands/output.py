"""How a command answers: a screen for people, or one JSON document for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import typer

from makegood_cli.json_text import as_data, rendered
from makegood_cli.words import plain

if TYPE_CHECKING:
    from makegood_cli.stacks import Session


def session_of(context: typer.Context) -> Session:
    """Return this run's session."""
    return cast("Session", context.obj)


def print_json(value: object) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(rendered(as_data(value)) + "\n")


def agreed(question: str) -> bool:
    """Ask a person on stderr. No answer, and the end of the input, is a no."""
    try:
        return typer.confirm(plain(question), default=False, err=True)
    except typer.Abort:
        sys.stderr.write("\n")
        return False
