"""Do the template's numbers, rights and wires hold together, as what was reported elsewhere needs them?"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.errors import SettingsError
from makegood.domain.operation import Status

from tests.case import case
from tests.cases.scene import promised
from tests.contract.worlds import hooked
from tests.doors.world import T, door, message
from tests.house.template_reading import ENVIRONMENTS, RESOURCES, SOURCES, TEMPLATE, of_type, parameters_of, properties
from tests.support.hooks import refusing

if TYPE_CHECKING:
    from tests.doors.world import Doors

#: how often a message may come again, hidden each time, before its operation counts as stale: once on a laptop, where
#: every number is short, twice in a deployment
REDELIVERIES = {"local": 1}
QUOTED = re.compile(r"\$\{(\w+)\}")


@case("F093")
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_run_lease_visibility_and_stale_time_are_in_order(environment: str) -> None:
    parameters = parameters_of(environment)
    run = properties("WorkerFunction", environment)["Timeout"]
    events = properties("WorkerFunction", environment)["Events"].values()
    window = max(event["Properties"]["MaximumBatchingWindowInSeconds"] for event in events)
    lease, stale = parameters["LeaseSeconds"], parameters["StaleAfterSeconds"]
    for queue in SOURCES:
        visibility = properties(queue, environment)["VisibilityTimeout"]
        assert visibility >= 6 * run + window
        assert stale > visibility * REDELIVERIES.get(environment, 2)
        assert stale > visibility + parameters["SkewMarginSeconds"]
    assert run < lease <= stale


@case("F105")
@pytest.mark.parametrize("fault", ["poison", "the table denies", "nothing"])
def test_the_worker_neither_deletes_a_message_nor_hides_one(quick_doors: Doors, fault: str) -> None:
    [row] = promised(1)
    asked: list[str] = []
    sqs: Any = quick_doors.table.clients.of("sqs")
    with hooked(sqs, "before-call.sqs", lambda model, **_: asked.append(model.name)):
        if fault == "the table denies":
            with refusing(quick_doors.table.client, "UpdateItem", "AccessDeniedException"):
                assert quick_doors.failed(message(row)) == ["m0"]
        else:
            body = "poison" if fault == "poison" else message(row)
            assert quick_doors.failed(body) == (["m0"] if fault == "poison" else [])
    assert asked == []


@case("F105")
def test_the_dead_letter_queue_of_each_source_stands_in_this_template() -> None:
    for queue in SOURCES:
        target = RESOURCES[queue]["Properties"]["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
        assert RESOURCES[target]["Type"] == "AWS::SQS::Queue"
    assert set(of_type("AWS::SQS::Queue")) - set(SOURCES) - set(SOURCES.values()) == {"SweepScheduleDeadLetter"}


@case("F103")
def test_no_partition_of_the_index_is_a_status() -> None:
    [index] = properties("OperationsTable")["GlobalSecondaryIndexes"]
    [partition] = [key["AttributeName"] for key in index["KeySchema"] if key["KeyType"] == "HASH"]
    assert partition == "due_shard"
    assert parameters_of("default")["Shards"] >= 4


@case("F106")
def test_there_is_no_stream_that_one_record_could_block() -> None:
    assert "StreamSpecification" not in properties("OperationsTable")
    events = [event["Type"] for name in of_type("AWS::Serverless::Function") for event in _events(name)]
    assert set(events) == {"SQS"}
    assert of_type("AWS::Lambda::EventSourceMapping") == []


def _events(function: str) -> list[dict[str, Any]]:
    return list(RESOURCES[function]["Properties"].get("Events", {}).values())


@case("F100")
def test_nothing_offers_a_concurrency_of_nothing_as_a_switch() -> None:
    """A concurrency of 0 discards the schedule's events; the switches are the schedule's state and the mappings'."""
    assert properties("ReconcilerFunction")["ReservedConcurrentExecutions"] == 1
    assert "ReservedConcurrentExecutions" not in properties("WorkerFunction")
    lows = {
        name: TEMPLATE["Parameters"][f"MaximumConcurrency{name}"]["MinValue"] for name in ("High", "Default", "Low")
    }
    assert set(lows.values()) == {2}


@case("F100")
def test_after_days_without_a_sweep_one_tick_repairs_all(quick_doors: Doors) -> None:
    rows = promised(12)
    quick_doors.messages()
    quick_doors.clock.advance(500 * T)
    assert quick_doors.sweep()["sent"] == 12
    for body in quick_doors.messages():
        quick_doors.work(body)
    assert {quick_doors.row(row).status for row in rows} == {Status.CONFIRMED}


@case("F104")
@pytest.mark.parametrize("name", ["worker", "reconciler"])
def test_what_sam_local_does_not_resolve_is_named_at_the_start(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    written = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    for variable, value in written.items():  # sam local puts a resource's logical id where its address belongs
        if isinstance(value, dict) and value["Ref"] in RESOURCES:
            monkeypatch.setenv(variable, value["Ref"])
    with pytest.raises(SettingsError) as raised:
        door(name).handler({"Records": []}, quick_doors.context())
    for queue in ("HIGH", "DEFAULT", "LOW"):
        assert f"MAKEGOOD_QUEUE_{queue} is 'Queue{queue.title()}'" in str(raised.value)
    assert "--env-vars" in str(raised.value)


@case("F098")
def test_the_schedule_s_role_can_do_all_that_its_target_needs() -> None:
    role = json.dumps(RESOURCES["SweepScheduleRole"]["Properties"]["Policies"])
    target = properties("SweepSchedule")["Target"]
    assert "lambda:InvokeFunction" in role
    assert "sqs:SendMessage" in role
    assert target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0] in role
    assert target["Arn"]["Fn::GetAtt"][0] in role
    assert properties("SweepScheduleDeadLetter")["SqsManagedSseEnabled"] is True, "no key of ours, so no kms:Decrypt"
    assert "KmsMasterKeyId" not in properties("SweepScheduleDeadLetter")
