"""What can be interrupted: the parts of a story, out of which the paths are put together."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from makegood.domain import hint
from makegood.domain.backoff import Backoff
from makegood.domain.limits import Limits
from makegood.domain.operation import QueueName, Status
from makegood.domain.promise import INLINE_LIMIT

if TYPE_CHECKING:
    from makegood import Attempt

    from tests.crash.house import House
    from tests.crash.remote import Reply, Sight

Step = Callable[["House"], object]

SEED = int(os.environ.get("CRASH_SEED", "7"))  #: of everything that is drawn
HOUR = timedelta(hours=1)
LADDER = Backoff().wait(2, fraction=1)  #: as long as the first retries are put off
STALE = Limits().stale_after
LARGE = {"text": "x" * (INLINE_LIMIT + 1)}
CONFIRMED, REVIEW, CLOSED = Status.CONFIRMED, Status.MANUAL_REVIEW, Status.NOT_APPLICABLE
UNDONE = Status.COMPENSATED
NOWHERE_ELSE: frozenset[Status] = frozenset()
A_PERSON = frozenset({REVIEW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One path."""

    name: str
    step: Step  #: what is cut off
    given: Step = lambda _: None
    then: Step = lambda _: None  #: what happens after it, undisturbed
    ends: Status = CONFIRMED  #: where its undisturbed operations end
    beside: Status | None = None  #: where some of them end, if not all do so
    may_end: frozenset[Status] = A_PERSON  #: where a blow may lead an operation instead
    spares: bool = False  #: the step writes to no operation and sends nothing
    numbers: tuple[tuple[str, int | str], ...] = ()  #: settings, by name

    @property
    def all_ends(self) -> set[Status]:
        """Return every status in which one of its undisturbed operations ends."""
        return {self.ends, self.beside or self.ends}


def in_turn(*steps: Step) -> Step:
    """Take one step after the other."""

    def all_of_them(house: House) -> None:
        for step in steps:
            step(house)

    return all_of_them


def says(*replies: str | Reply, name: str = "op-1") -> Step:
    """Give the remote a script for one operation."""

    def script(house: House) -> None:
        house.remote.script[name] = [
            getattr(house.remote, reply) if isinstance(reply, str) else reply for reply in replies
        ]

    return script


def undoing_says(*replies: str | Reply, name: str = "op-1") -> Step:
    """Give the remote a script for the calls that undo one operation."""

    def script(house: House) -> None:
        house.remote.undoing[name] = [
            getattr(house.remote, reply) if isinstance(reply, str) else reply for reply in replies
        ]

    return script


def sees(*sights: Sight, name: str = "op-1") -> Step:
    """Give the remote a script for the looks at one operation."""
    return lambda house: house.remote.sights.__setitem__(name, list(sights))


def submits(name: str = "op-1", **facts: object) -> Step:
    """Let a producer promise."""
    return lambda house: house.submit(name, **facts)


def waits(duration: timedelta) -> Step:
    """Let time pass."""
    return lambda house: house.wait(duration)


def submits_for_later(house: House) -> None:
    """Promise what starts in an hour: no queue holds a message that long."""
    house.submit(not_before=house.clock.now() + int(HOUR / timedelta(milliseconds=1)))


def delivers(house: House) -> None:
    """Let workers take what is visible."""
    house.deliver()


def sweeps(house: House) -> None:
    """Let the reconciler run."""
    house.sweep()


def loses(house: House) -> None:
    """Purge the queues."""
    house.broker.purge()


def acknowledges(house: House) -> None:
    """Let a person allow the sweep to act above its cap, two rows at a time."""
    house.acknowledge(drain_rate=2)


def loses_each(*names: str) -> Step:
    """Promise so many, one of them urgent; lose the messages; let the rows become stale."""
    queues = (QueueName.HIGH, QueueName.DEFAULT, QueueName.LOW)
    promised = [submits(name, queue=queue) for name, queue in zip(names, queues, strict=False)]
    return in_turn(*promised, loses, waits(STALE))


def dies(_: Attempt) -> NoReturn:
    """Kill the worker before anything has reached the remote."""
    raise KeyboardInterrupt


def killed_in_its_call(house: House) -> None:
    """Let a worker die with its claim, before anything reached the remote."""
    house.remote.script["op-1"] = [dies]
    try:
        house.deliver()
    except KeyboardInterrupt:
        house.broker.purge()


def killed_after_its_effect(house: House) -> None:
    """Let a worker die with its claim, when its effect is there."""

    def applies_and_dies(attempt: Attempt) -> NoReturn:
        house.remote.done(attempt)
        dies(attempt)

    house.remote.script["op-1"] = [applies_and_dies]
    try:
        house.deliver()
    except KeyboardInterrupt:
        house.broker.purge()


def overwrites(house: House) -> None:
    """Let somebody else change the effect."""
    house.remote.overwritten.add("op-1")


def delivers_again(times: int) -> Step:
    """Deliver what is there, and so many messages that name the first operation once more."""

    def deliver(house: House) -> None:
        for _ in range(times):
            house.broker.put(hint.render("op-1"))
        house.deliver()

    return deliver
