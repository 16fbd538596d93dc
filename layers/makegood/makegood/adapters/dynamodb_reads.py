"""What is read: rows by id, what is due by the index, everything by a scan."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from botocore.client import BaseClient

from makegood.adapters import dynamodb_rows as rows
from makegood.adapters.aws import ask
from makegood.adapters.chunks import chunks
from makegood.adapters.dynamodb_attributes import Item
from makegood.adapters.dynamodb_models import DUE_INDEX, OPERATION
from makegood.adapters.system_clock import rest
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant
from makegood.domain.operation import OperationId
from makegood.ports import DueKey, Found, Page

BATCH = 100  #: keys that one BatchGetItem takes
PAGE = 250  #: keys of the index at once; some 30 KB
WAITS = tuple(timedelta(milliseconds=50 * 2**n) for n in range(6))  #: after six tries; 3 s in all


def one(client: BaseClient, table: str, key: Item) -> Item | None:
    """Read one item as it stands now; `None` if there is none."""
    item: Item | None = ask(client, "GetItem", TableName=table, Key=key, ConsistentRead=True).get("Item")
    return item


def find(client: BaseClient, table: str, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Found]:
    """Read rows as they stand now, 100 at once. What the service leaves for later is asked for again.

    Raises:
        StoreError: it was left for later too often.
    """
    found: dict[OperationId, Found] = {}
    for some in chunks(dict.fromkeys(identifiers), BATCH):
        for item in _batch(client, table, some):
            found[rows.identifier_of(item)] = rows.read(item)
    return found


def _batch(client: BaseClient, table: str, identifiers: Sequence[OperationId]) -> Iterator[Item]:
    wanted: dict[str, Any] = {table: {"Keys": [rows.key(one) for one in identifiers], "ConsistentRead": True}}
    for wait in WAITS:
        answer = ask(client, "BatchGetItem", RequestItems=wanted)
        for items in answer.get("Responses", {}).values():
            yield from items
        wanted = answer.get("UnprocessedKeys", {})
        if not wanted:
            return
        rest(wait)
    left = sum(len(keys["Keys"]) for keys in wanted.values())
    raise StoreError(f"BatchGetItem: {left} of {len(identifiers)} rows were left unread {len(WAITS)} times: throttled")


def due(client: BaseClient, table: str, shard: str, until: Instant) -> Iterator[DueKey]:
    """List the keys of one shard of the index that are due, oldest first; a page is asked for when it is reached."""
    request = {
        "TableName": table,
        "IndexName": DUE_INDEX,
        "KeyConditionExpression": "due_shard = :shard AND due_at <= :until",
        "ExpressionAttributeValues": {":shard": {"S": shard}, ":until": {"N": str(until)}},
        "Limit": PAGE,
    }
    for item in pages(client, "Query", request):
        yield _due_key(item)


def scan(client: BaseClient, table: str) -> Iterator[Found]:
    """Read every operation of the table, page by page as it is consumed."""
    request = {
        "TableName": table,
        "FilterExpression": "sk = :operation",
        "ExpressionAttributeValues": {":operation": {"S": OPERATION}},
        "ConsistentRead": True,
    }
    for item in pages(client, "Scan", request):
        yield rows.read(item)


def decided(client: BaseClient, table: str) -> Iterator[Page]:
    """Read every operation that a person decided upon, page by page as it is consumed, each with what it cost.

    The table is read whole, since no index holds what has ended; the filter spares what is sent, not what is billed.
    What was decided a moment ago may be missing: a consistent read would cost twice as much.
    """
    request = {
        "TableName": table,
        "FilterExpression": "sk = :operation AND attribute_exists(decisions)",
        "ExpressionAttributeValues": {":operation": {"S": OPERATION}},
        "ReturnConsumedCapacity": "TOTAL",
    }
    for answer in answers(client, "Scan", request):
        told = answer.get("ConsumedCapacity", {}).get("CapacityUnits")
        yield Page(
            rows=tuple(rows.read(item) for item in answer.get("Items", ())),
            units=None if told is None else Decimal(str(told)),
        )


def pages(client: BaseClient, operation: str, request: Mapping[str, Any]) -> Iterator[Item]:
    """Walk the items of a Query or Scan across its pages; an empty page is not the end."""
    for answer in answers(client, operation, request):
        yield from answer.get("Items", ())


def answers(client: BaseClient, operation: str, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Walk the pages of a Query or Scan as they are answered."""
    start: dict[str, Any] = {}
    while True:
        answer = ask(client, operation, **request, **start)
        yield answer
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _due_key(item: Item) -> DueKey:
    """Read a key of the index. An odd row's key comes too, filled up, so that its row is read, counted and named."""
    due_at = _instant(item["due_at"]["N"])
    created_at = item.get("created_at", {}).get("N")
    return DueKey(
        operation_id=rows.identifier_of(item),
        operation_type=item.get("operation_type", {}).get("S", ""),
        due_at=due_at,
        created_at=_instant(created_at) if created_at else due_at,
    )


def _instant(digits: str) -> Instant:
    return Instant(int(Decimal(digits)))
