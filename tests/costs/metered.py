"""A stack with a meter on the wire, at the level of its real doors."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from makegood.adapters.aws import AwsAccess, AwsClients
from makegood.adapters.chunks import chunks
from makegood.domain.limits import Limits

from tests.contract.worlds import TABLE
from tests.costs.billing import declared
from tests.costs.meter import Meter
from tests.crash.house import House, house
from tests.house.template_reading import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.costs.billing import Item
    from tests.costs.meter import Look
    from tests.local_engine import LocalEngine

DECLARED = RESOURCES["OperationsTable"]["Properties"]
INDEXES = [declared(index, DECLARED["KeySchema"]) for index in DECLARED["GlobalSecondaryIndexes"]]

#: an ordinary promise: its id derived from the intent, three fields expected, a small payload
ORDINARY: dict[str, Any] = {
    "operation_type": "patient",
    "operation_id": None,
    "expected_fields": {"email": "ada.lovelace@example.org", "name": "Ada Lovelace", "tier": "gold"},
    "payload": {"source": "checkout", "locale": "en-GB"},
}

_customers = count(1001)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metered:
    """A stack and its meter."""

    house: House
    meter: Meter

    def submit(self, **facts: Any) -> str:
        """Promise an ordinary operation and return its id."""
        entity = f"customer/{next(_customers)}"  # the id follows from the intent, so each intent is another
        return self.house.submit(**{**ORDINARY, "entity": entity, **facts})

    def place(self, items: list[Item]) -> None:
        """Put rows in their places, at no cost."""
        self.meter.runs = False
        for some in chunks(items, 25):
            puts = [{"PutRequest": {"Item": item}} for item in some]
            self.house.table.client.batch_write_item(RequestItems={TABLE: puts})
        self.meter.runs = True


@contextmanager
def metered(clients: AwsClients, look: Look, **numbers: int) -> Iterator[Metered]:
    """Build a stack over these clients; `look` reads a row without the meter noticing."""
    meter = Meter(look, INDEXES)
    listening = meter.between(clients.of("dynamodb"), clients.of("sqs"))
    with house(clients, **{"SHARDS": Limits().shards, **numbers}) as home, listening:
        yield Metered(house=home, meter=meter)


def beside(engine: LocalEngine) -> Look:
    """Return a way to read the engine's rows past the meter."""
    key = engine.credentials
    access = AwsAccess(
        region=engine.region,
        endpoint_url=engine.endpoint_url,
        access_key=key.access_key,
        secret_key=key.secret_key,
    )
    client: Any = AwsClients(access).of("dynamodb")
    return lambda at: client.get_item(TableName=TABLE, Key=dict(at), ConsistentRead=True).get("Item")
