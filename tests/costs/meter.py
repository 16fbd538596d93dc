"""A meter on the wire: it looks at each row before and after a request, and adds up what AWS would bill."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.contract.worlds import hooked
from tests.costs import billing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tests.costs.billing import Index, Item

    Look = Callable[[Item], Item | None]  #: reads a row by its key, unmetered

WRITES = frozenset({"PutItem", "UpdateItem"})


@dataclass(slots=True, kw_only=True)
class Bill:
    """What was spent."""

    requests: Counter[str] = field(default_factory=Counter)  #: of DynamoDB, by operation
    write_units: int = 0
    read_units: float = 0
    sent: int = 0  #: SQS requests as they are billed
    of_row: Counter[str] = field(default_factory=Counter)  #: write units, by partition key
    writes_of_row: Counter[str] = field(default_factory=Counter)  #: write requests, by partition key
    told_units: float = 0  #: what the service itself says of its single-item writes
    single_units: int = 0  #: and what the meter says of the same

    @property
    def all_requests(self) -> int:
        """Return the requests of both services."""
        return self.requests.total() + self.sent


class Meter:
    """Counts what passes through two clients."""

    def __init__(self, look: Look, indexes: Sequence[Index]) -> None:
        self.bill = Bill()
        self.runs = True  #: what a test puts in place costs nothing
        self._look = look
        self._indexes = indexes
        self._asked: Mapping[str, Any] = {}
        self._keys: list[Item] = []
        self._before: list[Item | None] = []

    @contextmanager
    def between(self, dynamodb: Any, sqs: Any) -> Iterator[None]:  # noqa: ANN401 - botocore makes its classes at run time
        """Count."""
        with ExitStack() as hooks:
            for name in WRITES:
                hooks.enter_context(hooked(dynamodb, f"provide-client-params.dynamodb.{name}", self._asks))
            hooks.enter_context(hooked(dynamodb, "before-call.dynamodb", self._leaves))
            hooks.enter_context(hooked(dynamodb, "after-call.dynamodb", self._arrives))
            hooks.enter_context(hooked(sqs, "before-call.sqs", self._sends))
            yield

    def take(self) -> Bill:
        """Return the bill so far and begin a new one."""
        bill, self.bill = self.bill, Bill()
        return bill

    def _asks(self, params: dict[str, Any], **_: object) -> None:
        """Ask the service for its own figure."""
        params["ReturnConsumedCapacity"] = "INDEXES"

    def _leaves(self, model: Any, params: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401 - as above
        if not self.runs:
            return
        self._asked = json.loads(params["body"])
        self._keys = [_key(write) for write in _writes(model.name, self._asked)]
        self._before = [self._look(key) for key in self._keys]

    def _arrives(self, model: Any, parsed: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401 - as above
        if not self.runs:
            return
        self.bill.requests[model.name] += 1
        if self._keys:
            self._written(model.name, parsed)
        else:
            self.bill.read_units += _read(model.name, self._asked, parsed)

    def _written(self, name: str, parsed: Mapping[str, Any]) -> None:
        spent = 0
        for key, before in zip(self._keys, self._before, strict=True):
            units = self._units(name, key, before, refused="Error" in parsed)
            self.bill.of_row[key["pk"]["S"]] += units
            self.bill.writes_of_row[key["pk"]["S"]] += 1
            spent += units
        self.bill.write_units += spent
        if name in WRITES and "ConsumedCapacity" in parsed:
            self.bill.told_units += parsed["ConsumedCapacity"]["CapacityUnits"]
            self.bill.single_units += spent

    def _units(self, name: str, key: Item, before: Item | None, *, refused: bool) -> int:
        """Count table and indexes; a transaction's index arms are written once, after it has committed."""
        again = 0 if name in WRITES else billing.TRANSACTION - 1
        if refused:
            return billing.refused_units(before) * (1 + again)
        after = self._look(key)
        return billing.write_units(before, after, self._indexes) + billing.write_units(before, after) * again

    def _sends(self, params: Mapping[str, Any], **_: object) -> None:
        entries = json.loads(params["body"])["Entries"]
        self.bill.sent += billing.sqs_requests(sum(len(entry["MessageBody"].encode()) for entry in entries))


def _writes(name: str, asked: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if name in WRITES:
        return [asked]
    return [write for entry in asked.get("TransactItems", ()) for write in entry.values()]


def _key(write: Mapping[str, Any]) -> Item:
    at = write.get("Key") or write["Item"]
    return {name: at[name] for name in ("pk", "sk")}


def _read(name: str, asked: Mapping[str, Any], parsed: Mapping[str, Any]) -> float:
    match name:
        case "GetItem":
            return billing.read_units([parsed.get("Item", {})], consistent=asked.get("ConsistentRead", False))
        case "BatchGetItem":
            ((table, wanted),) = asked["RequestItems"].items()
            found = parsed["Responses"].get(table, [])
            missing: list[Item] = [{}] * (len(wanted["Keys"]) - len(found))
            consistent = wanted.get("ConsistentRead", False)
            return sum(billing.read_units([item], consistent=consistent) for item in (*found, *missing))
        case "Query" | "Scan":
            return billing.read_units(parsed["Items"], consistent=asked.get("ConsistentRead", False))
        case _:
            raise ValueError(f"no price is known for {name}")
