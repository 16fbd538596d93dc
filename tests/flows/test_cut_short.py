"""Does a sweep whose count is cut short by time stay within the cap, end no halt, and still go on?"""

from dataclasses import replace
from datetime import timedelta

from makegood.domain.run import RunOutcome
from makegood.flows.sweep import Swept

from tests.flows.test_cap import acknowledge
from tests.support.deployment import Deployment
from tests.support.faults import SlowStore
from tests.support.rows import HOUR, MINUTE, SECOND

HALF_A_MINUTE = 30 * SECOND  #: for reading a hundred rows, where a store throttles


def throttled(house: Deployment, *, read: timedelta = HALF_A_MINUTE) -> Swept:
    """Sweep within a minute, half of which may go into counting."""
    store = SlowStore(house.store, house.clock, write=timedelta(), read=read)
    return house.swept(time_left=MINUTE, flow=replace(house.sweep_flow, store=store))


def test_of_a_pile_that_was_not_counted_no_more_is_sent_than_the_cap_allows_and_it_is_said() -> None:
    house = Deployment()
    house.lost(201)
    record = throttled(house).record
    assert (record.outcome, record.partial, record.sent, record.remaining) == (RunOutcome.COMPLETED, True, 100, 100)
    assert not record.ends_a_halt


def test_runs_that_are_cut_short_go_on_where_the_last_one_stopped() -> None:
    house = Deployment()
    names = house.lost(201)
    assert [throttled(house).record.sent for _ in range(4)] == [100, 100, 1, 0]
    assert sorted(house.queued()) == names
    assert not throttled(house).record.partial


def test_a_halt_is_ended_by_no_run_that_did_not_count_all() -> None:
    house = Deployment()
    house.lost(201)
    assert house.swept().record.outcome is RunOutcome.HALTED
    since, before = house.ledger.control().halted_since, house.picture()
    record = throttled(house).record
    assert (record.outcome, record.sent, record.acted) == (RunOutcome.HALTED, 0, {})
    assert record.halted_why == "it was halted, and time was up before all that is due was counted"
    assert (house.picture(), house.queued(), house.ledger.control().halted_since) == (before, [], since)
    acknowledge(house, rate=50)
    assert throttled(house).record.sent == 50
    house.clock.advance(HOUR)
    for name in house.queued():
        house.worked(name)
    assert house.swept().record.outcome is RunOutcome.COMPLETED


def test_a_count_that_ends_with_its_time_is_whole() -> None:
    house = Deployment()
    house.lost(100)
    record = throttled(house).record
    assert (record.partial, record.sent) == (False, 100)
