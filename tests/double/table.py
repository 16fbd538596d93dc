"""A table that answers in DynamoDB's place, quickly and however many rows it holds.

It stands where the network would be (botocore's `before-send`), so everything of ours and of the SDK's runs as ever.
It knows the requests that Makegood makes and no others. The contract tests hold it to what they hold moto and the
engine to; what it does not show: time, throttles, index lag.
"""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from botocore import xform_name

from tests.contract.worlds import hooked
from tests.double.answers import answered
from tests.double.expressions import Item, Scope, condition, update, words

if TYPE_CHECKING:
    from botocore.awsrequest import AWSResponse

Request: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[str, str]
Place: TypeAlias = tuple[Decimal, str, str]

PAGE_BYTES = 1024 * 1024
PROJECTED = ("pk", "sk", "due_shard", "due_at", "operation_type", "created_at")


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code, **more}
        self.error = {"Code": code, "Message": code}


class TableDouble:
    """One table with the index `due`."""

    def __init__(self) -> None:
        self.items: dict[Key, Item] = {}
        self._due: dict[str, list[Place]] = {}
        self._tokens: dict[str, Request] = {}

    @contextmanager
    def instead_of(self, client: Any) -> Iterator[None]:  # noqa: ANN401 - botocore makes its classes at run time
        """Answer in this client's place."""
        with hooked(client, "before-send.dynamodb", self.answer):
            yield

    @contextmanager
    def at_once(self, client: Any, unless: Callable[[], bool] = lambda: False) -> Iterator[None]:  # noqa: ANN401
        """Answer before a request is even signed, after whoever else listens: half the time, for many rows."""

        def answer(**request: Any) -> tuple[Any, Request] | None:
            return None if unless() else self._at_once(**request)

        client.meta.events.register_last("before-call", answer)
        try:
            yield
        finally:
            client.meta.events.unregister("before-call", answer)

    def _at_once(self, model: Any, params: Request, **_: object) -> tuple[Any, Request]:  # noqa: ANN401 - as above
        try:
            said = getattr(self, f"_{xform_name(model.name)}")(json.loads(params["body"]))
        except Refused as refused:
            return SimpleNamespace(status_code=400), {"Error": refused.error, **refused.body}
        return SimpleNamespace(status_code=200), said

    def answer(self, request: Any, **_: object) -> AWSResponse:  # noqa: ANN401 - as above
        """Answer one request, a hook of `before-send.dynamodb`."""
        name = request.headers["X-Amz-Target"].decode().split(".")[1]
        try:
            status, body = 200, getattr(self, f"_{xform_name(name)}")(json.loads(request.body))
        except Refused as refused:
            status, body = 400, refused.body
        return answered(request, body, status)

    def put(self, items: Iterable[Item]) -> None:
        """Put rows in their places, whatever stood there."""
        for item in items:
            self._write(_key(item), item)

    def _create_table(self, request: Request) -> dict[str, Any]:
        return {"TableDescription": {"TableName": request["TableName"]}}

    def _delete_table(self, request: Request) -> dict[str, Any]:
        for held in (self.items, self._due, self._tokens):
            held.clear()
        return {"TableDescription": {"TableName": request["TableName"]}}

    def _put_item(self, request: Request) -> dict[str, Any]:
        _require_used(request)
        self._check(request, _key(request["Item"]))
        self._do_put(request)
        return {}

    def _update_item(self, request: Request) -> dict[str, Any]:
        _require_used(request)
        self._check(request, _key(request["Key"]))
        item = self._do_update(request)
        return {"Attributes": item} if request.get("ReturnValues") == "ALL_NEW" else {}

    def _delete_item(self, request: Request) -> dict[str, Any]:
        self._write(_key(request["Key"]), None)
        return {}

    def _transact_write_items(self, request: Request) -> dict[str, Any]:
        token = request["ClientRequestToken"]
        if token in self._tokens:
            if self._tokens[token] != request:
                raise Refused("IdempotentParameterMismatchException")
            return {}
        writes = [(kind, one) for entry in request["TransactItems"] for kind, one in entry.items()]
        reasons = [self._reason(one, _key(one.get("Item") or one["Key"])) for _, one in writes]
        if any(reason["Code"] != "None" for reason in reasons):
            raise Refused("TransactionCanceledException", CancellationReasons=reasons)
        for kind, one in writes:
            _require_used(one)
            getattr(self, f"_do_{kind.lower()}")(one)
        self._tokens[token] = request
        return {}

    def _get_item(self, request: Request) -> dict[str, Any]:
        item = self.items.get(_key(request["Key"]))
        return {"Item": item} if item else {}

    def _batch_get_item(self, request: Request) -> dict[str, Any]:
        ((table, asked),) = request["RequestItems"].items()
        found = [self.items.get(_key(key)) for key in asked["Keys"]]
        return {"Responses": {table: [item for item in found if item]}, "UnprocessedKeys": {}}

    def _batch_write_item(self, request: Request) -> dict[str, Any]:
        for writes in request["RequestItems"].values():
            self.put(write["PutRequest"]["Item"] for write in writes)
        return {"UnprocessedItems": {}}

    def _query(self, request: Request) -> dict[str, Any]:
        values = request["ExpressionAttributeValues"]
        if request.get("IndexName") is None:
            return self._of_one_partition(request)
        places = self._due.get(values[":shard"]["S"], [])
        start = _place(request["ExclusiveStartKey"]) if "ExclusiveStartKey" in request else None
        first = 0 if start is None else bisect_left(places, (*start[:2], start[2] + "\0"))
        last = bisect_left(places, (Decimal(values[":until"]["N"]) + 1, "", "")) if ":until" in values else len(places)
        rows = (self.items[place[1:]] for place in places[first : min(last, first + request.get("Limit", last) + 1)])
        return _page([{name: row[name] for name in PROJECTED if name in row} for row in rows], request)

    def _of_one_partition(self, request: Request) -> dict[str, Any]:
        [prefix] = request["ExpressionAttributeValues"].values()
        backwards = request.get("ScanIndexForward") is False
        found = sorted((key for key in self.items if key[0] == prefix["S"]), reverse=backwards)
        if "ExclusiveStartKey" in request:
            found = found[found.index(_key(request["ExclusiveStartKey"])) + 1 :]
        return _page([self.items[key] for key in found], request)

    def _scan(self, request: Request) -> dict[str, Any]:
        items = [self.items[key] for key in sorted(self.items)]
        if request.get("IndexName"):
            items = [{name: item[name] for name in PROJECTED if name in item} for item in items if "due_at" in item]
        start = request.get("ExclusiveStartKey")
        answer = _page([item for item in items if start is None or _key(item) > _key(start)], request)
        if "FilterExpression" in request:
            meets = condition(request["FilterExpression"])
            answer["Items"] = [item for item in answer["Items"] if meets(_scope(request, item))]
        if request.get("ReturnConsumedCapacity") == "TOTAL":
            answer["ConsumedCapacity"] = {"CapacityUnits": 0.5 * len(items)}  # rows of up to 4 KB, read one by one
        return answer

    def _check(self, request: Request, key: Key) -> None:
        reason = self._reason(request, key)
        if reason["Code"] != "None":
            raise Refused("ConditionalCheckFailedException", **{k: v for k, v in reason.items() if k == "Item"})

    def _reason(self, request: Request, key: Key) -> dict[str, Any]:
        """Say whether a write may be done, as a transaction does."""
        item = self.items.get(key)
        text = request.get("ConditionExpression")
        if text is None or condition(text)(_scope(request, item or {})):
            return {"Code": "None"}
        told = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and item
        return {"Code": "ConditionalCheckFailed", **({"Item": item} if told else {})}

    def _do_put(self, request: Request) -> None:
        self._write(_key(request["Item"]), request["Item"])

    def _do_update(self, request: Request) -> Item:
        key = _key(request["Key"])
        item = update(request["UpdateExpression"])(_scope(request, self.items.get(key) or request["Key"]))
        self._write(key, item)
        return item

    def _write(self, key: Key, item: Item | None) -> None:
        """Put an item in its place, or nothing, and keep the index."""
        old = self.items.pop(key, None)
        if old is not None and (place := _place(old)):
            places = self._due[old["due_shard"]["S"]]
            del places[bisect_left(places, place)]
        if item is None:
            return
        self.items[key] = item
        if place := _place(item):
            insort(self._due.setdefault(item["due_shard"]["S"], []), place)


