"""The local stack as a whole: the engine, the remote, the deployment, the telemetry bridge."""

from __future__ import annotations

import fcntl
import shutil
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from makegood_cli.local import cloudformation, deployment, engine, processes, profile, telemetry_bridge
from makegood_cli.local.clients import Clients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from makegood_cli.local.places import Places
    from makegood_cli.local.processes import Process

CRM = "crm"
CRM_MODULE = "makegood_cli.local.crm"
CRM_PATIENCE = timedelta(seconds=15)
STOP_PATIENCE = timedelta(seconds=10)
STEPS = 6  #: how often `up` reports progress


class StackError(Exception):
    """The local stack is not up, or one of its processes did not come up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalStack:
    """A local stack that is up."""

    name: str
    outputs: Mapping[str, str]  #: those of template.yaml, such as TableName
    crm_url: str
    clients: Clients = field(repr=False)  #: of every service, as the operator

    @property
    def endpoint_url(self) -> str:
        """Where every service of the engine answers."""
        return self.clients.endpoint_url

    @property
    def region(self) -> str:
        """The region that the clients sign for."""
        return self.clients.region


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What of the local stack runs."""

    processes: Mapping[str, Process | None]  #: by name: engine, crm, bridge
    stack: LocalStack | None  #: None unless the engine and the remote run and the template is deployed


def up(places: Places, *, progress: Callable[[str], None] = lambda _: None) -> LocalStack:
    """Start what does not run, deploy template.yaml as it is now, and return the stack. Twice changes nothing.

    Raises EngineError, PackagingError, DeploymentError or StackError.
    """
    with _alone(places):
        progress("Starting the engine")
        clients = Clients(endpoint_url=engine.start(places, persist=True).endpoint_url)
        progress("Starting the CRM")
        crm_url = _url(_start_crm(places))
        parameters = profile.parameters(crm_url=crm_url)
        name = profile.STACK_NAME
        outputs = deployment.deploy(clients, places, stack=name, parameters=parameters, progress=progress)
        progress("Starting the telemetry bridge")
        telemetry_bridge.restart(places, stack=name)
        return LocalStack(name=name, outputs=outputs, crm_url=crm_url, clients=clients)


def current(places: Places) -> LocalStack:
    """Return the stack that is up; a StackError says what to do if none is."""
    stack = status(places).stack
    if stack is None:
        raise StackError("the local stack is not up: run `makegood up`")
    return stack


def status(places: Places) -> Status:
    """Say what runs, without starting anything."""
    found = {name: processes.find(name, state=places.state) for name in (engine.NAME, CRM, telemetry_bridge.NAME)}
    running, crm = engine.running(places), found[CRM]
    if running is None or crm is None:
        return Status(processes=found, stack=None)
    clients = Clients(endpoint_url=running.endpoint_url)
    outputs = cloudformation.outputs(clients, profile.STACK_NAME)
    if not outputs:
        return Status(processes=found, stack=None)
    stack = LocalStack(name=profile.STACK_NAME, outputs=outputs, crm_url=_url(crm), clients=clients)
    return Status(processes=found, stack=stack)


def down(places: Places) -> tuple[str, ...]:
    """Stop the processes of this state folder and keep their data; return the names of those that ran."""
    with _alone(places):
        stopped = [name for name in (telemetry_bridge.NAME, CRM) if _stopped(places, name)]
        return (*stopped, engine.NAME) if engine.stop(places) else tuple(stopped)


def wipe(places: Places) -> None:
    """Stop everything and forget all data; built layers stay."""
    down(places)
    for path in places.state.glob("*"):
        if path == places.cache:
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _start_crm(places: Places) -> Process:
    running = processes.find(CRM, state=places.state)
    if running is not None:
        return running
    data = places.state / CRM
    data.mkdir(parents=True, exist_ok=True)
    port = processes.free_port(CRM, state=places.state)
    command = [sys.executable, "-m", CRM_MODULE, "--port", str(port), "--state", str(data)]
    environment = processes.inherited("PATH", "LANG")
    process = processes.spawn(CRM, command, state=places.state, port=port, environment=environment)
    if not processes.listens(process, patience=CRM_PATIENCE):
        processes.stop(process, state=places.state, patience=STOP_PATIENCE)
        raise StackError(f"the CRM did not start; its log: {processes.log_of(CRM, state=places.state)}")
    return process


def _stopped(places: Places, name: str) -> bool:
    process = processes.find(name, state=places.state)
    if process is None:
        return False
    processes.stop(process, state=places.state, patience=STOP_PATIENCE)
    return True


def _url(crm: Process) -> str:
    return f"http://{processes.LOOPBACK}:{crm.port}"


@contextmanager
def _alone(places: Places) -> Iterator[None]:
    """Let one `up` or `down` of a state folder happen at a time."""
    places.state.mkdir(parents=True, exist_ok=True)
    with (places.state / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
