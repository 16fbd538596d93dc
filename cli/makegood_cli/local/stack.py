"""The local stack as a whole: the engine, the remote, the deployment, the telemetry bridge."""

from __future__ import annotations

import fcntl
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from makegood_cli.local import cloudformation, crm_process, deployment, engine, processes, profile, telemetry_bridge
from makegood_cli.local.clients import Clients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from makegood_cli.local.places import Places
    from makegood_cli.local.processes import Process

PROCESSES = (telemetry_bridge.NAME, crm_process.NAME, engine.NAME)  #: in the order in which they are stopped
STEPS = 6  #: how often `up` reports progress


class StackError(Exception):
    """The local stack is not up."""


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


def up(
    places: Places,
    *,
    sweeps: profile.Sweeps = profile.Sweeps.ACT,
    numbers: Mapping[str, str] = profile.NOTHING,
    progress: Callable[[str], None] = lambda _: None,
) -> LocalStack:
    """Start what does not run, deploy template.yaml as it is now, and return the stack. Twice changes nothing.

    Raises EngineError, CrmProcessError, PackagingError or DeploymentError.
    """
    with _alone(places):
        progress("Starting the engine")
        clients = Clients(endpoint_url=engine.start(places, persist=True).endpoint_url)
        progress("Starting the CRM")
        crm_url = crm_process.start(places).url
        parameters = profile.parameters(crm_url=crm_url, sweeps=sweeps, numbers=numbers)
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
    found = {name: processes.find(name, state=places.state) for name in PROCESSES}
    running, crm = engine.running(places), crm_process.running(places)
    if running is None or crm is None:
        return Status(processes=found, stack=None)
    clients = Clients(endpoint_url=running.endpoint_url)
    outputs = cloudformation.outputs(clients, profile.STACK_NAME)
    if not outputs:
        return Status(processes=found, stack=None)
    stack = LocalStack(name=profile.STACK_NAME, outputs=outputs, crm_url=crm.url, clients=clients)
    return Status(processes=found, stack=stack)


def down(places: Places) -> tuple[str, ...]:
    """Stop the processes of this state folder and keep their data; return the names of those that ran."""
    with _alone(places):
        stops = (telemetry_bridge.stop, crm_process.stop, engine.stop)
        return tuple(name for name, stop in zip(PROCESSES, stops, strict=True) if stop(places))


def wipe(places: Places) -> None:
    """Stop everything and forget all data; built layers stay, and so do demos that run."""
    down(places)
    for path in places.state.glob("*"):
        if path in {places.cache, places.demos}:
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def _alone(places: Places) -> Iterator[None]:
    """Let one `up` or `down` of a state folder happen at a time."""
    places.state.mkdir(parents=True, exist_ok=True)
    with (places.state / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
