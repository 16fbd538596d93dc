"""What the engine's CloudFormation ignores or mistakes, made good through the services themselves.

Each entry was found by deploying the template and asking the services back; tests/local/test_deployment.py asks again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from makegood_cli.local.values import NO_VALUE, Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from makegood_cli.local.clients import Clients
    from makegood_cli.local.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """One property that has to be set by hand."""

    resource_type: str
    name: str  #: of the property
    fault: str  #: what the engine does with it, in words
    amend: Callable[[Clients, str, Any], object]  #: takes the clients, the resource's physical id, the property's value


def _time_to_live(clients: Clients, table: str, value: Any) -> None:  # noqa: ANN401 - a template's value has any type
    clients.of("dynamodb").update_time_to_live(TableName=table, TimeToLiveSpecification=value)


def _recovery(clients: Clients, table: str, value: Any) -> None:  # noqa: ANN401
    clients.of("dynamodb").update_continuous_backups(TableName=table, PointInTimeRecoverySpecification=value)


def _encryption(clients: Clients, table: str, value: Any) -> None:  # noqa: ANN401
    clients.of("dynamodb").update_table(TableName=table, SSESpecification={"Enabled": value["SSEEnabled"]})


def _protection(clients: Clients, table: str, value: Any) -> None:  # noqa: ANN401
    clients.of("dynamodb").update_table(TableName=table, DeletionProtectionEnabled=str(value).lower() == "true")


def _concurrency(clients: Clients, function: str, value: Any) -> None:  # noqa: ANN401
    functions = clients.of("lambda")
    if value is NO_VALUE:
        functions.delete_function_concurrency(FunctionName=function)
    else:
        functions.put_function_concurrency(FunctionName=function, ReservedConcurrentExecutions=int(value))


def _scaling(clients: Clients, function: str, _: Any) -> None:  # noqa: ANN401
    """Say the mappings' numbers again, this time as numbers."""
    functions = clients.of("lambda")
    for mapping in functions.list_event_source_mappings(FunctionName=function)["EventSourceMappings"]:
        if "ScalingConfig" in mapping:
            maximum = int(mapping["ScalingConfig"]["MaximumConcurrency"])
            functions.update_event_source_mapping(UUID=mapping["UUID"], ScalingConfig={"MaximumConcurrency": maximum})


def _topic_key(clients: Clients, topic: str, value: Any) -> None:  # noqa: ANN401
    clients.of("sns").set_topic_attributes(TopicArn=topic, AttributeName="KmsMasterKeyId", AttributeValue=value)


def _batches(clients: Clients, role: str, _: Any) -> None:  # noqa: ANN401
    """Grant by the engine's own name what a role may send in batches. Amazon SQS asks for `sqs:SendMessage` alone."""
    iam = clients.of("iam")
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        for statement in document["Statement"]:
            if statement["Action"] == _SEND:
                statement["Action"] = [_SEND, f"{_SEND}Batch"]
        iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(document))


_TABLE, _FUNCTION = "AWS::DynamoDB::Table", "AWS::Serverless::Function"
_SEND = "sqs:SendMessage"

AMENDMENTS = (
    Amendment(resource_type=_TABLE, name="TimeToLiveSpecification", fault="ignored", amend=_time_to_live),
    Amendment(resource_type=_TABLE, name="PointInTimeRecoverySpecification", fault="ignored", amend=_recovery),
    Amendment(resource_type=_TABLE, name="SSESpecification", fault="ignored", amend=_encryption),
    Amendment(
        resource_type=_TABLE,
        name="DeletionProtectionEnabled",
        fault="kept as the parameter's text, and the text `false` protects",
        amend=_protection,
    ),
    Amendment(resource_type=_FUNCTION, name="ReservedConcurrentExecutions", fault="ignored", amend=_concurrency),
    Amendment(
        resource_type=_FUNCTION,
        name="Events",
        fault="MaximumConcurrency is kept as the parameter's text, which breaks the poller of every mapping",
        amend=_scaling,
    ),
    Amendment(
        resource_type="AWS::IAM::Role",
        name="Policies",
        fault="asks for sqs:SendMessageBatch, which is no action of IAM, so every batch of a function is denied",
        amend=_batches,
    ),
    Amendment(resource_type="AWS::SNS::Topic", name="KmsMasterKeyId", fault="ignored", amend=_topic_key),
)


def apply(clients: Clients, document: Template, physical_ids: Mapping[str, str], parameters: Mapping[str, str]) -> None:
    """Set by hand what the deployment of this template left undone; a second time changes nothing."""
    values = Values.of(document, parameters, physical_ids)
    for amendment, logical_id, expression in wanted(document):
        if logical_id in physical_ids:
            amendment.amend(clients, physical_ids[logical_id], values.of_expression(expression))


def wanted(document: Template) -> Iterator[tuple[Amendment, str, Any]]:
    """Return each amendment that the template calls for, with the resource's logical id and the property as written."""
    for amendment in AMENDMENTS:
        for logical_id, resource in document["Resources"].items():
            if resource["Type"] == amendment.resource_type and amendment.name in resource.get("Properties", {}):
                yield amendment, logical_id, resource["Properties"][amendment.name]
