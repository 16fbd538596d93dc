"""The memory adapters, each request with all that can go wrong on its way there and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from makegood.adapters.memory import MemoryLedger, MemoryLine, MemoryStore
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant
from makegood.ports import Applied, Claimed, DueKey

from tests.simulation.engine import MINUTE, SECOND, Killed
from tests.simulation.kinds import AT_A_READ, AT_A_WRITE, AT_THE_INDEX, Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from makegood.domain.latest import Entry, Latest, Left
    from makegood.domain.operation import Operation, OperationId
    from makegood.domain.run import Acknowledgement, Control, RunRecord
    from makegood.ports import Added, Claim, Found, Moved, NotClaimed, Present

    from tests.simulation.world import World

Answer = TypeVar("Answer")
LAGS = (SECOND, 20 * SECOND, 2 * MINUTE, 11 * MINUTE)


class Wire:
    """The way of a request."""

    def __init__(self, world: World) -> None:
        self.world = world

    def read(self, what: str, ask: Callable[[], Answer]) -> Answer:
        """Ask for something."""
        self._sent(what, AT_A_READ)
        return ask()

    def write(self, what: str, ask: Callable[[], Answer]) -> Answer:
        """Ask for a change, which may land once, twice in the same words, or without a reply."""
        fault = self._sent(what, AT_A_WRITE)
        answer = ask()
        match fault:
            case Fault.CRASH_AFTER:
                raise Killed
            case Fault.LOST_REPLY:
                raise StoreError(f"{what}: no reply")
            case Fault.REPEATED:
                self.world.rest(self.world.pause())
                return ask()
            case _:
                return answer

    def _sent(self, what: str, faults: tuple[Fault, ...]) -> Fault | None:
        world = self.world
        fault = world.deviates(faults)
        world.rest(world.pause() if fault is Fault.SLOW else None)
        world.engine.process.failed |= fault is Fault.THROTTLED and faults is AT_A_READ
        if fault is Fault.THROTTLED:
            raise StoreError(f"{what}: throttled")
        if fault is Fault.CRASH_BEFORE:
            raise Killed
        if fault is Fault.CLOCK_SET:
            world.set_clock(world.engine.process)
            world.engine.process.clock_set = True
        return fault


class SimulatedStore(MemoryStore):
    """Rows, and an index that may lag behind them. Every write that lands is checked."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world, self.wire = world, Wire(world)
        self.ghosts: set[tuple[int, str | None, DueKey]] = set()  #: what the index still lists at an old place
        self.index: dict[str, tuple[int, str | None, DueKey]] = {}  #: revision, shard and key of each row, as visible

    def add(self, operation: Operation) -> Added | Present:
        """Write a new row."""
        name = operation.operation_id
        return self.wire.write("add", lambda: self._watched(name, lambda: MemoryStore.add(self, operation)))

    def claim(self, claim: Claim) -> Claimed | NotClaimed:
        """Take an operation."""
        self.world.engine.process.token = claim.token
        name = claim.operation_id
        return self.wire.write("claim", lambda: self._watched(name, lambda: MemoryStore.claim(self, claim)))

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Replace a row."""
        name = before.operation_id
        return self.wire.write("write", lambda: self._watched(name, lambda: MemoryStore.apply(self, before, after)))

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Found]:
        """Read rows."""
        self.world.engine.process.found.update(identifiers)
        return self.wire.read("find", lambda: MemoryStore.find(self, identifiers))

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """List what the index shows."""
        yield from self.wire.read("query", lambda: self._shown(shard, until))

    def soonest(self) -> int | None:
        """Return when the first row is due, as the index shows it, reviews apart."""
        return min((key.due_at for _, shard, key in self.index.values() if shard and shard[0] == "o"), default=None)

    def _watched(self, name: str, ask: Callable[[], Answer]) -> Answer:
        before = self.rows.get(name)
        answer = ask()
        after = self.rows.get(name)
        if after is not before and after is not None:
            self.world.check.wrote(before, after)
            self._show(after)
        return answer

    def _show(self, row: Operation) -> None:
        key = DueKey(
            operation_id=row.operation_id,
            operation_type=row.operation_type,
            due_at=row.due_at or Instant(0),
            created_at=row.created_at,
        )
        entry = (row.revision, row.due_shard, key)
        fault, shown = self.world.deviates(AT_THE_INDEX), self.index.get(row.operation_id)
        lag = LAGS[self.world.draw(len(LAGS))] if fault is not None else 0
        if fault is Fault.LAGGING:
            self.world.engine.at(self.world.engine.now + lag, lambda: self._shows(entry))
            return
        self._shows(entry)
        if fault is Fault.LISTED_TWICE and shown is not None:
            self.ghosts.add(shown)
            self.world.engine.at(self.world.engine.now + lag, lambda: self.ghosts.discard(shown))

    def _shows(self, entry: tuple[int, str | None, DueKey]) -> None:
        shown = self.index.get(entry[2].operation_id)
        if shown is None or shown[0] < entry[0]:
            self.index[entry[2].operation_id] = entry

    def _shown(self, shard: str, until: Instant) -> list[DueKey]:
        keys = [key for _, where, key in (*self.index.values(), *self.ghosts) if where == shard and key.due_at <= until]
        return sorted(keys, key=lambda key: (key.due_at, key.operation_id))


class SimulatedLedger(MemoryLedger):
    """The reconciler's own rows, over the wire."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.wire = Wire(world)

    def take_lease(self, *, now: Instant, token: str, until: Instant) -> Control | None:
        """Take the sweep's lease."""
        control = self.wire.write("lease", lambda: MemoryLedger.take_lease(self, now=now, token=token, until=until))
        if control is not None:
            self.wire.world.engine.process.suspects = control.asking
        return control

    def asking(self, *, token: str, identifiers: Sequence[OperationId]) -> bool:
        """Remember who is being asked."""
        self.wire.world.check.grounds.announces(identifiers, self.wire.world.engine.process)
        return self.wire.write("asking", lambda: MemoryLedger.asking(self, token=token, identifiers=identifiers))

    def finish(self, *, token: str, record: RunRecord) -> None:
        """Store a run's record."""
        return self.wire.write("finish", lambda: MemoryLedger.finish(self, token=token, record=record))

    def give_back(self, *, token: str) -> None:
        """Give the lease back. The ledger itself does so in `finish`, which is one request."""
        MemoryLedger.give_back(self, token=token)

    def acknowledge(self, acknowledgement: Acknowledgement) -> None:
        """Keep an acknowledgement."""
        self.wire.write("acknowledge", lambda: MemoryLedger.acknowledge(self, acknowledgement))


class SimulatedLine(MemoryLine):
    """Where versions of one entity stand in line, over the wire."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.wire = Wire(world)

    def enter(self, entry: Entry) -> Latest | None:
        """Take the entity."""
        return self.wire.write("enter", lambda: MemoryLine.enter(self, entry))

    def leave(self, entry: Entry, *, busy_until: Instant | None, behind: Left) -> None:
        """Leave it."""
        self.wire.write("leave", lambda: MemoryLine.leave(self, entry, busy_until=busy_until, behind=behind))


@dataclass(frozen=True, slots=True)
class SimulatedClock:
    """The clock of whoever asks."""

    world: World

    def now(self) -> Instant:
        """Return the time as the process that runs believes it."""
        engine = self.world.engine
        return Instant(engine.now + engine.process.skew)


@dataclass(slots=True)
class SimulatedEntropy:
    """Chance of the schedule."""

    world: World
    drawn: int = 0

    def token(self) -> str:
        """Return a fresh token."""
        self.drawn += 1
        return f"{self.drawn:012x}"

    def fraction(self) -> float:
        """Return a draw from [0, 1)."""
        return self.world.draw(1000) / 1000
