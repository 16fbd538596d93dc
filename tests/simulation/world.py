"""One schedule: the real flows over adapters, a remote and people that fail as the seed says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from makegood.adapters.memory import InlineLookout
from makegood.domain.instant import Instant
from makegood.domain.observation import Unknown
from makegood.domain.operation import Status
from makegood.flows.acknowledge import Acknowledge
from makegood.flows.cancel import Cancel
from makegood.flows.check import Check
from makegood.flows.review import Review
from makegood.flows.submit import Submit
from makegood.flows.sweep import Sweep
from makegood.flows.work import Work

from tests.simulation import plan
from tests.simulation.actors import deliver
from tests.simulation.adapters import (
    SimulatedClock,
    SimulatedEntropy,
    SimulatedLedger,
    SimulatedLine,
    SimulatedStore,
)
from tests.simulation.catalog import LIMITS, OUTSIDE, REGISTRY, SWEEP_LIMITS
from tests.simulation.chance import Chance
from tests.simulation.engine import FOR_EVER, HOUR, START, Engine, Process
from tests.simulation.invariants import Invariants
from tests.simulation.kinds import (
    AT_A_CALL,
    AT_A_LOOK,
    AT_A_READ,
    AT_A_SEND,
    AT_A_WRITE,
    AT_THE_INDEX,
    KINDS,
    LONG_PAUSES,
    PAUSES,
    Fault,
)
from tests.simulation.others import Others
from tests.simulation.queues import SimulatedQueue, small_batches
from tests.simulation.remote import Remote

if TYPE_CHECKING:
    from makegood.domain.history import Role
    from makegood.domain.limits import Limits
    from makegood.domain.observation import Observed
    from makegood.domain.operation import Operation
    from makegood.domain.registry import Registry

FAMILIES = (AT_A_WRITE, AT_A_READ, AT_A_SEND, AT_A_CALL, AT_A_LOOK, AT_THE_INDEX)
RATES = (10, 25, 60, 250)  #: one request in so many goes wrong
RATES_OUTSIDE = (2, 3, 5)  #: one call or look in so many
TOO_MANY = 100_000  #: events; a schedule that has more goes round in circles


@dataclass(slots=True)
class Ran:
    """What a schedule came to."""

    seed: int
    kind: str
    broken: str | None
    events: int
    operations: int
    seen: Counter[str]
    deviations: list[str]
    story: list[str] = field(default_factory=list)


class World:
    """Everything of one schedule."""

    def __init__(self, seed: int, *, kept: frozenset[str] | None = None, telling: bool = False) -> None:
        self.chance, self.engine = Chance(seed, kept), Engine()
        self.seen: Counter[str] = Counter()
        self.story: list[str] | None = [] if telling else None
        self.numbers: Counter[str] = Counter()  #: how many processes of a name there were
        self.calm = False  #: whether faults have stopped
        stream = self.chance.stream("schedule")
        self.kind = KINDS[stream.below(len(KINDS))]
        self.rate, self.rate_outside = RATES[stream.below(4)], RATES_OUTSIDE[stream.below(3)]
        self.enabled = {family: tuple(each for each in family if stream.below(3)) for family in FAMILIES}
        if self.kind.frozen:
            self.enabled[AT_A_CALL] += (Fault.FROZEN,) * 6
        self.shows_no_tombstones = stream.one_in(2)
        self.skewed = stream.one_in(2)
        self.store, self.queue, self.ledger = SimulatedStore(self), SimulatedQueue(self), SimulatedLedger(self)
        self.line, self.entropy = SimulatedLine(self), SimulatedEntropy(self)
        self.remote, self.others, self.check = Remote(self), Others(self), Invariants(self)
        self.open_doors(REGISTRY, LIMITS)
        self.plan = plan.draw(stream)
        self.seen[f"kind: {self.kind.name}"] += 1

    def open_doors(self, registry: Registry, limits: Limits) -> None:
        """Put the real flows of one deployment over the adapters of this schedule."""
        parts: dict[str, Any] = {
            "store": self.store,
            "queue": self.queue,
            "clock": SimulatedClock(self),
            "entropy": self.entropy,
            "registry": registry,
        }
        self.submit, lookout = Submit(**parts), InlineLookout()
        self.work = Work(**parts, limits=limits, line=self.line)
        more: dict[str, Any] = {"ledger": self.ledger, "limits": limits, "sweep_limits": SWEEP_LIMITS}
        self.sweep = Sweep(**parts, **more, lookout=lookout)
        self.watch = Sweep(**parts, **more, lookout=lookout, only_watching=True)
        self.check_file = Check(**parts, ledger=self.ledger, limits=limits, drain_rate=SWEEP_LIMITS.drain_rate)
        self.review = Review(**parts, lookout=lookout)
        less = {name: part for name, part in parts.items() if name != "queue"}
        self.cancel, self.acknowledge = Cancel(**less), Acknowledge(**less)

    def run(self) -> Ran:
        """Run the schedule to its end, or to the first promise that is broken."""
        OUTSIDE.remote = self.remote
        plan.begin(self, self.plan)
        self.engine.run(FOR_EVER, lambda: self.check.broken or self.engine.events > TOO_MANY)
        if self.engine.events > TOO_MANY:
            self.check.fails(1, f"goes round in circles: {TOO_MANY} events and no end")
        self.check.ended()
        return Ran(
            seed=self.chance.seed,
            kind=self.kind.name,
            broken=self.check.broken,
            events=self.engine.events,
            operations=len(self.store.rows),
            seen=self.seen,
            deviations=self.chance.deviations,
            story=self.story or [],
        )

    def process(self, name: str, role: Role) -> Process:
        """Make a process under a name of its own, with a clock of its own."""
        self.numbers[name] += 1
        process = Process(
            f"{name} #{self.numbers[name]}", role.value, self.chance.stream(f"{name} #{self.numbers[name]}")
        )
        if self.skewed and not self.calm and self.chance.happens(f"{process.name} skew"):
            self.set_clock(process)
        return process

    def set_clock(self, process: Process) -> None:
        """Set a clock to what this kind of schedule allows."""
        process.skew = (process.stream.below(5) - 2) * self.kind.skew // 2
        self.seen[Fault.SKEW] += process.skew != 0

    def deviates(self, faults: tuple[Fault, ...], *, one_in: int | None = None) -> Fault | None:
        """Draw whether something goes wrong here, once in so many times, and what."""
        if self.calm:
            return None
        process = self.engine.process
        stream = process.stream
        if stream.below(one_in or self.rate):
            return None
        enabled = self.enabled[faults]
        if not enabled:
            return None
        fault = enabled[stream.below(len(enabled))]
        if not self.chance.happens(f"{process.name} @{stream.count}"):
            return None
        self.seen[fault] += 1
        self.tell(f"· {fault}")
        return fault

    def draw(self, number: int) -> int:
        """Draw from the stream of the process that runs."""
        return self.engine.process.stream.below(number)

    def rest(self, milliseconds: int | None = None) -> None:
        """Let the others go on for a while: as long as a request takes, if nothing else is said."""
        self.engine.pause(1 + self.draw(40) if milliseconds is None else milliseconds)

    def pause(self) -> int:
        """Draw how long a process stops where it should not."""
        pauses = LONG_PAUSES if self.kind.frozen else PAUSES
        return pauses[self.draw(len(pauses))]

    def deliver(self, name: str, *, receives: int) -> None:
        """Deliver a message to a worker."""
        deliver(self, name, receives)

    def looked(self, operation: Operation, seen: Observed) -> None:
        """Remember what the process that runs has seen."""
        process = self.engine.process
        process.asked[operation.operation_id] = (seen, self.engine.now, Instant(self.engine.now + process.skew))
        if not isinstance(seen, Unknown):
            process.unknown[operation.operation_type] = 0
        self.tell(f"sees of {operation.operation_id}: {seen}")

    def is_settled(self) -> bool:
        """Say whether every operation has ended or waits for a person."""
        return all(row.is_terminal or row.status is Status.MANUAL_REVIEW for row in self.store.rows.values())

    def tell(self, words: str) -> None:
        """Write a line of the story."""
        if self.story is None:
            return
        running, passed = self.engine.running, self.engine.now - START
        clock = f"{passed // HOUR:02}:{passed // 60_000 % 60:02}:{passed // 1000 % 60:02}.{passed % 1000:03}"
        self.story.append(f"{clock}  {running.name if running else 'the world':<24} {words}")


def simulate(seed: int, *, kept: frozenset[str] | None = None, telling: bool = False) -> Ran:
    """Run one schedule."""
    with small_batches():
        return World(seed, kept=kept, telling=telling).run()
