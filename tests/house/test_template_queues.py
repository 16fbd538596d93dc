"""The queues, their dead letters and the mappings that feed the worker."""

from __future__ import annotations

from typing import Any

import pytest

from tests.case import case
from tests.house.template_reading import ENVIRONMENTS, RESOURCES, SOURCES, of_type, properties

MAPPINGS = {"High": "QueueHigh", "Default": "QueueDefault", "Low": "QueueLow"}


def _mapping(name: str, environment: str = "default") -> dict[str, Any]:
    mapping: dict[str, Any] = properties("WorkerFunction", environment)["Events"][name]["Properties"]
    return mapping


@pytest.mark.parametrize("queue", of_type("AWS::SQS::Queue"))
def test_every_queue_is_encrypted_and_of_the_standard_kind(queue: str) -> None:
    assert properties(queue)["SqsManagedSseEnabled"] is True
    assert "FifoQueue" not in properties(queue)


@pytest.mark.parametrize(("queue", "dead"), SOURCES.items())
def test_a_queue_s_dead_letters_go_to_its_own_queue_in_this_template(queue: str, dead: str) -> None:
    target = properties(queue)["RedrivePolicy"]["deadLetterTargetArn"]
    assert target == {"Fn::GetAtt": [dead, "Arn"]}
    assert RESOURCES[dead]["Type"] == "AWS::SQS::Queue"
    assert "RedrivePolicy" not in properties(dead)


@pytest.mark.parametrize("queue", of_type("AWS::SQS::Queue"))
def test_only_a_dead_letter_queue_takes_another_queue_s_messages(queue: str) -> None:
    allowed = properties(queue)["RedriveAllowPolicy"]["redrivePermission"]
    assert allowed == ("allowAll" if queue in SOURCES.values() else "denyAll")


def test_the_schedule_keeps_what_could_not_start() -> None:
    assert properties("SweepSchedule")["Target"]["DeadLetterConfig"] == {
        "Arn": {"Fn::GetAtt": ["SweepScheduleDeadLetter", "Arn"]},
    }
    assert properties("SweepScheduleDeadLetter")["MessageRetentionPeriod"] == 1209600


def test_the_worker_is_fed_by_the_three_queues_and_by_nothing_else() -> None:
    events = properties("WorkerFunction")["Events"]
    assert {name: event["Properties"]["Queue"]["Fn::GetAtt"][0] for name, event in events.items()} == MAPPINGS
    assert {event["Type"] for event in events.values()} == {"SQS"}


@case("F004")
@pytest.mark.parametrize("mapping", MAPPINGS)
def test_a_mapping_reads_the_worker_s_partial_answers(mapping: str) -> None:
    assert _mapping(mapping)["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


@case("F006", "F097")
@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_mapping_has_its_own_ceiling(environment: str, mapping: str) -> None:
    ceiling = _mapping(mapping, environment)["ScalingConfig"]["MaximumConcurrency"]
    assert 2 <= ceiling <= 1000, "Lambda's own bounds"


def test_each_mapping_s_ceiling_is_a_parameter_of_its_own() -> None:
    written = RESOURCES["WorkerFunction"]["Properties"]["Events"]
    ceilings = {name: event["Properties"]["ScalingConfig"]["MaximumConcurrency"] for name, event in written.items()}
    assert ceilings == {name: {"Ref": f"MaximumConcurrency{name}"} for name in MAPPINGS}


@case("F006")
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_ceilings_together_fit_into_the_worker_s_reservation(environment: str) -> None:
    reserved = properties("WorkerFunction", environment).get("ReservedConcurrentExecutions")
    ceilings = {name: _mapping(name, environment)["ScalingConfig"]["MaximumConcurrency"] for name in MAPPINGS}
    assert reserved is None or sum(ceilings.values()) <= reserved, f"{ceilings} do not fit into {reserved}"


def test_production_reserves_what_the_ceilings_need_and_the_default_reserves_nothing() -> None:
    assert "ReservedConcurrentExecutions" not in properties("WorkerFunction", "default")
    assert properties("WorkerFunction", "prod")["ReservedConcurrentExecutions"] == 25


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_a_batch_is_small_and_needs_no_waiting(mapping: str) -> None:
    assert _mapping(mapping)["BatchSize"] == 5
    assert _mapping(mapping)["MaximumBatchingWindowInSeconds"] == 0
