"""What can be interrupted: for each path its beginning, which nothing disturbs, and its step, which is cut off.

The requests of a step are not listed anywhere: they are recorded from the adapters, so that a request which somebody
adds to a path is one more place to cut it off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.domain import hint
from makegood.domain.backoff import Backoff
from makegood.domain.limits import Limits
from makegood.domain.operation import QueueName, Status
from makegood.domain.promise import INLINE_LIMIT

from tests.crash import catalog

if TYPE_CHECKING:
    from tests.crash.catalog import Reply
    from tests.crash.house import House

Step = Callable[["House"], object]

HOUR = timedelta(hours=1)
LADDER = Backoff().wait(2, fraction=1)  #: as long as the first retries are put off
STALE = Limits().stale_after
LARGE = {"text": "x" * (INLINE_LIMIT + 1)}
CONFIRMED, REVIEW, CLOSED = Status.CONFIRMED, Status.MANUAL_REVIEW, Status.NOT_APPLICABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One path."""

    name: str
    step: Step  #: what is cut off
    given: Step = lambda _: None
    then: Step = lambda _: None  #: what happens after it, undisturbed
    ends: Status = CONFIRMED  #: where its undisturbed operations end
    spares: bool = False  #: the step writes to no operation and sends nothing
    numbers: tuple[tuple[str, int], ...] = ()  #: settings, by name


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


def _lost(*names: str) -> Step:
    """Promise so many, one of them urgent; lose the messages; let the rows become stale."""
    queues = (QueueName.HIGH, QueueName.DEFAULT, QueueName.LOW)
    promised = [submits(name, queue=queue) for name, queue in zip(names, queues, strict=False)]
    return in_turn(*promised, loses, waits(STALE))


def killed_in_its_call(house: House) -> None:
    """Let a worker die with its claim, before anything reached the remote."""

    def dies(_: object) -> None:
        raise KeyboardInterrupt

    house.remote.script["op-1"] = [dies]  # type: ignore[list-item]  # it has no outcome
    try:
        house.deliver()
    except KeyboardInterrupt:
        house.broker.purge()


BUSY = says(catalog.busy)
WAITING_LONG = in_turn(submits(), BUSY, delivers)

SUBMIT = (
    Story(name="submit", step=submits()),
    Story(name="submit, large payload", step=submits(payload=LARGE)),
    Story(name="submit twice", given=submits(), step=submits()),
    Story(name="submit, and again after the blow", step=submits(payload=LARGE), then=submits(payload=LARGE)),
    Story(name="submit for later", step=submits_for_later),
)

WORK = (
    Story(name="work", given=submits(), step=delivers),
    Story(name="work, large payload", given=submits(payload=LARGE), step=delivers),
    Story(
        name="work, transient, then done",
        given=in_turn(submits(), says(catalog.transient)),
        step=in_turn(delivers, waits(LADDER), delivers),
    ),
    Story(
        name="work, large payload, transient, then done",
        given=in_turn(submits(payload=LARGE), says(catalog.transient)),
        step=in_turn(delivers, waits(LADDER), delivers),
    ),
    Story(name="work, asked to wait long", given=in_turn(submits(), BUSY), step=delivers),
    Story(
        name="work, transient to the last attempt",
        given=in_turn(submits(), says(*3 * [catalog.transient])),
        step=in_turn(*3 * [delivers, waits(LADDER)]),
        ends=REVIEW,
    ),
    Story(name="work, uncertain", given=in_turn(submits(), says("times_out")), step=delivers, ends=REVIEW),
    Story(
        name="work, not idempotent, uncertain",
        given=in_turn(submits(operation_type="charge"), says("times_out")),
        step=delivers,
        ends=REVIEW,
    ),
    Story(name="work, accepted", given=in_turn(submits(), says("accepted")), step=delivers, ends=REVIEW),
    Story(name="work, rejected", given=in_turn(submits(), says(catalog.rejected)), step=delivers, ends=REVIEW),
    Story(
        name="work, ruled out",
        given=in_turn(submits(), says(catalog.ruled_out)),
        step=delivers,
        ends=CLOSED,
    ),
    Story(name="work, duplicate", given=in_turn(submits(), delivers, submits("op-2")), step=lambda h: _again(h, 2)),
    Story(name="work, too early", given=WAITING_LONG, step=lambda h: _again(h, 1)),
)

SWEEP = (
    Story(name="sweep, nothing due", given=submits(), step=sweeps),
    Story(name="sweep, lost dispatches", given=_lost("op-1", "op-2", "op-3"), step=sweeps),
    Story(
        name="sweep, dead claim",
        given=in_turn(submits(), killed_in_its_call, waits(STALE)),
        step=sweeps,
        ends=REVIEW,
    ),
    Story(name="sweep, retry due", given=in_turn(WAITING_LONG, waits(HOUR)), step=sweeps),
    Story(
        name="sweep, unclaimed retry",
        given=in_turn(WAITING_LONG, waits(HOUR), sweeps, loses, waits(STALE)),
        step=sweeps,
    ),
    Story(
        name="sweep, dispatched too often",
        given=_lost("op-1"),
        step=in_turn(sweeps, loses, waits(STALE), sweeps),
        numbers=(("MAX_DISPATCHES", 1),),
        ends=REVIEW,
    ),
    Story(
        name="sweep, uncertain",
        given=in_turn(submits(), says("times_out"), delivers, waits(STALE)),
        step=sweeps,
        ends=REVIEW,
    ),
    Story(name="sweep, halted", given=_lost("op-1", "op-2"), step=sweeps, spares=True, numbers=(("HALT_CAP", 1),)),
    Story(name="sweep, dry run", given=_lost("op-1", "op-2"), step=lambda h: h.sweep(dry_run=True), spares=True),
    Story(
        name="sweep, acknowledged",
        given=in_turn(_lost("op-1", "op-2", "op-3"), acknowledges),
        step=sweeps,
        numbers=(("HALT_CAP", 1),),
    ),
    Story(
        name="acknowledge, then sweep",
        given=in_turn(_lost("op-1", "op-2", "op-3"), sweeps),
        step=in_turn(acknowledges, sweeps),
        numbers=(("HALT_CAP", 1),),
    ),
)

STORIES = (*SUBMIT, *WORK, *SWEEP)


def _again(house: House, times: int) -> None:
    """Deliver what is there, and messages that name the first operation once more."""
    for _ in range(times):
        house.broker.put(hint.render("op-1"))
    house.deliver()
