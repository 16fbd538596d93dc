"""What does finding out cost, at the real doors? The figures are the design's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.costs import outcome_paths as paths
from tests.costs.paths import STALE, happy
from tests.crash import remote

if TYPE_CHECKING:
    from tests.costs.metered import Metered
    from tests.costs.paths import Spent

pytestmark = pytest.mark.xdist_group("engine")


def of_its_row(spent: Spent, stack: Metered) -> tuple[int, int]:
    """Return the requests and units of the one row that matters: that of the operation which was looked at."""
    [name] = [name for name in spent.bill.of_row if name in stack.house.rows()]
    return spent.bill.writes_of_row[name], spent.bill.of_row[name]


def test_a_look_that_confirms_writes_its_row_once_and_takes_it_out_of_the_index(stack: Metered) -> None:
    spent = paths.proven(stack)
    assert of_its_row(spent, stack) == (1, 2)
    assert (spent.reads, spent.bill.read_units) == (1, 1)


def test_a_look_without_an_answer_writes_its_row_once_and_moves_it_in_the_index(stack: Metered) -> None:
    spent = paths.unanswered(stack)
    assert of_its_row(spent, stack) == (1, 3)
    assert (spent.reads, spent.bill.read_units) == (1, 1)


def test_a_row_that_is_sent_again_costs_one_write_more_than_a_retry(stack: Metered) -> None:
    spent = paths.sent_again(stack)
    assert of_its_row(spent, stack) == (3, 6)
    assert (spent.bill.sent, spent.messages) == (1, 1)


def test_an_effect_is_undone_for_what_it_costs_to_send_it_again(stack: Metered) -> None:
    spent = paths.undone(stack)
    assert of_its_row(spent, stack) == (3, 6)
    assert stack.house.remote.effects.total() == 0


def test_an_attempt_that_is_given_back_costs_what_any_attempt_costs(stack: Metered) -> None:
    bill = paths.put_off(stack).bill
    assert (bill.requests, bill.write_units, bill.read_units) == ({"UpdateItem": 2}, 2, 0)


def test_a_decision_is_a_part_of_the_write_that_it_leads_to(stack: Metered) -> None:
    bill = paths.decided(stack).bill
    assert bill.requests == {"BatchGetItem": 2, "UpdateItem": 1}
    [row] = stack.house.rows().values()
    assert [decision.by for decision in row.decisions] == ["alice"]


def test_a_line_of_versions_costs_two_requests_and_two_units_more(stack: Metered) -> None:
    alone, in_line = happy(stack).bill, paths.in_line(stack).bill
    assert in_line.requests - alone.requests == {"UpdateItem": 2}
    assert (in_line.write_units - alone.write_units, in_line.read_units) == (2, 0)


def test_one_that_finds_a_newer_version_reads_its_row_and_does_not_leave_the_line(stack: Metered) -> None:
    for version in (8, 7):
        stack.submit(operation_type="ordered", entity="customer/452", expected_version=version)
    stack.house.deliver(at_once=1)
    bill = stack.meter.take()
    assert bill.writes_of_row["entity#ordered#customer/452"] == 3  # the newer one enters and leaves, the older asks
    assert bill.requests["BatchGetItem"] == 1


@pytest.mark.parametrize(("rows", "rounds"), [(1, 1), (3, 1), (11, 2), (20, 4)])
def test_who_is_being_asked_is_written_once_for_each_round_of_looks(stack: Metered, rows: int, rounds: int) -> None:
    for _ in range(rows):
        stack.house.remote.script[stack.submit(operation_type="watched")] = [stack.house.remote.times_out]
    stack.house.deliver()
    stack.house.wait(STALE)
    stack.meter.take()
    stack.house.sweep()
    bill = stack.meter.take()
    assert bill.writes_of_row["#control"] == 2 + rounds  # beside the lease, taken and given back
    assert bill.requests["UpdateItem"] == 2 + rounds + rows
    assert bill.requests["BatchGetItem"] == 1


def test_while_a_remote_is_down_no_more_is_asked_and_each_row_is_written_once(stack: Metered) -> None:
    rows, looks = 12, 3
    for _ in range(rows):
        name = stack.submit(operation_type="watched")
        stack.house.remote.script[name] = [stack.house.remote.times_out]
        stack.house.remote.sights[name] = [remote.blind]
    stack.house.deliver()
    stack.house.wait(STALE)
    stack.meter.take()
    stack.house.sweep()
    bill = stack.meter.take()
    assert sum(len(sights) for sights in stack.house.remote.sights.values()) == rows - looks
    assert bill.write_units == 3 * rows + 1 + 3  # a row and its move in the index; who was asked; lease and record


@pytest.mark.parametrize("name", paths.OUTCOME_PATHS)
def test_the_engine_bills_each_write_as_the_meter_does(name: str, stack: Metered) -> None:
    bill = paths.OUTCOME_PATHS[name](stack).bill
    assert bill.single_units == bill.told_units == bill.write_units
