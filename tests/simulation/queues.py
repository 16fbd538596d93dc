"""The queues: messages that may be lost, come twice, late, or out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.ports import Message, Sent

from tests.simulation.engine import HOUR, MINUTE, SECOND, Killed
from tests.simulation.kinds import AT_A_SEND, Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.world import World

DELAYS = (30 * SECOND, 6 * MINUTE, HOUR, 5 * HOUR)


class SimulatedQueue:
    """Messages that may be lost, come twice, late, or out of order; each delivery is a worker of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.held_until = 0  #: workers are held up until then; what waits is purged

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Take messages."""
        self.world.rest()
        moved = self.world.engine.process.moved
        if unmoved := [message.operation_id for message in messages if message.operation_id not in moved]:
            self.world.check.fails(1, f"{unmoved[0]} is sent before its row is written")
        return [
            self._taken(message, self.world.deviates(AT_A_SEND, one_in=1 + self.world.rate // 3))
            for message in messages
        ]

    def _taken(self, message: Message, fault: Fault | None) -> Sent:
        match fault:
            case Fault.CRASH_BEFORE:
                raise Killed
            case Fault.NOT_TAKEN:
                return Sent.FAILED
            case Fault.REFUSED:
                return Sent.REFUSED
            case Fault.DROPPED:
                return Sent.SENT
            case Fault.DOUBLED:
                self._on_its_way(message, 0)
            case Fault.DELAYED:
                self._on_its_way(message, DELAYS[self.world.draw(len(DELAYS))])
                return Sent.SENT
            case _:
                pass
        self._on_its_way(message, 0)
        if fault is Fault.CRASH_AFTER:
            raise Killed
        return Sent.FAILED if fault is Fault.NOT_TOLD else Sent.SENT

    def _on_its_way(self, message: Message, more: int) -> None:
        wait = int(message.delay.total_seconds() * 1000) + more + 5 + self.world.draw(200)
        comes_at = self.world.engine.now + wait
        if comes_at >= self.held_until:
            self.world.engine.at(comes_at, lambda: self.world.deliver(message.operation_id, receives=1))
