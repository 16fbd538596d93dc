"""Does a sweep cost what is due and never what exists: however many rows are stale, however many have ended?"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters.dynamodb_rows import item_of
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import OperationId, QueueName, Status, shard_of
from makegood.domain.run import RunOutcome

from tests.contract import builders as a
from tests.costs.metered import metered
from tests.double.table import TableDouble
from tests.house.docs_reading import between

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from makegood.adapters.aws import AwsClients

    from tests.costs.billing import Item
    from tests.costs.meter import Bill, Look
    from tests.costs.metered import Metered

SHARDS = Limits().shards
MOST = 1.2  #: requests for each stale row, of DynamoDB and SQS together
STALE, ENDED = 10_000, 100_000


def stale(count: int, *, now: int) -> Iterator[dict[str, Any]]:
    """Make rows whose message was lost; their types' queue and the other two take turns."""
    row = a.promised(operation_type="patient")
    items = [item_of(replace(row, queue=queue)) for queue in (None, QueueName.HIGH, QueueName.LOW)]
    for number, item in zip(range(count), cycle(items)):
        name = OperationId(f"stale-{number:06}")
        place = {"due_shard": {"S": shard_of(name, SHARDS)}, "due_at": {"N": str(now - number)}}
        yield {**item, "pk": {"S": name}, **place}


def ended(count: int) -> Iterator[Item]:
    """Make rows that have ended."""
    item = item_of(a.in_status(Status.CONFIRMED))
    return ({**item, "pk": {"S": f"ended-{number:06}"}} for number in range(count))


@contextmanager
def crowded(clients: AwsClients, *, stale_rows: int, ended_rows: int = 0, **numbers: int) -> Iterator[Metered]:
    """Build a stack over a double that holds so many rows."""
    double = TableDouble()

    def look(key: Item) -> Item | None:
        return double.items.get((key["pk"]["S"], key["sk"]["S"]))

    with double.at_once(clients.of("dynamodb")), metered(clients, look, **numbers) as stack:
        double.put(stale(stale_rows, now=stack.house.clock.now()))
        double.put(ended(ended_rows))
        yield stack


def without_a_cap(rows: int) -> Mapping[str, int]:
    """Return settings under which one sweep may act on so many."""
    return {"HALT_CAP": rows, "DRAIN_RATE": rows}


def swept(stack: Metered, *, sends: int) -> Bill:
    """Sweep once and see that so many were sent."""
    summary = stack.house.sweep()
    assert (summary["outcome"], summary["sent"], summary["error_count"]) == (RunOutcome.COMPLETED, sends, 0)
    return stack.meter.take()


@pytest.fixture(scope="module")
def bills(clients_of_double: AwsClients) -> Mapping[int, Bill]:
    """Sweep ten thousand stale rows beside none and beside a hundred thousand that have ended."""
    found = {}
    for ended_rows in (0, ENDED):
        with crowded(clients_of_double, stale_rows=STALE, ended_rows=ended_rows, **without_a_cap(STALE)) as stack:
            found[ended_rows] = swept(stack, sends=STALE)
    return found


def test_ten_thousand_stale_rows_cost_at_most_so_many_requests_each(bills: Mapping[int, Bill]) -> None:
    assert bills[0].all_requests / STALE <= MOST


def test_the_page_on_costs_says_how_many(bills: Mapping[int, Bill]) -> None:
    assert between("costs.md", "pile") == f"{bills[0].all_requests / STALE:.3f}"


def test_the_count_is_the_same_beside_a_hundred_thousand_rows_that_have_ended(bills: Mapping[int, Bill]) -> None:
    assert bills[ENDED] == bills[0]


def test_a_stale_row_costs_three_write_units_and_little_more_than_the_unit_that_reads_it(
    bills: Mapping[int, Bill],
) -> None:
    assert bills[0].write_units == 3 * STALE + 3
    assert 1 < bills[0].read_units / STALE < 1.05


def test_a_pile_that_is_drained_by_and_by_costs_no_more(clients_of_double: AwsClients) -> None:
    rows, rate = 1_000, SweepLimits().drain_rate
    with crowded(clients_of_double, stale_rows=rows) as stack:
        stack.house.acknowledge(drain_rate=rate)
        bills = [swept(stack, sends=rate) for _ in range(rows // rate)]
    assert sum(bill.all_requests for bill in bills) / rows <= MOST


def test_a_sweep_that_refuses_to_act_reads_no_further_than_its_cap(clients_of_double: AwsClients) -> None:
    with crowded(clients_of_double, stale_rows=STALE) as stack:
        assert stack.house.sweep()["outcome"] == RunOutcome.HALTED
        bill = stack.meter.take()
    assert bill.requests == {"Query": SHARDS, "BatchGetItem": 3, "UpdateItem": 2, "PutItem": 1}
    assert (bill.write_units, bill.sent) == (3, 0)
    assert between("costs.md", "halted") == str(bill.all_requests)


@pytest.mark.xdist_group("engine")
def test_the_engine_shows_the_same_with_five_hundred_rows(
    engine_clients: AwsClients, clients_of_double: AwsClients, look: Look
) -> None:
    rows = 500
    with metered(engine_clients, look, **without_a_cap(rows)) as stack:
        stack.place([*stale(rows, now=stack.house.clock.now()), *ended(rows)])
        bill = swept(stack, sends=rows)
    with crowded(clients_of_double, stale_rows=rows, ended_rows=rows, **without_a_cap(rows)) as stack:
        shown = swept(stack, sends=rows)
    assert bill.all_requests / rows <= MOST
    assert bill.single_units == bill.told_units == bill.write_units == 3 * rows + 3
    assert (bill.requests, bill.of_row, bill.read_units, bill.sent) == (
        (shown.requests, shown.of_row, shown.read_units, shown.sent)
    )
