"""A worker in a process of its own that is killed in the middle of a call: `python -m tests.cases.dying WHEN LOG`.

It takes an event from its standard input and never answers. WHEN is "before" or "after" the effect, which is a line
in the file LOG.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from makegood import Attempt, OperationType, Policy

from tests.doors.world import Context, door
from tests.support.rows import MINUTE

if TYPE_CHECKING:
    from makegood.domain.outcome import Outcome


class Dying(OperationType):
    """Known to the sweep as the ordinary probe."""

    name = "probe"
    destination = "a file"
    policy = Policy(idempotent=True)

    def perform(self, attempt: Attempt) -> Outcome:
        """Make the effect or not, and die: no `finally`, no `atexit`, no answer."""
        when, log = sys.argv[1:]
        if when == "after":
            Path(log).write_text(f"{attempt.idempotency_key}\n")
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


OPERATION_TYPES = (Dying,)

if __name__ == "__main__":
    door("worker").handler(json.load(sys.stdin), Context(remaining=MINUTE))
