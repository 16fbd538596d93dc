"""Is a container engine taken where it answers, started by the named script where not, and its absence told?"""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from tests.sam import container_engine
from tests.sam.container_engine import SCRIPT, NoContainerEngine
from tests.sam.machine import left_out

STARTS = 'echo "$1" >>"$2.told"; mkdir -p "$2"; echo "export DOCKER_HOST=unix://$2/sock" >"$2/env"'
FAILS = 'echo "$1" >>"$2.told"; echo "no root, no engine" >&2; exit 3'


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a machine whose `docker` finds no engine."""
    return {"PATH": str(written(tmp_path / "bin/docker", "exit 1").parent)}


def written(path: Path, text: str) -> Path:
    """Write a shell script."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def told(tmp_path: Path) -> list[str]:
    """Return what the script was told to do."""
    return (tmp_path / "engine.told").read_text().split()


def test_an_engine_that_answers_is_taken_as_it_is(machine: dict[str, str], tmp_path: Path) -> None:
    written(Path(machine["PATH"]) / "docker", "exit 0")
    with container_engine.running(
        machine | {SCRIPT: "/nobody/calls/this"}, tmp_path / "engine", tmp_path / "lock"
    ) as found:
        assert found == {}


def test_otherwise_the_script_starts_one_and_ends_it(machine: dict[str, str], tmp_path: Path) -> None:
    script = written(tmp_path / "script", STARTS)
    with container_engine.running(machine | {SCRIPT: str(script)}, tmp_path / "engine", tmp_path / "lock") as found:
        assert found == {"DOCKER_HOST": f"unix://{tmp_path}/engine/sock"}
        assert told(tmp_path) == ["up"]
    assert told(tmp_path) == ["up", "down"]


def test_while_it_runs_no_second_one_is_started_on_this_machine(machine: dict[str, str], tmp_path: Path) -> None:
    script = written(tmp_path / "script", STARTS)
    with (
        container_engine.running(machine | {SCRIPT: str(script)}, tmp_path / "engine", tmp_path / "lock"),
        (tmp_path / "lock").open("w") as second,
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_script_that_fails_is_quoted_and_what_it_left_behind_is_taken_down(
    machine: dict[str, str], tmp_path: Path
) -> None:
    script = written(tmp_path / "script", FAILS)
    with (
        pytest.raises(NoContainerEngine, match=r"ended with 3: no root, no engine"),
        container_engine.running(machine | {SCRIPT: str(script)}, tmp_path / "engine", tmp_path / "lock"),
    ):
        pytest.fail("there is no engine")
    assert told(tmp_path) == ["up", "down"]


@pytest.mark.parametrize("has_docker", [True, False])
def test_without_any_it_says_what_to_do(machine: dict[str, str], tmp_path: Path, *, has_docker: bool) -> None:
    environment = machine if has_docker else {"PATH": str(tmp_path)}
    with (
        pytest.raises(NoContainerEngine, match=rf"start Docker, or name a script in {SCRIPT}"),
        container_engine.running(environment, tmp_path / "engine", tmp_path / "lock"),
    ):
        pytest.fail("there is no engine")


@pytest.mark.parametrize(("in_ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_what_is_left_out_here_is_a_failure_in_ci(
    monkeypatch: pytest.MonkeyPatch, in_ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", in_ci)
    with pytest.raises(outcome, match="no engine"):
        left_out("no engine")
