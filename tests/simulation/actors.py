"""Who acts in a schedule: producers, workers and the reconciler, each a process that may stop anywhere."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from makegood.domain.errors import InvalidInput, NotFoundError, StoreError
from makegood.domain.history import Actor, Role
from makegood.domain.instant import after
from makegood.domain.operation import OperationId
from makegood.flows.order import asked
from makegood.flows.work import Fate

from tests.simulation.catalog import LIMITS, SWEEP_LIMITS
from tests.simulation.engine import MILLISECOND, MINUTE, SECOND, Killed, Process
from tests.simulation.kinds import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.promise import Promise

    from tests.simulation.chance import Stream
    from tests.simulation.world import World

VISIBILITY = LIMITS.visibility // MILLISECOND
INVOCATION = LIMITS.worker_timeout
RECEIVES = SWEEP_LIMITS.max_receive_count
SWEEPING = SWEEP_LIMITS.sweep_timeout


def start(world: World, process: Process, body: Callable[[], object], *, when: int, lives: timedelta | None) -> None:
    """Start a process. What it raises that no door expects is a broken promise."""

    def guarded() -> None:
        try:
            body()
        except (StoreError, NotFoundError) as error:
            world.tell(f"ends by {type(error).__name__}: {error}")
        except Killed:
            world.tell("is gone")
            raise
        except Exception as error:  # noqa: BLE001 - the schedule tells of it
            world.check.fails(7, f"{process.name} ended by {type(error).__name__}: {error}")

    world.engine.spawn(process, guarded, when=when, lives=None if lives is None else lives // MILLISECOND)


def submit(world: World, promise: Promise, when: int) -> None:
    """Promise work, and again a minute later where nobody knows whether the promise stands."""
    process = world.process(f"producer of {promise.operation_id}", Role.PRODUCER)

    def body() -> None:
        for _ in range(3):
            try:
                submitted = world.submit(promise)
            except InvalidInput as error:
                world.tell(f"is told: {error}")
                return
            except StoreError:
                world.rest(MINUTE)
            else:
                world.tell(f"promised {promise.operation_id}, created={submitted.created}")
                return

    start(world, process, body, when=when, lives=None)


def cancel(world: World, name: str, when: int) -> None:
    """Ask for a cancellation."""
    process = world.process(f"producer cancels {name}", Role.PRODUCER)

    def body() -> None:
        answer = world.cancel(OperationId(name), reason="not wanted any more", actor=Actor(role=Role.PRODUCER))
        world.tell(f"asked to cancel {name}: {type(answer).__name__}")

    start(world, process, body, when=when, lives=None)


def deliver(world: World, name: str, receives: int) -> None:
    """Deliver a message to a worker; it comes again if that hands it back, fails, or dies."""
    process = world.process(f"worker on {name}", Role.WORKER)
    now = world.engine.now
    done = False

    def again() -> None:
        if not done and receives < RECEIVES:
            deliver(world, name, receives + 1)

    def body() -> None:
        nonlocal done
        try:
            until = after(world.engine.now, timedelta(milliseconds=process.skew) + INVOCATION)
            worked = world.work(OperationId(name), until=until)
            done = worked.fate is Fate.DONE
            world.tell(f"is done with {name}: {worked.reason}")
            if worked.reason == "late_write" and world.store.rows[name].write_id == process.last_write:
                world.check.fails(7, f"{process.name} does not know its own write")
        finally:
            if not done and not world.kind.frozen:
                world.engine.at(now + VISIBILITY, again)

    start(world, process, body, when=now, lives=None if world.kind.frozen else INVOCATION)
    if world.kind.frozen:
        world.engine.at(now + VISIBILITY, again)


def sweep_round(world: World, number: int, stream: Stream) -> None:
    """Start the sweep of one tick: once as a rule, late or twice now and then, dry or only watching more rarely."""
    when: int = world.engine.now
    if world.calm:
        sweep(world, f"sweep {number}", when)
        return
    if stream.one_in(10) and _planned(world, f"sweep {number} late", Fault.SWEEP_LATE):
        when += (1 + stream.below(6)) * MINUTE
    if stream.one_in(25) and _planned(world, f"sweep {number} dry", Fault.DRY_RUN):
        sweep(world, f"sweep {number}, dry", when, {"dry_run": True})
    if stream.one_in(25) and _planned(world, f"sweep {number} by hand", Fault.BY_HAND):
        sweep(world, f"sweep {number}, by hand", when, {"limit": 1 + stream.below(3), "minutes": 7})
    if stream.one_in(25) and _planned(world, f"sweep {number} watching", Fault.ONLY_WATCHING):
        watch(world, f"sweep {number}", when)
        return
    sweep(world, f"sweep {number}", when)
    if stream.one_in(10) and _planned(world, f"sweep {number} twice", Fault.SWEEP_TWICE):
        sweep(world, f"sweep {number}", when + stream.below(90) * SECOND // 30)


def _planned(world: World, name: str, fault: Fault) -> bool:
    happens = world.chance.happens(name)
    world.seen[fault] += happens
    return happens


def sweep(world: World, name: str, when: int, event: dict[str, Any] | None = None) -> None:
    """Sweep once by the event of a tick, which may come twice, or by what a person orders otherwise."""
    process = world.process(name, Role.RECONCILER)
    asks = {"source": "schedule", "scheduled_at": name} if event is None else event
    start(world, process, lambda: _sweep(world, process, asks), when=when, lives=_life(world))


def watch(world: World, name: str, when: int) -> None:
    """Sweep once in a deployment that only watches."""
    process = world.process(name, Role.RECONCILER)
    process.watches = True
    start(world, process, lambda: _sweep(world, process, {}), when=when, lives=_life(world))


def _life(world: World) -> timedelta | None:
    return None if world.kind.frozen else SWEEPING


def _sweep(world: World, process: Process, event: dict[str, Any]) -> None:
    until = after(world.engine.now, timedelta(milliseconds=process.skew) + SWEEPING)
    flow = world.watch if process.watches else world.sweep
    record = flow(asked(event, run_id=process.name, until=until)).record
    world.seen[f"run {record.outcome}"] += 1
    world.tell(f"{record.outcome}: acted {dict(record.acted)}, skipped {dict(record.skipped)}, {dict(record.verdicts)}")
    world.check.swept(record, process, event.get("scheduled_at", process.name))
