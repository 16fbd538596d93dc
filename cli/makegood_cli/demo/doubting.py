"""The part of the story in which nobody knows: calls without an answer while the world goes on, and an outage."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from makegood.domain.history import Actor, Role

from makegood_cli.demo import losses
from makegood_cli.demo.auditor import world
from makegood_cli.demo.plan import WHILE_HANGING, Cause
from makegood_cli.demo.waiting import until

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from makegood_cli.demo.healing import Healing
    from makegood_cli.demo.promising import Promising

PATIENCE_SECONDS = 30.0
PRODUCER = Actor(role=Role.PRODUCER)


@dataclass(slots=True, kw_only=True)
class Doubting:
    """Lets calls end without an answer, and things happen before anybody can look."""

    promising: Promising
    healing: Healing

    def meanwhile(self) -> None:
        """Change, cancel, or do nothing, while the calls hang."""
        changed, cancelled, charges = (self.promising.plan.of(cause) for cause in WHILE_HANGING)
        self.promising.report.step(f"Letting {len(changed + cancelled + charges)} calls hang while the world goes on")
        self._silence(changed, "changed")
        self._silence(cancelled, "cancelled", kinds=(losses.APPLIED,))
        self._silence(charges, "charge")
        self.promising.promise((*changed, *cancelled, *charges))
        for number, line in enumerate(changed):
            losses.until_called(self.promising.stage, self.promising.entities([line]))
            losses.change_elsewhere(self.promising.stage, self.promising.promises[line], versions_ahead=number % 2)
        for line in cancelled:
            self._cancel(line)
        losses.until_called(self.promising.stage, self.promising.entities(charges))
        self.promising.report.tell(f"somebody else changes {len(changed)} of the customers")
        self.promising.report.tell(f"{len(cancelled)} updates are wanted no more")
        self.promising.report.tell(f"{len(charges)} charges get no answer, and nobody can look a charge up")

    def outage(self) -> None:
        """Close the CRM after some calls and during others, sweep meanwhile, and open it again."""
        stage, plan, report = self.promising.stage, self.promising.plan, self.promising.report
        before, during = plan.of(Cause.OUTAGE), plan.of(Cause.TURNED_AWAY)
        report.step(f"Closing the CRM while {len(before)} calls hang")
        self._silence(before, "outage")
        self.promising.promise(before)
        losses.until_called(stage, self.promising.entities(before))
        losses.close_the_crm(stage)
        self.promising.promise(during)
        until(lambda: self._are(during, {"retry_scheduled"}), seconds=PATIENCE_SECONDS)
        report.tell(f"{len(during)} more operations are promised; their calls are turned away")
        until(lambda: self._are_due(before), seconds=PATIENCE_SECONDS)
        self.healing.sweep_now()
        losses.open_the_crm(stage)
        report.tell("the CRM is open again")

    def _silence(self, lines: Sequence[int], name: str, kinds: Sequence[str] = losses.KINDS) -> None:
        losses.silence(self.promising.stage, self.promising.entities(lines), name=name, kinds=kinds)

    def _cancel(self, line: int) -> None:
        losses.until_called(self.promising.stage, self.promising.entities([line]))
        cancel = self.promising.stage.stack.rooms.cancel
        cancel(self.promising.operations[line].operation_id, reason="the customer withdrew it", actor=PRODUCER)

    def _are(self, lines: Sequence[int], wanted: Collection[str]) -> bool:
        found = world.statuses(self.promising.stage.where)
        return all(found.get(name) in wanted for name in self.promising.ids(lines))

    def _are_due(self, lines: Sequence[int]) -> bool:
        """Say whether somebody must look at all of these now; what a sweep has put off meanwhile counts as well."""
        if not self._are(lines, {"awaiting_confirmation"}):
            return False
        index, now = world.index(self.promising.stage.where), time.time() * 1000
        return all(index.get(name, ("", now + 1))[1] <= now for name in self.promising.ids(lines))
