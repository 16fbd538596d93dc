"""What a schedule sets out to do: work is promised, sweeps come round, people look in, and the world has its crises."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from makegood.domain.history import Role
from makegood.domain.instant import Instant
from makegood.domain.promise import Promise

from tests.simulation import actors, files, people
from tests.simulation.catalog import LIMITS, REGISTRY, TYPES, WIDE, WIDE_REGISTRY
from tests.simulation.engine import HOUR, MINUTE, SECOND, START
from tests.simulation.kinds import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import OperationType

    from tests.simulation.chance import Stream
    from tests.simulation.world import World

INTERVAL = 5 * MINUTE  #: of the sweeps
PATIENCE = 60 * HOUR  #: how long sweeps go on after the last fault


@dataclass(slots=True)
class Plan:
    """What was drawn before anything runs."""

    promises: list[Promise]
    ends_at: int  #: when faults stop
    not_before: dict[str, int]  #: by operation: no call before, as its producer meant it


def draw(stream: Stream) -> Plan:
    """Draw what is promised: a few operations, now and then a pile of one type, or versions of one entity."""
    count = (1, 1, 2, 2, 3, 3, 5, 7)[stream.below(8)]
    shared, of_one_type = _any_type(stream), stream.one_in(2)
    promises = []
    for number in range(1, count + 1):
        cls = shared if of_one_type else _any_type(stream)
        later = Instant(START + 30 * MINUTE) if stream.one_in(12) else None
        promises.append(
            Promise(
                operation_type=cls.name,
                entity="customer/1" if cls.policy.supersedes else f"customer/{number}",
                expected_version=number,
                expected_fields={"plan": "gold"},
                operation_id=f"op-{number}",
                not_before=later,
                deadline_at=Instant(START + 2 * HOUR) if stream.one_in(6) else None,
            )
        )
    not_before = {one.operation_id or "": one.not_before for one in promises if one.not_before is not None}
    return Plan(promises=promises, ends_at=START + (1 + stream.below(6)) * HOUR, not_before=dict(not_before))


def _any_type(stream: Stream) -> type[OperationType]:
    """Draw an operation type, the last of them more often."""
    return TYPES[min(stream.below(len(TYPES) + 3), len(TYPES) - 1)]


def begin(world: World, plan: Plan) -> None:
    """Put everything on the way."""
    stream = world.chance.stream("plan")
    for promise in plan.promises:
        _promised(world, promise)
    _crises(world, stream, plan)
    if _happens(world, "fewer shards", Fault.FEWER_SHARDS, drawn=stream.one_in(8)):
        world.open_doors(WIDE_REGISTRY, WIDE)
        world.engine.at(START + stream.below(2 * HOUR), partial(_roll_back, world))
    for number in range(3 + stream.below(7)):
        people.visit(world, START + (10 * MINUTE + stream.below(plan.ends_at - START)) + number)
    written_at = START + stream.below(plan.ends_at - START)
    if _happens(world, "result file", Fault.RESULT_FILE, drawn=stream.one_in(4)):
        world.engine.at(written_at, lambda: files.write(world))
    world.engine.at(START + stream.below(INTERVAL), lambda: _tick(world, plan, 0))


def _promised(world: World, promise: Promise) -> None:
    """Promise one operation, and let its producer and other hands do what they should not."""
    name = promise.operation_id or ""
    own = world.chance.stream(name)
    when = START + (own.below(90) * SECOND if own.below(3) else own.below(90) * MINUTE)
    if not world.chance.happens(name):
        return
    if _happens(world, f"{name} in seconds", Fault.WRONG_TIME, drawn=own.one_in(12)):
        promise = _in_seconds_first(world, promise, when)
    actors.submit(world, promise, when)
    if _happens(world, f"{name} twice", Fault.SUBMITTED_TWICE, drawn=own.one_in(8)):
        actors.submit(world, promise, when + 30)
    asked_at = when + own.below(HOUR)
    if _happens(world, f"{name} cancelled", Fault.CANCEL, drawn=own.one_in(2)):
        actors.cancel(world, name, asked_at)
    for fault, act in ((Fault.OTHER_HANDS, world.others.change), (Fault.TAKEN_AWAY, world.others.take_away)):
        soon = when + own.below(40 * MINUTE)
        if _happens(world, f"{name}: {fault}", fault, drawn=own.one_in(4)):
            world.engine.at(soon, partial(_touched, world, name, act))


def _in_seconds_first(world: World, promise: Promise, when: int) -> Promise:
    """Let the producer say in seconds when the work may begin; return the promise as it is meant."""
    meant = Instant(when + 30 * MINUTE)
    world.plan.not_before[promise.operation_id or ""] = meant
    promise = replace(promise, not_before=meant, deadline_at=None)
    actors.submit(world, replace(promise, not_before=Instant(meant // 1000)), when - 1)
    return promise


def _happens(world: World, name: str, fault: Fault, *, drawn: bool) -> bool:
    """Say whether something that was drawn happens, and count it."""
    happens = drawn and world.chance.happens(name)
    world.seen[fault] += happens
    return happens


def _roll_back(world: World) -> None:
    """Lower the number of shards, once a sweep has seen the higher one."""
    if world.ledger.control().shards >= WIDE.shards:
        world.open_doors(REGISTRY, LIMITS)
        world.tell(f"the number of shards is lowered to {LIMITS.shards}")
    elif not world.calm:
        world.engine.at(world.engine.now + INTERVAL, partial(_roll_back, world))


def _touched(world: World, name: str, act: Callable[[Operation], None]) -> None:
    if name in world.store.rows:
        act(world.store.rows[name])


def _crises(world: World, stream: Stream, plan: Plan) -> None:
    for words, fault in (("silence", Fault.SILENCE), ("turned away", Fault.TURNED_AWAY)):
        since = START + stream.below(plan.ends_at - START)
        until = min(since + (stream.below(20) * MINUTE if stream.below(2) else 3 * HOUR), plan.ends_at)
        if _happens(world, words, fault, drawn=stream.one_in(4)):
            _crisis(world, words, since, until)
    when = START + stream.below(120 * SECOND if stream.below(4) else 3 * HOUR)
    if _happens(world, "purge", Fault.PURGE, drawn=stream.one_in(8)):
        world.queue.held_until = when
        world.engine.at(when, lambda: world.tell("the queues are purged"))


def _crisis(world: World, words: str, since: int, until: int) -> None:
    def set_to(what: str | None) -> None:
        world.remote.crisis = what
        world.tell(f"the remote: {what or 'back again'}")

    world.engine.at(since, lambda: set_to(words))
    world.engine.at(until, lambda: set_to(None))


def _tick(world: World, plan: Plan, number: int) -> None:
    """Let the schedule start a sweep, unless the index shows nothing. Such a tick is no event."""
    engine = world.engine
    if engine.now >= plan.ends_at and not world.calm:
        world.calm, world.remote.crisis = True, None
        world.tell("faults have stopped")
    over = world.calm and ((engine.is_idle and world.is_settled()) or engine.now > plan.ends_at + PATIENCE)
    if over:
        return
    engine.at(engine.now + INTERVAL, lambda: _tick(world, plan, number + 1))
    soonest = world.store.soonest()
    if (soonest is None or soonest > engine.now + MINUTE) and (world.calm or number % 12):
        engine.events -= 1
        return
    if world.calm and world.ledger.control().halted_since is not None:
        people.acknowledge(world, world.process("operator acknowledges", Role.OPERATOR), engine.now)
    actors.sweep_round(world, number, world.chance.stream(f"tick {number}"))
