"""Reading template.yaml as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

Template = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms."""


def load(path: Path) -> Template:
    """Read a template; `!Ref X` becomes `{"Ref": "X"}`, `!Sub X` becomes `{"Fn::Sub": "X"}`, and so on."""
    document: Template = yaml.load(path.read_text(), Loader=_Loader)  # noqa: S506 - a SafeLoader with our tags
    return document


def resources_of(template: Template, resource_type: str) -> dict[str, dict[str, Any]]:
    """Return the properties of each resource of that type, by logical id."""
    return {
        name: resource.get("Properties", {})
        for name, resource in template["Resources"].items()
        if resource["Type"] == resource_type
    }


def only(template: Template, resource_types: Collection[str]) -> Template:
    """Return the template with the resources of these types alone, and without outputs or transform."""
    kept = {name: resource for name, resource in template["Resources"].items() if resource["Type"] in resource_types}
    rest = {section: body for section, body in template.items() if section not in {"Outputs", "Transform", "Globals"}}
    return rest | {"Resources": kept}


def _short_form(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    """Spell out one short form."""
    name = suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        text = loader.construct_scalar(node)
        return {name: text.split(".", 1) if suffix == "GetAtt" else text}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    assert isinstance(node, yaml.MappingNode)  # noqa: S101 - YAML knows no fourth kind
    return {name: loader.construct_mapping(node, deep=True)}


_Loader.add_multi_constructor("!", _short_form)
