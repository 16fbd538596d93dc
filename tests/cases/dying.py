"""An effect that is a line of a file, made by workers of which some are killed: `python -m tests.cases.dying`.

The process takes an event from its standard input. DYING_WHEN is "before" or "after" the effect; where nothing is set,
the worker lives. DYING_FILE says where the file is.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from makegood import Absent, Attempt, Capability, Done, Found, Look, Mode, OperationType, Policy, Step

from tests.doors.world import Context, door
from tests.support.rows import MINUTE

if TYPE_CHECKING:
    from makegood import Observed
    from makegood.domain.outcome import Outcome

WHEN, FILE = "DYING_WHEN", "DYING_FILE"


class Filed(OperationType):
    """Writes the version into the file, under the key."""

    name = "filed"
    destination = "a file"
    policy = Policy(
        version=4, idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, on_missing=Step.REQUEUE
    )

    def perform(self, attempt: Attempt) -> Outcome:
        """Write the line or not, and die: no `finally`, no `atexit`, no answer."""
        when, version = os.environ.get(WHEN), attempt.operation.expected_version
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        with self._file.open("a") as file:
            file.write(f"{attempt.idempotency_key} {version}\n")
        if when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return Done(remote_id=attempt.idempotency_key, version=version)

    def observe(self, look: Look) -> Observed:
        """Look for lines with the key."""
        asked = "the lines under the key"
        lines = self._file.read_text().splitlines() if self._file.exists() else []
        versions = [line.split()[1] for line in lines if line.startswith(look.effect_key)]
        if not versions:
            return Absent(asked=asked, summary=f"none of {len(lines)}")
        return Found(version=int(versions[0]), remote_id=look.effect_key, count=len(versions), asked=asked)

    @property
    def _file(self) -> Path:
        return Path(os.environ[FILE])


OPERATION_TYPES = (Filed,)

if __name__ == "__main__":
    door("worker").handler(json.load(sys.stdin), Context(remaining=MINUTE))
