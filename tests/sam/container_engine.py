"""A container engine for `sam local invoke`: Docker where it answers, otherwise one that a script brings up and down.

MAKEGOOD_SAM_ENGINE=SCRIPT    for machines without Docker. `SCRIPT up DIR` starts an engine that has the Lambda base
                              image of the runtime, and writes DIR/env, a shell file that sets DOCKER_HOST;
                              `SCRIPT down DIR` removes the containers and stops the engine.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cold_import import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SCRIPT = "MAKEGOOD_SAM_ENGINE"
LONGEST = 69  #: characters of a folder: the sockets that Docker makes in it add 38, and the system takes 107
UP_SECONDS = 600  #: to install an engine and make an image
ASK_SECONDS = 30
SHELL = "/bin/bash"
#: held while a script's engine runs: a second one on this machine would give out the same addresses on the same bridge
LOCK = Path(tempfile.gettempdir()) / "makegood-container-engine.lock"


def own_folder() -> Path:
    """Return where a script keeps its engine, from one run to the next, so that a second run is quick."""
    near = ROOT / "build/engine"
    if len(str(near)) <= LONGEST:
        return near
    return Path(tempfile.gettempdir()) / f"makegood-{zlib.crc32(str(ROOT).encode()):08x}"


class NoContainerEngine(Exception):
    """There is no container engine to be had here; the message says why."""


@contextmanager
def running(environment: Mapping[str, str], folder: Path, lock: Path = LOCK) -> Iterator[Mapping[str, str]]:
    """Yield the variables by which docker and sam find an engine; one that a script started ends with the block.

    Raises NoContainerEngine.
    """
    script = environment.get(SCRIPT)
    if answers(environment):
        yield {}
    elif script:
        with _alone(lock):
            try:
                yield _started(script, folder)
            finally:
                subprocess.run([SHELL, script, "down", str(folder)], check=False, timeout=UP_SECONDS)
    else:
        raise NoContainerEngine(f"no container engine answers: start Docker, or name a script in {SCRIPT}")


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def answers(environment: Mapping[str, str]) -> bool:
    """Say whether a container engine answers."""
    docker = shutil.which("docker", path=environment.get("PATH"))
    if docker is None:
        return False
    try:
        asked = subprocess.run(
            [docker, "info"], env=dict(environment), capture_output=True, check=False, timeout=ASK_SECONDS
        )
    except subprocess.TimeoutExpired:
        return False
    return asked.returncode == 0


def _started(script: str, folder: Path) -> dict[str, str]:
    try:
        up = subprocess.run(
            [SHELL, script, "up", str(folder)], capture_output=True, text=True, check=False, timeout=UP_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise NoContainerEngine(f"{script} up: not done after {UP_SECONDS} s") from error
    if up.returncode:
        raise NoContainerEngine(f"{script} up: ended with {up.returncode}: {(up.stdout + up.stderr)[-2000:]}")
    tell = [SHELL, "-c", '. "$0" && printf %s "$DOCKER_HOST"', str(folder / "env")]
    return {"DOCKER_HOST": subprocess.run(tell, capture_output=True, text=True, check=True).stdout}
