"""What DynamoDB bills an item at. Source: developer guide, "DynamoDB item sizes and formats"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

UNIT = 1024  #: bytes that one write unit pays for


def item_bytes(item: Mapping[str, Mapping[str, Any]]) -> int:
    """Return the bytes of an item: names and values."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, held),) = value.items()
    match kind:
        case "S":
            return len(held.encode())
        case "N":
            return _number_bytes(held)
        case "L":
            return 3 + sum(1 + _value_bytes(one) for one in held)
        case _:
            return 1


def _number_bytes(digits: str) -> int:
    significant = digits.lstrip("-").replace(".", "").strip("0")
    return (len(significant) + 1) // 2 + 1 + digits.startswith("-")
