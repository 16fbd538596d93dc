"""One operation as JSON: the row's own names, the history decoded, instants as ISO 8601."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from makegood.domain.history import Foreign, LeftOut, read
from makegood.domain.instant import iso
from makegood.ports import Unreadable

from makegood_cli.json_text import as_data
from makegood_cli.reasons import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from makegood.domain.operation import Operation
    from makegood.ports import Found


def found_data(found: Found) -> dict[str, Any]:
    """Describe a row; of one that cannot be read, its id and why."""
    if isinstance(found, Unreadable):
        return {"operation_id": found.operation_id, "unreadable": found.why, "newer_format": found.newer_format}
    return operation_data(found)


def operation_data(operation: Operation) -> dict[str, Any]:
    """Describe an operation whole; a name is null where the row has no such attribute."""
    plain: dict[str, Any] = as_data(operation)
    return plain | {"history": list(_history(operation.history))}


def _history(history: Sequence[str]) -> Iterator[dict[str, Any]]:
    before: int | None = None
    for entry in read(history):
        if isinstance(entry, LeftOut):
            yield {"left_out": entry.count}
            continue
        if isinstance(entry, Foreign):
            yield {"packed": entry.packed}
            continue
        yield {
            "at": iso(entry.at),
            "milliseconds_since": None if before is None else entry.at - before,
            "verb": entry.verb.value,
            "from": entry.source.value if entry.source else None,
            "to": entry.target.value,
            "actor": entry.actor,
            "reason": entry.reason,
            "words": words(entry.reason),
        }
        before = entry.at
