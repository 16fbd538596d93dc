"""Time, the remote's calls in flight, and a producer who changes their mind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.world.kinds import LIFETIME, SETTLE
from tests.world.state import (
    ANSWERED,
    ASKED,
    CALLS,
    HOLDS,
    MANY,
    NEVER,
    NOTHING,
    OTHERWISE,
    RIGHT,
    UNDO,
    State,
    Step,
)

if TYPE_CHECKING:
    from tests.world.world import World


def steps(world: "World", state: State) -> Iterator[Step]:
    """Let time pass, a call land or get lost, or somebody cancel."""
    if (later := _later(world, state)) is not None and later != state:
        yield Step("time passes", later)
    for flight in set(state.flights):
        rest = without(state.flights, flight)
        yield Step("a late call is lost", state._replace(flights=rest))
        for there, effects in lands(world, state, undo=flight >= UNDO):
            words = "a late call takes effect" if (there, effects) != state[1:3] else "a late call changes nothing"
            yield Step(words, state._replace(there=there, effects=effects, flights=rest))
    if world.kind.undoing and not world.rows[state.row].ended:
        move = world.cancel(state.row)
        if move.landed:
            yield world.written(state, move, "somebody cancels:")


def lands(world: "World", state: State, *, undo: bool) -> Iterator[tuple[int, int]]:
    """Return what the remote may have after a call takes effect, and how often the effect took place then."""
    if undo:
        yield NOTHING, state.effects
        return
    if world.kind.idempotent and state.effects and state.age < LIFETIME:  # it knows the key
        yield state.there, state.effects
        return
    effects = min(state.effects + 1, MANY)
    yield RIGHT, effects
    if world.kind.undoing:
        yield OTHERWISE, effects


def in_flight(world: "World", flights: tuple[int, ...], *, undo: bool) -> tuple[int, ...]:
    """Add a call that nobody waits for any more. It is bounded by the settle window, or by the key's lifetime alone."""
    if len(flights) >= CALLS:
        return flights
    left = 0 if world.kind.lands_late else SETTLE - 1
    return tuple(sorted((*flights, left + UNDO if undo else left)))


def without(flights: tuple[int, ...], flight: int) -> tuple[int, ...]:
    """Take one call out."""
    place = flights.index(flight)
    return flights[:place] + flights[place + 1 :]


def _later(world: "World", state: State) -> State | None:
    """Return the moment one unit of time later; `None` while something must happen before."""
    row = world.rows[state.row]
    if row.ended and not state.flights:
        return None
    if row.claimed and row.lease_left <= 0 and any(_works(worker) for worker in state.workers):
        return None  # a run ends before its lease does
    age = state.age if state.age == NEVER else min(state.age + 1, LIFETIME)
    if world.kind.lands_late:
        if state.flights and age >= LIFETIME:
            return None
        flights = state.flights
    else:
        if any(flight % UNDO == 0 for flight in state.flights):
            return None
        flights = tuple(flight - 1 for flight in state.flights)
    return state._replace(row=world.house.rows.later(state.row), age=age, flights=flights)


def _works(worker: int) -> bool:
    return ASKED + HOLDS <= worker < ANSWERED + HOLDS
