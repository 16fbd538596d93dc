"""Promises as people write them down: one JSON object on each line, with the names that a row has.

    {"operation_type": "sync_customer", "entity": "customer/452", "expected_version": 7,
     "expected_fields": {"tier": "gold"}, "payload": {…}, "operation_id": "…", "queue": "high",
     "not_before": "2026-03-29T01:00:00Z", "deadline_at": "+2h"}

The first three are needed. A name that is not known is refused, so that a slip never promises something else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from makegood.domain import document
from makegood.domain.errors import InvalidInput
from makegood.domain.operation import QueueName
from makegood.domain.promise import Promise

from makegood_cli.options import instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from makegood.domain.document import Document
    from makegood.domain.instant import Instant

JSON_PLACE = re.compile(r": line 1 (column \d+) \(char \d+\)")  #: the parser's own "line 1" would mislead
NEEDED = ("operation_type", "entity", "expected_version")
OPTIONAL = ("expected_fields", "payload", "operation_id", "queue", "not_before", "deadline_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a file: what it promises, or why it cannot be read."""

    number: int  #: from 1, as an editor counts
    promise: Promise | None = None
    problem: str = ""


def read(lines: Iterable[bytes], now: Instant) -> Iterator[Line]:
    """Read each line; empty ones are stepped over."""
    for number, raw in enumerate(lines, start=1):
        if raw.strip(b"\xef\xbb\xbf \t\r\n"):
            yield _line(number, raw, now)


def promise_of(given: Document, now: Instant) -> Promise:
    """Make a promise of a line's object.

    Raises:
        InvalidInput: naming what is missing, unknown, or of another kind than wanted.
    """
    missing = [name for name in NEEDED if name not in given]
    unknown = sorted(set(given) - {*NEEDED, *OPTIONAL})
    if missing or unknown:
        raise InvalidInput("; ".join(_complaints(missing, unknown)))
    return Promise(
        operation_type=_of(given, "operation_type", str),
        entity=_of(given, "entity", str),
        expected_version=_of(given, "expected_version", int),
        expected_fields=_of(given, "expected_fields", Mapping) or {},
        payload=_of(given, "payload", Mapping) or {},
        operation_id=_of(given, "operation_id", str),
        queue=_queue(given),
        not_before=_instant(given, "not_before", now),
        deadline_at=_instant(given, "deadline_at", now),
    )


def _line(number: int, raw: bytes, now: Instant) -> Line:
    try:
        given = document.parse(raw.decode("utf-8-sig").strip(), what="the line")
        return Line(number=number, promise=promise_of(given, now))
    except UnicodeDecodeError:
        return Line(number=number, problem="the line is not UTF-8 text")
    except InvalidInput as error:
        return Line(number=number, problem=JSON_PLACE.sub(r" at \1", str(error)))


def _complaints(missing: list[str], unknown: list[str]) -> Iterator[str]:
    if missing:
        yield f"{', '.join(missing)} missing"
    if unknown:
        names = ", ".join(ascii(name[:40]) for name in unknown[:5])
        yield f"unknown: {names}; known are {', '.join((*NEEDED, *OPTIONAL))}"


def _of(given: Document, name: str, kind: type[Any]) -> Any:  # noqa: ANN401 - one of the kinds that are asked for
    value = given.get(name)
    if value is None and name not in NEEDED:
        return None
    if not isinstance(value, kind) or isinstance(value, bool):
        wanted = {str: "text", int: "a whole number"}.get(kind, "a JSON object")
        raise InvalidInput(f"{name}: {wanted} is wanted")
    return value


def _queue(given: Document) -> QueueName | None:
    name = _of(given, "queue", str)
    if name is None:
        return None
    if name not in set(QueueName):
        raise InvalidInput(f"queue: {name[:40]!a} is none of {', '.join(QueueName)}")
    return QueueName(name)


def _instant(given: Document, name: str, now: Instant) -> Instant | None:
    text = _of(given, name, str)
    if text is None:
        return None
    try:
        return instant(text, now)
    except ValueError as error:
        raise InvalidInput(f"{name}: {error}") from error
