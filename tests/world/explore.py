"""Every interleaving, breadth first; each moment is visited once, and the shortest way to it is remembered."""

import gc
from dataclasses import dataclass, field

from tests.world.state import State
from tests.world.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """What was found."""

    world: World
    steps: int
    depth: int
    came: dict[State, tuple[State | None, str]] = field(repr=False)  #: every moment, and the shortest way to it
    complete: bool = False  #: nothing is left to be visited
    broken: str | None = None
    story: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """Say how much was visited."""
        how = "every moment" if self.complete else "every moment so far"
        return f"{self.world.kind.name}: {len(self.came):,} states, {self.steps:,} steps, depth {self.depth}, {how}"


def explore(world: World, *, deepest: int = 10_000) -> Explored:
    """Visit every moment up to this depth, or until a promise is broken."""
    gc.disable()  # nothing here is ever let go, and looking for what could be costs a third of the time
    try:
        return _explored(world, deepest)
    finally:
        gc.enable()


def _explored(world: World, deepest: int) -> Explored:
    came: dict[State, tuple[State | None, str]] = {world.first: (None, "an operation is promised")}
    frontier, depth, taken = [world.first], 0, 0
    while frontier and depth < deepest:
        depth += 1
        reached: list[State] = []
        for state in frontier:
            for words, after, broken in world.steps(state):
                taken += 1
                wrong = broken
                if after not in came:
                    came[after] = state, words
                    reached.append(after)
                    wrong = broken or world.untrue(after)
                if wrong:
                    story = (*told(came, state), words, f"which breaks {wrong}")
                    return Explored(world=world, steps=taken, depth=depth, came=came, broken=wrong, story=story)
        frontier = reached
    return Explored(world=world, steps=taken, depth=depth, came=came, complete=not frontier)


def told(came: dict[State, tuple[State | None, str]], state: State) -> tuple[str, ...]:
    """Tell the shortest way to a moment, one line for each step."""
    lines: list[str] = []
    at: State | None = state
    while at is not None:
        at, words = came[at]
        lines.append(words)
    return tuple(reversed(lines))
