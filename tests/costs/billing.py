"""What DynamoDB and SQS bill, as pure functions of what was asked and of the items before and after.

Sources: DynamoDB developer guide, "DynamoDB read and write operations", "DynamoDB item sizes and formats", "Using
global secondary indexes" (its part on throughput), "Amazon DynamoDB Transactions: How it works" (its part on capacity);
Amazon SQS pricing, "How are Amazon SQS requests billed".
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Item: TypeAlias = Mapping[str, Mapping[str, Any]]

WRITE_UNIT = 1024  #: bytes that one write unit pays for
READ_UNIT = 4096  #: bytes that one read unit pays for, read consistently
CHUNK = 64 * 1024  #: bytes of payload that one SQS request pays for
CONTAINER = 3  #: bytes of a list or map, beside one for each element
TRANSACTION = 2  #: each item is written twice: to prepare, to commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A global secondary index: its keys and all that it projects."""

    keys: tuple[str, ...]
    projects: tuple[str, ...]

    def entry(self, item: Item | None) -> Item | None:
        """Return what the index holds of an item; `None` if the item is not in it."""
        if item is None or any(key not in item for key in self.keys):
            return None
        return {name: item[name] for name in self.projects if name in item}

    def units(self, before: Item | None, after: Item | None) -> int:
        """Return the write units of one arm: nothing if its entry stays, two writes if a key of it changes."""
        old, new = self.entry(before), self.entry(after)
        if old == new:
            return 0
        if old is None or new is None:
            return _units(old or new, WRITE_UNIT)
        if any(old[key] != new[key] for key in self.keys):
            return _units(old, WRITE_UNIT) + _units(new, WRITE_UNIT)
        return max(_units(old, WRITE_UNIT), _units(new, WRITE_UNIT))


def declared(index: Mapping[str, Any], table: Sequence[Mapping[str, str]]) -> Index:
    """Read an index from its declaration; `table` is the table's own KeySchema."""
    keys = tuple(key["AttributeName"] for key in index["KeySchema"])
    own = (key["AttributeName"] for key in table)
    return Index(keys=keys, projects=(*own, *keys, *index["Projection"].get("NonKeyAttributes", ())))


def write_units(before: Item | None, after: Item | None, indexes: Iterable[Index] = ()) -> int:
    """Return what a write that lands costs: the larger image in the table, and each index's arm."""
    table = max(_units(before, WRITE_UNIT), _units(after, WRITE_UNIT))
    return table + sum(index.units(before, after) for index in indexes)


def refused_units(before: Item | None) -> int:
    """Return what a write costs whose condition is not met: the row that was in the way, one at least."""
    return _units(before, WRITE_UNIT)


def read_units(items: Iterable[Item], *, consistent: bool) -> float:
    """Return what reading these together costs, as a Query or Scan does: their sum, rounded up; one page at least."""
    size = sum(map(item_bytes, items))
    return max(-(-size // READ_UNIT), 1) * (1.0 if consistent else 0.5)


def sqs_requests(payload_bytes: int) -> int:
    """Return how many requests one call is billed as."""
    return max(-(-payload_bytes // CHUNK), 1)


def item_bytes(item: Item) -> int:
    """Return the bytes of an item: names and values."""
    return sum(len(name.encode()) + value_bytes(value) for name, value in item.items())


def value_bytes(value: Mapping[str, Any]) -> int:
    """Return the bytes of one value."""
    ((kind, held),) = value.items()
    match kind:
        case "S":
            return len(held.encode())
        case "N":
            return _number_bytes(held)
        case "B":
            return len(b64decode(held))
        case "L":
            return CONTAINER + sum(1 + value_bytes(one) for one in held)
        case "M":
            return CONTAINER + sum(1 + len(name.encode()) + value_bytes(one) for name, one in held.items())
        case "SS" | "NS" | "BS":
            return sum(value_bytes({kind[0]: one}) for one in held)
        case "BOOL" | "NULL":
            return 1
        case _:
            raise ValueError(f"no such type: {kind}")


def _number_bytes(digits: str) -> int:
    significant = digits.lstrip("-").replace(".", "").strip("0")
    return (len(significant) + 1) // 2 + 1 + digits.startswith("-")


def _units(item: Item | None, size: int) -> int:
    return max(-(-item_bytes(item or {}) // size), 1)
