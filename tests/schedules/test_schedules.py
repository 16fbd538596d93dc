"""Do the promises hold on the real doors, under real time-outs and redelivery, and did enough go wrong?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from makegood_cli.demo.auditor.invariants import INVARIANTS
from makegood_cli.local.crm_faults import KINDS
from makegood_cli.local.places import Places

from tests.schedules import judging
from tests.schedules.courses import draw
from tests.schedules.plan import ENDS_AT, What
from tests.schedules.run import played, told

if TYPE_CHECKING:
    from tests.schedules.play import Played

SEEDS = range(4)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Played, list[str], dict[str, int]]:
    """Play a few schedules on a stack of their own."""
    own = Places(state=tmp_path_factory.mktemp("schedules"), cache=Places().cache)
    return played(SEEDS, own)


def test_no_schedule_breaks_a_promise(ran: tuple[Played, list[str], dict[str, int]]) -> None:
    done, found, _ = ran
    assert not found, told(done, found)


def test_what_was_to_go_wrong_went_wrong(ran: tuple[Played, list[str], dict[str, int]]) -> None:
    *_, rare = ran
    assert not rare


@pytest.mark.parametrize("seed", [0, 17])
def test_a_schedule_follows_from_its_seed_alone(seed: int) -> None:
    assert draw(seed).story() == draw(seed).story() != draw(seed + 1).story()


def test_a_story_says_how_to_play_it_again() -> None:
    assert draw(17).story().endswith("again: make schedules SEED=17 N=1")


def test_few_schedules_draw_everything_that_can_happen() -> None:
    plans = [draw(seed) for seed in range(8)]
    assert {act.what for plan in plans for act in plan.acts} == set(What)
    drawn = {fault.kind for plan in plans for fault in plan.faults.values()}
    assert drawn == set(KINDS) - {"down"}  # that one comes and goes


def test_nothing_begins_when_a_schedule_is_over() -> None:
    assert all(act.at <= ENDS_AT for seed in range(50) for act in draw(seed).acts)


def test_what_the_auditor_holds_is_left_out_only_by_name_and_with_a_reason() -> None:
    names = {invariant.name for invariant in INVARIANTS}
    assert set(judging.LEFT_OUT) < names
    assert judging.EXCUSED in names
    assert all(judging.LEFT_OUT.values())
