"""The outside system of a schedule: what it holds, what it remembers, and every way in which it fails to say so."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from makegood.domain.instant import Instant
from makegood.domain.operation import Intent, Operation, OperationId, idempotency_key_for

from tests.simulation import acks
from tests.simulation.catalog import REGISTRY
from tests.simulation.fates import FATES, arrive
from tests.simulation.kinds import AT_A_CALL, AT_A_LOOK
from tests.simulation.looks import SIGHTS, sight

if TYPE_CHECKING:
    from makegood.domain.observation import Look, Observed
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.simulation.world import World

GOLD, SILVER = {"plan": "gold"}, {"plan": "silver"}  #: what is expected, and what somebody else makes of it


@dataclass(slots=True)
class Call:
    """One changing call, from the remote's side."""

    operation: Operation  #: as the worker had claimed it
    key: str
    undoing: bool
    at: Instant  #: when it was sent
    may: bool = True  #: whether it may have been applied, as far as its caller can know
    landed: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """What stands in one place of the remote."""

    since: Instant
    version: int | None = None  #: `None` if nothing is there
    plan: str = "gold"
    deleted: bool = False  #: a tombstone is shown

    @property
    def present(self) -> bool:
        """Say whether the effect is there."""
        return self.version is not None and not self.deleted


NOTHING = State(Instant(0))
Place: TypeAlias = str


@dataclass(slots=True)
class Remote:
    """Holds a place for each effect, or for each entity where versions supersede one another."""

    world: World
    places: dict[Place, list[State]] = field(default_factory=lambda: defaultdict(lambda: [NOTHING]))
    calls: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))  #: by key
    applied: Counter[str] = field(default_factory=Counter)  #: by key: how often it took effect
    remembered: dict[str, int] = field(default_factory=dict)  #: by key: until when
    missed: set[Place] = field(default_factory=set)  #: whose last look missed what is there
    crisis: str | None = None

    def perform(self, attempt: Attempt) -> Outcome:
        """Take a call that makes or undoes an effect."""
        operation = attempt.operation
        call = Call(operation, attempt.idempotency_key, operation.intent is Intent.COMPENSATION, self.world.engine.now)
        self.world.check.departs(call, self.calls[call.key])
        self.calls[call.key].append(call)
        self.world.tell(f"calls the remote ({'undo' if call.undoing else 'make'} {operation.operation_id})")
        fate = self.world.deviates(
            AT_A_CALL, one_in=1 + self.world.draw(2) if call.undoing else self.world.rate_outside
        )
        self.world.rest()
        return FATES[fate](self, call) if fate is not None else arrive(self, call)

    def look(self, look: Look) -> Observed:
        """Take a look."""
        process = self.world.engine.process
        process.unknown[look.operation.operation_type] += 1
        process.asked.pop(look.operation.operation_id, None)
        fault = self.world.deviates(AT_A_LOOK, one_in=self.world.rate_outside)
        self.world.rest()
        seen = SIGHTS[fault](self, look) if fault is not None else sight(self, look)
        self.world.looked(look.operation, seen)
        return seen

    def land(self, call: Call) -> None:
        """Let a call take effect, once for each key that is remembered."""
        now, key, operation = self.world.engine.now, call.key, call.operation
        call.landed = True
        policy = REGISTRY.terms[operation.operation_type].policy
        if policy.idempotent and self.remembered.get(key, 0) > now:
            self.world.tell(f"the remote knows the key of {operation.operation_id} and changes nothing")
            return
        self.remembered[key] = now + int(policy.key_lifetime.total_seconds() * 1000)
        self.applied[key] += 1
        self.world.check.lands(call, self.applied[key])
        place, state = self.place(operation), self.state(operation)
        if not call.undoing:
            self.set(place, State(now, operation.expected_version))
            acks.send(self.world, operation, self.state(operation))
        elif state.present and state.version == operation.expected_version:
            self.set(place, State(now, state.version, state.plan, deleted=True))
        self.world.tell(f"{'the undoing' if call.undoing else 'the effect'} of {operation.operation_id} takes place")

    def set(self, place: Place, state: State) -> None:
        """Change what stands in a place."""
        self.places[place].append(state)

    def place(self, operation: Operation) -> Place:
        """Name the place that an operation changes."""
        if REGISTRY.terms[operation.operation_type].policy.supersedes:
            return operation.entity
        return operation.operation_id

    def state(self, operation: Operation) -> State:
        """Return what stands there now."""
        return self.places[self.place(operation)][-1]

    def states_since(self, operation: Operation, instant: int) -> list[State]:
        """Return every state that stood there at some time since an instant."""
        states = self.places[self.place(operation)]
        first = len(states) - 1
        while first and states[first].since > instant:
            first -= 1
        return states[first:]

    def may_be_applied(self, operation: Operation) -> bool:
        """Say whether a call of the effect landed or may still land."""
        key = idempotency_key_for(OperationId(operation.operation_id), Intent.EFFECT)
        return any(call.may or call.landed for call in self.calls[key])
