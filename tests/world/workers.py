"""Workers: a hint may reach them at any time, any number of times, or never; any of them may die at any step."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from makegood.domain.outcome import (
    Done,
    NotApplicable,
    OutageError,
    Outcome,
    RejectedError,
    TransientError,
    UncertainError,
)

from tests.world.outside import in_flight, lands
from tests.world.rows import TOKEN
from tests.world.state import (
    ASKED,
    CALLING,
    CLAIMED,
    DONE,
    HOLDS,
    IDLE,
    LANDED,
    LATE,
    MANY,
    NEVER,
    OTHERWISE,
    REJECTED,
    RULED_OUT,
    TIMED_OUT,
    TRANSIENT,
    TURNED_AWAY,
    WRONG,
    State,
    Step,
    pair,
    with_workers,
)

if TYPE_CHECKING:
    from tests.world.world import World

_UNDONE = Done(remote_id="undo-9")
_ANSWERS: dict[int, tuple[str, Outcome | BaseException]] = {
    DONE: ("done", Done(remote_id="9", version=7, fields={"plan": "gold"})),
    WRONG: ("done otherwise", Done(remote_id="9", version=7, fields={"plan": "free"})),
    TIMED_OUT: ("a time-out", UncertainError("no answer")),
    TRANSIENT: ("certainly not applied", TransientError("busy")),
    TURNED_AWAY: ("no calls are taken", OutageError("no connection")),
    REJECTED: ("refused for good", RejectedError("no")),
    RULED_OUT: ("that it is not wanted", NotApplicable(reason="cancelled")),
}


ANSWERS = tuple(outcome for _, outcome in _ANSWERS.values())


def said(answer: int, *, undoing: bool) -> Outcome | BaseException:
    """Return what an attempt says."""
    return _UNDONE if undoing and answer == DONE else _ANSWERS[answer][1]


def steps(world: "World", state: State) -> Iterator[Step]:
    """Let each worker take its next step."""
    one, other = state.workers
    yield from _steps(world, state, one, other)
    if other != one:
        yield from _steps(world, state, other, one)


def _steps(world: "World", state: State, own: int, other: int) -> Iterator[Step]:
    doing, holds = own & ~HOLDS, bool(own & HOLDS)
    if doing == IDLE:
        yield from _asks(world, state, other)
        return
    if doing == ASKED:
        yield from _asks_again(world, state, other, holds=holds)
    elif doing == CLAIMED:
        yield from _calls(world, state, own, other)
    elif doing == CALLING:
        yield from _is_answered(world, state, other)
    elif doing == LANDED:
        yield from _hears(world, state, other)
    else:
        yield _writes(world, with_workers(state, IDLE, other), doing)
    if doing not in (CALLING, LANDED, LATE):
        yield Step("a worker dies", with_workers(state, IDLE, other))


def _writes(world: "World", idle: State, answer: int) -> Step:
    if answer == LATE:
        return world.written(idle, world.late(idle.row), "a worker whose claim has passed on")
    return world.written(idle, world.settle(idle.row, answer), f"the worker heard {_ANSWERS[answer][0]} and")


def _asks(world: "World", state: State, other: int) -> Iterator[Step]:
    move, _ = world.claim(state.row, "new")
    if not move.landed:
        return
    yield Step("a worker asks for the claim, and the request waits", with_workers(state, ASKED, other))
    yield _claimed(world, state, other, ASKED, "a worker, whose answer is lost,")
    yield _claimed(world, state, other, CLAIMED, "a worker")


def _claimed(world: "World", state: State, other: int, doing: int, who: str) -> Step:
    move, _ = world.claim(state.row, "new")
    words, after, broken = world.written(state._replace(workers=(IDLE, other & ~HOLDS)), move, who)
    age = 0 if after.age == NEVER and world.kind.lands_late else after.age
    return Step(words, after._replace(workers=pair(doing + HOLDS, other & ~HOLDS), age=age), broken)


def _asks_again(world: "World", state: State, other: int, *, holds: bool) -> Iterator[Step]:
    move, own = world.claim(state.row, TOKEN if holds else "new")
    if move.landed:
        yield _claimed(world, state, other, CLAIMED, "a worker asks again and")
    elif own:
        words = "a worker asks again and is told that the claim is its own"
        yield Step(words, with_workers(state, CLAIMED + HOLDS, other), move.broken)
    else:
        words = "a worker asks again and is told that the operation is not free"
        yield Step(words, with_workers(state, IDLE, other), move.broken)


def _calls(world: "World", state: State, own: int, other: int) -> Iterator[Step]:
    if not world.calls(state.row):
        yield Step("the worker finds it cancelled", with_workers(state, RULED_OUT + HOLDS, other))
        return
    yield Step("its type rules it out", with_workers(state, RULED_OUT + HOLDS, other))
    broken, doubt = None, state.doubt
    if not world.kind.idempotent:
        if doubt:
            broken = "invariant 2: sent again after a call that may have been applied, and nobody decided"
        doubt = min(doubt + 1, MANY)
    after = state._replace(workers=pair(CALLING + (own & HOLDS), other), doubt=doubt)
    yield Step("the worker calls the remote", after, broken)


def _is_answered(world: "World", state: State, other: int) -> Iterator[Step]:
    undo = world.rows[state.row].undoing
    for there, effects in lands(world, state, undo=undo):
        after = state._replace(there=there, effects=effects, workers=pair(LANDED + HOLDS, other))
        yield Step("the call takes effect" if after[1:3] != state[1:3] else "the call changes nothing", after)
    surely = state._replace(doubt=max(state.doubt - 1, 0))
    yield Step("the remote refuses", surely._replace(workers=pair(REJECTED + HOLDS, other)))
    yield Step("the remote takes no calls", surely._replace(workers=pair(TURNED_AWAY + HOLDS, other)))
    yield Step("the remote is busy", surely._replace(workers=pair(TRANSIENT + HOLDS, other)))
    flown = in_flight(world, state.flights, undo=undo)
    for end, words in ((TIMED_OUT + HOLDS, "the worker waits no longer"), (IDLE, "the worker dies")):
        after = with_workers(state, end, other)
        yield Step(f"{words}; its call is still on the way", after._replace(flights=flown))
        yield Step(f"{words}; its call is lost", after)


def _hears(world: "World", state: State, other: int) -> Iterator[Step]:
    wrong = state.there == OTHERWISE and not world.rows[state.row].undoing
    answer = (WRONG if wrong else DONE) + HOLDS
    yield Step("the worker is answered", with_workers(state, answer, other))
    yield Step("the answer is lost", with_workers(state, TIMED_OUT + HOLDS, other))
    yield Step("the worker dies before the answer", with_workers(state, IDLE, other))
