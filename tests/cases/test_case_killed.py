"""Does an operation recover from a worker that was killed without a word, by its row and by what is there?"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.adapters.system_clock import SystemClock
from makegood.domain.instant import between
from makegood.domain.observation import Unknown
from makegood.domain.operation import Status
from makegood.domain.policy import Capability, Step

from tests.case import case
from tests.cases import dying
from tests.cases.outside import Killed, outside, reasons, verbs
from tests.cases.scene import promised
from tests.doors.world import ROOT, T, message
from tests.support.remote import seeing
from tests.support.rows import SETTLED

if TYPE_CHECKING:
    from pathlib import Path

    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.cases.outside import Outside
    from tests.doors.world import Doors
    from tests.local_engine import LocalEngine

ON_ENGINE = pytest.mark.xdist_group("engine")
SOURCES = [*ROOT.glob("layers/*/*/**/*.py"), *ROOT.glob("functions/**/*.py")]


def killed(engine: LocalEngine, row: Operation, *, when: str) -> int:
    """Let a worker of its own process take the row's message and be killed; return how the process ended."""
    event = {"Records": [{"messageId": "m0", "body": message(row), "eventSource": "aws:sqs"}]}
    environment = {
        **os.environ,
        "AWS_ENDPOINT_URL": engine.endpoint_url,
        "AWS_DEFAULT_REGION": engine.region,
        "AWS_ACCESS_KEY_ID": engine.credentials.access_key,
        "AWS_SECRET_ACCESS_KEY": engine.credentials.secret_key,
        dying.WHEN: when,
    }
    command = [sys.executable, "-m", dying.__name__]
    return subprocess.run(
        command, cwd=ROOT, env=environment, input=json.dumps(event), text=True, check=False, capture_output=True
    ).returncode


@case("F026", "F027", "F042")
@ON_ENGINE
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_killed_without_a_word_leaves_an_effect_that_is_made_once_and_proven(
    engine_doors: Doors, engine: LocalEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    doors, file = engine_doors, tmp_path / "effects"
    monkeypatch.setenv("MAKEGOOD_CATALOG", dying.__name__)
    monkeypatch.setenv(dying.FILE, str(file))
    doors.clock.advance(between(doors.clock.now(), SystemClock().now()))
    [row] = promised(1, operation_type="filed")
    doors.messages()  # whoever was killed, its message comes again or not: nothing hangs on it
    assert killed(engine, row, when=when) < 0
    assert (doors.row(row).status, file.exists()) == (Status.PROCESSING, when == "after")
    doors.clock.advance(T)
    assert doors.sweep()["acted"] == {"release": 1}
    doors.clock.advance(SETTLED)
    assert doors.sweep()["acted"] == ({"confirm_by_proof": 1} if when == "after" else {"requeue": 1})
    if when == "before":
        doors.clock.advance(timedelta(seconds=30))
        doors.work(message(row))
    ended = doors.row(row)
    key = row.idempotency_key
    assert (ended.status, file.read_text()) == (Status.CONFIRMED, f"{key} 7\n")
    assert ended.evidence is not None
    assert (ended.remote_id, ended.evidence.remote_id, ended.evidence.version) == (key, key, 7)
    if when == "after":
        assert ended.verdict is not None
        assert (ended.verdict.asked, ended.verdict.policy_version) == ("the lines under the key", 4)


def dies_before(_: Attempt) -> Outcome:
    """Die before anything was sent."""
    raise Killed


def by_death(world: Outside, row: Operation, *, applied: bool = False) -> Operation:
    """Let a worker die in its call, and a sweep take its claim away."""

    def dies_after(attempt: Attempt) -> Outcome:
        world.remote.apply(attempt)
        raise Killed

    world.deliver(row, dies_after if applied else dies_before)
    assert world.row(row).status is Status.PROCESSING
    world.later(T)
    world.doors.sweep()
    released = world.row(row)
    assert (released.status, released.uncertain) == (Status.AWAITING_CONFIRMATION, True)
    return released


@case("F027", "F039")
@pytest.mark.parametrize("applied", [False, True])
def test_a_second_attempt_after_a_death_asks_first(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, *, applied: bool
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    by_death(world, row, applied=applied)
    for _ in range(3):
        quick_doors.work(message(row))
    assert (world.calls(row), world.remote.looks[row.operation_id]) == (1, 0), "no message makes a call before a look"
    looked = world.settled(row)
    if not applied:
        world.to(looked.not_before)
        world.deliver(row)
    ended = world.row(row)
    assert (ended.status, world.calls(row), world.effects(row)) == (Status.CONFIRMED, 1 if applied else 2, 1)


@case("F026", "F039")
@pytest.mark.parametrize("capability", [Capability.BY_KEY, Capability.NOT_OBSERVABLE])
def test_a_death_whose_outcome_nobody_can_tell_ends_before_a_person_and_never_in_a_second_call(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, capability: Capability
) -> None:
    steps = {} if capability is Capability.NOT_OBSERVABLE else {"on_missing": Step.REQUEUE}
    world = outside(quick_doors, monkeypatch, capability=capability, **steps)
    row = world.promised()
    by_death(world, row)
    world.remote.sights[:] = [seeing(Unknown(why="it answered 503"))] * 20
    for _ in range(10):
        world.later(timedelta(hours=6))
        quick_doors.sweep()
        quick_doors.work(message(row))
    ended = world.row(row)
    assert (ended.status, world.calls(row)) == (Status.MANUAL_REVIEW, 1)
    assert ended.verdict is not None
    assert ended.verdict.kind.value == "ambiguous"


@case("F059")
@pytest.mark.parametrize(
    ("deaths", "status"), [(3, Status.CONFIRMED), (7, Status.CONFIRMED), (8, Status.MANUAL_REVIEW)]
)
def test_three_deployments_do_not_park_healthy_work_and_eight_do(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, deaths: int, status: Status
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    for _ in range(deaths):
        by_death(world, row)
        looked = world.settled(row)
        if looked.not_before is not None:
            world.to(looked.not_before)
    ended = world.deliver(row)
    assert (ended.status, ended.attempt) == (status, min(deaths + 1, 8))
    assert world.effects(row) == (status is Status.CONFIRMED)
    if status is Status.MANUAL_REVIEW:
        assert (reasons(ended)[-1], ended.last_error) == ("not_permitted", "it lacks: attempts left")


@case("F026")
def test_a_row_that_was_doing_for_three_weeks_is_taken_up_by_the_first_sweep(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    world.deliver(row, dies_before)
    world.later(timedelta(weeks=3))
    assert quick_doors.sweep()["acted"] == {"release": 1}
    ended = world.settled(row)
    assert (verbs(ended)[:3], verbs(ended)[-1]) == (["submit", "claim", "release"], "escalate")
    assert (ended.status, reasons(ended)[-1]) == (Status.MANUAL_REVIEW, "not_permitted"), "its key is too old to send"


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