def _key(item: Item) -> Key:
    return item["pk"]["S"], item["sk"]["S"]


def _place(item: Item) -> Place | None:
    """Return where an item stands in its shard of the index; only what has both index keys is in it."""
    if "due_shard" not in item or "due_at" not in item:
        return None
    return Decimal(item["due_at"]["N"]), *_key(item)


def _scope(request: Request, item: Item) -> Scope:
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    return Scope(item, names, values)


def _require_used(request: Request) -> None:
    """Refuse a placeholder that is given and not used, as DynamoDB does."""
    given = {*request.get("ExpressionAttributeNames", ()), *request.get("ExpressionAttributeValues", ())}
    texts = (request.get(name) or "" for name in ("UpdateExpression", "ConditionExpression"))
    if given - frozenset().union(*map(words, texts)):
        raise Refused("ValidationException")


def _page(items: list[Item], request: Request) -> dict[str, Any]:
    """Cut off after the limit or one megabyte and say where to go on, even if nothing follows."""
    most = request.get("Limit", len(items) + 1)
    size = 0
    for number, item in enumerate(items, start=1):
        size += len(json.dumps(item))
        if number == most or size > PAGE_BYTES:
            keys = {name: item[name] for name in ("pk", "sk", "due_shard", "due_at") if name in item}
            return {"Items": items[:number], "LastEvaluatedKey": keys}
    return {"Items": items}
