"""One truthful operator: they look, say nothing that is not so, and write their decision later or never."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from makegood.domain.evidence import VerdictKind
from makegood.domain.judge import Judged
from makegood.domain.review import FITS, Action

from tests.world.parts import Decided
from tests.world.state import HIDDEN, NOTHING, RIGHT, State, Step

if TYPE_CHECKING:
    from tests.world.world import World

STATED = "made sure of it there"


def steps(world: "World", state: State) -> Iterator[Step]:
    """Let the operator look, or write what they decided."""
    if state.person:
        plan = world.plans[state.person]
        assert isinstance(plan, Decided)
        move = world.decision(state.row, state.person)
        yield world.written(state._replace(person=0), move, f"the operator decides {plan.wish.action}:")
        return
    for plan_number, words in world.wishes(state.row, state.there, 1 if state.flights else 0):
        yield Step(words, state._replace(person=plan_number))


def wishes(world: "World", number: int, there: int, *, quiet: bool) -> Iterator[tuple[int, str]]:
    """Return what the operator may decide truthfully; `quiet` says that no call is on the way any more."""
    row = world.rows[number]
    known: set[int] = set()
    for wanted in Action:
        if row.status not in FITS[wanted]:
            continue
        for sight in (there, HIDDEN) if world.kind.observable else (None,):
            for stated in (None, STATED) if _is_so(wanted, there, undoing=row.undoing, quiet=quiet) else (None,):
                plan = world.wish(number, wanted, stated, sight)
                if plan is not None and plan not in known:
                    known.add(plan)
                    seen = "" if sight is None else f", seeing {type(world.sees(sight)).__name__.lower()}"
                    yield plan, f"the operator wants {wanted}{seen}{', having made sure' if stated else ''}"


def wish(world: "World", number: int, wanted: Action, stated: str | None, sight: int | None) -> int | None:
    """Return the number of a decision after a look; `None` where it would be refused, or is not theirs to take."""
    plan = world.house.wish(number, wanted, stated, None if sight is None else world.sees(sight))
    if plan is None:
        return None
    if wanted is Action.CLOSE and stated is None:
        judged = plan.judgement
        if not isinstance(judged, Judged) or judged.verdict.kind is not VerdictKind.MISSING:
            return None  # they close nothing of which they do not know that it is not there
    return world.plan(plan)


def _is_so(wanted: Action, there: int, *, undoing: bool, quiet: bool) -> bool:
    """Say whether what they would state is so, and will be."""
    match wanted:
        case Action.CONFIRM:
            return (there == NOTHING and quiet) if undoing else there == RIGHT
        case Action.RETRY:
            return there != NOTHING if undoing else there == NOTHING and quiet
        case Action.COMPENSATE:
            return there != NOTHING and quiet
        case Action.CLOSE:
            return there == NOTHING and quiet
