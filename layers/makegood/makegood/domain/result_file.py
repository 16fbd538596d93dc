"""A result file: what an outside system says of many operations at once, one JSON object in a line.

    {"operation_id": "op-1", "version": 7, "fields": {"plan": "gold"}, "remote_id": "crm-9"}
    {"remote_id": "crm-10", "version": 3, "fields": {…}}         by the remote's id, where the operation knows it
    {"operation_id": "op-2", "absent": true}                     certainly not there
    {"operation_id": "op-2", "absent": true, "at": "2026-09-21T14:00:00Z"}    not there at that time

What is not in the file is not judged: a file may be a part. A line without a time is taken as said when the file was
written, or now where nobody knows when that was; each is judged by its time, so that an absence from before a call
could land does not count, nor anything else that was so before an attempt was made, nor the same absence twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from makegood.domain import document
from makegood.domain.answer import kept_id, whole_version
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant, from_datetime
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import operation_id

_KEYS = frozenset({"operation_id", "remote_id", "version", "fields", "absent", "at"})
PROBLEMS_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one line says."""

    number: int  #: 1 is the first
    operation_id: str | None
    remote_id: str | None
    observed: Found | Absent
    at: Instant | None = None  #: when the outside system said so; `None` if nobody knows


def read(lines: Iterable[str], *, name: str, written_at: Instant | None = None) -> list[Line]:
    """Read a whole file. Empty lines are stepped over.

    `name` is the file's, for errors and for the evidence; `written_at` is the time of lines that name none.

    Raises:
        InvalidInput: naming the first lines that cannot be read and what is wrong with each.
    """
    found: list[Line] = []
    problems: list[str] = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = _line(number, document.parse(text, what="it"), name)
            found.append(line if line.at is not None else replace(line, at=written_at))
        except InvalidInput as error:
            problems.append(f"line {number}: {error}")
    if problems:
        more = f"; and {len(problems) - PROBLEMS_NAMED} more" if len(problems) > PROBLEMS_NAMED else ""
        raise InvalidInput(f"{name}: " + "; ".join(problems[:PROBLEMS_NAMED]) + more)
    return found


def _line(number: int, said: Any, name: str) -> Line:  # noqa: ANN401 - whatever a file holds
    if unknown := sorted(set(said) - _KEYS):
        raise InvalidInput(f"unknown keys {', '.join(unknown)}; known are {', '.join(sorted(_KEYS))}")
    identifier, remote_id = said.get("operation_id"), _remote_id(said.get("remote_id"))
    if identifier is None and remote_id is None:
        raise InvalidInput("operation_id or remote_id is wanted")
    return Line(
        number=number,
        operation_id=None if identifier is None else operation_id(identifier),
        remote_id=remote_id,
        observed=_observed(said, remote_id, f"{name}, line {number}"),
        at=_at(said.get("at")),
    )


def _remote_id(said: object) -> str | None:
    if said is not None and (isinstance(said, bool) or not isinstance(said, str | int)):
        raise InvalidInput("remote_id: text or a whole number is wanted")
    return kept_id(said) or None


def _observed(said: Any, remote_id: str | None, asked: str) -> Found | Absent:  # noqa: ANN401 - as above
    absent = said.get("absent", False)
    if not isinstance(absent, bool):
        raise InvalidInput("absent: true or false is wanted")
    if absent and ("version" in said or "fields" in said):
        raise InvalidInput("it is said to be absent and to have a version or fields")
    if absent:
        return Absent(asked=asked)
    fields = document.accept(said.get("fields", {}), what="fields")
    return Found(version=whole_version(said.get("version")), fields=fields, remote_id=remote_id, asked=asked)


def _at(text: object) -> Instant | None:
    if text is None:
        return None
    try:
        return from_datetime(datetime.fromisoformat(str(text)))
    except ValueError as error:
        raise InvalidInput(f"at: {error}; a time such as 2026-09-21T14:00:00Z is wanted") from error
