"""Stacks on the engine's CloudFormation: create or update one, wait, read its outputs."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood_cli.local.clients import Clients
    from makegood_cli.local.template import Template

CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]
POLL_SECONDS = 0.05
PATIENCE = timedelta(seconds=120)
GONE = "DELETE_COMPLETE"


class DeploymentError(Exception):
    """The engine refused the stack, or did not finish it in time."""


def apply(clients: Clients, name: str, template: Template, parameters: Mapping[str, str]) -> None:
    """Create the stack, or bring it up to date; the same template twice changes nothing.

    A stack whose creation failed can only be deleted, so it is, and created anew. Raises DeploymentError.
    """
    client = clients.of("cloudformation")
    request = {
        "StackName": name,
        "TemplateBody": json.dumps(template),
        "Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
        "Capabilities": CAPABILITIES,
    }
    stands = _status(client, name)
    if stands == "ROLLBACK_COMPLETE":
        client.delete_stack(StackName=name)
        stands = _settled(client, name)
    try:
        client.create_stack(**request) if stands == GONE else client.update_stack(**request)
    except ClientError as error:
        if "No updates are to be performed" in str(error):
            return
        raise DeploymentError(f"the engine refused the stack {name}: {error}") from error
    status = _settled(client, name)
    if status not in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
        raise DeploymentError(f"the stack {name} ended as {status}: {_reasons(client, name)}")


def outputs(clients: Clients, name: str) -> dict[str, str]:
    """Return the stack's outputs by name; empty if there is no such stack."""
    stack = _describe(clients.of("cloudformation"), name) or {}
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def physical_ids(clients: Clients, name: str) -> dict[str, str]:
    """Return what each logical id of the stack became."""
    pages = clients.of("cloudformation").get_paginator("list_stack_resources").paginate(StackName=name)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    return {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources}


def _describe(client: Any, name: str) -> dict[str, Any] | None:  # noqa: ANN401
    try:
        stacks: list[dict[str, Any]] = client.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise
    return stacks[0]


def _status(client: Any, name: str) -> str:  # noqa: ANN401
    return str((_describe(client, name) or {}).get("StackStatus", GONE))


def _settled(client: Any, name: str) -> str:  # noqa: ANN401
    """Wait until nothing is in progress; return the status then."""
    deadline = time.monotonic() + PATIENCE.total_seconds()
    while (status := _status(client, name)).endswith("_IN_PROGRESS"):
        if time.monotonic() > deadline:
            raise DeploymentError(f"the stack {name} is still {status} after {PATIENCE}")
        time.sleep(POLL_SECONDS)
    return status


def _reasons(client: Any, name: str) -> str:  # noqa: ANN401
    """Say what failed since the last operation began."""
    events = client.describe_stack_events(StackName=name)["StackEvents"]  # newest first
    latest = takewhile(lambda event: event.get("ResourceStatusReason") != "User Initiated", events)
    failed = [event for event in latest if event["ResourceStatus"].endswith("FAILED")]
    lines = [f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', '?')}" for event in failed]
    return "; ".join(lines) or "no reason given"
