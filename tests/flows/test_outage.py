"""Is a remote that is down for two hours one problem, and not as many as there are operations?"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any

import pytest
from makegood.adapters.memory import ManualClock, MemoryQueue
from makegood.domain.instant import Instant, after
from makegood.domain.observation import Look, Observed, Unknown
from makegood.domain.operation import Status
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import OutageError, Outcome, UncertainError
from makegood.ports import Message, Sent

from tests.case import case
from tests.flows.test_observe import CORRECT
from tests.support.deployment import Deployment
from tests.support.rows import HOUR, MINUTE, SECOND

PILE = 150
STEP = 10 * SECOND
STEPS_OF_A_SWEEP = 30  #: every five minutes
DOWN = 2 * HOUR
HEALED = 4 * HOUR

REFUSED, TIMED_OUT = OutageError("connection refused"), UncertainError("timed out")
TURNED_AWAY = OutageError("503", retry_after=2 * MINUTE)
DOWNS: Mapping[str, Sequence[Exception]] = {
    "no connection": [REFUSED],
    "no answer": [TIMED_OUT],
    "turned away": [TURNED_AWAY],
    "each by turns": [REFUSED, REFUSED, TURNED_AWAY, REFUSED, TIMED_OUT],
}


class TimedQueue(MemoryQueue):
    """Hands out a message when its delay is over."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self._clock, self._ready_at = clock, dict[int, Instant]()

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Keep every message with its time."""
        self._ready_at |= {id(message): after(self._clock.now(), message.delay) for message in messages}
        return super().send(messages)

    def take(self) -> list[Message]:
        """Hand out what is ready."""
        now = self._clock.now()
        ready = [message for message in self.messages if self._ready_at[id(message)] <= now]
        self.messages = [message for message in self.messages if self._ready_at[id(message)] > now]
        return ready


@dataclass
class Watch:
    """What was seen during two hours of outage and two hours after it."""

    house: Deployment
    down: Iterator[Exception]
    down_until: Instant
    by_minute: Counter[int] = field(default_factory=Counter)  #: calls and looks
    ended_badly: set[str] = field(default_factory=set)
    crowded: float = 0.0  #: the largest part of the pile that was due within one second

    @property
    def is_down(self) -> bool:
        """Say whether the remote is down."""
        return self.house.clock.now() < self.down_until

    def call(self, attempt: Attempt) -> Outcome:
        """Take a call, if anything takes one."""
        self.by_minute[self.house.clock.now() // 60_000] += 1
        if self.is_down:
            raise next(self.down)
        return self.house.remote.apply(attempt)

    def look(self, look: Look) -> Observed:
        """Answer a question, if anything answers."""
        self.by_minute[self.house.clock.now() // 60_000] += 1
        return Unknown(why="503") if self.is_down else self.house.remote.truth(look)

    def note(self) -> None:
        """Note where the operations stand, and when each is tried or asked about next."""
        rows = self.house.store.rows.values()
        self.ended_badly |= {row.operation_id for row in rows if self.is_down and row.is_terminal}
        self.ended_badly |= {row.operation_id for row in rows if row.status is Status.MANUAL_REVIEW}
        waiting = [row.not_before if row.status is Status.RETRY_SCHEDULED else row.due_at for row in rows]
        due = Counter(at // 1000 for at in waiting if at is not None)
        self.crowded = max(self.crowded, max(due.values(), default=0) / PILE)

    def in_the_second_hour(self) -> Iterator[int]:
        """Count the calls and looks of each minute."""
        first = min(self.by_minute)
        return (self.by_minute[minute] for minute in range(first + 60, first + 120))


def pile(**policy: Any) -> Deployment:
    house = Deployment(**{**CORRECT, **policy})
    house.queue = TimedQueue(house.clock)
    house.submit = replace(house.submit, queue=house.queue)
    house.work = replace(house.work, queue=house.queue)
    house.sweep_flow = replace(house.sweep_flow, queue=house.queue)
    for number in range(PILE):
        house.submitted(f"op-{number:03}")
    return house


def lived_through(house: Deployment, down: Sequence[Exception]) -> Watch:
    watch = Watch(house, cycle(down), after(house.clock.now(), DOWN))
    house.remote.script = [watch.call] * 100_000
    house.remote.sights = [watch.look] * 100_000
    for step in range(HEALED // STEP):
        house.delivered()
        if step % STEPS_OF_A_SWEEP == STEPS_OF_A_SWEEP - 1:
            house.swept()
            if step > 2 * STEPS_OF_A_SWEEP:
                watch.note()
        house.clock.advance(STEP)
    return watch


@case("F057")
@pytest.mark.parametrize("down", DOWNS)
def test_nobody_ends_or_reaches_a_person_because_the_remote_is_down_and_all_end_well_afterwards(down: str) -> None:
    house = pile()
    watch = lived_through(house, DOWNS[down])
    assert watch.ended_badly == set()
    assert {row.status for row in house.store.rows.values()} == {Status.CONFIRMED}
    assert set(house.remote.effects.values()) == {1}
    assert watch.crowded <= 0.1, "they do not come back in step"
    assert max(watch.in_the_second_hour()) <= PILE // 5, "calls and looks in one minute"
