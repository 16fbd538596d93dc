"""The bridge turns log lines into series, once each, and judges the template's alarms."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import profile, telemetry_bridge

from tests.case import case

if TYPE_CHECKING:
    from pathlib import Path

    from makegood_cli.local.telemetry_bridge import Pumped

    from tests.local.deployed import Deployed


pytestmark = pytest.mark.xdist_group("local telemetry_bridge")  # its engine and deployment are shared


@pytest.fixture(autouse=True)
def _quiet(deployed: Deployed) -> None:
    """Keep the schedule from sweeping while a test counts."""
    scheduler = deployed.clients.of("scheduler")
    schedule = scheduler.get_schedule(Name=deployed.ids["SweepSchedule"])
    wanted = {name: schedule[name] for name in ("Name", "ScheduleExpression", "FlexibleTimeWindow", "Target")}
    scheduler.update_schedule(**wanted, State="DISABLED")


def pump(deployed: Deployed, state: Path, *, later: float = 0) -> Pumped:
    return telemetry_bridge.pump(deployed.clients, stack=profile.STACK_NAME, state=state, now=time.time() + later)


def total(deployed: Deployed, name: str, **dimensions: str) -> float:
    """Return the sum of a series over the last hour and the next minute."""
    now = time.time()
    points = deployed.clients.of("cloudwatch").get_metric_statistics(
        Namespace="Makegood",
        MetricName=name,
        Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
        Statistics=["Sum"],
        Period=60,
        StartTime=datetime.fromtimestamp(now - 3600, UTC),
        EndTime=datetime.fromtimestamp(now + 60, UTC),
    )["Datapoints"]
    return float(sum(point["Sum"] for point in points))


def test_a_metric_line_becomes_a_point_of_its_series_and_of_no_other(deployed: Deployed, tmp_path: Path) -> None:
    pump(deployed, tmp_path)
    before = total(deployed, "SweepCompleted", stack=profile.STACK_NAME)
    deployed.call("ReconcilerFunction", {})
    assert pump(deployed, tmp_path).data == 2
    assert total(deployed, "SweepCompleted", stack=profile.STACK_NAME) == before + 1
    assert total(deployed, "SweepCompleted", stack="another") == 0


def test_a_line_is_carried_over_once_however_often_it_is_pumped(deployed: Deployed, tmp_path: Path) -> None:
    deployed.call("ReconcilerFunction", {})
    pump(deployed, tmp_path)
    assert pump(deployed, tmp_path).data == 0
    deployed.call("ReconcilerFunction", {})
    assert pump(deployed, tmp_path).data == 2


def test_a_halted_sweep_raises_its_alarm_and_the_next_good_one_clears_it(deployed: Deployed, tmp_path: Path) -> None:
    halted = deployed.ids["HaltedAlarm"]
    deployed.call("ReconcilerFunction", {"halted": 1})
    assert pump(deployed, tmp_path).alarms[halted] == "ALARM"
    assert pump(deployed, tmp_path, later=120).alarms[halted] == "ALARM"  # missing data is ignored: it stays halted
    assert telemetry_state(deployed, halted) == "ALARM"


def test_no_completed_sweep_for_three_intervals_raises_the_heartbeat_alarm(deployed: Deployed, tmp_path: Path) -> None:
    heartbeat = deployed.ids["HeartbeatAlarm"]
    deployed.call("ReconcilerFunction", {})
    assert pump(deployed, tmp_path).alarms[heartbeat] == "OK"
    assert pump(deployed, tmp_path, later=2 * 180).alarms[heartbeat] == "ALARM"
    deployed.call("ReconcilerFunction", {})
    assert pump(deployed, tmp_path).alarms[heartbeat] == "OK"


@case("F003")
def test_a_dead_letter_raises_the_alarm_of_its_own_queue_alone(deployed: Deployed, tmp_path: Path) -> None:
    pump(deployed, tmp_path)
    deployed.clients.of("sqs").send_message(QueueUrl=deployed.ids["DeadLetterLow"], MessageBody="dead")
    states = pump(deployed, tmp_path).alarms
    raised = {
        name
        for name in ("High", "Default", "Low", "Schedule")
        if states[deployed.ids[f"DeadLettersAlarm{name}"]] == "ALARM"
    }
    assert raised == {"Low"}
    assert telemetry_state(deployed, deployed.ids["DeadLettersAlarmLow"]) == "ALARM"
    assert telemetry_state(deployed, deployed.ids["DeadLettersAlarmHigh"]) == "OK"


def telemetry_state(deployed: Deployed, alarm: str) -> str:
    """Return an alarm's state as the engine's CloudWatch tells it."""
    (described,) = deployed.clients.of("cloudwatch").describe_alarms(AlarmNames=[alarm])["MetricAlarms"]
    assert described["ActionsEnabled"]
    return str(described["StateValue"])
