"""template.yaml itself is deployed: all of it, as it says, and again without a change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from makegood_cli.local import amendments, cloudformation, deployment, left_out, profile, template
from makegood_cli.local.cloudformation import DeploymentError
from makegood_cli.local.places import CHECKOUT
from makegood_cli.local.values import Values

from tests.local import deployed as deployments

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.local.deployed import Deployed
    from tests.local_engine import LocalEngine

pytestmark = pytest.mark.xdist_group("local deployment")  # its engine and deployment are shared

PARAMETERS = profile.parameters(crm_url=deployments.CRM_URL)


def test_every_resource_that_is_not_left_out_is_there(deployed: Deployed) -> None:
    document = left_out.without_refused(template.load(deployed.places.template))
    values = Values.of(document, PARAMETERS, deployed.ids)
    expected = {
        name
        for name, resource in document["Resources"].items()
        if "Condition" not in resource or values.holds({"Condition": resource["Condition"]})
    }
    # SAM adds a hash of the content to the name of a layer.
    there = {name[:-10] if name.startswith(("MakegoodLayer", "CatalogLayer")) else name for name in deployed.ids}
    assert expected <= there


def test_every_output_has_a_value(deployed: Deployed) -> None:
    document = template.load(deployed.places.template)
    values = Values.of(document, PARAMETERS, deployed.ids)
    expected = {
        name
        for name, output in document["Outputs"].items()
        if "Condition" not in output or values.holds({"Condition": output["Condition"]})
    }
    assert set(deployed.outputs) == expected
    assert all(deployed.outputs.values())


def test_the_local_profile_reaches_functions_queues_mappings_and_schedule(deployed: Deployed) -> None:
    local = profile.LOCAL
    functions, name = deployed.clients.of("lambda"), deployed.ids["WorkerFunction"]
    worker = functions.get_function_configuration(FunctionName=name)
    assert worker["Timeout"] == int(local["WorkerTimeoutSeconds"])
    assert worker["Environment"]["Variables"]["MAKEGOOD_STALE_AFTER_SECONDS"] == local["StaleAfterSeconds"]
    told = worker["Environment"]["Variables"]
    assert {told["MAKEGOOD_REMOTE_CRM_URL"], told["MAKEGOOD_REMOTE_PAYMENTS_URL"]} == {deployments.CRM_URL}
    mappings = functions.list_event_source_mappings(FunctionName=name)["EventSourceMappings"]
    assert len(mappings) == 3
    for mapping in mappings:
        assert mapping["ScalingConfig"] == {"MaximumConcurrency": int(local["MaximumConcurrencyHigh"])}
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    queue = deployed.clients.of("sqs").get_queue_attributes(
        QueueUrl=deployed.ids["QueueHigh"], AttributeNames=["VisibilityTimeout", "RedrivePolicy"]
    )["Attributes"]
    assert queue["VisibilityTimeout"] == local["VisibilitySeconds"]
    assert deployed.ids["DeadLetterHigh"].rpartition("/")[2] in queue["RedrivePolicy"]
    schedule = deployed.clients.of("scheduler").get_schedule(Name=deployed.ids["SweepSchedule"])
    assert schedule["ScheduleExpression"] == "rate(1 minute)"


def test_what_is_left_out_is_in_the_template_and_refused(engine: LocalEngine, deployed: Deployed) -> None:
    document = template.load(deployed.places.template)
    for entry in left_out.LEFT_OUT:
        resource = document["Resources"][entry.logical_id]
        alone = template.only(document, ()) | {"Resources": {entry.logical_id: resource}}
        with pytest.raises(DeploymentError, match=entry.refusal):
            cloudformation.apply(engine.clients, entry.logical_id, alone, PARAMETERS)


def test_the_engine_refuses_metric_math_with_its_reason(engine: LocalEngine) -> None:
    metric = {"Id": "m", "Expression": "1", "ReturnData": True}
    alarm = {"Metrics": [metric], "EvaluationPeriods": 1, "Threshold": 1, "ComparisonOperator": "GreaterThanThreshold"}
    document = {"Resources": {"Sum": {"Type": "AWS::CloudWatch::Alarm", "Properties": alarm}}}
    with pytest.raises(DeploymentError, match=r"Sum: .*metric math"):
        cloudformation.apply(engine.clients, "refused", document, {})


def test_a_stack_that_could_not_be_made_is_made_once_its_fault_is_mended(engine: LocalEngine) -> None:
    queue = {"Queue": {"Type": "AWS::SQS::Queue"}}
    broken = {"Alarm": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "nothing else"}}}
    with pytest.raises(DeploymentError):
        cloudformation.apply(engine.clients, "mended", {"Resources": {**queue, **broken}}, {})
    cloudformation.apply(engine.clients, "mended", {"Resources": queue}, {})
    with pytest.raises(DeploymentError, match=r": Other: [^;]*$"):  # what failed before is not told again
        cloudformation.apply(engine.clients, "mended", {"Resources": {**queue, "Other": broken["Alarm"]}}, {})
    assert list(cloudformation.physical_ids(engine.clients, "mended")) == ["Queue"]


def test_a_second_deployment_changes_nothing(deployed: Deployed) -> None:
    deployed.clients.of("dynamodb").put_item(
        TableName=deployed.ids["OperationsTable"], Item={"pk": {"S": "kept"}, "sk": {"S": "operation"}}
    )
    again = deployments.deploy(deployed.clients, deployed.places.root, deployed.places.state)
    assert again.ids == deployed.ids
    assert again.outputs == deployed.outputs
    assert again.row("kept")


def test_changed_code_runs_after_the_next_deployment(deployed: Deployed) -> None:
    code = deployed.places.root / "functions" / "reconciler" / "app.py"
    before = code.read_text()
    code.write_text(before.replace('{"called_with": event}', '{"changed": True}'))
    stack = profile.STACK_NAME
    deployment.deploy(deployed.clients, deployed.places, stack=stack, parameters=PARAMETERS, progress=lambda _: None)
    assert deployed.call("ReconcilerFunction", {})["Payload"] == {"changed": True}
    code.write_text(before)
    deployment.deploy(deployed.clients, deployed.places, stack=stack, parameters=PARAMETERS, progress=lambda _: None)


def time_to_live(stack: Deployed) -> Any:  # noqa: ANN401
    table = stack.ids["OperationsTable"]
    return stack.clients.of("dynamodb").describe_time_to_live(TableName=table)["TimeToLiveDescription"]


def recovery(stack: Deployed) -> Any:  # noqa: ANN401
    answer = stack.clients.of("dynamodb").describe_continuous_backups(TableName=stack.ids["OperationsTable"])
    return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]


def encryption(stack: Deployed) -> Any:  # noqa: ANN401
    table = stack.clients.of("dynamodb").describe_table(TableName=stack.ids["OperationsTable"])["Table"]
    return table.get("SSEDescription", {}).get("Status")


def protection(stack: Deployed) -> Any:  # noqa: ANN401
    table = stack.clients.of("dynamodb").describe_table(TableName=stack.ids["OperationsTable"])["Table"]
    return bool(table["DeletionProtectionEnabled"])


def concurrency(stack: Deployed) -> Any:  # noqa: ANN401
    function = stack.ids["ReconcilerFunction"]
    answer = stack.clients.of("lambda").get_function_concurrency(FunctionName=function)
    return answer.get("ReservedConcurrentExecutions")


def topic_key(stack: Deployed) -> Any:  # noqa: ANN401
    attributes = stack.clients.of("sns").get_topic_attributes(TopicArn=stack.ids["AlarmTopic"])["Attributes"]
    return attributes.get("KmsMasterKeyId") == stack.ids["AlarmKey"]


def batches(stack: Deployed) -> Any:  # noqa: ANN401
    iam, role = stack.clients.of("iam"), stack.ids["ReconcilerRole"]
    documents = [
        iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]
    ]
    return "sqs:SendMessageBatch" in json.dumps(documents)


AMENDED: dict[str, tuple[Callable[[Deployed], Any], Any, Any]] = {
    "TimeToLiveSpecification": (
        time_to_live,
        {"TimeToLiveStatus": "DISABLED"},
        {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires_at"},
    ),
    "PointInTimeRecoverySpecification": (recovery, "DISABLED", "ENABLED"),
    "SSESpecification": (encryption, None, "ENABLED"),
    "DeletionProtectionEnabled": (protection, True, False),
    "ReservedConcurrentExecutions": (concurrency, None, 1),
    "Policies": (batches, False, True),
    "KmsMasterKeyId": (topic_key, False, True),
}


def test_the_amendments_are_those_that_the_template_calls_for() -> None:
    called_for = {amendment for amendment, _, _ in amendments.wanted(template.load(CHECKOUT / "template.yaml"))}
    assert called_for == set(amendments.AMENDMENTS)
    assert {amendment.name for amendment in called_for} == {*AMENDED, "Events"}


def test_each_amendment_is_needed_and_works(
    engine: LocalEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(amendments, "AMENDMENTS", ())
        bare = deployments.deploy(engine.clients, tmp_path, engine.places.state)
    assert {name: look(bare) for name, (look, _, _) in AMENDED.items()} == {
        name: before for name, (_, before, _) in AMENDED.items()
    }
    whole = deployments.deploy(engine.clients, tmp_path, engine.places.state)
    assert {name: look(whole) for name, (look, _, _) in AMENDED.items()} == {
        name: after for name, (_, _, after) in AMENDED.items()
    }
