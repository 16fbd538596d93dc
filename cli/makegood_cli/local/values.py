"""The value of an expression of the template, as far as the local stack has to know it itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood_cli.local.template import Template


class _NoValue:
    """What `AWS::NoValue` stands for: the property is not there."""


NO_VALUE = _NoValue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What the names in a template's expressions mean in one deployment."""

    conditions: Mapping[str, Any]
    names: Mapping[str, Any]  #: parameters' values and resources' physical ids

    @classmethod
    def of(cls, document: Template, parameters: Mapping[str, str], physical_ids: Mapping[str, str]) -> Values:
        """Bind the template's names; a parameter that is not given has its default."""
        defaults = {name: body["Default"] for name, body in document.get("Parameters", {}).items() if "Default" in body}
        names = {**defaults, **parameters, **physical_ids, "AWS::NoValue": NO_VALUE}
        return cls(conditions=document.get("Conditions", {}), names=names)

    def of_expression(self, expression: object) -> Any:  # noqa: ANN401 - a template's value has any type
        """Work out literals, Ref and Fn::If, through lists and mappings; any other function stays as it is written."""
        if isinstance(expression, list):
            return [self.of_expression(entry) for entry in expression]
        if not isinstance(expression, dict):
            return expression
        match list(expression.items()):
            case [("Ref", name)]:
                return self.names[name]
            case [("Fn::If", [condition, yes, no])]:
                return self.of_expression(yes if self.holds({"Condition": condition}) else no)
            case [(function, _)] if function.startswith("Fn::"):
                return expression
            case _:
                values = {key: self.of_expression(value) for key, value in expression.items()}
                return {key: value for key, value in values.items() if value is not NO_VALUE}

    def holds(self, condition: Any) -> bool:  # noqa: ANN401
        """Say whether a condition holds: Condition, Fn::Equals, Fn::Not, Fn::And, Fn::Or."""
        ((function, operand),) = condition.items()
        match function:
            case "Condition":
                return self.holds(self.conditions[operand])
            case "Fn::Equals":
                left, right = (str(self.of_expression(side)) for side in operand)
                return left == right
            case "Fn::Not":
                return not self.holds(operand[0])
            case "Fn::And" | "Fn::Or":
                return (all if function == "Fn::And" else any)(self.holds(part) for part in operand)
            case _:
                raise TypeError(f"{function} is no condition")
