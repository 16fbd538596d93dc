"""A small world: what its actors share, and every step that can be taken from one moment of it."""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from makegood.domain.judge import Again, Judged
from makegood.domain.observation import Absent, Found, Observed, Unknown
from makegood.domain.operation import Status

from tests.world import outside, people, sweeps, workers
from tests.world.house import House
from tests.world.kinds import Kind
from tests.world.parts import Decided, Move, Plan, Tried
from tests.world.state import ANSWERED, CALLING, HIDDEN, HOLDS, LATE, NEVER, NOTHING, RIGHT, State, Step, pair

_SEEN: dict[int, Observed] = {
    NOTHING: Absent(),
    HIDDEN: Unknown(why="no answer"),
    RIGHT: Found(version=7, fields={"plan": "gold"}, remote_id="it-9"),
}
_OTHERWISE = Found(version=7, fields={"plan": "free"}, remote_id="it-9")


class World:
    """One kind of world, and what is known of it so far."""

    def __init__(self, kind: Kind, house: House | None = None) -> None:
        self.kind = kind
        self.house = house or House(kind)
        self.rows = self.house.rows.all
        self.plans: list[Plan | None] = [None]
        self._numbers: dict[Any, int] = {}
        self.claim = cache(self.house.claim)
        self.calls = cache(self.house.calls)
        self.settle = cache(self._settle)
        self.late = cache(lambda number: self.house.late(number, workers.ANSWERS))
        self.cancel = cache(self.house.cancel)
        self.sweep = cache(self._sweep)
        self.decision = cache(self._decision)
        self.overtaken = cache(self._overtaken)
        self.surveyed = cache(lambda number: [*sweeps.surveyed(self, number)])
        self.looked = cache(lambda number, there: [*sweeps.looked(self, number, there)])
        self.wish = cache(partial(people.wish, self))
        self.wishes = cache(lambda number, there, calls: [*people.wishes(self, number, there, quiet=not calls)])

    @property
    def first(self) -> State:
        """Return the moment after the promise."""
        return State(row=self.house.first)

    def steps(self, state: State) -> Iterator[Step]:
        """Take every step that can be taken now."""
        yield from workers.steps(self, state)
        yield from outside.steps(self, state)
        yield from sweeps.steps(self, state)
        yield from people.steps(self, state)

    def plan(self, plan: Plan) -> int:
        """Return the number of a plan."""
        key = _key(plan)
        if key not in self._numbers:
            self._numbers[key] = len(self.plans)
            self.plans.append(plan)
        return self._numbers[key]

    def written(self, state: State, move: Move, words: str, *, repeated: int = 0) -> Step:
        """Return the moment after a request of somebody who does not wait for anything any more in `state`.

        What others planned is tried on the row as it stands now, and must change nothing; so they are idle then.
        """
        if not move.landed:
            return Step(f"{words} {move.words}", state, move.broken)
        broken, row = move.broken, self.rows[move.row]
        for plan in (*state.sweeps, state.person, repeated):
            broken = broken or (self.overtaken(state.row, plan, move.row) if plan else None)
        began = row.undoing and not self.rows[state.row].undoing
        free = not row.claimed
        after = State(
            move.row,
            state.there,
            state.effects,
            state.age,
            0 if move.decided or began else state.doubt,
            state.flights,
            _without_claim(state.workers) if free else state.workers,
        )
        return Step(f"{words} {move.words}", _at_rest(after) if row.ended else after, broken)

    def sees(self, there: int) -> Observed:
        """Return what a look shows."""
        return _SEEN.get(there, _OTHERWISE)

    def untrue(self, state: State) -> str | None:
        """Say what is wrong with a moment, whatever led to it."""
        if state.effects > 1:
            return "invariant 2: the effect took place twice"
        status, there = self.rows[state.row].status, state.there
        if status is Status.CONFIRMED and there != RIGHT:
            return "invariant 10: confirmed, and the effect is not there"
        if status is Status.COMPENSATED and there != NOTHING:
            return "invariant 10: compensated, and the effect is there"
        if status is Status.NOT_APPLICABLE and there != NOTHING and not self.kind.lands_late:
            return "invariant 10: not applicable, and the effect is there"
        return None

    def _settle(self, number: int, answer: int) -> Move:
        return self.house.settle(number, workers.said(answer, undoing=self.rows[number].undoing))

    def _sweep(self, number: int, plan: int) -> Move:
        return self.house.sweep(number, self._planned(plan))

    def _decision(self, number: int, plan: int) -> Move:
        decided = self._planned(plan)
        assert isinstance(decided, Decided)
        return self.house.person(number, decided)

    def _overtaken(self, number: int, plan: int, standing: int) -> str | None:
        return self.house.overtaken(number, self._planned(plan), standing)

    def _planned(self, plan: int) -> Plan:
        planned = self.plans[plan]
        assert planned is not None
        return planned


def _without_claim(workers: tuple[int, int]) -> tuple[int, int]:
    return pair(*(LATE if worker >= ANSWERED + HOLDS else worker & ~HOLDS for worker in workers))


def _at_rest(state: State) -> State:
    """Forget what cannot matter any more once the row has ended."""
    out = state.flights or any(CALLING <= worker & ~HOLDS < ANSWERED for worker in state.workers)
    return state if out else state._replace(age=NEVER, doubt=0)


def _key(plan: Plan) -> Any:  # noqa: ANN401 - a name for what cannot be hashed
    match plan:
        case Decided():
            return (plan.wish.action, plan.rests_on)
        case Tried():
            return (plan.verb, _key(plan.judged))
        case Again():
            return plan.absences
        case Judged():
            differing = tuple(each.field for each in plan.verdict.differences)
            return (plan.verdict.kind, plan.verdict.answered, plan.reason, differing)
        case _:
            return plan
