"""Where output goes: results to stdout, notes and progress to stderr; no colour where nobody wants or sees any."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from makegood_cli.words import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO


class _Console(Console):
    """A console that leaves a broken pipe to `exits`."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def stdout() -> Console:
    """Return the console of results."""
    return _on(sys.stdout)


def stderr() -> Console:
    """Return the console of notes and progress."""
    return _on(sys.stderr)


def note(text: str) -> None:
    """Tell the person something that is no result."""
    console = stderr()
    console.print(plain(text), soft_wrap=not console.is_terminal, style="dim")


@contextmanager
def steps(total: int) -> Iterator[Callable[[str], None]]:
    """Show that something takes a few named steps; where nobody watches, each step is a line."""
    console = stderr()
    if not console.is_terminal:
        yield note
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total)

        def step(text: str) -> None:
            progress.update(task, description=plain(text), advance=1)

        yield step


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show that something takes its time, where somebody watches."""
    console = stderr()
    if not console.is_terminal:
        yield
        return
    with console.status(plain(text)):
        yield


@contextmanager
def bar(text: str, *, total: int | None) -> Iterator[Callable[[], None]]:
    """Show how much of a known number is done; the yielded function counts one."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    console = stderr()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(plain(text), total=total)
        yield lambda: progress.advance(task)


def _on(file: TextIO) -> Console:
    colourless = bool(os.environ.get("NO_COLOR"))
    return _Console(
        file=file,
        color_system=None if colourless else "auto",
        no_color=colourless or None,
        markup=False,
        emoji=False,
        highlight=False,
    )
