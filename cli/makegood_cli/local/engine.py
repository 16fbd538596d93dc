"""The embedded AWS engine (MiniStack) as a process of its own on the loopback.

Why this engine, and what it lacks: docs/decisions/0004-embedded-engine.md.
"""

from __future__ import annotations

import http.client
import json
import shutil
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from makegood_cli.local import processes

if TYPE_CHECKING:
    from pathlib import Path

    from makegood_cli.local.places import Places
    from makegood_cli.local.processes import Process

NAME = "engine"
HOST = processes.LOOPBACK
REGION = "eu-west-1"
ACCOUNT = "000000000000"
ACCESS_KEY = "test"  # the engine's root: what an administrator is in an account
SECRET_KEY = "test"  # noqa: S105 - the engine's documented default; it listens on the loopback only
START_TRIES = 3
START_PATIENCE = timedelta(seconds=30)
STOP_PATIENCE = timedelta(seconds=20)  # it writes its state before it goes


class EngineError(Exception):
    """The embedded engine cannot be started, or does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A running engine."""

    process: Process
    endpoint_url: str


def start(places: Places, *, persist: bool) -> Engine:
    """Start the engine, or return the one that runs.

    `persist` keeps its state in the state folder over an orderly stop; a kill loses what was written since the start.
    Raises EngineError when its environment is missing or it does not come up.
    """
    engine = running(places)
    if engine is not None:
        return engine
    _require_environment(places.engine_python)
    for _ in range(START_TRIES):  # another process may take the free port between our look and the engine's
        process = _spawn(places, persist=persist)
        if _comes_up(process):
            return _engine(process)
        processes.stop(process, state=places.state, patience=STOP_PATIENCE)
    raise EngineError(f"the engine did not start; its log: {processes.log_of(NAME, state=places.state)}")


def running(places: Places) -> Engine | None:
    """Return the engine of this state folder if it runs, else None."""
    process = processes.find(NAME, state=places.state)
    return None if process is None else _engine(process)


def stop(places: Places) -> bool:
    """Stop the engine of this state folder and the functions it runs; False if none ran."""
    process = processes.find(NAME, state=places.state)
    if process is None:
        return False
    processes.stop(process, state=places.state, patience=STOP_PATIENCE)
    return True


def is_healthy(engine: Engine) -> bool:
    """Say whether the engine answers and has done with its own start."""
    return _answers(engine.process.port)


def reset(engine: Engine) -> None:
    """Forget everything the engine holds: tables, queues, functions, stacks (some 3 ms)."""
    status, body = _request(engine.process.port, "POST", "/_ministack/reset", seconds=30)
    if status != http.client.OK:
        raise EngineError(f"the engine refused to reset itself: {status} {body[:200]!r}")


def _engine(process: Process) -> Engine:
    return Engine(process=process, endpoint_url=f"http://{HOST}:{process.port}")


def _require_environment(python: Path) -> None:
    if not python.exists():
        raise EngineError(f"the engine's environment is missing ({python}): run `make setup`")


def _spawn(places: Places, *, persist: bool) -> Process:
    shutil.rmtree(places.state / "tmp", ignore_errors=True)  # a run that ended leaves its workers' unpacked code behind
    (places.state / "tmp").mkdir(parents=True)
    port = processes.free_port(NAME, state=places.state)
    return processes.spawn(
        NAME,
        [str(places.engine_python), "-I", "-m", "ministack"],
        state=places.state,
        port=port,
        environment=_environment(places.state, port, persist=persist),
    )


def _environment(state: Path, port: int, *, persist: bool) -> dict[str, str]:
    """Return all that the engine sees of the world: it hands its environment on to the functions."""
    return processes.inherited("PATH", "LANG", "SYSTEMROOT") | {
        "HOME": str(state),
        "TMPDIR": str(state / "tmp"),
        "AWS_CONFIG_FILE": "/dev/null",  # no profile of the person at the keyboard reaches a function
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "BIND_HOST": HOST,
        "MINISTACK_HOST": HOST,  # in the queues' addresses
        "GATEWAY_PORT": str(port),
        "MINISTACK_REGION": REGION,
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "AUTH": "true",
        "PERSIST_STATE": "1" if persist else "0",
        "STATE_DIR": str(state / "engine"),
        "S3_DATA_DIR": str(state / "engine" / "s3"),
        "SFTP_ENABLED": "0",  # two listeners that nobody here needs
        "IOT_MTLS_ENABLED": "0",
        "DOCKER_HOST": "unix:///nonexistent",  # it would look there for containers of its own
        "LOG_LEVEL": "INFO",
    }


def _comes_up(process: Process) -> bool:
    deadline = time.monotonic() + START_PATIENCE.total_seconds()
    while time.monotonic() < deadline and processes.is_running(process):
        if _answers(process.port):
            return True
        time.sleep(processes.POLL_SECONDS)
    return False


def _answers(port: int) -> bool:
    try:
        status, body = _request(port, "GET", "/_ministack/ready", seconds=2)
    except (OSError, http.client.HTTPException):
        return False
    return status == http.client.OK and bool(json.loads(body))


def _request(port: int, method: str, path: str, *, seconds: float) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HOST, port, timeout=seconds)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
