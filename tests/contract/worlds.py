"""The three worlds that the contract is held to: in memory, moto in this process, and the local engine over HTTP."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from makegood.adapters import dynamodb_rows as rows
from makegood.adapters.dynamodb_ledger import DynamoDbLedger
from makegood.adapters.dynamodb_line import DynamoDbLine
from makegood.adapters.dynamodb_store import DynamoDbStore
from makegood.adapters.memory import MemoryLedger, MemoryLine, MemoryStore
from makegood_cli.local import template
from makegood_cli.local.places import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from makegood.adapters.aws import AwsClients
    from makegood.domain.operation import Operation

TABLE = "operations"
_PARTS = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dynamo:
    """A table as the template describes it, with the adapters over it, and what they ask of it."""

    clients: AwsClients
    store: DynamoDbStore
    ledger: DynamoDbLedger
    requests: Counter[str] = field(default_factory=Counter)  #: by operation, repeated ones counted again

    @property
    def line(self) -> DynamoDbLine:
        """Where versions of one entity stand in line."""
        return DynamoDbLine(self.clients, TABLE)

    @property
    def client(self) -> Any:  # noqa: ANN401 - botocore makes its classes at run time
        """The client that the adapters use, for hooks and for looking at the table."""
        return self.clients.of("dynamodb")

    def place(self, operation: Operation) -> None:
        """Put a row in its place, whatever stood there."""
        self.place_item(dict(rows.item_of(operation)))

    def place_item(self, item: dict[str, Any]) -> None:
        """Put an item in its place as another program might have written it."""
        self.client.put_item(TableName=TABLE, Item=item)

    def item(self, identifier: str, sort: str = "operation") -> dict[str, Any]:
        """Return an item as it stands; empty if there is none."""
        answer = self.client.get_item(TableName=TABLE, Key=rows.key(identifier, sort), ConsistentRead=True)
        item: dict[str, Any] = answer.get("Item", {})
        return item

    def count(self) -> int:
        """Say how many items the table holds."""
        return len(self.client.scan(TableName=TABLE, ConsistentRead=True)["Items"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The twins in memory."""

    store: MemoryStore = field(default_factory=MemoryStore)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    line: MemoryLine = field(default_factory=MemoryLine)

    def place(self, operation: Operation) -> None:
        """Put a row in its place, whatever stood there."""
        self.store.rows[operation.operation_id] = operation

    def count(self) -> int:
        """Say how many rows there are."""
        return len(self.store.rows)


World = Memory | Dynamo


@cache
def _declared() -> dict[str, Any]:
    properties = template.load(CHECKOUT / "template.yaml")["Resources"]["OperationsTable"]["Properties"]
    return {part: properties[part] for part in _PARTS}


@contextmanager
def dynamo(clients: AwsClients) -> Iterator[Dynamo]:
    """Create the template's table where these clients lead, and count what is asked of it."""
    world = Dynamo(clients=clients, store=DynamoDbStore(clients, TABLE), ledger=DynamoDbLedger(clients, TABLE))
    world.client.create_table(TableName=TABLE, **_declared())
    with hooked(world.client, "before-call.dynamodb", lambda model, **_: world.requests.update([model.name])):
        yield world


@contextmanager
def hooked(client: Any, event: str, handler: Callable[..., Any]) -> Iterator[None]:  # noqa: ANN401
    """Let a handler listen to one of botocore's events, before all others."""
    client.meta.events.register_first(event, handler)
    try:
        yield
    finally:
        client.meta.events.unregister(event, handler)
