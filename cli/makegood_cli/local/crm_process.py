"""The CRM's process in the local stack: started once, found again, stopped alone, always on the same port."""

from __future__ import annotations

import socket
import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from makegood_cli.local import processes
from makegood_cli.local.crm import HOST
from makegood_cli.local.crm_client import CrmClient

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from makegood_cli.local.places import Places
    from makegood_cli.local.processes import Process

NAME = "crm"
START_PATIENCE = timedelta(seconds=10)
STOP_PATIENCE = timedelta(seconds=3)
KEY_LIFETIME = timedelta(hours=24)


class CrmProcessError(Exception):
    """The CRM cannot be started, or does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crm:
    """A running CRM."""

    process: Process
    url: str  #: what the functions are told (CrmUrl)

    @property
    def client(self) -> CrmClient:
        """Return a client of its faults and its log."""
        return CrmClient(self.url)


def start(places: Places, *, key_lifetime: timedelta = KEY_LIFETIME) -> Crm:
    """Start the CRM of this state folder, or return the one that runs.

    It comes up on the port it had before, if that is free, because a deployed stack knows its address.
    Raises CrmProcessError when it does not come up.
    """
    crm = running(places)
    if crm is not None:
        return crm
    places.state.mkdir(parents=True, exist_ok=True)
    for port in _ports(places):
        command = _command(places, port, key_lifetime)
        process = processes.spawn(NAME, command, state=places.state, port=port, environment=_environment())
        if _comes_up(process):
            _remembered(places).write_text(str(port))
            return _crm(process)
        processes.stop(process, state=places.state, patience=STOP_PATIENCE)
    raise CrmProcessError(f"the CRM did not start; its log: {processes.log_of(NAME, state=places.state)}")


def running(places: Places) -> Crm | None:
    """Return the CRM of this state folder if it runs, else None."""
    process = processes.find(NAME, state=places.state)
    return None if process is None else _crm(process)


def stop(places: Places) -> bool:
    """Stop the CRM of this state folder; False if none ran. What it remembers stays."""
    process = processes.find(NAME, state=places.state)
    if process is None:
        return False
    processes.stop(process, state=places.state, patience=STOP_PATIENCE)
    return True


def _crm(process: Process) -> Crm:
    return Crm(process=process, url=f"http://{HOST}:{process.port}")


def _command(places: Places, port: int, key_lifetime: timedelta) -> list[str]:
    options = {"--port": port, "--state": places.state / NAME, "--key-lifetime": key_lifetime.total_seconds()}
    pairs = [str(part) for option in options.items() for part in option]
    return [sys.executable, "-I", "-m", "makegood_cli.local.crm", *pairs]


def _environment() -> dict[str, str]:
    return processes.inherited("PATH", "LANG", "SYSTEMROOT")


def _remembered(places: Places) -> Path:
    return places.state / f"{NAME}.port"


def _ports(places: Places) -> Iterator[int]:
    """Yield the port it had before, then free ones: another process may take one between our look and its start."""
    if _remembered(places).exists():
        yield int(_remembered(places).read_text())
    for _ in range(3):
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            port: int = probe.getsockname()[1]
        yield port


def _comes_up(process: Process) -> bool:
    client = CrmClient(_crm(process).url)
    deadline = time.monotonic() + START_PATIENCE.total_seconds()
    while time.monotonic() < deadline and processes.is_running(process):
        if client.process_id() == process.pid:  # another may have taken the port and answer there
            return True
        time.sleep(processes.POLL_SECONDS)
    return False
