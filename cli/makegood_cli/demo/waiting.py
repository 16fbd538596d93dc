"""Waiting by asking, with a bound; never by guessing how long something takes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

EVERY_SECONDS = 0.25


def until(holds: Callable[[], bool], *, seconds: float, every: float = EVERY_SECONDS) -> bool:
    """Ask until it holds; say whether it did before the time was over."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


class Pace:
    """Lets things happen so many times a second at most."""

    def __init__(self, per_second: float) -> None:
        self._gap = 1 / per_second
        self._next = time.monotonic()

    def keep(self) -> None:
        """Wait until the next one may happen."""
        now = time.monotonic()
        time.sleep(max(self._next - now, 0))
        self._next = max(self._next, now) + self._gap
