"""The second part of the story: one loss more than the cap allows. The sweep refuses, a person allows, it drains."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.domain.instant import after
from makegood.domain.operation import QueueName
from makegood.domain.run import Acknowledgement

from makegood_cli.demo import losses, producers
from makegood_cli.demo.auditor import world
from makegood_cli.demo.auditor.case import Capped
from makegood_cli.demo.waiting import until

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from makegood.domain.promise import Promise

    from makegood_cli.demo.healing import Healing
    from makegood_cli.demo.progress import Reporter
    from makegood_cli.demo.stage import Stage

QUEUE = "low"
DRAIN_RATE = 120  #: so that it takes two runs
DUE_SECONDS = 60.0
HALT_SECONDS = 30.0
ALARM_SECONDS = 30.0


@dataclass(slots=True, kw_only=True)
class Refusing:
    """Loses more than the cap, and sees what the sweep does about it."""

    stage: Stage
    healing: Healing
    report: Reporter
    promises: Sequence[Promise]
    identifiers: tuple[str, ...] = ()

    @property
    def cap(self) -> int:
        """The halt cap of the deployment."""
        return self.stage.stack.rooms.settings.sweep.halt_cap

    def lose(self) -> None:
        """Promise them all at one instant, so that no sweep can find some of them due and not the others."""
        self.report.step(f"Losing {len(self.promises)} messages more, against a cap of {self.cap}")
        rooms = self.stage.stack.rooms
        submit = producers.at_once(rooms.submit, rooms.clock.now())
        with losses.paused(self.stage, QUEUE):
            operations = [submit(promise).operation for promise in self.promises]
            purged = losses.purge(self.stage, QUEUE, when=len(operations))
        self.identifiers = tuple(operation.operation_id for operation in operations)
        self.report.tell(f"{purged} messages purged")

    def halt(self) -> Capped:
        """Sweep when all are due; return what was seen around it."""
        self.report.step("Waiting until all of them are stale")
        until(self._all_due, seconds=DUE_SECONDS)
        until(self._queues_empty, seconds=DUE_SECONDS)
        self.report.step(f"Sweeping above the cap of {self.cap}")
        began = time.time()
        before = world.look(self.stage.where)
        until(self._swept, seconds=HALT_SECONDS)
        after_halt = world.look(self.stage.where)
        self.report.step("Waiting for the alarm")
        until(lambda: bool(self._halts(began)) and self._alarm() == "ALARM", seconds=ALARM_SECONDS, every=0.5)
        self.report.tell(f"the alarm is {self._alarm()}")
        return Capped(cap=self.cap, before=before, after=after_halt, halts=self._halts(began), alarm=self._alarm())

    def drain(self, identifiers: Collection[str]) -> bool:
        """Acknowledge the pile as an operator would, and sweep until all of these are healed; say whether they are."""
        self.report.step(f"Acknowledging the pile: {DRAIN_RATE} rows a sweep, for 10 minutes")
        rooms, now = self.stage.stack.rooms, self.stage.stack.rooms.clock.now()
        given = Acknowledgement(
            by=self.stage.stack.who(),
            at=now,
            until=after(now, timedelta(minutes=10)),
            drain_rate=DRAIN_RATE,
            reason="the purged queue is known; its work is wanted",
        )
        rooms.ledger.acknowledge(given)
        return self.healing.sweep_until_healed(identifiers)

    def _all_due(self) -> bool:
        index, now = world.index(self.stage.where), time.time() * 1000
        due = sum(index.get(name, ("", now + 1))[1] <= now for name in self.identifiers)
        self.report.now(f"{due} of {len(self.identifiers)}")
        return due == len(self.identifiers)

    def _queues_empty(self) -> bool:
        """Say whether nothing of the first part is on its way any more; then a message after the halt is the halt's."""
        return not any(world.depth(self.stage.where, name) for name in self.stage.where.queues)

    def _swept(self) -> bool:
        """Sweep, and again if another run was in the way; say whether this one looked at the pile."""
        run = self.healing.sweep()
        if run is None or run["outcome"] == "overlapped":
            return False
        self.report.tell(f"{run['outcome']}: {run['halted_why'] or 'it saw no reason to'}")
        return True

    def _halts(self, since: float) -> int:
        return world.halts_in_series(self.stage.where, since=since, until=time.time() + 60)

    def _alarm(self) -> str:
        return world.alarm_state(self.stage.where)


def wave(promises: Sequence[Promise], number: int) -> list[Promise]:
    """Return so many new promises after the pattern of those in the file, each for a customer of its own."""
    patterns = [promise for promise in promises if promise.operation_type == "sync_customer"]
    return [
        replace(
            patterns[position % len(patterns)],
            entity=f"customer/import-{position + 1:03d}",
            queue=QueueName(QUEUE),
            operation_id=f"import-{position + 1:03d}",
        )
        for position in range(number)
    ]
