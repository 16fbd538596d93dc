"""What does a life cost, at the real doors: requests, write units, read units? The figures are the design's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from makegood.domain.limits import Limits

from tests.costs import paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.costs.metered import Metered

pytestmark = pytest.mark.xdist_group("engine")


def test_the_happy_path_costs_three_requests_five_write_units_and_no_read(stack: Metered) -> None:
    bill = paths.happy(stack).bill
    assert bill.requests == {"PutItem": 1, "UpdateItem": 2}
    assert (bill.write_units, bill.read_units) == (5, 0)


def test_the_worker_asks_the_queue_nothing_on_the_happy_path(stack: Metered) -> None:
    stack.submit()
    assert stack.meter.take().sent == 1  # the producer's
    stack.house.deliver()
    assert stack.meter.take().sent == 0


def test_each_further_attempt_up_to_the_fourth_costs_two_requests_and_two_units(stack: Metered) -> None:
    for spent in paths.further_attempts(stack):
        assert spent.bill.requests == {"UpdateItem": 2}
        assert (spent.bill.write_units, spent.bill.read_units, spent.bill.sent) == (2, 0, 1)


def test_an_end_after_four_attempts_costs_no_more_than_after_one(stack: Metered) -> None:
    name = stack.submit()
    stack.house.remote.script[name] = [paths.unavailable] * paths.FURTHER
    stack.house.deliver()
    [*_, last] = [paths.next_attempt(stack, number) for number in range(1, paths.FURTHER + 1)]
    assert (stack.house.rows()[name].attempt, stack.house.rows()[name].is_terminal) == (4, True)
    assert (last.bill.requests, last.bill.write_units) == ({"UpdateItem": 2}, 3)


def test_a_rescued_lost_dispatch_costs_four_requests_and_eight_units(stack: Metered) -> None:
    bill = paths.rescued(stack).bill
    [(name, row)] = stack.house.rows().items()
    assert row.is_terminal
    assert (bill.writes_of_row[name], bill.of_row[name]) == (4, 8)


def test_beyond_its_row_a_rescue_costs_the_sweep_one_read_and_one_message(stack: Metered) -> None:
    spent = paths.rescued_alone(stack)
    assert (spent.writes, spent.bill.write_units) == (4, 8)
    assert (spent.reads, spent.bill.read_units, spent.bill.sent) == (1, 1, 2)


def test_a_duplicate_delivery_costs_one_request_and_no_call(stack: Metered) -> None:
    bill = paths.duplicate(stack).bill
    assert (bill.requests, bill.write_units, bill.read_units, bill.sent) == ({"UpdateItem": 1}, 1, 0, 0)
    assert stack.house.remote.effects.total() == 1


def test_an_idle_sweep_costs_a_query_for_each_shard_the_lease_and_its_record(stack: Metered) -> None:
    bill = paths.idle(stack).bill
    assert bill.requests == {"Query": Limits().shards, "UpdateItem": 2, "PutItem": 1}
    assert (bill.write_units, bill.read_units, bill.sent) == (3, Limits().shards / 2, 0)


def test_a_large_payload_makes_no_attempt_dearer_than_reading_it(stack: Metered) -> None:
    name = stack.submit(payload=paths.LARGE)
    stack.house.remote.script[name] = [paths.unavailable]
    stack.meter.take()
    stack.house.deliver()
    bill = stack.meter.take()
    assert bill.requests == {"UpdateItem": 2, "GetItem": 1}
    assert (bill.write_units, bill.read_units) == (2, 25)


@pytest.mark.parametrize("path", [*paths.PATHS.values(), paths.rescued])
def test_the_engine_bills_each_write_of_one_item_as_the_meter_does(
    path: Callable[[Metered], paths.Spent], stack: Metered
) -> None:
    bill = path(stack).bill
    assert bill.single_units == bill.told_units
