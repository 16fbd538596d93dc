"""One moment of a small world, and the few things an actor can be doing in it."""

from typing import NamedTuple

IDLE = 0  #: a worker that has no message
ASKED = 1  #: it asked for the claim and has no answer
CLAIMED = 2  #: the operation is its own; nothing is sent yet
CALLING = 3  #: its call is on the way to the remote, or refused there
LANDED = 4  #: its call has taken effect, and the answer is on its way
ANSWERED = 5  #: this and above: it knows what to write
DONE, WRONG, TIMED_OUT, TRANSIENT, TURNED_AWAY, REJECTED, RULED_OUT = range(5, 12)
LATE = 12  #: its claim has passed on, and it will write all the same, whatever it heard
HOLDS = 16  #: added while the claim in the row is this worker's

NOTHING, RIGHT, OTHERWISE = 0, 1, 2  #: what the remote has
HIDDEN = 9  #: what a look shows that shows nothing
NEVER = -1  #: the key's age before the first claim
UNDO = 100  #: added to a call in flight that undoes the effect
CALLS = 2  #: calls that may be in flight with nobody waiting for them
MANY = 2


class State(NamedTuple):
    """One moment."""

    row: int  #: the row's number
    there: int = NOTHING  #: what the remote has
    effects: int = 0  #: how often the effect took place
    age: int = NEVER  #: units since the first claim
    doubt: int = 0  #: calls of this intent that may have been applied, and nobody has decided since
    flights: tuple[int, ...] = ()  #: calls nobody waits for any more: units in which they may still land
    workers: tuple[int, int] = (IDLE, IDLE)
    sweeps: tuple[int, int] = (0, 0)  #: the number of a sweep's plan; 0 is none
    person: int = 0  #: the same


class Step(NamedTuple):
    """What happened, in words, and the moment it led to."""

    words: str
    state: State
    broken: str | None = None


def with_workers(state: State, one: int, other: int) -> State:
    """Return the moment with these workers; three times as fast as `_replace`, and used a million times."""
    row, there, effects, age, doubt, flights, _, sweeps, person = state
    return State(row, there, effects, age, doubt, flights, pair(one, other), sweeps, person)


def with_sweeps(state: State, one: int, other: int) -> State:
    """Return the moment with these sweeps."""
    row, there, effects, age, doubt, flights, workers, _, person = state
    return State(row, there, effects, age, doubt, flights, workers, pair(one, other), person)


def pair(one: int, other: int) -> tuple[int, int]:
    """Return two actors of the same sort; which is which makes no difference."""
    return (one, other) if one <= other else (other, one)
