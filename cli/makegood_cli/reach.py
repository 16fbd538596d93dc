"""Reaching a stack: the local one by its running processes, a deployed one by its outputs and the caller's credentials.

The settings are those of the reconciler function itself, so the command judges by exactly the numbers that run.
"""

from __future__ import annotations

import getpass
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from botocore.session import Session as Botocore
from makegood import bootstrap
from makegood.adapters.aws import AwsAccess, AwsClients, AwsRefusal, ask
from makegood.settings import SweepSettings

from makegood_cli import invocation
from makegood_cli.exits import NOT_RUNNING, Ended, ExitCode
from makegood_cli.local import stack as local_stack
from makegood_cli.queues import depths
from makegood_cli.stacks import Stack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood_cli.local.places import Places
    from makegood_cli.stacks import Choice

INVOKE_RESERVE = timedelta(seconds=30)  #: what an invocation may take beyond the function's own time-out


def reach(choice: Choice, places: Places) -> Stack:
    """Reach the stack that is meant.

    Raises:
        Ended: there is no such stack, or it is not running.
        SettingsError: its reconciler's variables are not Makegood's.
        StoreError: AWS refused or did not answer.
    """
    return _deployed(choice) if choice.stack else _local(places)


def _local(places: Places) -> Stack:
    try:
        found = local_stack.current(places)
    except local_stack.StackError as error:
        raise Ended(ExitCode.FAULT, NOT_RUNNING) from error
    keys = found.clients.credentials
    access = AwsAccess(
        region=found.region,
        endpoint_url=found.endpoint_url,
        access_key=keys.access_key,
        secret_key=keys.secret_key,
        session_token=keys.session_token,
    )
    return _stack(found.name, found.outputs, access, is_local=True)


def _deployed(choice: Choice) -> Stack:
    name = choice.stack or ""
    access = _callers_access(choice)
    return _stack(name, _outputs(AwsClients(access), name), access, is_local=False)


def _callers_access(choice: Choice) -> AwsAccess:
    """Resolve the caller's credentials once: profile, environment, or single sign-on."""
    session = Botocore(profile=choice.profile)
    found = session.get_credentials()
    if found is None:
        raise Ended(ExitCode.FAULT, "no AWS credentials: log in (such as `aws sso login`), or give --profile")
    keys = found.get_frozen_credentials()
    region = choice.region or session.get_config_variable("region")
    if not region:
        raise Ended(ExitCode.FAULT, "no AWS region: give --region, or set one in your AWS profile")
    return AwsAccess(
        region=region,
        access_key=keys.access_key,
        secret_key=keys.secret_key,
        session_token=keys.token,
        connect_timeout=timedelta(seconds=5),
        read_timeout=timedelta(seconds=10),
    )


def _outputs(clients: AwsClients, name: str) -> Mapping[str, str]:
    try:
        answer = ask(clients.of("cloudformation"), "DescribeStacks", StackName=name)
    except AwsRefusal as error:
        if error.code != "ValidationError":
            raise
        raise Ended(
            ExitCode.FAULT, f"there is no stack {name!a} in this account and region; is --region right?"
        ) from error
    outputs = {each["OutputKey"]: each["OutputValue"] for each in answer["Stacks"][0].get("Outputs", ())}
    if "ReconcilerFunctionName" not in outputs:
        raise Ended(ExitCode.FAULT, f"the stack {name!a} is no Makegood stack: it has no output ReconcilerFunctionName")
    return outputs


def _stack(name: str, outputs: Mapping[str, str], access: AwsAccess, *, is_local: bool) -> Stack:
    clients = AwsClients(access)
    function = outputs["ReconcilerFunctionName"]
    variables = _variables(clients, function)
    settings = SweepSettings.read(variables)
    patient = replace(access, tries=1, read_timeout=settings.sweep.sweep_timeout + INVOKE_RESERVE)
    return Stack(
        name=name,
        where="this machine" if is_local else str(access.region),
        is_local=is_local,
        rooms=bootstrap.connect(settings, access, variables),
        sweep=lambda event: invocation.invoke(AwsClients(patient).of("lambda"), function, event),
        who=_local_user if is_local else lambda: _caller(clients),
        depths=lambda: depths(clients.of("sqs"), outputs),
    )


def _variables(clients: AwsClients, function: str) -> Mapping[str, str]:
    answer: dict[str, Any] = ask(clients.of("lambda"), "GetFunctionConfiguration", FunctionName=function)
    variables: Mapping[str, str] = answer.get("Environment", {}).get("Variables", {})
    return variables


def _local_user() -> str:
    return f"local user {getpass.getuser()}"


def _caller(clients: AwsClients) -> str:
    return str(ask(clients.of("sts"), "GetCallerIdentity")["Arn"])
