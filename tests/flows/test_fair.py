"""Does one type's outage delay another type's lost work no longer than its pile takes to pass by at the drain rate?"""

from dataclasses import replace
from datetime import timedelta

from makegood.domain.limits import SweepLimits
from makegood.domain.observation import Look, Observed, Unknown
from makegood.domain.operation import Status
from makegood.domain.outcome import UncertainError

from tests.flows.test_observe import CORRECT, uncertain
from tests.support.deployment import Deployment
from tests.support.remote import Remote, calling, raising
from tests.support.rows import SECOND, T

RATE = 20  #: rows that one sweep may act on
EVERY = timedelta(minutes=5)


class Down(Remote):
    """A remote that applies nothing and answers no look."""

    def see(self, look: Look) -> Observed:
        """Say nothing."""
        self.looks[look.operation.operation_id] += 1
        return Unknown(why="503")


def piled(count: int) -> tuple[Deployment, Down]:
    """Let this many operations of one type await an answer that does not come, all due, and lose one of another."""
    down, remote = Down(), Remote()
    house = Deployment(
        calling(down, "down", **CORRECT), calling(remote, "sync"), sweep_limits=SweepLimits(drain_rate=RATE)
    )
    for number in range(count):
        name = f"down-{number:04}"
        house.submitted(name, "down")
        down.script.append(raising(UncertainError("timed out")))
        house.worked(name)
        house.clock.advance(SECOND / 10)
    house.submitted("lost")
    house.queue.take()
    house.clock.advance(T)
    return house, down


def runs_until_sent(house: Deployment, most: int) -> int:
    for run in range(1, most + 1):
        house.swept()
        if house.row("lost").dispatches:
            return run
        house.clock.advance(EVERY)
    raise AssertionError("it is starved")


def test_lost_work_behind_an_outage_of_another_type_is_sent_when_the_pile_before_it_has_passed_once() -> None:
    for count, runs in ((0, 1), (RATE - 1, 1), (RATE, 2), (10 * RATE, 11), (30 * RATE, 31)):
        house, down = piled(count)
        assert runs_until_sent(house, runs) == runs
        assert {row.status for row in house.store.rows.values() if row.operation_type == "down"} <= {
            Status.AWAITING_CONFIRMATION
        }
        policy = house.registry.terms["down"].policy
        assert down.looks.total() <= runs * policy.unknowns, "nor is the remote that is down asked again and again"


def test_a_run_for_one_type_alone_passes_the_pile_of_another_by_at_once() -> None:
    house, down = piled(10 * RATE)
    assert house.swept(operation_types=frozenset({"sync"})).record.acted == {"touch": 1}
    assert (house.queued(), down.looks.total()) == (["lost"], 0)


def test_what_is_put_off_comes_back_behind_what_was_due_before_and_not_in_front_of_it() -> None:
    house, _ = piled(30 * RATE)
    due_at = house.row("lost").due_at
    for _ in range(20):
        house.swept()
        moved = [row for row in house.store.rows.values() if row.observations]
        assert all((row.due_at or 0) > (due_at or 0) for row in moved)
        house.clock.advance(EVERY)


def test_sweeps_that_only_watch_ask_about_the_oldest_each_time_and_no_more_than_they_would_act_on() -> None:
    remote = Remote()
    house = Deployment(calling(remote, **CORRECT), sweep_limits=SweepLimits(drain_rate=RATE))
    house.remote = remote
    uncertain(house, 3 * RATE)
    before = house.picture()
    watching = replace(house.sweep_flow, only_watching=True)
    for run in range(1, 4):
        record = house.swept(flow=watching).record
        assert (record.verdicts, record.would, record.remaining) == (
            {"missing": RATE},
            {"would_requeue": RATE},
            2 * RATE,
        )
        assert (len(remote.looks), set(remote.looks.values())) == (RATE, {run})
        house.clock.advance(EVERY)
    assert (house.picture(), house.queued()) == (before, [])
