"""One JSON document for programs: numbers with every digit, instants as ISO 8601, nothing but ASCII."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from makegood.domain.instant import Instant, iso

INDENT = "  "
_INSTANTS = frozenset({"at", "until", "not_before", "halted_since"})  #: beside every name that ends in `_at`
_SECONDS = frozenset({"expires_at"})  #: epoch seconds, as DynamoDB wants them


def rendered(value: object) -> str:
    """Write a value of plain data as indented JSON text."""
    return _rendered(value, "")


def as_data(value: object, *, name: str = "") -> Any:  # noqa: ANN401 - JSON of any shape
    """Turn frozen values into plain data. Instants are told by the field's name, as the house names them."""
    match value:
        case Enum():
            return value.value
        case timedelta():
            return value.total_seconds() if value % timedelta(seconds=1) else value // timedelta(seconds=1)
        case Mapping():
            return {str(key): as_data(item) for key, item in value.items()}
        case tuple() | list():
            return [as_data(item) for item in value]
        case frozenset():
            return sorted(as_data(item) for item in value)
        case int() if not isinstance(value, bool) and name not in _SECONDS and _is_instant(name):
            return iso(Instant(value))
        case _ if is_dataclass(value):
            return {field.name: as_data(getattr(value, field.name), name=field.name) for field in fields(value)}
        case _:
            return value


def _is_instant(name: str) -> bool:
    return name in _INSTANTS or name.endswith("_at")


def _rendered(value: object, margin: str) -> str:
    deeper = margin + INDENT
    match value:
        case Decimal():
            return str(value)
        case Mapping() if value:
            items = [f"{deeper}{json.dumps(str(key))}: {_rendered(item, deeper)}" for key, item in value.items()]
            return "{\n" + ",\n".join(items) + f"\n{margin}}}"
        case list() | tuple() if value:
            items = [deeper + _rendered(item, deeper) for item in value]
            return "[\n" + ",\n".join(items) + f"\n{margin}]"
        case _:
            return json.dumps(value, allow_nan=False)
