"""Two sweeps that overlap as they like: each reads the row, looks outside where it must, and writes later or never."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from makegood.domain.decide import Leave, Observe
from makegood.domain.judge import Judged
from makegood.domain.operation import Status

from tests.world.parts import Tried
from tests.world.state import HIDDEN, State, Step, with_sweeps

if TYPE_CHECKING:
    from tests.world.world import World

_VERBS = ("confirm", "compensated", "requeue", "compensate", "close")
_LOOKED_AT = (Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW)


def steps(world: "World", state: State) -> Iterator[Step]:
    """Let each sweep read, or write what it planned."""
    one, other = state.sweeps
    if one == 0:
        for plan, words in (*world.surveyed(state.row), *world.looked(state.row, state.there)):
            if plan != other:  # two that plan the same are as one that writes it twice, and every write is tried twice
                yield Step(f"a sweep {words}", with_sweeps(state, plan, other))
    for plan, rest in {(one, other), (other, one)}:
        if plan:
            idle = with_sweeps(state, 0, rest)
            yield world.written(idle, world.sweep(state.row, plan), "the sweep", repeated=plan)


def surveyed(world: "World", number: int) -> Iterator[tuple[int, str]]:
    """Return what a sweep plans that need not look."""
    action = world.house.decide(number)
    if not isinstance(action, Leave | Observe):
        yield world.plan(action), f"reads the row ({type(action).__name__.lower()}: {action.reason})"


def looked(world: "World", number: int, there: int) -> Iterator[tuple[int, str]]:
    """Return what a sweep plans after a look, which may show nothing."""
    if world.kind.careless and world.rows[number].status in _LOOKED_AT:
        yield from _tried(world, number, there)
    if not isinstance(world.house.decide(number), Observe):
        return
    if not world.kind.observable:
        yield world.plan(world.house.judge(number, None)), "reads the row, which nobody can look at"
        return
    for told in (world.sees(there), world.sees(HIDDEN)):
        judgement = world.house.judge(number, told)
        kind = judgement.verdict.kind if isinstance(judgement, Judged) else judgement.reason
        yield world.plan(judgement), f"looks and sees {type(told).__name__.lower()} ({kind})"


def _tried(world: "World", number: int, there: int) -> Iterator[tuple[int, str]]:
    judged = world.house.judge(number, world.sees(there))
    if isinstance(judged, Judged):
        for verb in _VERBS:
            tried = Tried(verb=verb, judged=judged)
            if world.house.allows(number, tried):
                yield world.plan(tried), f"looks ({judged.verdict.kind}) and will try {verb}"
