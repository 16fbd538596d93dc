"""Do the promises hold under any schedule of faults, and would a schedule tell if they did not?"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import pytest
from makegood.domain.history import Role
from makegood.domain.operation import Status
from makegood.flows import act

from tests.simulation.census import too_rare
from tests.simulation.run import LEAST_EVENTS, Total, failure, many, told, too_little
from tests.simulation.shrink import least
from tests.simulation.world import World, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEDULES = 200  #: `make simulate` and .ci/run go through more


@pytest.fixture(scope="module")
def total() -> Total:
    return many(range(SCHEDULES))


def test_no_schedule_breaks_a_promise(total: Total) -> None:
    assert not total.broken, failure(total.broken[0][0])


def test_everything_that_can_go_wrong_does(total: Total) -> None:
    assert not too_rare(total.seen, 1)


def test_a_schedule_is_long_enough_to_show_something(total: Total) -> None:
    assert median(total.lengths) >= LEAST_EVENTS


def test_a_run_that_shows_too_little_says_so_where_enough_is_asked_for(total: Total) -> None:
    short = replace(total, lengths=[LEAST_EVENTS - 1] * 3)
    assert list(too_little(short, 0)) == []
    assert [words[:9] for words in too_little(short, 1)] == ["too short"]
    assert [words[:8] for words in too_little(total, 10**6)] == ["too rare"]


@pytest.mark.parametrize("seed", [30_006_879, 30_012_489, 30_024_998])
def test_neither_anothers_clock_nor_a_wish_to_cancel_is_taken_for_a_fault(seed: int) -> None:
    assert simulate(seed).broken is None


@pytest.mark.parametrize("seed", [3, 17, 96])
def test_a_schedule_repeats_to_the_last_event(seed: int) -> None:
    first, second = simulate(seed, telling=True), simulate(seed, telling=True)
    assert first == second
    assert len(first.story) > 3


def test_without_its_deviations_a_schedule_is_quiet() -> None:
    quiet = simulate(17, kept=frozenset({"op-1"}))
    assert (quiet.deviations, quiet.broken) == (["op-1"], None)


def test_a_failing_schedule_is_made_as_small_as_it_goes() -> None:
    def fails(kept: Sequence[str]) -> bool:
        return {"c", "x"} <= set(kept)

    assert least(list("abcdefghijklmnopqrstuvwxyz"), fails) == ["c", "x"]


def test_a_story_names_its_schedule_and_how_to_run_it_again() -> None:
    words = told(simulate(17, telling=True))
    assert words.startswith("schedule 17 (")
    assert words.endswith("make simulate SEED=17 ONLY=1")


def test_a_terminal_row_that_is_changed_is_noticed() -> None:
    world = World(17, telling=True)
    world.run()
    ended = next(row for row in world.store.rows.values() if row.is_terminal)
    process = world.process("somebody", Role.WORKER)
    world.engine.running = process
    world.check.wrote(ended, replace(ended, status=Status.PENDING, revision=ended.revision + 1))
    assert world.check.broken is not None
    assert "was" in world.check.broken


def test_a_run_that_counts_more_rows_than_it_has_read_breaks_the_eighth_promise() -> None:
    world = World(17)
    world.run()
    (record,) = world.ledger.runs(1)
    process = world.process("sweep", Role.RECONCILER)
    world.check.swept(replace(record, run_id=process.name, acknowledged_by=None, scanned=1), process, process.name)
    assert (world.check.broken or "").startswith("invariant 8: ")


def test_a_sweep_that_asks_queues_more_often_than_it_must_breaks_the_eighth_promise() -> None:
    world = World(17)
    world.run()
    (record,) = world.ledger.runs(1)
    process = world.process("sweep", Role.RECONCILER)
    process.sent.update({"high": 1, "low": 2})
    process.requests = 3
    told = replace(record, run_id=process.name, acknowledged_by=None, scanned=0)
    world.check.swept(told, process, process.name)
    assert (world.check.broken or "").startswith("invariant 8: ")
    assert "makes 3 requests to queues; 2 take as many" in (world.check.broken or "")


def test_schedules_leave_a_batch_as_large_as_it_was() -> None:
    simulate(17)
    assert act.BATCH == 10
