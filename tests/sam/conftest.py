"""The real SAM CLI, a container engine, and a local stack that is lent to the containers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import crm_process, lending
from makegood_cli.local import stack as local_stack
from makegood_cli.local.places import Places
from makegood_cli.reach import reach
from makegood_cli.stacks import Choice

from benchmarks.cold_import import BUILT, ROOT, RUNTIME
from tests.sam import container_engine, world
from tests.sam.container_engine import NoContainerEngine
from tests.sam.invoking import ARCHITECTURE, SamLocal
from tests.sam.machine import left_out, python_of
from tests.sam.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@pytest.fixture(scope="session")
def runtime_python() -> str:
    """Return the path of a Python of the runtime's version."""
    return python_of(RUNTIME)


@pytest.fixture(scope="session")
def made(runtime_python: str) -> str:
    """Build as the README says; return what was printed. What has not changed is taken from sam's cache."""
    assert runtime_python
    make = ["/usr/bin/env", "make", "build", f"PYTHON={sys.executable}", f"ARCHITECTURE={ARCHITECTURE}"]
    run = subprocess.run(make, cwd=ROOT, check=False, capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    return run.stdout + run.stderr


@pytest.fixture(scope="session")
def built(made: str) -> Path:
    """Return the folder of what was built."""
    assert made
    return BUILT


@pytest.fixture(scope="session")
def engine_found() -> Iterator[Mapping[str, str]]:
    """Find a container engine, or start one, for everything that these tests run."""
    try:
        with (
            container_engine.running(os.environ, container_engine.own_folder()) as found,
            pytest.MonkeyPatch.context() as patch,
        ):
            for name, value in found.items():
                patch.setenv(name, value)
            yield found
    except NoContainerEngine as error:
        left_out(str(error))


@pytest.fixture(scope="session")
def stack_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """Bring a local stack up as `makegood up` does, and let its own functions rest."""
    places = Places(state=tmp_path_factory.mktemp("stack"))
    try:
        world.rest(local_stack.up(places))
        yield places
    finally:
        local_stack.down(places)


@pytest.fixture(scope="session")
def sam_local(
    engine_found: Mapping[str, str], built: Path, stack_places: Places, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SamLocal]:
    """Lend the stack to the containers of `sam local invoke` for as long as these tests run."""
    assert engine_found is not None  # asked first: without one there is nothing to build for
    assert built.is_dir()
    with lending.lent(local_stack.current(stack_places), stack_places) as lent:
        yield SamLocal(lent=lent, folder=tmp_path_factory.mktemp("variables"))


@pytest.fixture
def stack(stack_places: Places) -> World:
    """Return the stack that the containers work on, emptied, with a CRM that remembers nothing."""
    crm_process.stop(stack_places)
    shutil.rmtree(stack_places.state / crm_process.NAME)
    crm = crm_process.start(stack_places)
    emptied = World(found=local_stack.current(stack_places), stack=reach(Choice(), stack_places), crm=crm.client)
    emptied.empty()
    return emptied
