"""When everybody falls silent, hints are lost, and only time and sweeps go on: does every course come to an end?"""

from collections.abc import Iterator

from makegood.domain.operation import Status

from tests.world.explore import Explored, told
from tests.world.outside import lands
from tests.world.parts import Tried
from tests.world.state import UNDO, State
from tests.world.world import World

Node = tuple[int, int]  #: a row's number, and what the remote has


def trap(explored: Explored) -> tuple[str, ...] | None:
    """Return the story of a course that never ends, although sweeps are run and time passes; `None` if none exists."""
    world, ended = explored.world, set[Node]()
    for node, state in _left_alone(explored).items():
        if node not in ended and (circle := _circle(world, node, ended)):
            words = [_words(world, each) for each in circle]
            return (*told(explored.came, state), "from now on there are only sweeps and time", *words, "and so on")
    return None


def undecidable(explored: Explored) -> tuple[str, ...] | None:
    """Return the story of a row in review on which a truthful operator can decide nothing; `None` if none exists."""
    world = explored.world
    for (number, there), state in _left_alone(explored, waiting_for_people=True).items():
        row = world.rows[number]
        undone_by_hand = 0 if row.undoing else there  # what cannot be undone any more by a call, a person undoes
        if not any(world.wishes(number, at, 0) for at in {there, undone_by_hand}):
            return (*told(explored.came, state), f"nobody can decide: {_words(world, (number, there))}")
    return None


def _left_alone(explored: Explored, *, waiting_for_people: bool = False) -> dict[Node, State]:
    nodes: dict[Node, State] = {}
    world = explored.world
    for state in explored.came:
        row = world.rows[state.row]
        if row.ended or (row.status is Status.MANUAL_REVIEW) is not waiting_for_people:
            continue
        for there in {state.there, *_landed(world, state)}:
            nodes.setdefault((state.row, there), state)
    return nodes


def _landed(world: World, state: State) -> Iterator[int]:
    for flight in state.flights:
        yield from (there for there, _ in lands(world, state, undo=flight >= UNDO))


def _circle(world: World, start: Node, ended: set[Node]) -> list[Node] | None:
    """Walk every course from here, depth first; what comes back to where it was goes round for ever."""
    path: list[Node] = [start]
    ways: list[Iterator[Node]] = [_onward(world, start)]
    while path:
        after = next(ways[-1], None)
        if after is None:
            ended.add(path.pop())
            ways.pop()
        elif after in path:
            return [*path[path.index(after) :], after]
        elif after not in ended:
            path.append(after)
            ways.append(_onward(world, after))
    return None


def _onward(world: World, node: Node) -> Iterator[Node]:
    """Let a unit of time pass, then run one sweep from its beginning to its end."""
    number, there = node
    row = world.rows[number]
    if row.ended or row.status is Status.MANUAL_REVIEW:
        return
    later = world.house.rows.later(number)
    plans = [plan for plan, _ in (*world.surveyed(later), *world.looked(later, there))]
    moves = [world.sweep(later, plan) for plan in plans if not isinstance(world.plans[plan], Tried)]
    yield from {(number, there) for number in ([move.row for move in moves] or [later])}


def _words(world: World, node: Node) -> str:
    row = world.rows[node[0]].operation
    return f"{row.status}, attempt {row.attempt}, {row.intent}, {row.cancel_reason or 'wanted'}, remote has {node[1]}"
