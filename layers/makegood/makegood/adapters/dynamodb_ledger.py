"""What the reconciler keeps of itself, in the same table: the `Ledger` of `ports`.

An ordinary run costs three requests here: the lease, the record, and the lease given back with the word on the halt.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from makegood.adapters import dynamodb_records as records
from makegood.adapters.aws import AwsClients, AwsRefusal, ask
from makegood.adapters.dynamodb_attributes import Item
from makegood.adapters.dynamodb_expression import Words
from makegood.adapters.dynamodb_models import ControlRow
from makegood.adapters.dynamodb_reads import one, pages
from makegood.adapters.dynamodb_rows import key
from makegood.domain.errors import InvalidInput, StoreError, UnreadableRow
from makegood.domain.instant import Instant
from makegood.domain.operation import OperationId
from makegood.domain.run import Acknowledgement, Control, RunOutcome, RunRecord

NOT_MET = "ConditionalCheckFailedException"
_KEY = key(records.CONTROL, records.SWEEP)
_ODD = (UnreadableRow, InvalidInput, ValueError, LookupError, TypeError)


class DynamoDbLedger:
    """The sweep's control row and the records of its runs."""

    def __init__(self, clients: AwsClients, table: str) -> None:
        self._clients = clients
        self._table = table

    def take_lease(self, *, now: Instant, token: str, until: Instant) -> Control | None:
        """Take the sweep's lease unless somebody holds it, in one write that returns the control row."""
        words = Words()
        mine, ends = words.name("lease_token"), words.name("lease_ends_at")
        ours = words.text(token)
        row = self._update(
            words,
            f"SET {mine} = {ours}, {ends} = {words.number(until)}",
            condition=f"attribute_not_exists({mine}) OR {mine} = {ours} OR {ends} <= {words.number(now)}",
        )
        return None if row is None else _control(row)

    def asking(self, *, token: str, identifiers: Sequence[OperationId]) -> bool:
        """Remember which rows the outside is asked about, if the lease is still ours. One write unit."""
        words = Words()
        asked = words.value({"L": ControlRow.asking.serialize(identifiers)})
        mine = f"{words.name('lease_token')} = {words.text(token)}"
        return self._update(words, f"SET {words.name('asking')} = {asked}", condition=mine) is not None

    def finish(self, *, token: str, record: RunRecord) -> None:
        """Store a run's record; give the lease back, note the halt and the shards asked, if the lease is still ours.

        A run that another has overtaken leaves the control row to that one. A dry run held no lease, changes no halt.
        """
        ask(self._client, "PutItem", TableName=self._table, Item=records.run_item(record))
        if record.dry_run:
            return
        words = Words()
        self._give_back(words, _outcome(words, record), token)

    def give_back(self, *, token: str) -> None:
        """Give the lease back if it is still ours."""
        self._give_back(Words(), "REMOVE", token)

    def control(self) -> Control:
        """Read the control row as it stands now."""
        return _control(one(self._client, self._table, _KEY) or {})

    def acknowledge(self, acknowledgement: Acknowledgement) -> None:
        """Keep an acknowledgement in the place of an earlier one."""
        words = Words()
        text = ControlRow.acknowledgement.serialize(records.acknowledgement_document(acknowledgement))
        self._update(words, f"SET {words.name('acknowledgement')} = {words.text(text)}")

    def runs(self, limit: int) -> Sequence[RunRecord]:
        """Return the latest records, newest first. One that this release cannot read is stepped over."""
        request = {
            "TableName": self._table,
            "KeyConditionExpression": "pk = :sweeps",
            "ExpressionAttributeValues": {":sweeps": {"S": records.SWEEPS}},
            "ScanIndexForward": False,
            "Limit": limit,
            "ConsistentRead": True,
        }
        return list(islice(_readable(pages(self._client, "Query", request)), limit))

    @property
    def _client(self) -> Any:  # noqa: ANN401 - botocore makes its classes at run time
        return self._clients.of("dynamodb")

    def _give_back(self, words: Words, before: str, token: str) -> None:
        mine, ends, asking = words.name("lease_token"), words.name("lease_ends_at"), words.name("asking")
        self._update(words, f"{before} {mine}, {ends}, {asking}", condition=f"{mine} = {words.text(token)}")

    def _update(self, words: Words, update: str, condition: str | None = None) -> Item | None:
        """Write the control row, making it if it is not there, and return it; `None` if the condition is not met."""
        request: dict[str, Any] = {"ExpressionAttributeValues": words.values} if words.values else {}
        if condition is not None:
            request["ConditionExpression"] = condition
        try:
            answer = ask(
                self._client,
                "UpdateItem",
                TableName=self._table,
                Key=_KEY,
                UpdateExpression=update,
                ExpressionAttributeNames=words.names,
                ReturnValues="ALL_NEW",
                **request,
            )
        except AwsRefusal as refusal:
            if refusal.code != NOT_MET:
                raise
            return None
        row: Item = answer["Attributes"]
        return row


def _outcome(words: Words, record: RunRecord) -> str:
    """Say what a run leaves in the control row; the names that give the lease back come behind."""
    shards = f"SET {words.name('shards')} = {words.number(record.shards)}"
    if record.outcome is RunOutcome.HALTED:
        since, why = words.name("halted_since"), words.name("halted_why")
        at = words.number(record.started_at)
        return f"{shards}, {since} = if_not_exists({since}, {at}), {why} = {words.text(record.halted_why or '')} REMOVE"
    if record.ends_a_halt:
        return f"{shards} REMOVE {words.name('halted_since')}, {words.name('halted_why')},"
    return f"{shards} REMOVE"


def _control(item: Item) -> Control:
    try:
        return records.control(item)
    except _ODD as error:
        raise StoreError(f"the sweep's control row (#control, sweep) cannot be read: {error}") from error


def _readable(items: Iterator[Item]) -> Iterator[RunRecord]:
    for item in items:
        try:
            yield records.run_record(item)
        except _ODD:
            continue
