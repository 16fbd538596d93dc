"""What do idempotency records cost for the same call, and what do they leave undone?"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer, IdempotencyConfig, idempotent_function

from tests.contract.worlds import TABLE
from tests.costs.meter import Meter
from tests.costs.metered import INDEXES
from tests.crash.wire import Killed
from tests.double.table import TableDouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from makegood.adapters.aws import AwsClients

    from tests.costs.billing import Item

MESSAGE = {"operation_id": "op-a92ba74db194a41ecd954e18df"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortRun:
    """What Lambda says of a run that has no time left."""

    function_name: str = "charge"

    def get_remaining_time_in_millis(self) -> int:
        """Leave a millisecond."""
        return 1


@dataclass(slots=True, kw_only=True)
class Guarded:
    """A remote call behind an idempotency record."""

    meter: Meter
    persistence: DynamoDBPersistenceLayer
    config: IdempotencyConfig
    effects: list[str] = field(default_factory=list)

    def charge(self, end: Callable[[], object] = lambda: None) -> None:
        """Make the effect once, and end like this."""

        @idempotent_function(data_keyword_argument="message", persistence_store=self.persistence, config=self.config)  # type: ignore[untyped-decorator]
        def effect(*, message: dict[str, str]) -> dict[str, str]:
            self.effects.append(message["operation_id"])
            end()
            return {"remote_id": "r-1"}

        effect(message=MESSAGE)


@pytest.fixture
def guarded(clients_of_double: AwsClients) -> Iterator[Guarded]:
    double = TableDouble()
    client: Any = clients_of_double.of("dynamodb")

    def look(key: Item) -> Item | None:
        return double.items.get((key["pk"]["S"], key["sk"]["S"]))

    meter = Meter(look, INDEXES)
    store = DynamoDBPersistenceLayer(TABLE, key_attr="pk", sort_key_attr="sk", boto3_client=client)
    config = IdempotencyConfig(lambda_context=ShortRun())  # type: ignore[arg-type]  # what it asks of a context
    with ExitStack() as stack:
        stack.enter_context(double.instead_of(client))
        stack.enter_context(meter.between(client, clients_of_double.of("sqs")))
        yield Guarded(meter=meter, persistence=store, config=config)


def test_a_call_behind_an_idempotency_record_costs_two_requests_and_two_units(guarded: Guarded) -> None:
    guarded.charge()
    bill = guarded.meter.take()
    assert bill.requests == {"PutItem": 1, "UpdateItem": 1}
    assert (bill.write_units, bill.read_units) == (2, 0)


def test_a_duplicate_of_it_costs_one(guarded: Guarded) -> None:
    guarded.charge()
    guarded.meter.take()
    guarded.charge()
    bill = guarded.meter.take()
    assert (bill.requests, bill.write_units, len(guarded.effects)) == ({"PutItem": 1}, 1, 1)


def test_after_a_kill_it_lets_the_effect_happen_once_more(guarded: Guarded) -> None:
    def dies() -> None:
        raise Killed

    with pytest.raises(Killed):
        guarded.charge(dies)
    time.sleep(0.01)  # the record's own clock says how long a run may have lasted
    guarded.charge()
    assert len(guarded.effects) == 2
