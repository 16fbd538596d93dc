"""What was measured, in the words and at the prices of the page on costs."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from tests.costs.metered import metered
from tests.costs.outcome_paths import OUTCOME_PATHS
from tests.costs.paths import PATHS
from tests.double.table import TableDouble
from tests.house.docs_reading import between, rows

if TYPE_CHECKING:
    from makegood.adapters.aws import AwsClients

    from tests.costs.billing import Item
    from tests.costs.paths import Spent

PAGE = "costs.md"
CENT = Decimal("0.01")
EVERY_PATH = {**PATHS, **OUTCOME_PATHS}


def prices() -> dict[str, Decimal]:
    """Return the page's prices."""
    return {what: Decimal(price) for what, price, _ in rows(between(PAGE, "prices"))}


def dollars(*, writes: float, queue: float, functions: float, reads: float = 0, **own: float) -> Decimal:
    """Return what a million cost, to the cent."""
    of = prices()
    each = {
        "DynamoDB write unit, on demand": writes,
        "DynamoDB read unit, on demand": reads,
        "SQS request, standard queue": queue,
        "Lambda request": functions,
        **own,
    }
    return sum((of[what] * Decimal(str(count)) for what, count in each.items()), Decimal()).quantize(
        CENT, ROUND_HALF_UP
    )


def walked(name: str, clients: AwsClients) -> Spent:
    """Walk a path on the double; the engine confirms the same figures elsewhere."""
    double = TableDouble()

    def look(key: Item) -> Item | None:
        return double.items.get((key["pk"]["S"], key["sk"]["S"]))

    with double.instead_of(clients.of("dynamodb")), metered(clients, look) as stack:
        return EVERY_PATH[name](stack)


def cells(spent: Spent) -> list[str]:
    """Return the cells of a path's row on the page, behind its name."""
    cost = dollars(
        writes=spent.bill.write_units,
        reads=spent.bill.read_units,
        queue=spent.queue_requests,
        functions=spent.function_requests,
    )
    counted = (spent.writes, spent.reads, spent.bill.write_units, f"{spent.bill.read_units:g}")
    return [*map(str, counted), str(spent.queue_requests), str(spent.function_requests), str(cost)]
