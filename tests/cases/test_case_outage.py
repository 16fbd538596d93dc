"""Is a remote that is down for two hours one problem at the doors, and not as many as there are operations?"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from makegood import bootstrap
from makegood.adapters.memory import SeededEntropy
from makegood.domain.observation import Unknown
from makegood.domain.operation import Operation, OperationId, Status
from makegood.domain.outcome import OutageError, UncertainError
from makegood.domain.policy import Step

from tests.case import case
from tests.cases.outside import Outside, applied_then, outside
from tests.contract.worlds import hooked
from tests.support.rows import HOUR, MINUTE, SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.instant import Instant
    from makegood.domain.observation import Look, Observed
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

PILE = 150
UNKNOWNS = 3
DOWN = 2 * HOUR
STEP = 10 * SECOND
SWEEPS = 5 * MINUTE
HANDED_BACK = timedelta(seconds=370)
IN_STEP = PILE // 10  #: so many due in one second would be a crowd


@dataclass(kw_only=True)
class Outage:
    """A remote that is down until a time, the queues at the test's own clock, and what was seen of both."""

    world: Outside
    how: str
    over_at: Instant
    queue: list[tuple[int, str]] = field(default_factory=list)  #: what was sent, by the time when it may be taken
    calls: Counter[int] = field(default_factory=Counter)  #: by minute
    looks: Counter[int] = field(default_factory=Counter)  #: by minute
    names: list[OperationId] = field(default_factory=list)
    healed: Event = field(default_factory=Event)

    @property
    def now(self) -> Instant:
        """Say what time it is."""
        return self.world.doors.clock.now()

    def call(self, attempt: Attempt) -> Outcome:
        """Take a call, or none while down."""
        self.calls[self.now // 60_000] += 1
        if self.now >= self.over_at:
            return self.world.remote.apply(attempt)
        match self.how:
            case "connection refused":
                raise OutageError("the CRM cannot be reached")
            case "503 and a time to wait":
                raise OutageError("the CRM is being serviced: 503", retry_after=2 * MINUTE)
            case "503, half of them applied" if int(attempt.operation.entity.partition("/")[2]) % 2:
                self.world.remote.apply(attempt)
                raise UncertainError("the CRM answered 503")
            case _:
                raise UncertainError("the CRM did not answer to the end")

    def look(self, look: Look) -> Observed:
        """Take a look, or let it hang while down."""
        self.looks[self.now // 60_000] += 1
        if self.now >= self.over_at:
            return self.world.remote.truth(look)
        if self.how == "hanging":
            self.healed.wait(timeout=30)
        return Unknown(why="503")

    def take(self, params: dict[str, Any], **_: object) -> tuple[object, dict[str, Any]]:
        """Take what is sent to a queue, and remember from when on it may be received."""
        entries = json.loads(params["body"])["Entries"]
        for entry in entries:
            heapq.heappush(self.queue, (self.now + 1000 * entry["DelaySeconds"], entry["MessageBody"]))
        taken = [{"Id": entry["Id"], "MessageId": "m", "MD5OfMessageBody": ""} for entry in entries]
        return SimpleNamespace(status_code=200), {"Successful": taken}

    def deliver(self) -> None:
        """Hand to the worker what may be taken by now, ten messages in a batch."""
        ready = []
        while self.queue and self.queue[0][0] <= self.now:
            ready.append(heapq.heappop(self.queue)[1])
        for start in range(0, len(ready), 10):
            batch = ready[start : start + 10]
            for name in self.world.doors.failed(*batch):
                heapq.heappush(self.queue, (self.now + HANDED_BACK // timedelta(milliseconds=1), batch[int(name[1:])]))

    def while_down(self, count: Counter[int]) -> list[int]:
        """Return the counts of each minute from the tenth of the outage to its end."""
        end = self.over_at // 60_000
        return [count[minute] for minute in range(end - DOWN // MINUTE + 10, end)]

    def rows(self) -> list[Operation]:
        """Read every operation."""
        found = self.world.doors.table.store.find(self.names)
        return [row for row in found.values() if isinstance(row, Operation)]

    def until(self, end: Instant) -> Iterator[list[Operation]]:
        """Let time pass with a sweep every five minutes; yield every operation after each sweep."""
        next_sweep = self.now
        while self.now < end:
            self.deliver()
            if self.now >= next_sweep:
                next_sweep = type(end)(self.now + SWEEPS // timedelta(milliseconds=1))
                assert self.world.doors.sweep()["outcome"] == "completed"
                self.deliver()
                yield self.rows()
            self.world.later(STEP)


@pytest.fixture
def chance(monkeypatch: pytest.MonkeyPatch) -> SeededEntropy:
    """Let every part of the doors draw from one chance that repeats."""
    drawn = SeededEntropy(57)
    monkeypatch.setattr(bootstrap, "SystemEntropy", lambda: drawn)
    return drawn


@contextmanager
def down(world: Outside, how: str) -> Iterator[Outage]:
    """Let the remote be down from now on, for two hours."""
    now = world.doors.clock.now()
    outage = Outage(world=world, how=how, over_at=type(now)(now + DOWN // timedelta(milliseconds=1)))
    world.remote.script, world.remote.sights = [outage.call] * 100_000, [outage.look] * 100_000
    sqs = world.doors.table.clients.of("sqs")
    with hooked(sqs, "before-call.sqs.SendMessageBatch", outage.take):
        yield outage
    outage.healed.set()


def crowd(rows: list[Operation]) -> int:
    """Say how many are due in the fullest second."""
    at = [row.not_before if row.status is Status.RETRY_SCHEDULED else row.due_at for row in rows]
    return max(Counter(instant // 1000 for instant in at if instant is not None).values(), default=0)


@case("F057")
@pytest.mark.usefixtures("chance", "many_rows")
@pytest.mark.parametrize(
    "how", ["connection refused", "503 and a time to wait", "503, half of them applied", "hanging"]
)
def test_two_hours_of_outage_end_nobody_and_what_was_put_off_comes_back_apart(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    world = outside(
        quick_doors, monkeypatch, on_missing=Step.REQUEUE, observe_timeout=timedelta(milliseconds=40), unknowns=UNKNOWNS
    )
    with down(world, how) as outage:
        for number in range(PILE):
            outage.names.append(world.promised(entity=f"customer/{number}").operation_id)
        fullest = 0
        for turn, rows in enumerate(outage.until(outage.over_at)):
            assert not [row for row in rows if row.is_terminal or row.status is Status.MANUAL_REVIEW]
            fullest = max(fullest, crowd(rows) if turn else 0)
        for rows in outage.until(type(outage.over_at)(outage.over_at + DOWN // timedelta(milliseconds=1))):
            if all(row.is_terminal for row in rows):
                break
    assert {row.status for row in rows} == {Status.CONFIRMED}
    assert set(world.remote.effects.values()) == {1}
    assert fullest <= IN_STEP
    assert max(outage.while_down(outage.looks)) <= UNKNOWNS, "looks in one minute"
    assert max(outage.while_down(outage.calls)) <= PILE // 2, "calls in one minute, once it has lasted for ten"
    assert sum(outage.calls.values()) <= 20 * PILE
    if how == "503, half of them applied":
        assert sum(outage.calls.values()) == PILE + PILE // 2, "what was applied is found, and not called again"


@case("F057")
def test_a_look_that_hangs_costs_its_own_time_and_the_others_are_answered(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, observe_timeout=timedelta(milliseconds=400))
    rows = [world.promised(entity=f"customer/{number}") for number in range(20)]
    for row in rows:
        world.deliver(row, applied_then(world.remote, UncertainError("no answer within 10 s")))
    slow, over = {rows[3].operation_id, rows[9].operation_id}, Event()

    def look(asked: Look) -> Observed:
        if asked.operation.operation_id in slow:
            over.wait(timeout=30)
        return world.remote.truth(asked)

    world.remote.sights[:] = [look] * 20
    world.later(HOUR)
    answer = quick_doors.sweep()
    over.set()
    assert (answer["acted"], answer["not_asked"]) == ({"confirm_by_proof": 18, "observe_again": 2}, {})
    assert {row.operation_id for row in rows if not world.row(row).is_terminal} == slow
