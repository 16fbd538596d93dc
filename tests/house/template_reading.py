"""template.yaml as the house tests read it: as data, with the parameters of each environment put in."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from makegood_cli.local import profile
from makegood_cli.local import template as reader

ROOT = Path(__file__).parents[2]
TEMPLATE = reader.load(ROOT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
PARAMETERS: dict[str, dict[str, Any]] = TEMPLATE["Parameters"]
FUNCTIONS = {"WorkerFunction": "WorkerRole", "ReconcilerFunction": "ReconcilerRole"}
SOURCES = {"QueueHigh": "DeadLetterHigh", "QueueDefault": "DeadLetterDefault", "QueueLow": "DeadLetterLow"}
NOTHING = {"Ref": "AWS::NoValue"}

#: what a deployment must say itself, because the template has no default for it
GIVEN = {"CrmUrl": "https://crm.example.com/v1"}
#: what it says besides if it wants all of the catalog
SAID = {"PaymentsUrl": "https://payments.example.com/v1"}
#: the sections of samconfig.toml, and the stack on this machine
ENVIRONMENTS = ("default", "dev", "prod", "local")


@cache
def parameters_of(environment: str) -> dict[str, Any]:
    """Return every parameter's value in that environment; numbers as int."""
    defaults = {name: declared["Default"] for name, declared in PARAMETERS.items() if "Default" in declared}
    values = GIVEN | defaults | SAID | overrides_of(environment)
    return {name: int(value) if PARAMETERS[name]["Type"] == "Number" else value for name, value in values.items()}


@cache
def overrides_of(environment: str) -> dict[str, str]:
    """Return what that environment itself sets."""
    if environment == "local":
        return dict(profile.LOCAL)
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    lines = config[environment].get("global", {}).get("parameters", {}).get("parameter_overrides", [])
    return dict(line.split("=", 1) for line in lines)


def resolved(node: Any, parameters: dict[str, Any]) -> Any:  # noqa: ANN401
    """Put the parameters, mappings and conditions in; what names a resource stays as it is written.

    An entry that a condition leaves out (AWS::NoValue) is left out of its list or mapping.
    """
    match node:
        case {"Ref": str(name)} if name in parameters:
            return parameters[name]
        case {"Fn::FindInMap": [str(name), first, str(second)]}:
            return TEMPLATE["Mappings"][name][str(resolved(first, parameters))][second]
        case {"Fn::If": [str(name), then, otherwise]}:
            return resolved(then if holds(name, parameters) else otherwise, parameters)
        case dict():
            entries = {key: resolved(value, parameters) for key, value in node.items()}
            return {key: value for key, value in entries.items() if value != NOTHING}
        case list():
            return [value for value in (resolved(entry, parameters) for entry in node) if value != NOTHING]
        case _:
            return node


def holds(condition: str, parameters: dict[str, Any]) -> bool:
    """Say whether that condition of the template is true."""
    return _true(TEMPLATE["Conditions"][condition], parameters)


def _true(node: dict[str, Any], parameters: dict[str, Any]) -> bool:
    if "Fn::Not" in node:
        return not _true(node["Fn::Not"][0], parameters)
    left, right = (str(resolved(side, parameters)) for side in node["Fn::Equals"])
    return left == right


def properties(name: str, environment: str = "default") -> dict[str, Any]:
    """Return a resource's properties as that environment deploys them."""
    answer: dict[str, Any] = resolved(RESOURCES[name]["Properties"], parameters_of(environment))
    return answer


def of_type(resource_type: str) -> list[str]:
    """Return the logical ids of the resources of that type."""
    return [name for name, resource in RESOURCES.items() if resource["Type"] == resource_type]


def mentions(node: Any) -> set[str]:  # noqa: ANN401
    """Return every name that a piece of the template refers to: by Ref, GetAtt, Sub, FindInMap, If or Condition."""
    if isinstance(node, list):
        return set().union(*map(mentions, node))
    if isinstance(node, dict):
        return set().union(*(_named(key, value) | mentions(value) for key, value in node.items()))
    return set()


def _named(key: str, value: Any) -> set[str]:  # noqa: ANN401
    """Return what one entry itself refers to, if it is a function of CloudFormation's."""
    if key == "Fn::Sub":
        return set(re.findall(r"\$\{([A-Za-z0-9:]+)(?:\.[A-Za-z.]+)?\}", value))
    if key in {"Fn::GetAtt", "Fn::If", "Fn::FindInMap"}:
        return {value[0]}
    return {value} if key in {"Ref", "Condition"} and isinstance(value, str) else set()


def variables_of(function: str) -> dict[str, Any]:
    """Return the environment variables of a function as written, Globals included."""
    shared: dict[str, Any] = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    own: dict[str, Any] = RESOURCES[function]["Properties"]["Environment"]["Variables"]
    return shared | own


def interval_seconds(expression: str) -> int:
    """Return the seconds between two runs of a rate expression."""
    match = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", expression)
    assert match, f"not a rate: {expression}"
    return int(match[1]) * {"minute": 60, "hour": 3600, "day": 86400}[match[2]]
