"""A local stack of the demo's own: its own folder, its own ports, gone when the demo ends, whatever ends it.

Whose demo has died without cleaning up is told by a lock that the system takes back; the next demo clears up after it.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from makegood_cli.demo import planted
from makegood_cli.demo.auditor.world import Where
from makegood_cli.local import cloudformation, processes, profile
from makegood_cli.local import stack as local_stack
from makegood_cli.local.crm_client import CrmClient
from makegood_cli.local.places import Places
from makegood_cli.reach import reach
from makegood_cli.stacks import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TextIO

    from makegood_cli.local.clients import Clients
    from makegood_cli.local.stack import LocalStack
    from makegood_cli.stacks import Stack

PREFIX = "run-"
ALIVE = "alive"
STOP_PATIENCE = timedelta(seconds=1)  #: nothing of it is kept, so nothing needs to be written in order
_DEPTHS = {
    "high": "QueueHighUrl",
    "default": "QueueDefaultUrl",
    "low": "QueueLowUrl",
    "high, dead letters": "DeadLetterHighUrl",
    "default, dead letters": "DeadLetterDefaultUrl",
    "low, dead letters": "DeadLetterLowUrl",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The stack that the demo plays on."""

    places: Places
    outputs: dict[str, str]
    clients: Clients  #: as the operator
    stack: Stack  #: as the command reaches it
    crm: CrmClient
    where: Where  #: as the auditor reads it


@contextmanager
def staged(
    places: Places,
    fault: planted.Fault | None,
    *,
    numbers: Mapping[str, str] = profile.NOTHING,
    progress: Callable[[str], None],
) -> Iterator[Stage]:
    """Bring up a stack of its own, with the fault planted in what it deploys, and take it down in the end.

    `numbers` are parameters of the template that are to differ from the local profile.

    Raises PlantError, and what `makegood up` raises.
    """
    with _folder(places.demos) as folder:
        own = Places(root=places.root, state=folder / "state", cache=places.cache)
        if fault is not None:
            own = planted.overlay(own, fault, folder / "root")
        try:
            yield _stage(own, local_stack.up(own, numbers=numbers, progress=progress))
        finally:
            _stop(own)


def _stage(places: Places, up: LocalStack) -> Stage:
    outputs = dict(up.outputs)
    ids = cloudformation.physical_ids(up.clients, up.name)
    where = Where(
        dynamodb=up.clients.of("dynamodb"),
        sqs=up.clients.of("sqs"),
        logs=up.clients.of("logs"),
        cloudwatch=up.clients.of("cloudwatch"),
        table=outputs["TableName"],
        queues={name: outputs[output] for name, output in _DEPTHS.items()},
        worker_log=ids["WorkerLogs"],
        halted_alarm=ids["HaltedAlarm"],
        stack=up.name,
        crm_url=up.crm_url,
    )
    return Stage(
        places=places,
        outputs=outputs,
        clients=up.clients,
        stack=reach(Choice(), places),
        crm=CrmClient(up.crm_url),
        where=where,
    )


@contextmanager
def _folder(home: Path) -> Iterator[Path]:
    """Make a folder that says by a lock whether its demo lives; remove it in the end."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as door:
        fcntl.flock(door, fcntl.LOCK_EX)  # a folder and its lock are made together, and cleared apart from that
        _clear_up_after_the_dead(home)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        alive = (folder / ALIVE).open("w")
        fcntl.flock(alive, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        alive.close()


def _clear_up_after_the_dead(home: Path) -> None:
    for folder in home.glob(f"{PREFIX}*"):
        with (folder / ALIVE).open("w") as alive:
            if _is_free(alive):
                _stop(Places(state=folder / "state"))
                shutil.rmtree(folder, ignore_errors=True)


def _is_free(file: TextIO) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _stop(places: Places) -> None:
    """End what runs there at once."""
    for name in local_stack.PROCESSES:
        process = processes.find(name, state=places.state)
        if process is not None:
            processes.stop(process, state=places.state, patience=STOP_PATIENCE)
