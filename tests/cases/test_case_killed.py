"""Does an operation recover from a worker that was killed without a word, by its row alone?"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from makegood.adapters.system_clock import SystemClock
from makegood.domain.instant import between
from makegood.domain.operation import Status

from tests.case import case
from tests.cases import dying
from tests.cases.scene import promised
from tests.doors.world import ROOT, T, message

if TYPE_CHECKING:
    from pathlib import Path

    from makegood.domain.operation import Operation

    from tests.doors.world import Doors
    from tests.local_engine import LocalEngine

pytestmark = pytest.mark.xdist_group("engine")
SOURCES = [*ROOT.glob("layers/*/*/**/*.py"), *ROOT.glob("functions/**/*.py")]


def killed(engine: LocalEngine, row: Operation, *, when: str, log: Path) -> int:
    """Let a worker of its own process take the row's message and be killed; return how the process ended."""
    event = {"Records": [{"messageId": "m0", "body": message(row), "eventSource": "aws:sqs"}]}
    environment = {
        **os.environ,
        "AWS_ENDPOINT_URL": engine.endpoint_url,
        "AWS_DEFAULT_REGION": engine.region,
        "AWS_ACCESS_KEY_ID": engine.credentials.access_key,
        "AWS_SECRET_ACCESS_KEY": engine.credentials.secret_key,
        "MAKEGOOD_CATALOG": dying.__name__,
    }
    command = [sys.executable, "-m", dying.__name__, when, str(log)]
    return subprocess.run(
        command, cwd=ROOT, env=environment, input=json.dumps(event), text=True, check=False, capture_output=True
    ).returncode


@case("F026", "F027", "F042")
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_killed_without_a_word_leaves_its_operation_to_the_sweep_and_then_to_a_person(
    engine_doors: Doors, engine: LocalEngine, tmp_path: Path, when: str
) -> None:
    doors = engine_doors
    doors.clock.advance(between(doors.clock.now(), SystemClock().now()))
    [row] = promised(1)
    doors.messages()  # whoever was killed, its message comes again or not: nothing hangs on it
    assert killed(engine, row, when=when, log=tmp_path / "log") < 0
    assert doors.row(row).status is Status.PROCESSING
    doors.clock.advance(T)
    assert [doors.sweep()["acted"], doors.sweep()["acted"]] == [{"release": 1}, {"escalate": 1}]
    assert (doors.row(row).status, doors.row(row).uncertain) == (Status.MANUAL_REVIEW, True)
    assert (tmp_path / "log").exists() is (when == "after")
    assert doors.messages() == [], "nothing is sent again before somebody has looked"


@case("F042")
def test_nothing_hangs_on_a_hook_that_a_killed_run_never_reaches() -> None:
    imported = {
        alias.name
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not imported & {"atexit", "signal", "weakref"}
