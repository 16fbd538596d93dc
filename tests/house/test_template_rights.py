"""Who may do what: no right wider than the job, none missing that would only show at night."""

from __future__ import annotations

from typing import Any

import pytest

from tests.case import case
from tests.house.template_reading import FUNCTIONS, RESOURCES, SOURCES, TEMPLATE, of_type, properties, resolved

STACK = "arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack/${AWS::StackName}/*"
TABLE = {"Fn::GetAtt": ["OperationsTable", "Arn"]}
INDEX = {"Fn::Sub": "${OperationsTable.Arn}/index/due"}
QUEUES = [{"Fn::GetAtt": [queue, "Arn"]} for queue in SOURCES]

#: (resource, Sid, text) of every `*` in the template, each with its reason
EXCEPTIONS = {
    # A key's policy can only speak of the key itself, and calls it "*"; without the account nobody could manage it.
    ("AlarmKey", "TheAccountManagesTheKey", "kms:*"),
    ("AlarmKey", "TheAccountManagesTheKey", "*"),
    ("AlarmKey", "AlarmsEncrypt", "*"),
    # GenerateDataKey and GenerateDataKeyWithoutPlaintext, as the CloudWatch guide asks for.
    ("AlarmKey", "AlarmsEncrypt", "kms:GenerateDataKey*"),
    # The rest is the stack's own random id; a question by name is checked against the name with a star.
    ("OperatorPolicy", "FindTheStack", STACK),
}

#: everything that each role may ever do; the local engine's tests show that it is enough
ALLOWED = {
    "WorkerRole": {
        *("logs:CreateLogStream", "logs:PutLogEvents", "dynamodb:BatchGetItem", "dynamodb:GetItem"),
        *("dynamodb:UpdateItem", "sqs:SendMessage"),
        *("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"),
    },
    "ReconcilerRole": {
        *("logs:CreateLogStream", "logs:PutLogEvents", "dynamodb:BatchGetItem", "dynamodb:GetItem"),
        *("dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem", "sqs:SendMessage"),
    },
    "SweepScheduleRole": {"lambda:InvokeFunction", "sqs:SendMessage"},
    "RemoteSecretPolicy": {"secretsmanager:GetSecretValue", "kms:Decrypt"},
    "OperatorPolicy": {
        *("cloudformation:DescribeStacks", "lambda:InvokeFunction", "sqs:SendMessage", "sqs:GetQueueAttributes"),
        *("dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:PutItem"),
        *("dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem", "lambda:GetFunctionConfiguration"),
    },
}
DESTRUCTIVE = ("Delete", "Purge", "Remove", "PartiQL", "BatchWrite", "StartMessageMoveTask")
SPARED = {"sqs:DeleteMessage"}  # what the mapping does with a message that is done


