"""Where versions of one entity stand in line, one item for each entity: the `Line` of `ports`.

Entering costs one request and one write unit, leaving the same. The item stays when its operations have expired: a
version that was begun once must be known for as long as an older one could come.
"""

from typing import Any

from makegood.adapters.aws import AwsClients, AwsRefusal, ask
from makegood.adapters.dynamodb_attributes import Item
from makegood.adapters.dynamodb_expression import Words
from makegood.adapters.dynamodb_models import LatestRow
from makegood.adapters.dynamodb_rows import key, require_types
from makegood.adapters.dynamodb_transactions import patiently
from makegood.domain.errors import StoreError, UnreadableRow
from makegood.domain.instant import Instant
from makegood.domain.latest import Entry, Latest, Left
from makegood.domain.operation import OperationId

NOT_MET = "ConditionalCheckFailedException"
LATEST = "latest"


class DynamoDbLine:
    """The newest version of each entity that was ever begun."""

    def __init__(self, clients: AwsClients, table: str) -> None:
        self._clients = clients
        self._table = table

    def enter(self, entry: Entry) -> Latest | None:
        """Take the entity for one attempt, as `latest.admits` would, in one conditional write."""
        words, mine = Words(), entry.latest
        version, holder, busy = words.name("version"), words.name("operation_id"), words.name("busy_until")
        ours = words.text(mine.operation_id)
        passed = words.text(entry.over or mine.operation_id)
        number, now = words.number(mine.version), words.number(entry.now)
        in_the_way = self._write(
            entry,
            words,
            f"SET {version} = {number}, {holder} = {ours}, {busy} = {words.number(mine.busy_until or entry.now)} "
            f"ADD {words.name('applied')} {words.value({'NS': [str(mine.version)]})}",
            f"attribute_not_exists(pk) OR {holder} IN ({ours}, {passed}) OR "
            f"({version} <= {number} AND (attribute_not_exists({busy}) OR {busy} <= {now}))",
        )
        return None if in_the_way is None else _latest(in_the_way)

    def leave(self, entry: Entry, *, busy_until: Instant | None, behind: Left) -> None:
        """Say until when a call may still land, and what is left behind, if the entity is still this attempt's."""
        words, mine = Words(), entry.latest
        holder, busy = words.name("operation_id"), words.name("busy_until")
        update = f"REMOVE {busy}" if busy_until is None else f"SET {busy} = {words.number(busy_until)}"
        if behind is not Left.DOUBT:
            update = _with_applied(update, words, mine.version, behind)
        seen = words.number(mine.busy_until or entry.now)
        self._write(entry, words, update, f"{holder} = {words.text(mine.operation_id)} AND {busy} = {seen}")

    def _write(self, entry: Entry, words: Words, update: str, condition: str) -> Item | None:
        """Write the item; return what was in the way, `None` if nothing was."""
        request: dict[str, Any] = {
            "TableName": self._table,
            "Key": key(f"entity#{entry.operation_type}#{entry.entity}", LATEST),
            "UpdateExpression": update,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": words.names,
            "ExpressionAttributeValues": words.values,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        client = self._clients.of("dynamodb")
        try:
            patiently(lambda: ask(client, "UpdateItem", **request))
        except AwsRefusal as refusal:
            if refusal.code != NOT_MET:
                raise
            in_the_way: Item = refusal.response.get("Item", {})
            return in_the_way
        return None


def _with_applied(update: str, words: Words, version: int, behind: Left) -> str:
    """Add to an update what becomes of the versions that may have been applied."""
    applied, mine = words.name("applied"), words.value({"NS": [str(version)]})
    if behind is Left.NOTHING:
        return f"{update} DELETE {applied} {mine}"
    return f"{update}, {applied} = {mine}" if update.startswith("SET") else f"SET {applied} = {mine} {update}"


def _latest(item: Item) -> Latest:
    try:
        require_types(LatestRow, item)
        row = LatestRow.from_raw_data(dict(item))
        return Latest(
            version=row.version,
            operation_id=OperationId(row.operation_id),
            busy_until=row.busy_until,
            applied=row.applied or frozenset(),
        )
    except (UnreadableRow, ValueError) as error:
        raise StoreError(f"an entity's item cannot be read: {error}") from error
