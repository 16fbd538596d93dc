"""Promising the lines of the file, at a bounded pace, through one producer or another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from makegood_cli.demo.auditor import world
from makegood_cli.demo.waiting import Pace, until

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from makegood.domain.operation import Operation
    from makegood.domain.promise import Promise
    from makegood.flows.submit import Submit

    from makegood_cli.demo.plan import Plan
    from makegood_cli.demo.progress import Reporter
    from makegood_cli.demo.stage import Stage

PER_SECOND = 25.0  #: promises
QUIET_SECONDS = 60.0  #: of patience until the workers have done what they can
WAITING = frozenset({"pending", "processing", "retry_scheduled"})


@dataclass(slots=True, kw_only=True)
class Promising:
    """Who promises what, and what has become of it."""

    stage: Stage
    plan: Plan
    promises: Sequence[Promise]  #: by line
    report: Reporter
    pace: Pace = field(default_factory=lambda: Pace(PER_SECOND))
    operations: dict[int, Operation] = field(default_factory=dict)  #: by line

    @property
    def submit(self) -> Submit:
        """The producer who loses nothing."""
        return self.stage.stack.rooms.submit

    def promise(self, lines: Iterable[int], submit: Submit | None = None) -> None:
        """Promise these lines."""
        for line in lines:
            self.pace.keep()
            self.operations[line] = (submit or self.submit)(self.promises[line]).operation
            self.report.now(f"{len(self.operations)} of {len(self.promises)}")

    def deliver(self, line: int) -> None:
        """Send another message for a line that is promised."""
        self.submit.dispatch(self.operations[line])

    def ids(self, lines: Iterable[int]) -> list[str]:
        """Name the operations of these lines."""
        return [self.operations[line].operation_id for line in lines if line in self.operations]

    def entities(self, lines: Iterable[int]) -> list[str]:
        """Name what these lines are about."""
        return [self.promises[line].entity for line in lines]

    def until_quiet(self, queue: str) -> None:
        """Wait until the queue holds nothing, not even in a hand, and nothing moves but what the plan strikes."""
        struck = set(self.ids(self.plan.causes))

        def is_quiet() -> bool:
            found = world.statuses(self.stage.where)
            self.report.now(tallied(found))
            moving = [name for name, status in found.items() if status in WAITING and name not in struck]
            return not moving and not world.depth(self.stage.where, queue)

        until(is_quiet, seconds=QUIET_SECONDS)


def tallied(statuses: Mapping[str, str]) -> str:
    """Say how many there are of each status."""
    return ", ".join(f"{count} {name}" for name, count in sorted(Counter(statuses.values()).items()))
