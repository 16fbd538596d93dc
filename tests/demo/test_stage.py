"""Does a demo leave nothing behind, and others alone?"""

import sys
from pathlib import Path

import pytest
from makegood_cli.demo import stage
from makegood_cli.local import processes
from makegood_cli.local.places import Places


def sleeper(state: Path) -> processes.Process:
    """Start a process as a stack's engine is started."""
    state.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    return processes.spawn("engine", command, state=state, environment=processes.inherited("PATH"))


def left_behind(home: Path) -> processes.Process:
    """Leave a folder as a demo does that was killed: its engine runs on, its lock is free."""
    folder = home / "run-dead"
    folder.mkdir(parents=True)
    (folder / stage.ALIVE).touch()
    return sleeper(folder / "state")


def test_the_folder_is_gone_in_the_end_whatever_ended_it(tmp_path: Path) -> None:
    def fail() -> None:
        with stage._folder(tmp_path) as folder:
            (folder / "something").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert not list(tmp_path.glob("run-*"))


def test_the_next_demo_clears_up_after_one_that_was_killed(tmp_path: Path) -> None:
    process = left_behind(tmp_path)
    with stage._folder(tmp_path):
        assert not processes.is_running(process)
        assert not (tmp_path / "run-dead").exists()


def test_a_demo_that_lives_is_left_alone(tmp_path: Path) -> None:
    with stage._folder(tmp_path) as first:
        process = sleeper(first / "state")
        with stage._folder(tmp_path) as second:
            assert first != second
            assert processes.is_running(process)
            assert first.exists()
        stage._stop(Places(state=first / "state"))
