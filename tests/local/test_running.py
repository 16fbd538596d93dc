"""What the deployed functions may do, how long, how many at once, and who starts them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import profile, workers

from tests.local.deployed import eventually

if TYPE_CHECKING:
    from tests.local.deployed import Deployed


pytestmark = pytest.mark.xdist_group("local running")  # its engine and deployment are shared


def test_a_message_reaches_the_worker_through_the_templates_mapping(deployed: Deployed) -> None:
    deployed.order("note", id="delivered")
    assert eventually(lambda: deployed.row("delivered"))


def test_a_function_may_do_what_its_role_allows_and_nothing_else(deployed: Deployed) -> None:
    deployed.order("note", id="protected")
    eventually(lambda: deployed.row("protected"))
    answer = deployed.call("WorkerFunction", {"Records": [{"body": json.dumps({"do": "delete", "id": "protected"})}]})
    assert answer["FunctionError"] == "Unhandled"
    assert "not authorized to perform: dynamodb:DeleteItem" in answer["Payload"]["errorMessage"]
    assert deployed.row("protected")


def test_a_call_ends_at_the_functions_time_out(deployed: Deployed) -> None:
    answer = deployed.call("WorkerFunction", {"Records": [{"body": json.dumps({"do": "sleep", "id": "slow"})}]})
    assert answer["FunctionError"] == "Unhandled"
    assert f"timed out after {profile.LOCAL['WorkerTimeoutSeconds']}.00 seconds" in answer["Payload"]["errorMessage"]


def test_of_two_sweeps_at_once_one_is_throttled(deployed: Deployed) -> None:
    before = throttles(deployed)
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(deployed.call, "ReconcilerFunction", {"seconds": 1}) for _ in range(2)]
    refused = [error for call in calls if (error := call.exception())]
    assert len(refused) < len(calls)  # the client tries the throttled one again, on a busy machine in vain
    assert all("ReservedConcurrentExecutions" in str(error) for error in refused)
    assert throttles(deployed) > before


@pytest.mark.timeout(60)
def test_a_killed_worker_leaves_its_message_in_flight(deployed: Deployed) -> None:
    deployed.order("sleep", id="killed")
    eventually(lambda: deployed.row("killed"))
    function = deployed.ids["WorkerFunction"]
    assert workers.kill(deployed.places, function) >= 1
    counts = deployed.clients.of("sqs").get_queue_attributes(
        QueueUrl=deployed.ids["QueueHigh"], AttributeNames=["ApproximateNumberOfMessagesNotVisible"]
    )["Attributes"]
    assert counts["ApproximateNumberOfMessagesNotVisible"] == "1"
    eventually(lambda: "Worker process died" in "".join(deployed.lines("WorkerLogs")) or None)


def test_only_the_workers_of_that_function_are_found(deployed: Deployed) -> None:
    deployed.order("note", id="awake")
    eventually(lambda: deployed.row("awake"))
    assert workers.running(deployed.places, deployed.ids["WorkerFunction"])
    assert workers.running(deployed.places, "another-function") == ()


@pytest.mark.timeout(60)
def test_the_schedule_starts_the_reconciler_with_the_templates_input(deployed: Deployed) -> None:
    scheduler = deployed.clients.of("scheduler")
    schedule = scheduler.get_schedule(Name=deployed.ids["SweepSchedule"])
    assert (schedule["ScheduleExpression"], schedule["State"]) == ("rate(1 minute)", "ENABLED")
    just_now = datetime.now(UTC) - timedelta(seconds=1)
    scheduler.create_schedule(  # a twin that is due at once: the engine looks every ten seconds, a minute is long
        Name="twin",
        ScheduleExpression=f"at({just_now:%Y-%m-%dT%H:%M:%S})",
        FlexibleTimeWindow=schedule["FlexibleTimeWindow"],
        Target=schedule["Target"],
    )
    called = json.dumps({"event": "sweep", "called_with": json.loads(schedule["Target"]["Input"])})
    assert eventually(lambda: called in deployed.lines("ReconcilerLogs") or None)


def throttles(deployed: Deployed) -> float:
    now = datetime.now(UTC)
    points = deployed.clients.of("cloudwatch").get_metric_statistics(
        Namespace="AWS/Lambda",
        MetricName="Throttles",
        Dimensions=[{"Name": "FunctionName", "Value": deployed.ids["ReconcilerFunction"]}],
        Statistics=["Sum"],
        Period=60,
        StartTime=now - timedelta(hours=1),
        EndTime=now + timedelta(minutes=1),
    )["Datapoints"]
    return float(sum(point["Sum"] for point in points))
