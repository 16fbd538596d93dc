"""Does the CRM's process lose nothing when it is killed, and come back where it was?"""

from __future__ import annotations

import http.client
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import crm_process, processes
from makegood_cli.local.crm_faults import Fault
from makegood_cli.local.places import Places

from tests.local_crm import LocalCrm

if TYPE_CHECKING:
    from collections.abc import Iterator

BROKEN = (ConnectionError, http.client.RemoteDisconnected)


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    places = Places(state=tmp_path)
    yield places
    crm_process.stop(places)


def killed(crm: LocalCrm) -> None:
    """Kill the process as a power switch would, and wait until it is gone."""
    os.kill(crm.running.process.pid, signal.SIGKILL)
    while processes.is_running(crm.running.process):
        time.sleep(0.01)


def test_a_second_start_finds_the_running_crm(places: Places) -> None:
    first = crm_process.start(places)
    assert crm_process.start(places) == first
    assert crm_process.running(places) == first
    assert first.client.is_healthy()


def test_after_a_stop_nothing_answers_and_nothing_is_lost(places: Places) -> None:
    crm = LocalCrm(crm_process.start(places))
    crm.put("452", key="k")
    assert crm_process.stop(places)
    assert not crm.client.is_healthy()
    assert crm_process.running(places) is None
    assert not crm_process.stop(places)
    assert crm_process.start(places).client.customer("452") is not None


def test_after_a_kill_it_comes_back_on_its_port_with_all_that_it_answered(places: Places) -> None:
    crm = LocalCrm(crm_process.start(places))
    first = crm.put("452", key="k")
    log = crm.client.log()
    killed(crm)
    again = LocalCrm(crm_process.start(places))
    assert again.url == crm.url
    assert again.client.log() == log
    assert again.put("452", key="k").body == first.body
    assert again.client.applications() == {"k": 1}


def test_a_kill_after_the_effect_and_before_the_answer_leaves_one_effect(places: Places) -> None:
    crm = LocalCrm(crm_process.start(places))
    crm.client.set_fault(Fault(kind="hang_after", seconds=60))
    with ThreadPoolExecutor() as pool:
        call = pool.submit(crm.put, "452", key="k", seconds=60)
        while not crm.client.hits()["hang_after"]:
            time.sleep(0.01)
        killed(crm)
        with pytest.raises(BROKEN):
            call.result()
    again = LocalCrm(crm_process.start(places))
    assert again.put("452", key="k").status == 200
    assert [(line.applied, line.replayed) for line in again.client.log()] == [(True, False), (False, True)]


def test_a_kill_before_the_effect_leaves_none_and_frees_the_key(places: Places) -> None:
    crm = LocalCrm(crm_process.start(places))
    crm.client.set_fault(Fault(kind="hang_before", seconds=60))
    with ThreadPoolExecutor() as pool:
        call = pool.submit(crm.put, "452", key="k", seconds=60)
        while not crm.client.hits()["hang_before"]:
            time.sleep(0.01)
        killed(crm)
        with pytest.raises(BROKEN):
            call.result()
    again = LocalCrm(crm_process.start(places))
    (broken_off,) = again.client.log()
    assert (broken_off.status, broken_off.applied, broken_off.faults) == (None, False, ("hang_before",))
    assert again.put("452", key="k").status == 200
    assert again.client.applications() == {"k": 1}


def test_an_orderly_stop_does_not_wait_for_those_that_hang(places: Places) -> None:
    crm = LocalCrm(crm_process.start(places))
    crm.client.set_fault(Fault(kind="hang_before", seconds=60))
    with ThreadPoolExecutor() as pool:
        call = pool.submit(crm.put, "452", key="k", seconds=60)
        while not crm.client.hits()["hang_before"]:
            time.sleep(0.01)
        assert crm_process.stop(places)
        with pytest.raises(BROKEN):
            call.result(timeout=10)
    assert crm_process.start(places).client.applications() == {}


def test_a_key_is_forgotten_after_its_lifetime(places: Places) -> None:
    crm = LocalCrm(crm_process.start(places, key_lifetime=timedelta(milliseconds=1)))
    crm.put("452", key="k")
    time.sleep(0.01)
    crm.put("452", key="k")
    assert crm.client.applications() == {"k": 2}


def test_it_listens_on_the_loopback_alone(places: Places) -> None:
    port = crm_process.start(places).process.port
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")]
    assert listening == [f"0100007F:{port:04X}"]


def test_a_port_that_was_taken_meanwhile_is_given_up(places: Places, tmp_path: Path) -> None:
    crm = crm_process.start(places)
    crm_process.stop(places)
    neighbour = Places(state=tmp_path / "neighbour")
    neighbour.state.mkdir()
    (neighbour.state / "crm.port").write_text(str(crm.process.port))
    try:
        assert crm_process.start(neighbour).url == crm.url
        moved = crm_process.start(places)
        assert moved.url != crm.url
        assert moved.client.is_healthy()
    finally:
        crm_process.stop(neighbour)


def test_a_second_process_on_the_same_state_is_refused_with_words(places: Places) -> None:
    crm_process.start(places)
    command = [sys.executable, "-m", "makegood_cli.local.crm", "--port", "0", "--state", str(places.state / "crm")]
    second = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert second.returncode == 1
    assert "cannot start" in second.stderr
    assert "locked" in second.stderr


def test_what_it_remembers_holds_no_header(places: Places) -> None:
    crm = LocalCrm(crm_process.start(places))
    crm.put("452", key="k", Authorization="Bearer topsecret1")
    crm_process.stop(places)
    with sqlite3.connect(places.state / "crm" / "crm.sqlite3") as db:
        dump = "\n".join(db.iterdump())
    db.close()
    assert "op-k" in dump
    assert "topsecret1" not in dump + processes.log_of("crm", state=places.state).read_text()
