"""The local stack as a whole: up, up again, down, up with its data, and gone."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import engine, processes, profile, stack
from makegood_cli.local.stack import StackError

from tests.local import deployed as deployments
from tests.local.deployed import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from makegood_cli.local.places import Places
    from makegood_cli.local.stack import LocalStack

KEY = {"pk": {"S": "kept"}, "sk": {"S": "operation"}}


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    places = deployments.lay_out(tmp_path, tmp_path / "state")
    yield places
    stack.down(places)


def pids(places: Places, *names: str) -> dict[str, int]:
    found = stack.status(places).processes
    return {name: process.pid for name in names if (process := found[name]) is not None}


def put(up: LocalStack) -> None:
    up.clients.of("dynamodb").put_item(TableName=up.outputs["TableName"], Item=KEY)


def holds(up: LocalStack) -> bool:
    return "Item" in up.clients.of("dynamodb").get_item(TableName=up.outputs["TableName"], Key=KEY)


def test_before_up_there_is_nothing_and_the_error_says_what_to_do(places: Places) -> None:
    assert stack.status(places).stack is None
    with pytest.raises(StackError, match="makegood up"):
        stack.current(places)


def test_up_starts_everything_and_a_second_up_changes_nothing(places: Places) -> None:
    steps: list[str] = []
    up = stack.up(places, progress=steps.append)
    assert len(steps) == stack.STEPS
    with urllib.request.urlopen(f"{up.crm_url}/health", timeout=5) as answer:  # noqa: S310 - our own loopback address
        assert answer.status == 200
    put(up)
    before = pids(places, "engine", "crm")
    assert stack.up(places) == stack.current(places) == up
    assert pids(places, "engine", "crm") == before
    assert holds(up)


def test_down_stops_what_is_ours_and_the_data_outlast_it(places: Places) -> None:
    before = stack.up(places)
    put(before)
    before.clients.of("sqs").send_message(QueueUrl=before.outputs["DeadLetterLowUrl"], MessageBody="kept")
    ours = pids(places, "engine", "crm", "bridge").values()
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert set(stack.down(places)) == {"engine", "crm", "bridge"}
    assert [processes.birth(pid) for pid in ours] == [None, None, None]
    assert other.poll() is None
    other.communicate(b"\n")
    assert stack.down(places) == ()
    after = stack.up(places)
    assert after.outputs == before.outputs
    assert holds(after)
    assert len(after.clients.of("sqs").receive_message(QueueUrl=after.outputs["DeadLetterLowUrl"])["Messages"]) == 1


def test_after_the_engine_was_killed_up_makes_a_whole_stack_again(places: Places) -> None:
    stack.up(places)
    running = engine.running(places)
    assert running is not None
    processes.stop(running.process, state=places.state, patience=timedelta(0))
    assert stack.status(places).stack is None
    again = stack.up(places)
    assert set(pids(places, "engine", "crm", "bridge")) == {"engine", "crm", "bridge"}
    assert again.clients.of("lambda").invoke(FunctionName=again.outputs["ReconcilerFunctionName"])["StatusCode"] == 200


def told(up: stack.LocalStack) -> str:
    """Return what the reconciler is told that sweeps do."""
    function = up.clients.of("lambda").get_function_configuration(FunctionName=up.outputs["ReconcilerFunctionName"])
    return str(function["Environment"]["Variables"]["MAKEGOOD_SWEEPS"])


def test_sweeps_only_watch_if_up_says_so_and_act_again_after_an_up_that_does_not(places: Places) -> None:
    assert told(stack.up(places, sweeps=profile.Sweeps.OBSERVE)) == "observe"
    assert told(stack.up(places)) == "act"


def test_the_bridge_judges_the_alarms_by_itself_and_a_wipe_forgets_it_all(places: Places) -> None:
    up = stack.up(places)
    up.clients.of("lambda").invoke(FunctionName=up.outputs["ReconcilerFunctionName"], Payload=b'{"halted": 1}')
    alarms = up.clients.of("cloudwatch")

    def halted() -> bool:
        raised = alarms.describe_alarms(StateValue="ALARM")["MetricAlarms"]
        return "SweepHalted" in {alarm["MetricName"] for alarm in raised}

    assert eventually(halted)
    stack.wipe(places)
    assert not list(places.state.glob("*"))
    assert list((places.cache / "zips").glob("*"))
