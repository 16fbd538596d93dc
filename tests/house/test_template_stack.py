"""template.yaml as a whole: its names, its parameters, the table, the functions, the schedule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.case import case
from tests.house.template_reading import (
    ENVIRONMENTS,
    FUNCTIONS,
    GIVEN,
    NOTHING,
    PARAMETERS,
    RESOURCES,
    ROOT,
    TEMPLATE,
    mentions,
    overrides_of,
    parameters_of,
    properties,
)

DAY = 86400

LAYERS = ("MakegoodLayer", "CatalogLayer")

#: DESIGN, section 12, and what belongs to it
NUMBERS = {
    "ScheduleIntervalSeconds": 300,
    "StaleAfterSeconds": 900,
    "WorkerTimeoutSeconds": 60,
    "PerformDeadlineSeconds": 50,
    "LeaseSeconds": 120,
    "VisibilitySeconds": 370,
    "HaltCap": 200,
    "DrainRate": 200,
    "MaxAttempts": 8,
    "MaxDispatches": 5,
    "SettleWindowSeconds": 120,
    "OutageLimitSeconds": DAY,
    "SkewMarginSeconds": 60,
    "MaxReceiveCount": 5,
    "DeadLetterRetentionSeconds": 14 * DAY,
    "Shards": 4,
    "RetentionDays": 90,
    "SweepTimeoutSeconds": 240,
    "BatchWindowSeconds": 0,
    "BatchSize": 5,
}

#: what the command line and the local stack look for by name
LOGICAL_IDS = {
    *("OperationsTable", "QueueHigh", "QueueDefault", "QueueLow", "DeadLetterHigh", "DeadLetterDefault"),
    *("DeadLetterLow", "WorkerFunction", "ReconcilerFunction", "MakegoodLayer", "CatalogLayer", "SweepSchedule"),
    *("SweepScheduleRole", "SweepScheduleDeadLetter", "AlarmTopic", "AlarmKey", "Dashboard", "HaltedAlarm"),
    *("HeartbeatAlarm", "NotUnderstoodAlarm", "NotReconcilingAlarm", "RemoteDownAlarm", "DivergenceAlarm"),
    *("DeadLettersAlarmHigh", "DeadLettersAlarmDefault", "DeadLettersAlarmLow"),
}
OUTPUTS = {
    "TableName": {"Ref": "OperationsTable"},
    "QueueHighUrl": {"Ref": "QueueHigh"},
    "QueueDefaultUrl": {"Ref": "QueueDefault"},
    "QueueLowUrl": {"Ref": "QueueLow"},
    "DeadLetterHighUrl": {"Ref": "DeadLetterHigh"},
    "DeadLetterDefaultUrl": {"Ref": "DeadLetterDefault"},
    "DeadLetterLowUrl": {"Ref": "DeadLetterLow"},
    "WorkerFunctionName": {"Ref": "WorkerFunction"},
    "ReconcilerFunctionName": {"Ref": "ReconcilerFunction"},
    "AlarmTopicArn": {"Ref": "AlarmTopic"},
    "ScheduleName": {"Ref": "SweepSchedule"},
    "OperatorPolicyArn": {"Ref": "OperatorPolicy"},
    "RemoteSecretPolicyArn": {"Ref": "RemoteSecretPolicy"},
}

#: properties by which a resource would get a fixed physical name
NAMES = {
    *("TableName", "QueueName", "FunctionName", "LayerName", "RoleName", "ManagedPolicyName", "LogGroupName"),
    *("TopicName", "AlarmName", "DashboardName", "AliasName", "GroupName", "Name"),
}


# -- names
def test_what_others_look_for_by_name_is_there() -> None:
    assert set(RESOURCES) >= LOGICAL_IDS
    assert {name: output["Value"] for name, output in TEMPLATE["Outputs"].items()} == OUTPUTS


def test_every_output_says_what_it_is() -> None:
    assert [name for name, output in TEMPLATE["Outputs"].items() if not output.get("Description")] == []


@pytest.mark.parametrize("name", RESOURCES)
def test_no_resource_has_a_fixed_physical_name(name: str) -> None:
    written = RESOURCES[name].get("Properties", {})
    fixed = {key: written[key] for key in NAMES & set(written) if "AWS::StackName" not in mentions(written[key])}
    assert fixed == {}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_is_not_left_to_sam_to_name(layer: str) -> None:
    # SAM takes the logical id, under which every stack of an account would publish.
    assert "AWS::StackName" in mentions(RESOURCES[layer]["Properties"]["LayerName"])


# -- parameters
@pytest.mark.parametrize(("name", "value"), NUMBERS.items())
def test_each_number_of_the_design_is_a_parameter_with_its_default(name: str, value: int) -> None:
    assert PARAMETERS[name]["Type"] == "Number"
    assert PARAMETERS[name]["Default"] == value


@pytest.mark.parametrize("name", PARAMETERS)
def test_each_parameter_is_used(name: str) -> None:
    sections = [body for section, body in TEMPLATE.items() if section not in {"Parameters", "Metadata"}]
    assert name in mentions(sections)


@pytest.mark.parametrize("condition", TEMPLATE["Conditions"])
def test_each_condition_is_used(condition: str) -> None:
    assert condition in mentions([TEMPLATE["Globals"], RESOURCES, TEMPLATE["Outputs"]])


@pytest.mark.parametrize("name", PARAMETERS)
def test_each_parameter_is_described_and_bounded(name: str) -> None:
    declared = PARAMETERS[name]
    bounds = [{"AllowedValues"}, {"MinValue", "MaxValue"} if declared["Type"] == "Number" else {"AllowedPattern"}]
    assert declared["Description"]
    assert any(bound <= set(declared) for bound in bounds), f"{name} takes anything"


def test_the_guide_asks_for_each_parameter_once() -> None:
    groups = TEMPLATE["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    asked = [name for group in groups for name in group["Parameters"]]
    assert sorted(asked) == sorted(PARAMETERS)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_each_environment_sets_only_parameters_that_exist_within_their_bounds(environment: str) -> None:
    assert set(overrides_of(environment)) <= set(PARAMETERS)
    for name, value in parameters_of(environment).items():
        declared = PARAMETERS[name]
        assert value in declared.get("AllowedValues", [value]), f"{name}={value}"
        if declared["Type"] == "Number":
            assert declared.get("MinValue", value) <= value <= declared.get("MaxValue", value), f"{name}={value}"


def test_only_the_remote_s_address_must_be_given() -> None:
    assert {name for name, declared in PARAMETERS.items() if "Default" not in declared} == set(GIVEN)


# -- the table
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_table_is_kept_encrypted_and_recoverable(environment: str) -> None:
    table = properties("OperationsTable", environment)
    assert RESOURCES["OperationsTable"]["DeletionPolicy"] == "Retain"
    assert RESOURCES["OperationsTable"]["UpdateReplacePolicy"] == "Retain"
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["SSESpecification"] == {"SSEEnabled": True}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert table["DeletionProtectionEnabled"] == ("true" if environment == "prod" else "false")


@case("F103")
def test_the_index_holds_what_a_sweep_needs_to_choose_and_nothing_that_changes() -> None:
    (index,) = properties("OperationsTable")["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "due"
    assert index["KeySchema"] == [
        {"AttributeName": "due_shard", "KeyType": "HASH"},
        {"AttributeName": "due_at", "KeyType": "RANGE"},
    ]
    assert index["Projection"] == {
        "ProjectionType": "INCLUDE",
        "NonKeyAttributes": ["operation_type", "created_at"],
    }


def test_the_keys_have_the_types_that_the_rows_have() -> None:
    declared = properties("OperationsTable")["AttributeDefinitions"]
    types = {attribute["AttributeName"]: attribute["AttributeType"] for attribute in declared}
    assert types == {"pk": "S", "sk": "S", "due_shard": "S", "due_at": "N"}


# -- the functions and their layers
def test_functions_and_layers_are_of_one_runtime_and_processor() -> None:
    shared = TEMPLATE["Globals"]["Function"]
    assert shared["Runtime"] == "python3.13"
    assert shared["Architectures"] == [{"Ref": "Architecture"}]
    assert PARAMETERS["Architecture"]["Default"] == "arm64"
    assert shared["Layers"] == [{"Ref": "MakegoodLayer"}, {"Ref": "CatalogLayer"}]
    for layer in LAYERS:
        assert RESOURCES[layer]["Metadata"]["BuildMethod"] == "python3.13"
        assert RESOURCES[layer]["Metadata"]["BuildArchitecture"] == {"Ref": "Architecture"}
        assert properties(layer)["CompatibleArchitectures"] == ["arm64"]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_s_folder_is_not_called_python(layer: str) -> None:
    # `sam build` puts what it finds under python/; a folder of that name would end up as python/python/.
    folder = ROOT / properties(layer)["ContentUri"]
    assert (folder / "requirements.txt").is_file()
    assert not (folder / "python").exists()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_s_door_exists(function: str) -> None:
    module, handler = TEMPLATE["Globals"]["Function"]["Handler"].split(".")
    door = ROOT / properties(function)["CodeUri"] / f"{module}.py"
    assert f"def {handler}(" in door.read_text()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_s_log_ends_some_day(function: str) -> None:
    logs = properties(function)["LoggingConfig"]["LogGroup"]["Ref"]
    assert properties(logs)["RetentionInDays"] == 30


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_has_no_alias_that_would_miss_a_new_layer(function: str) -> None:
    assert "AutoPublishAlias" not in RESOURCES[function]["Properties"]


def test_one_sweep_runs_at_a_time_unless_the_account_is_too_small() -> None:
    written = RESOURCES["ReconcilerFunction"]["Properties"]["ReservedConcurrentExecutions"]
    assert written == {"Fn::If": ["ReservesReconciler", 1, NOTHING]}
    assert properties("ReconcilerFunction", "default")["ReservedConcurrentExecutions"] == 1
    assert "ReservedConcurrentExecutions" not in properties("ReconcilerFunction", "dev")


# -- the schedule
def test_the_schedule_starts_the_reconciler_with_its_own_event() -> None:
    schedule = properties("SweepSchedule")
    assert schedule["State"] == "ENABLED"
    assert schedule["Target"]["Arn"] == {"Fn::GetAtt": ["ReconcilerFunction", "Arn"]}
    said = json.loads(schedule["Target"]["Input"])
    assert said.keys() == _event("schedule").keys()
    assert said == _event("schedule") | {"scheduled_at": "<aws.scheduler.scheduled-time>"}


def test_a_sweep_is_never_repeated_behind_the_schedule_s_back() -> None:
    assert properties("ReconcilerFunction")["EventInvokeConfig"]["MaximumRetryAttempts"] == 0
    assert properties("SweepSchedule")["Target"]["RetryPolicy"]["MaximumRetryAttempts"] <= 2


def _event(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((ROOT / "events" / f"{name}.json").read_text())
    return event
