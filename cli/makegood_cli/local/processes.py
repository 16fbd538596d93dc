"""Detached processes of the local stack: started in a group of their own, remembered in a file, stopped by that record.

A process id alone is no identity, because the system gives it out again. So the record also keeps the instant at which
the process was born, and nobody whose birth differs is ever signalled.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import timedelta

LOOPBACK = "127.0.0.1"
POLL_SECONDS = 0.05
KILL_GRACE_SECONDS = 5.0

#: The children of this very process, kept so that they can be collected when they end.
_children: dict[int, subprocess.Popen[bytes]] = {}


@atexit.register
def _leave_the_others() -> None:
    """Let go of children that outlive this process, as they are meant to: nobody waits for them here any more."""
    for child in _children.values():
        child.returncode = child.poll() or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that this project started."""

    name: str
    pid: int  #: also the id of its process group
    born: str  #: what the system says about its birth; opaque, compared for equality
    port: int  #: on 127.0.0.1; 0 if it listens nowhere


def inherited(*names: str) -> dict[str, str]:
    """Return the named variables of this process' environment that are set: all that a child gets to see of it."""
    return {name: os.environ[name] for name in names if name in os.environ}


def spawn(
    name: str,
    command: Sequence[str],
    *,
    state: Path,
    port: int = 0,
    environment: Mapping[str, str],
) -> Process:
    """Start a command in a session of its own and remember it; its output goes to `logs/NAME.log`."""
    log = _fresh_log(state, name)
    with log.open("wb") as output:
        child = subprocess.Popen(  # noqa: S603 - our own commands, no shell
            list(command),
            cwd=state,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _children[child.pid] = child
    process = Process(name=name, pid=child.pid, born=birth(child.pid) or "", port=port)
    _record(state, name).write_text(json.dumps(asdict(process)))
    return process


def free_port(name: str, *, state: Path) -> int:
    """Return a free port of the loopback, for each name the one it had last time if that is free again."""
    note = state / f"{name}.port"
    port = _bindable(int(note.read_text())) if note.exists() else _bindable(0)
    note.write_text(str(port))
    return port


def find(name: str, *, state: Path) -> Process | None:
    """Return the running process of that name; None if there is none, and then its stale record is removed."""
    record = _record(state, name)
    try:
        process = Process(**json.loads(record.read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        record.unlink(missing_ok=True)
        return None
    if is_running(process):
        return process
    record.unlink(missing_ok=True)
    return None


def is_running(process: Process) -> bool:
    """Say whether this very process still runs (not another that was given its id since)."""
    _reap(process.pid)
    return bool(process.born) and birth(process.pid) == process.born


def stop(process: Process, *, state: Path, patience: timedelta) -> None:
    """End the process with its whole group: asked first, killed when the patience is over."""
    if is_running(process):
        _signal(process, signal.SIGTERM)
        if not _gone(process, patience.total_seconds()):
            _signal(process, signal.SIGKILL)
            _gone(process, KILL_GRACE_SECONDS)
    _record(state, process.name).unlink(missing_ok=True)


def group_of(process: Process) -> list[tuple[int, str]]:
    """Return the id and the command line of each process in its group, itself included."""
    if not Path("/proc/self/stat").exists():
        rows = (line.split(maxsplit=2) for line in _ps("-axo", "pid=,pgid=,args=").splitlines())
        return [(int(pid), command) for pid, group, command in rows if int(group) == process.pid]
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(entry.name)) == process.pid:
                found.append((int(entry.name), (entry / "cmdline").read_text().replace("\0", " ")))
        except (ProcessLookupError, FileNotFoundError):
            continue
    return found


def log_of(name: str, *, state: Path) -> Path:
    """Return where the output of that process goes."""
    return state / "logs" / f"{name}.log"


def birth(pid: int) -> str | None:
    """Return a text that tells this process from any other with the same id; None if there is none (or a zombie)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self/stat").exists() else _birth_by_ps(pid)
    state, started = fields[0], fields[19]  # proc(5): state is field 3, starttime field 22, in clock ticks since boot
    return None if state in "ZX" else started


def _birth_by_ps(pid: int) -> str | None:
    state, _, started = _ps("-o", "stat=,lstart=", "-p", str(pid)).strip().partition(" ")
    return None if not started or state.startswith("Z") else started.strip()


def _ps(*arguments: str) -> str:
    """Ask ps, on systems without /proc."""
    return subprocess.run(["ps", *arguments], capture_output=True, text=True, check=False).stdout  # noqa: S603, S607


def _signal(process: Process, number: signal.Signals) -> None:
    """Signal the group. While any of it lives, the system gives its id to nobody else."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def _gone(process: Process, seconds: float) -> bool:
    """Wait until all of the group have ended, or the seconds are over."""
    deadline = time.monotonic() + seconds
    while is_running(process) or any(birth(pid) for pid, _ in group_of(process)):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _reap(pid: int) -> None:
    """Collect our own ended child, which would otherwise stay as a zombie while we live."""
    child = _children.get(pid)
    if child is not None and child.poll() is not None:
        del _children[pid]


def _bindable(wanted: int) -> int:
    """Return that port if it can be had, else any."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do
        try:
            probe.bind((LOOPBACK, wanted))
        except OSError:
            return _bindable(0)
        port: int = probe.getsockname()[1]
        return port


def _record(state: Path, name: str) -> Path:
    return state / f"{name}.pid"


def _fresh_log(state: Path, name: str) -> Path:
    """Return the log file to write; the one of the run before is kept beside it."""
    log = log_of(name, state=state)
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists():
        log.replace(log.with_suffix(".log.1"))
    return log