def _listed(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else [value]


def _documents(resource: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the policy documents that a resource carries."""
    body = resource.get("Properties", {})
    inline = [policy["PolicyDocument"] for policy in body.get("Policies", []) if "PolicyDocument" in policy]
    return inline + [body[key] for key in ("PolicyDocument", "KeyPolicy") if key in body]


def _statements(name: str) -> list[dict[str, Any]]:
    """Return every statement of a resource's policies, those that a condition may add included."""
    statements = [one for document in _documents(RESOURCES[name]) for one in document["Statement"]]
    return [statement["Fn::If"][1] if "Fn::If" in statement else statement for statement in statements]


def _actions(name: str) -> set[str]:
    return {action for statement in _statements(name) for action in _listed(statement["Action"])}


def _texts(statement: dict[str, Any]) -> list[Any]:
    """Return what a statement grants and on what, with the text of each Fn::Sub."""
    listed = _listed(statement["Action"]) + _listed(statement["Resource"])
    return [one["Fn::Sub"] if isinstance(one, dict) and "Fn::Sub" in one else one for one in listed]


def _resources(name: str, action: str) -> list[Any]:
    """Return what a policy may do that action on."""
    granting = [statement for statement in _statements(name) if action in _listed(statement["Action"])]
    return [resource for statement in granting for resource in _listed(statement["Resource"])]


GRANTING = [name for name, resource in RESOURCES.items() if _documents(resource)]


@case("F095")
def test_no_star_stands_where_something_can_be_named() -> None:
    found = {
        (name, statement["Sid"], text)
        for name in GRANTING
        for statement in _statements(name)
        for text in _texts(statement)
        if isinstance(text, str) and "*" in text
    }
    assert found == EXCEPTIONS


@pytest.mark.parametrize("name", GRANTING)
def test_every_statement_has_a_name_and_grants_by_list(name: str) -> None:
    for statement in _statements(name):
        assert statement["Sid"]
        assert statement["Effect"] == "Allow"
        assert not {"NotAction", "NotResource", "NotPrincipal"} & set(statement)


@pytest.mark.parametrize("name", GRANTING)
def test_a_right_names_what_this_template_holds_or_was_given(name: str) -> None:
    for statement in _statements(name):
        for resource in _listed(statement["Resource"]):
            assert isinstance(resource, dict) or (name, statement["Sid"], resource) in EXCEPTIONS


@case("F095")
@pytest.mark.parametrize(("name", "actions"), ALLOWED.items())
def test_nobody_may_do_more_than_the_job(name: str, actions: set[str]) -> None:
    assert _actions(name) == actions


@case("F095", "F144")
@pytest.mark.parametrize("name", ALLOWED)
def test_nobody_may_delete_rows_or_purge_queues(name: str) -> None:
    assert [one for one in _actions(name) - SPARED if any(word in one for word in DESTRUCTIVE)] == []


def test_roles_and_policies_are_all_known_here() -> None:
    assert set(of_type("AWS::IAM::Role") + of_type("AWS::IAM::ManagedPolicy")) == set(ALLOWED)


@pytest.mark.parametrize(("function", "role"), FUNCTIONS.items())
def test_a_function_has_its_own_role_and_nothing_that_sam_would_add(function: str, role: str) -> None:
    assert properties(function)["Role"] == {"Fn::GetAtt": [role, "Arn"]}
    assert not {"Policies", "AssumeRolePolicyDocument"} & set(properties(function))


@pytest.mark.parametrize("role", FUNCTIONS.values())
def test_a_function_writes_to_its_own_log_only(role: str) -> None:
    assert _resources(role, "logs:PutLogEvents") == [{"Fn::GetAtt": [role.replace("Role", "Logs"), "Arn"]}]


@case("F094")
@pytest.mark.parametrize("name", ["ReconcilerRole", "OperatorPolicy"])
def test_the_right_to_query_covers_the_index_by_its_own_address(name: str) -> None:
    assert INDEX in _resources(name, "dynamodb:Query")


def test_the_worker_cannot_list_operations() -> None:
    assert not {"dynamodb:Query", "dynamodb:Scan"} & _actions("WorkerRole")


def test_a_sweep_creates_no_row_but_the_record_of_its_run() -> None:
    (statement,) = (one for one in _statements("ReconcilerRole") if "dynamodb:PutItem" in _listed(one["Action"]))
    assert statement["Condition"] == {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["#sweeps"]}}
    assert "dynamodb:PutItem" not in _actions("WorkerRole")


@pytest.mark.parametrize("name", ["WorkerRole", "ReconcilerRole", "OperatorPolicy"])
def test_rows_are_written_in_the_one_table(name: str) -> None:
    assert _resources(name, "dynamodb:UpdateItem") == [TABLE]
    assert all(resource == TABLE for resource in _resources(name, "dynamodb:PutItem"))


@pytest.mark.parametrize("name", ["WorkerRole", "ReconcilerRole", "OperatorPolicy"])
def test_whoever_dispatches_may_send_to_all_three_queues_and_to_no_other(name: str) -> None:
    assert _resources(name, "sqs:SendMessage") == QUEUES


@pytest.mark.parametrize("action", ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"])
def test_the_mappings_may_take_messages_from_the_three_queues(action: str) -> None:
    assert _resources("WorkerRole", action) == QUEUES


@case("F098")
def test_the_schedule_may_start_the_reconciler_and_keep_what_failed() -> None:
    role = RESOURCES["SweepScheduleRole"]["Properties"]
    assert _resources("SweepScheduleRole", "lambda:InvokeFunction") == [{"Fn::GetAtt": ["ReconcilerFunction", "Arn"]}]
    assert _resources("SweepScheduleRole", "sqs:SendMessage") == [{"Fn::GetAtt": ["SweepScheduleDeadLetter", "Arn"]}]
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "scheduler.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    assert properties("SweepSchedule")["Target"]["RoleArn"] == {"Fn::GetAtt": ["SweepScheduleRole", "Arn"]}


@pytest.mark.parametrize("role", FUNCTIONS.values())
def test_only_lambda_takes_a_function_s_role(role: str) -> None:
    (trust,) = RESOURCES[role]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}


@pytest.mark.parametrize("role", FUNCTIONS.values())
@pytest.mark.parametrize("secret", ["", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm-AbCdEf"])
def test_the_secret_is_readable_only_if_there_is_one(role: str, secret: str) -> None:
    written = RESOURCES[role]["Properties"]["ManagedPolicyArns"]
    attached = resolved({"it": written}, {"RemoteSecretArn": secret}).get("it", [])
    assert attached == ([{"Ref": "RemoteSecretPolicy"}] if secret else [])
    assert RESOURCES["RemoteSecretPolicy"]["Condition"] == "HasRemoteSecret"
    assert _resources("RemoteSecretPolicy", "secretsmanager:GetSecretValue") == [{"Ref": "RemoteSecretArn"}]


@case("F095")
def test_an_operator_may_start_sweeps_but_not_play_the_worker() -> None:
    assert _resources("OperatorPolicy", "lambda:InvokeFunction") == [{"Fn::GetAtt": ["ReconcilerFunction", "Arn"]}]
    assert "sqs:ReceiveMessage" not in _actions("OperatorPolicy")


def test_the_remote_s_secret_is_for_those_who_decide_and_not_for_every_operator() -> None:
    assert not {"secretsmanager:GetSecretValue", "kms:Decrypt"} & _actions("OperatorPolicy")
    output = TEMPLATE["Outputs"]["RemoteSecretPolicyArn"]
    assert (output["Value"], output["Condition"]) == ({"Ref": "RemoteSecretPolicy"}, "HasRemoteSecret")
