"""In a world of one operation, two workers, two sweeps and an operator: does every interleaving keep the promises?"""

import pytest
from makegood.domain.history import Verb
from makegood.domain.operation import Status

from tests.conftest import Tell
from tests.world.explore import Explored, explore
from tests.world.kinds import KINDS, Kind
from tests.world.quiet import trap, undecidable
from tests.world.world import World


@pytest.fixture(scope="module", params=KINDS, ids=[kind.name for kind in KINDS])
def explored(request: pytest.FixtureRequest) -> Explored:
    kind: Kind = request.param
    return explore(World(kind))


def test_no_interleaving_breaks_a_promise(explored: Explored, tell: Tell) -> None:
    assert explored.broken is None, "\n".join(explored.story)
    tell(len(explored.came), f"states of the small world ({explored.world.kind.name})")


def test_no_moment_is_left_out(explored: Explored) -> None:
    assert explored.complete
    assert explored.depth >= 14


def test_sweeps_and_time_alone_bring_every_moment_to_an_end(explored: Explored) -> None:
    story = trap(explored)
    assert story is None, "\n".join(story)


def test_a_truthful_operator_can_decide_whatever_waits_for_one(explored: Explored) -> None:
    story = undecidable(explored)
    assert story is None, "\n".join(story)


def test_every_end_is_reached_that_its_kind_can_have(explored: Explored) -> None:
    reached = {explored.world.rows[state.row].status for state in explored.came}
    assert set(Status) - reached == (set() if explored.world.kind.observable else {Status.COMPENSATED})


def test_every_verb_is_used_that_its_kind_can_use(explored: Explored) -> None:
    kind, told = explored.world.kind, " ".join({words for _, words in explored.came.values()})
    expected = {Verb.SUBMIT}
    if not kind.undoing:
        expected |= {Verb.REQUEST_CANCEL}
    if not (kind.idempotent and kind.observable):
        expected |= {Verb.REQUEUE}
    if not kind.observable:
        expected |= {Verb.OBSERVE_AGAIN, Verb.COMPENSATE, Verb.COMPENSATED, Verb.COMPENSATED_BY_PROOF}
    assert {verb for verb in Verb if f"writes {verb} →" not in told} == expected
