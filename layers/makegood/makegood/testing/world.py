"""One trial's world: a Makegood in memory, one operation or two, a double, and life going on until all has ended."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeVar

from makegood.domain.document import Json
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant, after, between
from makegood.domain.limits import Limits
from makegood.domain.observation import Look
from makegood.domain.operation import Intent, Operation, Status, idempotency_key_for
from makegood.domain.operation_type import Attempt, OperationType
from makegood.domain.promise import Promise
from makegood.testing.double import Fault, RemoteDouble, Seen
from makegood.testing.fuse import Crash, Fuse
from makegood.testing.in_memory import InMemoryMakegood
from makegood.testing.watch import Watch, watched

TICK = timedelta(minutes=5)  #: between two sweeps
ROUNDS = 400  #: sweeps after which nobody believes any more that it will end
SUBMITS = 3  #: a producer that does not hear asks again; a fuse blows once

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Where an operation stood when it came to rest, and what the remote had then."""

    operation: Operation
    seen: Seen


@dataclass(slots=True, kw_only=True)
class World:
    """Where a trial takes place."""

    kind: type[OperationType]
    remote: RemoteDouble
    promise: Promise
    limits: Limits
    fuse: Fuse = field(default_factory=Fuse)
    is_calm: bool = False  #: nothing is wrong but an outage, so nobody needs to be asked
    watch: Watch = field(init=False)
    makegood: InMemoryMakegood = field(init=False)
    promises: list[Promise] = field(default_factory=list)
    ended: dict[str, Ended] = field(default_factory=dict)
    newest: int | None = None  #: the newest version that anybody has written

    def __post_init__(self) -> None:
        """Begin with an empty remote and no rows."""
        remotes = self.remote.reset()
        self.watch = Watch(remote=self.remote, fuse=self.fuse)
        self.makegood = InMemoryMakegood(limits=self.limits)
        self.makegood.ports = self.fuse.guard(self.makegood.ports)
        self.makegood.register(watched(self.kind, self.watch), remotes=remotes)

    @property
    def patience(self) -> timedelta:
        """Say how long an outage of the remote may last before a person is asked."""
        return self.makegood.registry.terms_of(self.kind.name).outage_limit

    def tell(self, *faults: Fault) -> None:
        """Let things go wrong at the remote."""
        for fault in faults:
            self.remote.tell(fault, self.promise)
            self.watch.faults.add(fault)
            if fault is Fault.CHANGED_ELSEWHERE:
                self.newest = self.promise.expected_version + 1

    def lift(self) -> None:
        """Let all be well at the remote again."""
        self.remote.lift()
        self.watch.faults.clear()

    def submit(self, promise: Promise | None = None) -> str:
        """Promise the operation, again if the producer did not hear; return its id."""
        wanted = promise or self.promise
        self.promises.append(wanted)
        for _ in range(SUBMITS):
            submitted = self.survive("submit", lambda: self.makegood.submit(wanted))
            if submitted is not None:
                return submitted.operation.operation_id
        raise AssertionError("a promise could not be written, though only one request was to fail")

    def submit_next_version(self) -> str:
        """Promise the version after it, of the same entity."""
        version = self.promise.expected_version + 1
        self.newest = version
        return self.submit(replace(self.promise, expected_version=version, operation_id=None))

    def deliver(self, name: str) -> None:
        """Give the worker one message of an operation, if there is one."""
        if name in self.makegood.queued():
            self.survive("work", lambda: self.makegood.deliver(name))
        self._note()

    def deliver_again(self, name: str) -> None:
        """Give the worker a message of an operation once more."""
        self.survive("work", lambda: self.makegood.deliver_again(name))
        self._note()

    def deliver_all(self) -> None:
        """Give the worker each message that is queued now."""
        for name in list(self.makegood.queued()):
            self.deliver(name)

    def sweep(self) -> None:
        """Run the reconciler."""
        self.survive("sweep", self.makegood.sweep)
        self._note()

    def cancel(self, name: str) -> None:
        """Want an operation no more; a person who does not hear asks again."""
        for _ in range(2):
            if self.survive("cancel", lambda: self.makegood.cancel(name)) is not None:
                return

    def kill_after_call(self) -> None:
        """Let the worker die when the type's next call has come back, before anything is recorded."""
        self.watch.after = _die

    def kill_before_call(self) -> None:
        """Let the worker die when it has the claim and has not called yet."""
        self.watch.during = _die

    def bait(self, name: str) -> None:
        """Ask the type for other fields than those that were made, under the same key, and once more for a look."""
        row = self.makegood.row(name)
        fields = {field: _other(value) for field, value in row.expected_fields.items()}
        if not fields:
            return
        operation = replace(row, expected_fields=fields)
        self.watch.is_baiting = True
        if self.kind.policy.capability.can_ask:
            self._answered(lambda own: own.observe(self._look(operation)))
        if self.kind.policy.idempotent:
            self._answered(lambda own: own.perform(self._attempt(operation)))
        self.watch.is_baiting = False

    def live_until_undoing(self, name: str) -> None:
        """Let time pass and sweep until the effect is to be undone, or a person says so, without delivering that."""
        for _ in range(ROUNDS):
            if self.makegood.row(name).status is Status.MANUAL_REVIEW:
                self.survive("a person", lambda: self.makegood.decide(name, "compensate"))
                return
            if self.is_over() or self.makegood.row(name).intent is Intent.COMPENSATION:
                return
            self.makegood.clock.advance(TICK)
            self.sweep()

    def live(self, lasting: timedelta | None = None) -> None:
        """Deliver, let time pass and sweep, until all has ended, or for so long."""
        until = None if lasting is None else after(self.makegood.clock.now(), lasting)
        for _ in range(ROUNDS):
            self.deliver_all()
            now = self.makegood.clock.now()
            if self.is_over() or (until is not None and now >= until):
                return
            self.makegood.clock.advance(self._wait(now, until))
            self.sweep()

    def is_over(self) -> bool:
        """Say whether every operation has ended or is in front of a person."""
        return all(row.is_terminal or row.status is Status.MANUAL_REVIEW for row in self.rows())

    def rows(self) -> list[Operation]:
        """Return the operations as they stand."""
        return list(self.makegood.memory.store.rows.values())

    def survive(self, who: str, step: Callable[[], Answer]) -> Answer | None:
        """Take one step of the world; `None` if the process died at it, or the store did not answer."""
        self.fuse.who = who
        try:
            return step()
        except (Crash, StoreError):
            return None

    def _answered(self, call: Callable[[OperationType], object]) -> None:
        """Make a call of the type's code, whatever comes of it: the watch writes it down."""
        with suppress(Exception):
            call(self.makegood.registry.build(self.kind.name))

    def _look(self, operation: Operation) -> Look:
        key = idempotency_key_for(operation.operation_id, Intent.EFFECT)
        return Look(operation=operation, effect_key=key, time_limit=self.kind.policy.observe_timeout)

    def _attempt(self, operation: Operation) -> Attempt:
        key = idempotency_key_for(operation.operation_id, Intent.EFFECT)
        deadline_at = after(self.makegood.clock.now(), self.limits.perform_deadline)
        return Attempt(
            operation=operation,
            idempotency_key=key,
            effect_key=key,
            number=operation.attempt + 1,
            deadline_at=deadline_at,
            time_limit=self.limits.perform_deadline,
        )

    def _wait(self, now: Instant, until: Instant | None) -> timedelta:
        """Wait until the first row is due, or for the next tick; a night in which nothing is due is skipped."""
        times = [at for row in self.rows() if not row.is_terminal for at in (row.not_before, row.due_at) if at]
        waits = [between(now, at) + timedelta(milliseconds=1) for at in times if at >= now]
        wait = max(TICK, min(waits, default=TICK))
        return wait if until is None else min(wait, max(between(now, until), timedelta(milliseconds=1)))

    def _note(self) -> None:
        """Write down what the remote had when an operation came to rest."""
        for row in self.rows():
            if row.is_terminal and row.operation_id not in self.ended:
                self.ended[row.operation_id] = Ended(operation=row, seen=self.remote.seen())


def _other(value: Json) -> Json:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return f"{value}0"
        case _:
            return "other"


def _die() -> None:
    raise Crash
