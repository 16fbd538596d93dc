"""The functions' variables and the settings that read them: the same names, the same numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from makegood import settings
from makegood.domain.errors import SettingsError
from makegood_cli.local import profile

from tests.house.template_reading import (
    ENVIRONMENTS,
    FUNCTIONS,
    NOTHING,
    PARAMETERS,
    parameters_of,
    resolved,
    variables_of,
)

Door = type[settings.WorkerSettings] | type[settings.ReconcilerSettings]

DOORS: dict[str, Door] = {
    "WorkerFunction": settings.WorkerSettings,
    "ReconcilerFunction": settings.ReconcilerSettings,
}

#: Powertools reads these itself
POWERTOOLS = {
    "WorkerFunction": {"POWERTOOLS_SERVICE_NAME": "makegood-worker", "POWERTOOLS_LOG_LEVEL": {"Ref": "LogLevel"}},
    "ReconcilerFunction": {
        "POWERTOOLS_SERVICE_NAME": "makegood-reconciler",
        "POWERTOOLS_LOG_LEVEL": {"Ref": "LogLevel"},
    },
}

#: `sam local invoke` hands on only what is declared; no deployment has it
FOR_SAM_LOCAL = "AWS_ENDPOINT_URL"

#: the address of each remote, read when an operation type asks for it, and the name that it asks by
REMOTES = {"MAKEGOOD_REMOTE_CRM_URL": "crm", "MAKEGOOD_REMOTE_PAYMENTS_URL": "payments"}

#: what does not come from the parameter of the same name
OTHERS: dict[str, Any] = {
    "MAKEGOOD_STACK": {"Ref": "AWS::StackName"},
    "MAKEGOOD_TABLE": {"Ref": "OperationsTable"},
    "MAKEGOOD_QUEUE_HIGH": {"Ref": "QueueHigh"},
    "MAKEGOOD_QUEUE_DEFAULT": {"Ref": "QueueDefault"},
    "MAKEGOOD_QUEUE_LOW": {"Ref": "QueueLow"},
    "MAKEGOOD_CATALOG": "catalog",
    "MAKEGOOD_REMOTE_CRM_URL": {"Ref": "CrmUrl"},
    "MAKEGOOD_REMOTE_PAYMENTS_URL": {"Ref": "PaymentsUrl"},
}


def _ours(function: str) -> dict[str, Any]:
    return {name: value for name, value in variables_of(function).items() if name.startswith("MAKEGOOD_")}


def _deployed(function: str, environment: str) -> dict[str, str]:
    """Return the variables as Lambda would hand them over, with a stand-in for what only a stack can know."""
    values = resolved(variables_of(function), parameters_of(environment))
    return {name: _text(value) for name, value in values.items()}


def _text(value: Any) -> str:  # noqa: ANN401
    if not isinstance(value, dict):
        return str(value)
    name: str = value["Ref"]
    return f"https://sqs.eu-west-1.amazonaws.com/123456789012/{name}" if name.startswith("Queue") else name


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_template_sets_what_the_settings_read_and_nothing_else(function: str) -> None:
    assert set(_ours(function)) == set(settings.variables(DOORS[function])) | set(REMOTES)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_powertools_gets_its_own(function: str) -> None:
    rest = {name: value for name, value in variables_of(function).items() if not name.startswith("MAKEGOOD_")}
    assert rest == POWERTOOLS[function] | {FOR_SAM_LOCAL: NOTHING}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_deployment_lets_a_variable_say_where_aws_is(function: str, environment: str) -> None:
    assert FOR_SAM_LOCAL not in _deployed(function, environment)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_variable_s_value_is_the_parameter_of_the_same_name(function: str) -> None:
    for name, value in _ours(function).items():
        parameter = name.removeprefix("MAKEGOOD_").title().replace("_", "")
        assert value == OTHERS.get(name, {"Ref": parameter}), name
        assert name in OTHERS or parameter in PARAMETERS, name


@pytest.mark.parametrize("word", PARAMETERS["Sweeps"]["AllowedValues"])
def test_each_word_for_what_sweeps_do_is_known_to_the_settings_and_to_the_local_stack(word: str) -> None:
    deployed = _deployed("ReconcilerFunction", "default") | {"MAKEGOOD_SWEEPS": word}
    assert settings.ReconcilerSettings.read(deployed).only_watching is (word == "observe")
    assert profile.parameters(crm_url="https://crm.example.com", sweeps=profile.Sweeps(word))["Sweeps"] == word


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_environment_of_ours_only_watches(environment: str) -> None:
    assert parameters_of(environment)["Sweeps"] == "act"


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_settings_accept_what_each_environment_deploys(function: str, environment: str) -> None:
    deployed = _deployed(function, environment)
    assert isinstance(DOORS[function].read(deployed), DOORS[function])
    assert [settings.remote_url(remote, deployed) for remote in REMOTES.values()] == [
        deployed[name] for name in REMOTES
    ]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_number_that_nobody_sets_is_the_template_s_default(function: str) -> None:
    deployed = _deployed(function, "default")
    required = {name for name, needed in settings.variables(DOORS[function]).items() if needed}
    bare = {name: value for name, value in deployed.items() if name in required}
    assert DOORS[function].read(bare) == DOORS[function].read(deployed)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_remote_that_a_deployment_does_not_name_is_asked_for_by_its_variable(function: str) -> None:
    deployed = _deployed(function, "default") | {"MAKEGOOD_REMOTE_PAYMENTS_URL": PARAMETERS["PaymentsUrl"]["Default"]}
    with pytest.raises(SettingsError, match="MAKEGOOD_REMOTE_PAYMENTS_URL"):
        settings.remote_url("payments", deployed)


@pytest.mark.parametrize("parameter", ["CrmUrl", "PaymentsUrl"])
@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("https://remote.example.com/v1", True),
        ("http://127.0.0.1:8080", True),
        ("http://remote.example.com", False),
        ("remote.example.com", False),
        ("https://a b", False),
    ],
)
def test_an_address_is_https_unless_it_is_this_machine(parameter: str, address: str, *, taken: bool) -> None:
    assert bool(re.search(PARAMETERS[parameter]["AllowedPattern"], address)) is taken
