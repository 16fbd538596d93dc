"""The engine's process: started once, found again, stopped alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import engine, processes
from makegood_cli.local.engine import EngineError
from makegood_cli.local.places import Places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
child.wait()
"""


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    places = Places(state=tmp_path)
    yield places
    engine.stop(places)


def test_a_second_start_finds_the_running_engine(places: Places) -> None:
    first = engine.start(places, persist=False)
    assert engine.start(places, persist=False) == first
    assert engine.running(places) == first
    assert engine.is_healthy(first)


def test_after_a_stop_nothing_answers_and_nothing_is_remembered(places: Places) -> None:
    started = engine.start(places, persist=False)
    assert engine.stop(places)
    assert not engine.is_healthy(started)
    assert engine.running(places) is None
    assert not engine.stop(places)


def test_an_engine_that_was_killed_is_found_missing_and_can_be_started_again(places: Places) -> None:
    killed = engine.start(places, persist=False)
    processes.stop(killed.process, state=places.state, patience=timedelta(0))
    assert engine.running(places) is None
    assert engine.is_healthy(engine.start(places, persist=False))


def test_it_listens_on_the_loopback_alone(places: Places) -> None:
    port = engine.start(places, persist=False).process.port
    rows = (line.split() for line in subprocess.check_output(["cat", "/proc/net/tcp"], text=True).splitlines()[1:])  # noqa: S607
    listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")]
    assert listening == [f"0100007F:{port:04X}"]


def test_a_missing_environment_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="make setup"):
        engine.start(Places(root=tmp_path, state=tmp_path), persist=False)


def test_a_process_that_was_given_an_old_id_again_is_left_alone(tmp_path: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    record = tmp_path / "engine.pid"
    record.write_text(json.dumps({"name": "engine", "pid": stranger.pid, "born": "before", "port": 1}))
    try:
        assert not engine.stop(Places(state=tmp_path))
        assert stranger.poll() is None
        assert not record.exists()
    finally:
        stranger.communicate(b"\n")


@pytest.mark.parametrize("text", ["", "{", "12", '{"pid": 1}'])
def test_a_spoilt_record_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "engine.pid").write_text(text)
    assert processes.find("engine", state=tmp_path) is None


def test_a_birth_stays_the_same_for_life_and_is_none_afterwards(tmp_path: Path) -> None:
    process = processes.spawn("one", [sys.executable, "-c", "input()"], state=tmp_path, environment={})
    deadline = time.monotonic() + 10
    while processes.is_running(process):  # it reads from nowhere, and ends at once
        assert time.monotonic() < deadline
    assert process.born
    assert processes.birth(process.pid) is None
    assert processes.birth(os.getpid()) == processes.birth(os.getpid())


def test_a_stop_ends_the_whole_group(tmp_path: Path) -> None:
    parent = processes.spawn("pair", [sys.executable, "-c", PARENT], state=tmp_path, environment={})
    log = processes.log_of("pair", state=tmp_path)
    while not log.read_text().strip():
        assert processes.is_running(parent)
    child = int(log.read_text())
    processes.stop(parent, state=tmp_path, patience=timedelta(seconds=5))
    assert processes.birth(child) is None
