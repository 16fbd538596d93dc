"""From the functions' logs to series and alarms: what CloudWatch does by itself and the engine does not.

`pump` carries over what has been logged since it last ran, publishes how many messages each queue shows, and sets the
state of the stack's alarms. The local stack runs it every few seconds in a process of its own, because an alarm on
missing data must fire when nothing happens; a caller who cannot wait pumps by hand. A lock and a cursor on disk keep
the two from counting a line twice.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import logging
import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from makegood_cli.local import cloudwatch, engine, processes
from makegood_cli.local.clients import Clients
from makegood_cli.local.places import Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from makegood_cli.local.alarms import State
    from makegood_cli.local.processes import Process

NAME = "bridge"
INTERVAL = timedelta(seconds=5)
STOP_PATIENCE = timedelta(seconds=10)
LATE_MILLISECONDS = 5_000  # a line's instant is taken a moment before the line is there to be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Pumped:
    """What one pumping did."""

    data: int  #: how many metrics were read from log lines and written to their series
    alarms: Mapping[str, State]  #: the state of each alarm of the stack, by its name


@dataclass(slots=True)
class Cursor:
    """How far the logs have been read. Each invocation has a log stream of its own, so a stream is read once."""

    newest: int = 0  #: epoch milliseconds of the newest line
    read: dict[str, int] = field(default_factory=dict)  #: the late ones among the streams read, with their instant

    @property
    def start(self) -> int:
        """From which instant on there may be unread lines, in epoch milliseconds."""
        return max(0, self.newest - LATE_MILLISECONDS)

    def advance(self, streams: Mapping[str, int]) -> None:
        """Note the streams that were read, and forget those that cannot come up again."""
        self.read |= streams
        self.newest = max([self.newest, *streams.values()])
        self.read = {stream: at for stream, at in self.read.items() if at >= self.start}


def pump(clients: Clients, *, stack: str, state: Path, now: float) -> Pumped:
    """Bring the series and the alarms of the stack up to `now` (epoch seconds)."""
    with _cursor(state) as cursor:
        watched = cloudwatch.watched(clients, stack)
        data, streams = cloudwatch.logged(clients, watched.log_groups, since=cursor.start, read=cursor.read.keys())
        cursor.advance(streams)
        depths = cloudwatch.depths(clients, watched.queues, now=now)
        alarms = cloudwatch.publish(clients, watched.alarms, [*data, *depths])
        return Pumped(data=len(data), alarms=cloudwatch.settle(clients, alarms, now=now))


def restart(places: Places, *, stack: str) -> Process:
    """Start the process that pumps, in the place of one that may still serve an engine that is gone."""
    stop(places)
    command = [sys.executable, "-I", "-m", __name__, "--stack", stack, "--state", str(places.state)]
    return processes.spawn(NAME, command, state=places.state, environment=processes.inherited("PATH", "LANG"))


def stop(places: Places) -> bool:
    """Stop the process that pumps, between two turns; False if none ran."""
    running = processes.find(NAME, state=places.state)
    if running is None:
        return False
    processes.stop(running, state=places.state, patience=STOP_PATIENCE)
    return True


def main() -> None:
    """Pump until told to stop, or until the engine is gone; never stop in the middle of a turn."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--stack", required=True)
    parser.add_argument("--state", required=True, type=Path)
    arguments = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    places = Places(state=arguments.state)
    running = engine.running(places)
    if running is None:
        sys.exit("the engine does not run")
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    clients = Clients(endpoint_url=running.endpoint_url)
    while engine.running(places) == running:
        _try(clients, stack=arguments.stack, state=arguments.state)
        if stopping.wait(INTERVAL.total_seconds()):
            break


def _try(clients: Clients, *, stack: str, state: Path) -> None:
    """Pump once; a failure costs this turn only."""
    try:
        pump(clients, stack=stack, state=state, now=time.time())
    except (BotoCoreError, ClientError):
        logging.getLogger(NAME).exception("this turn failed; the next one reads on from the same place")


@contextmanager
def _cursor(state: Path) -> Iterator[Cursor]:
    """Hold the cursor alone, and keep what became of it."""
    state.mkdir(parents=True, exist_ok=True)
    path = state / f"{NAME}.json"
    with (state / f"{NAME}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cursor = Cursor(**json.loads(path.read_text())) if path.exists() else Cursor()
        yield cursor
        path.write_text(json.dumps({"newest": cursor.newest, "read": cursor.read}))


if __name__ == "__main__":
    main()
