"""What the auditor is given: the promises that were made, some moments on the way, and how everything stands now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from makegood_cli.demo.auditor.rows import Row
    from makegood_cli.demo.auditor.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One place where an invariant does not hold."""

    operation_id: str | None  #: none where it is about the whole
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Capped:
    """What was seen around a sweep that had to refuse."""

    cap: int
    before: World  #: everything lost and due, nothing swept
    after: World  #: after the sweep that had to halt
    halts: int  #: that the series shows
    alarm: str  #: its state

    @property
    def runs(self) -> list[Mapping[str, Any]]:
        """The runs between the two moments."""
        known = {run["run_id"] for run in self.before.runs}
        return [run for run in self.after.runs if run["run_id"] not in known]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that is to be judged."""

    promised: tuple[str, ...]  #: the ids that producers were given
    moments: tuple[World, ...]  #: on the way, oldest first
    now: World
    capped: Capped | None = None

    def calls(self, row: Row) -> list[Mapping[str, Any]]:
        """Return what the CRM was sent for a row, effect and undoing alike, oldest first."""
        return [call for call in self.now.calls if call["operation_id"] == row.operation_id]

    def rows(self) -> Iterator[Row]:
        """Yield every row there is now, by id."""
        yield from (self.now.rows[identifier] for identifier in sorted(self.now.rows))

    def stranded(self) -> Iterator[tuple[str, Row]]:
        """Yield, for each moment, the rows that nobody had claimed while their queue held no message at all.

        Their hints were lost: whatever claims them later was dispatched anew.
        """
        for moment in self.moments:
            for identifier, row in moment.rows.items():
                if is_stranded(row, moment):
                    yield identifier, row


@dataclass(frozen=True, slots=True)
class Invariant:
    """One promise of the design."""

    name: str
    design: str  #: the section that makes it
    says: str
    check: Callable[[Case], Iterator[Breach]]


def is_stranded(row: Row, moment: World) -> bool:
    """Say whether a row waits for a message that does not exist."""
    return row.state == "p" and not row.claimed and moment.depths.get(row.queue) == 0
