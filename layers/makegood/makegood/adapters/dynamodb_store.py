"""The rows in DynamoDB: the `Store` of `ports`, in as few requests as there are.

                    requests   write units (small row)
    add             1          1 + 1 for the index
    claim           1          1
    confirm         1          1 + 1 for the index
    touch           1          1 + 2 for the index

PynamoDB declares and serialises the items; requests are prepared here and sent through one botocore client, because
`Model.update` costs twice the CPU and cannot return the row on a failed condition. A repeated write of ours that had
landed is told by its write id.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from makegood.adapters import dynamodb_reads as reads
from makegood.adapters import dynamodb_rows as rows
from makegood.adapters.aws import AwsClients, AwsRefusal, ask
from makegood.adapters.dynamodb_attributes import Item
from makegood.adapters.dynamodb_changes import addition, addition_of_payload, change, expiry_of_payload
from makegood.adapters.dynamodb_claim import WORKER, claiming, is_too_long
from makegood.adapters.dynamodb_models import PAYLOAD
from makegood.adapters.dynamodb_transactions import patiently, transact
from makegood.domain import transitions
from makegood.domain.errors import ImpossibleTransition, StoreError, UnreadableRow
from makegood.domain.instant import Instant
from makegood.domain.moving import Hand
from makegood.domain.operation import Operation, OperationId
from makegood.ports import Added, Applied, Claim, Claimed, DueKey, Found, Moved, NotClaimed, Page, Present, Unreadable

NOT_MET = "ConditionalCheckFailedException"

Written: TypeAlias = Item | None  #: the row that was in the way, `{}` if there is none; `None` if the write landed


class DynamoDbStore:
    """Operations in one table."""

    def __init__(self, clients: AwsClients, table: str) -> None:
        self._clients = clients
        self._table = table

    def add(self, operation: Operation) -> Added | Present:
        """Write a new row, and its payload's own item if it is large, both or neither."""
        if operation.payload_bytes is None:
            in_the_way = self._write("PutItem", addition(self._table, operation))
        else:
            in_the_way = self._transact(self.as_transact_items(operation), operation.write_id)[0]
        if in_the_way is None:
            return Added(operation)
        found = rows.read(in_the_way)
        if isinstance(found, Operation) and found.write_id == operation.write_id:
            return Added(operation)
        return Present(found)

    def as_transact_items(self, operation: Operation) -> list[dict[str, Any]]:
        """Return a new row as entries of a caller's own TransactWriteItems (botocore's low-level form): the outbox.

        The business change and the operation commit together or not at all. The entries refuse an id that is taken;
        dispatch the operation after the commit.
        """
        entries = [{"Put": addition(self._table, operation)}]
        if operation.payload_bytes is not None:
            entries.append({"Put": addition_of_payload(self._table, operation)})
        return entries

    def claim(self, claim: Claim) -> Claimed | NotClaimed:
        """Take an operation for one attempt, in one conditional write and without a read.

        A large payload is read after it. A row that cannot be read back is a StoreError: it is claimed, and the sweep
        names it.
        """
        if not claim.terms:
            return NotClaimed(self._read(claim.operation_id))
        request = claiming(self._table, claim)
        if is_too_long(request):
            return self._claim_by_type(claim)
        try:
            answer = patiently(lambda: ask(self._client, "UpdateItem", **request))
        except AwsRefusal as refusal:
            if refusal.code != NOT_MET:
                raise
            return self._not_claimed(claim, refusal.response.get("Item", {}))
        return Claimed(self._complete(answer["Attributes"]))

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Write what changed, if the row is still `before`. If nothing changed, nothing is sent."""
        if after is before:
            return Applied(after)
        in_the_way = self._change(before, after)
        if in_the_way is None:
            return Applied(after)
        if not in_the_way:
            return Moved(None)
        found = rows.read(in_the_way)
        if isinstance(found, Operation) and found.write_id == after.write_id:
            return Applied(after)
        return Moved(found)

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Operation | Unreadable]:
        """Read rows as they stand now."""
        return reads.find(self._client, self._table, identifiers)

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """List what is due in one shard, oldest first, page by page as it is consumed."""
        return reads.due(self._client, self._table, shard, until)

    def scan(self) -> Iterator[Found]:
        """Read every operation there is, in no order. It costs what exists, not what is due; no flow uses it."""
        return reads.scan(self._client, self._table)

    def decided(self) -> Iterator[Page]:
        """Read every operation that a person decided upon, and what each page cost; as `scan`, it costs what exists."""
        return reads.decided(self._client, self._table)

    def with_payload(self, operation: Operation) -> Operation:
        """Return the operation with its payload, which `find` leaves out where it lives in an item of its own.

        Raises:
            StoreError: the payload's item is missing or cannot be read.
        """
        if operation.payload_bytes is None:
            return operation
        item = reads.one(self._client, self._table, rows.key(operation.operation_id, PAYLOAD))
        try:
            payload = rows.payload_of(item or {})
        except UnreadableRow as error:
            message = f"operation {operation.operation_id}: its payload's item cannot be read: {error}"
            raise StoreError(message) from error
        return replace(operation, payload=payload)

    @property
    def _client(self) -> Any:  # noqa: ANN401 - botocore makes its classes at run time
        return self._clients.of("dynamodb")

    def _not_claimed(self, claim: Claim, in_the_way: Item) -> Claimed | NotClaimed:
        if not in_the_way:
            return NotClaimed(None)
        found = rows.read(in_the_way)
        if isinstance(found, Unreadable):
            return NotClaimed(found)
        if claim.token == found.claim_token:  # ours had landed, and somebody may have asked to cancel since
            return Claimed(self.with_payload(found))
        if found.updated_at > claim.now and found.operation_type in claim.terms:
            return self._claim_from_the_future(claim, found)
        return NotClaimed(found)

    def _claim_by_type(self, claim: Claim) -> Claimed | NotClaimed:
        """Read the row for its type, and claim by that one's terms: what all types' terms together would not fit in."""
        found = self._read(claim.operation_id)
        if not isinstance(found, Operation) or found.operation_type not in claim.terms:
            return NotClaimed(found)
        return self.claim(replace(claim, terms={found.operation_type: claim.terms[found.operation_type]}))

    def _claim_from_the_future(self, claim: Claim, found: Operation) -> Claimed | NotClaimed:
        """Claim a row that a faster clock wrote: `updated_at` never moves back, so the row had to be seen first."""
        terms = claim.terms[found.operation_type]
        hand = Hand(now=claim.now, actor=WORKER, write_id=claim.write_id, terms=terms)
        try:
            wanted = transitions.claim(found, hand, token=claim.token)
        except ImpossibleTransition:
            return NotClaimed(found)
        match self.apply(found, wanted):
            case Applied(claimed):
                return Claimed(self.with_payload(claimed))
            case Moved(instead):
                return NotClaimed(instead)

    def _complete(self, item: Item) -> Operation:
        found = rows.read(item)
        if isinstance(found, Unreadable):
            raise StoreError(f"operation {found.operation_id} is claimed, but its row cannot be read: {found.why}")
        return self.with_payload(found)

    def _change(self, before: Operation, after: Operation) -> Written:
        update = change(self._table, before, after)
        if after.payload_bytes is None or after.expires_at is None:
            return self._write("UpdateItem", update)
        expiry = expiry_of_payload(self._table, after)
        in_the_way = self._transact([{"Update": update}, {"Update": expiry}], after.write_id)
        payload_is_gone = in_the_way[1] is not None and in_the_way[0] is None
        return self._write("UpdateItem", update) if payload_is_gone else in_the_way[0]

    def _write(self, operation: str, request: dict[str, Any]) -> Written:
        try:
            patiently(lambda: ask(self._client, operation, **request))
        except AwsRefusal as refusal:
            if refusal.code != NOT_MET:
                raise
            in_the_way: Item = refusal.response.get("Item", {})
            return in_the_way
        return None

    def _transact(self, writes: Sequence[dict[str, Any]], token: str) -> Sequence[Written]:
        return transact(self._client, writes, token=token)

    def _read(self, identifier: OperationId) -> Found | None:
        item = reads.one(self._client, self._table, rows.key(identifier))
        return rows.read(item) if item else None
