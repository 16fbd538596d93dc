"""A whole Makegood in memory: the real flows and rules over rows in a dictionary, at a clock that a test moves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from makegood.adapters.memory import (
    InlineLookout,
    ManualClock,
    MemoryLedger,
    MemoryLine,
    MemoryQueue,
    MemoryStore,
    SeededEntropy,
)
from makegood.domain.history import Actor, Role
from makegood.domain.instant import Instant, after
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import Operation, OperationId
from makegood.domain.operation_type import OperationType, Remotes
from makegood.domain.promise import Promise
from makegood.domain.registry import Registry
from makegood.domain.review import Action, Wish
from makegood.flows.cancel import Cancel, Cancelled, Refused
from makegood.flows.order import SweepOrder
from makegood.flows.review import Case, Review, Taken
from makegood.flows.submit import Submit, Submitted
from makegood.flows.sweep import Sweep, Swept
from makegood.flows.work import Fate, Work, Worked
from makegood.ports import Ledger, Line, Lookout, Message, Queue, Store, Unreadable
from makegood.testing.double import Addresses

Which: TypeAlias = str | Operation | Submitted  #: an operation: its id, its row, or what `submit` returned
Named = TypeVar("Named", bound=StrEnum)
ALICE = Actor(role=Role.OPERATOR, name="alice")
INVOCATION = timedelta(minutes=1)  #: of a worker
RUN = timedelta(minutes=4)  #: of a sweep


class MovableClock(ManualClock):
    """Time that passes when a test says so, and only then."""

    def advance(self, duration: timedelta = timedelta(), **parts: float) -> Instant:
        """Move on by a duration or by its parts, `advance(minutes=16)`, and return the new instant."""
        try:
            return super().advance(duration + timedelta(**parts))
        except TypeError as error:
            raise TypeError("say how far: advance(minutes=16), or advance(timedelta(…))") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What the flows run on. A fault is one of these, wrapped."""

    store: Store
    queue: Queue
    ledger: Ledger
    line: Line
    lookout: Lookout


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The memory behind the ports."""

    store: MemoryStore = field(default_factory=MemoryStore)
    queue: MemoryQueue = field(default_factory=MemoryQueue)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    line: MemoryLine = field(default_factory=MemoryLine)
    lookout: InlineLookout = field(default_factory=InlineLookout)

    def ports(self) -> Ports:
        """Return the ports as they are, without a fault."""
        return Ports(store=self.store, queue=self.queue, ledger=self.ledger, line=self.line, lookout=self.lookout)


class InMemoryMakegood:
    """Submit, deliver, sweep, cancel and decide as the deployed functions would, with nothing outside this process."""

    def __init__(self, *, limits: Limits | None = None, sweep_limits: SweepLimits | None = None) -> None:
        self.limits, self.sweep_limits = limits or Limits(), sweep_limits or SweepLimits()
        self.clock, self.entropy = MovableClock(), SeededEntropy()
        self.memory = Rows()
        self.ports = self.memory.ports()
        self.types: tuple[type[OperationType], ...] = ()
        self.remotes: Remotes = Addresses()
        self.registry = self._registry()

    def register(
        self, *types: type[OperationType], remotes: Remotes | None = None, urls: Mapping[str, str] | None = None
    ) -> None:
        """Make operation types known, and where they find their remotes: `urls={"crm": "http://…"}`, or any `Remotes`.

        Raises:
            UnsafePolicy: as at a deployment's start: which rule a policy breaks, and to what harm.
        """
        self.remotes = remotes or (Addresses(urls=urls) if urls else self.remotes)
        self.types = (*self.types, *types)
        self.registry = self._registry()

    def submit(self, promise: Promise) -> Submitted:
        """Promise an operation and send its first message, as `makegood.bootstrap.producer()` does."""
        return Submit(**self._common())(promise)

    def deliver(self, which: Which | None = None) -> Sequence[Worked]:
        """Give the worker every message that is queued now, or only the one of this operation.

        A message that comes too early is handed back and stays queued. What is sent meanwhile waits for the next call.
        """
        queued = self.memory.queue.take()
        wanted = queued if which is None else self._first(which, queued)
        self.memory.queue.messages += [message for message in queued if not any(message is one for one in wanted)]
        return self._each_worked(wanted)

    def deliver_again(self, which: Which) -> Worked:
        """Give the worker a message of this operation that nobody sent: a duplicate, or one that comes very late."""
        return self._work(OperationId(identify(which)))

    def lose_messages(self) -> int:
        """Drop every queued message, as a purge would, and say how many there were."""
        return len(self.memory.queue.take())

    def sweep(self, **order: Any) -> Swept:
        """Run the reconciler once. `order` takes a run's overrides: `limit`, `operation_types`, `dry_run`."""
        until = after(self.clock.now(), RUN)
        sweep = Sweep(
            **self._common(),
            ledger=self.ports.ledger,
            limits=self.limits,
            sweep_limits=self.sweep_limits,
            lookout=self.ports.lookout,
        )
        return sweep(SweepOrder(**{"run_id": "test", "until": until, **order}))

    def cancel(self, which: Which, *, reason: str = "it is wanted no more") -> Cancelled | Refused:
        """Ask for an operation's cancellation."""
        flow = Cancel(store=self.ports.store, clock=self.clock, entropy=self.entropy, registry=self.registry)
        return flow(OperationId(identify(which)), reason=reason, actor=ALICE)

    def decide(
        self, which: Which, action: str, *, reason: str = "it was looked into", evidence: str | None = None
    ) -> Taken | Refused:
        """Decide as a person who looks at the row as it stands: `retry`, `confirm`, `compensate` or `close`."""
        row = self.row(which)
        wish = Wish(
            operation_id=row.operation_id,
            action=named(Action, action),
            reason=reason,
            seen_revision=row.revision,
            stated=evidence,
        )
        return self._review().decide(wish, actor=ALICE)

    def exceptions(self) -> Sequence[Case | Unreadable]:
        """List what waits for a person, oldest first."""
        return list(self._review().exceptions(1000))

    def row(self, which: Which) -> Operation:
        """Return an operation as it stands.

        Raises:
            LookupError: there is none; which there are is said.
        """
        name, rows = identify(which), self.memory.store.rows
        if name not in rows:
            raise LookupError(f"no operation has the id {name}; there are: {', '.join(rows) or 'none'}")
        return rows[name]

    def queued(self) -> Sequence[str]:
        """Name the operations whose messages are queued, oldest first."""
        return [message.operation_id for message in self.memory.queue.messages]

    def _each_worked(self, messages: Sequence[Message]) -> Sequence[Worked]:
        done: list[Worked] = []
        coming_again = list(messages)
        try:
            for message in messages:
                worked = self._work(message.operation_id)
                done.append(worked)
                coming_again.pop(0)
                if worked.fate is Fate.HAND_BACK:
                    self.memory.queue.messages.append(message)
        finally:
            self.memory.queue.messages += coming_again  # those of a worker that died
        return done

    def _work(self, identifier: OperationId) -> Worked:
        work = Work(**self._common(), limits=self.limits, line=self.ports.line)
        return work(identifier, until=after(self.clock.now(), INVOCATION))

    def _review(self) -> Review:
        return Review(**self._common(), lookout=self.ports.lookout)

    def _first(self, which: Which, queued: Sequence[Message]) -> Sequence[Message]:
        for message in queued:
            if message.operation_id == identify(which):
                return [message]
        self.memory.queue.messages += queued
        raise LookupError(f"no message names {identify(which)}; queued are: {', '.join(self.queued()) or 'none'}")

    def _common(self) -> dict[str, Any]:
        ports = {"store": self.ports.store, "queue": self.ports.queue}
        return {**ports, "clock": self.clock, "entropy": self.entropy, "registry": self.registry}

    def _registry(self) -> Registry:
        return Registry(self.types, limits=self.limits, remotes=self.remotes)


def identify(which: Which) -> str:
    """Return an operation's id, however it is named.

    Raises:
        TypeError: it is none of the three, such as a promise; many operations may come of one.
    """
    match which:
        case Submitted():
            return which.operation.operation_id
        case Operation():
            return which.operation_id
        case str():
            return which
        case _:
            raise TypeError(
                f"an operation's id, its row or what `submit` returned is wanted, not {type(which).__name__}"
            )


def named(kind: type[Named], word: str) -> Named:
    """Return the member of this name.

    Raises:
        ValueError: saying which there are.
    """
    try:
        return kind(word)
    except ValueError:
        raise ValueError(f"there is no {kind.__name__.lower()} {word!a}; there are: {', '.join(kind)}") from None
