"""Telling how far the demo is: a live line for who watches, plain lines for who does not. Everything goes to stderr."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from rich.console import Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from makegood_cli import console
from makegood_cli.words import plain

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from rich.console import Console


class Reporter(Protocol):
    """Who hears how the story goes."""

    def step(self, text: str) -> None:
        """Begin a step; the one before is done."""
        ...

    def tell(self, text: str) -> None:
        """Say what happened in this step."""
        ...

    def now(self, text: str) -> None:
        """Say how it stands at this moment; only the newest matters."""
        ...


class Progress:
    """The reporter of the command."""

    def __init__(self) -> None:
        self._console = console.stderr()
        self._began = self._step_began = time.monotonic()
        self._step = self._moment = ""
        self._told: list[Text] = []
        self._live = _live(self._console)

    def __enter__(self) -> Self:
        """Begin to show."""
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop to show; what was told stays."""
        self._end_step("✓" if error is None else "✗")
        if self._live:
            self._live.stop()

    def step(self, text: str) -> None:
        """Begin a step."""
        self._end_step("✓")
        self._step, self._moment, self._step_began = plain(text), "", time.monotonic()
        if self._live is None:
            self._line(text)
        self._show()

    def tell(self, text: str) -> None:
        """Say what happened."""
        self._told.append(Text(f"    {plain(text)}", style="dim"))
        if self._live is None:
            self._line(f"  {text}")
        self._show()

    def now(self, text: str) -> None:
        """Show how it stands, where somebody watches."""
        self._moment = plain(text)
        self._show()

    def _end_step(self, mark: str) -> None:
        if self._live and self._step:
            took = f"  {time.monotonic() - self._step_began:.1f}s"
            style = "green" if mark == "✓" else "red"
            self._console.print(Text.assemble((f"{mark} ", style), self._step, (took, "dim")), *self._told, sep="\n")
        self._step = ""
        self._told.clear()

    def _show(self) -> None:
        if self._live:
            line = Text.assemble(self._step, (f"  {self._moment}", "dim"))
            line.truncate(max(self._console.width - 4, 1), overflow="ellipsis")
            self._live.update(Group(Spinner("dots", text=line), *self._told))

    def _line(self, text: str) -> None:
        elapsed = time.monotonic() - self._began
        self._console.print(f"{elapsed:4.0f}s  {plain(text)}", soft_wrap=True)


def _live(stderr: Console) -> Live | None:
    if not stderr.is_terminal or stderr.is_dumb_terminal:
        return None
    return Live(console=stderr, transient=True, refresh_per_second=8)
