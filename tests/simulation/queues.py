"""The queues: messages that may be lost, come twice, late, or out of order."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from makegood.flows import act
from makegood.ports import Message, Sent

from tests.simulation.engine import HOUR, MINUTE, SECOND, Killed
from tests.simulation.kinds import AT_A_SEND, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.simulation.world import World

BATCH = 2  #: messages that one request takes
DELAYS = (30 * SECOND, 6 * MINUTE, HOUR, 5 * HOUR)


def least_requests(by_queue: Mapping[str, int]) -> int:
    """Say how many requests so many messages of each queue take at least: a request goes to one queue."""
    return sum(-(-count // BATCH) for count in by_queue.values())


@contextmanager
def small_batches() -> Iterator[None]:
    """Let a request take two messages where SQS takes ten: no schedule has as many rows as would show more."""
    usual, act.BATCH = act.BATCH, BATCH
    try:
        yield
    finally:
        act.BATCH = usual


class SimulatedQueue:
    """Messages that may be lost, come twice, late, or out of order; each delivery is a worker of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.held_until = 0  #: workers are held up until then; what waits is purged

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Take messages."""
        self.world.rest()
        self._count(messages)
        moved = self.world.engine.process.moved
        if unmoved := [message.operation_id for message in messages if message.operation_id not in moved]:
            self.world.check.fails(1, f"{unmoved[0]} is sent before its row is written")
        return [
            self._taken(message, self.world.deviates(AT_A_SEND, one_in=1 + self.world.rate // 3))
            for message in messages
        ]

    def _count(self, messages: Sequence[Message]) -> None:
        """Count the requests that this takes: one for each queue and batch."""
        process, by_queue = self.world.engine.process, Counter(message.queue.value for message in messages)
        if not process.asked:
            process.sent.update(by_queue)
            process.requests += least_requests(by_queue)

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
