"""Does the page on costs say what is measured, and do its sums follow from its prices?"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from makegood.domain.limits import SweepLimits

from tests.costs.outcome_paths import OUTCOME_PATHS
from tests.costs.paths import PATHS
from tests.costs.priced import PAGE, cells, dollars, walked
from tests.house.docs_reading import between, rows

if TYPE_CHECKING:
    from datetime import timedelta

    from makegood.adapters.aws import AwsClients


MONTH_DAYS = 30

#: which price stands for what a row of the comparison calls "of its own"
OWN = {
    "Step Functions Standard": "Step Functions Standard, state transition",
    "Lambda durable functions": "Lambda durable functions, durable operation",
    "Temporal Cloud": "Temporal Cloud, action (pay as you go)",
}


def test_the_page_has_a_row_for_each_path_and_no_other() -> None:
    assert [name for name, *_ in rows(between(PAGE, "paths"))] == list(PATHS)
    assert [name for name, *_ in rows(between(PAGE, "outcome-paths"))] == list(OUTCOME_PATHS)


@pytest.mark.parametrize(
    "row", [*rows(between(PAGE, "paths")), *rows(between(PAGE, "outcome-paths"))], ids=lambda row: row[0]
)
def test_a_path_costs_what_the_page_says(row: list[str], clients_of_double: AwsClients) -> None:
    name, *said = row
    assert said == cells(walked(name, clients_of_double))


@pytest.mark.parametrize("row", rows(between(PAGE, "others")), ids=lambda row: row[0])
def test_a_comparison_adds_up(row: list[str]) -> None:
    name, writes, queue, functions, own, said, *_ = row
    extra = {OWN[name]: float(own)} if name in OWN else {}
    assert Decimal(said) == dollars(writes=float(writes), queue=float(queue), functions=float(functions), **extra)


def test_makegood_stands_in_the_comparison_with_its_happy_path() -> None:
    [_, _, _, units, _, queue, functions, cost] = rows(between(PAGE, "paths"))[0]
    assert rows(between(PAGE, "others"))[0][1:6] == [units, queue, functions, "0", cost]


def test_a_month_of_idle_sweeps_costs_what_the_page_says(clients_of_double: AwsClients) -> None:
    spent = walked("a sweep that finds nothing", clients_of_double)
    sweeps = _times_a_month(SweepLimits().schedule_interval)
    cost = dollars(
        writes=spent.bill.write_units * sweeps / 10**6,
        reads=spent.bill.read_units * sweeps / 10**6,
        queue=0,
        functions=sweeps / 10**6,
    )
    assert (sweeps, Decimal(between(PAGE, "idle"))) == (8640, cost)


def _times_a_month(interval: timedelta) -> int:
    return int(MONTH_DAYS * 24 * 3600 / interval.total_seconds())
