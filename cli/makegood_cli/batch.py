"""Submitting many promises: each on its own, each failure by its line, and a stop when the store itself is gone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from makegood.domain.errors import MakegoodError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from makegood.flows.submit import Submit

    from makegood_cli.promises import Line

PATIENCE = 5  #: so many lines in a row that the store did not take, and it is not the lines


@dataclass(slots=True, kw_only=True)
class Failed:
    """A line that did not become an operation."""

    line: int
    reason: str


@dataclass(slots=True)
class Report:
    """What became of a file."""

    created: int = 0
    present: int = 0  #: the same intent had been promised before
    undispatched: int = 0  #: stored, but no message was sent; the sweep will see to it
    failed: list[Failed] = field(default_factory=list)
    stopped_after: int | None = None  #: the line after which nothing was tried any more
    operation_ids: list[str] = field(default_factory=list)


def submit_all(lines: Iterable[Line], submit: Submit, report: Report, *, done: Callable[[], None]) -> None:
    """Submit line by line into the report; `done` is called after each."""
    silent = 0
    for line in lines:
        silent = silent + 1 if _submit(line, submit, report) else 0
        done()
        if silent >= PATIENCE:
            report.stopped_after = line.number
            break


def _submit(line: Line, submit: Submit, report: Report) -> bool:
    """Submit one line into the report; say whether the store failed it."""
    if line.promise is None:
        report.failed.append(Failed(line=line.number, reason=line.problem))
        return False
    try:
        submitted = submit(line.promise)
    except MakegoodError as error:
        report.failed.append(Failed(line=line.number, reason=str(error)))
        return isinstance(error, StoreError)
    report.operation_ids.append(submitted.operation.operation_id)
    report.created += submitted.created
    report.present += not submitted.created
    report.undispatched += submitted.created and not submitted.dispatched
    return False
