"""What is written when an operation moves: prepared expressions, each under conditions that make a lost race a value.

In the life of a row:

    add        attribute_not_exists(pk)                     nobody has taken this id
    claim      status, no token, not_before, attempts, key  it is free, and another send is safe
    change     status, revision, token or its absence       it is still the row that was seen, and in the same hands

No condition of a change holds for a row that does not exist, so no update creates one.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from makegood.adapters import dynamodb_rows as rows
from makegood.adapters.dynamodb_attributes import Item
from makegood.adapters.dynamodb_expression import Words
from makegood.adapters.dynamodb_models import PAYLOAD
from makegood.domain.operation import Operation

Request: TypeAlias = dict[str, Any]

TOLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}  #: a refused write brings the row that was in the way


def addition(table: str, operation: Operation) -> Request:
    """Write a new row; refuse if the id is taken."""
    return {
        "TableName": table,
        "Item": rows.item_of(operation),
        "ConditionExpression": "attribute_not_exists(pk)",
        **TOLD,
    }


def addition_of_payload(table: str, operation: Operation) -> Request:
    """Write the payload's item beside its new row, over one that an expired row left behind."""
    return {"TableName": table, "Item": rows.payload_item_of(operation)}


def change(table: str, before: Operation, after: Operation) -> Request:
    """Write what differs, if the row is still `before`. What this release does not know is not named, so it stays."""
    words = Words()
    return {
        "TableName": table,
        "Key": rows.key(before.operation_id),
        "UpdateExpression": _difference(rows.item_of(before), rows.item_of(after), words),
        "ConditionExpression": " AND ".join(_still(before, words)),
        "ExpressionAttributeNames": words.names,
        "ExpressionAttributeValues": words.values,
        **TOLD,
    }


def expiry_of_payload(table: str, operation: Operation) -> Request:
    """Let a large payload expire with its row; an item that is gone is not made anew."""
    return {
        "TableName": table,
        "Key": rows.key(operation.operation_id, PAYLOAD),
        "UpdateExpression": "SET expires_at = :at",
        "ConditionExpression": "attribute_exists(pk)",
        "ExpressionAttributeValues": {":at": {"N": str(operation.expires_at)}},
    }


def _difference(before: Item, after: Item, words: Words) -> str:
    changed = sorted(name for name, value in after.items() if before.get(name) != value)
    removed = sorted(before.keys() - after.keys())
    sets = ", ".join(f"{words.name(name)} = {words.value(after[name])}" for name in changed)
    removes = ", ".join(words.name(name) for name in removed)
    return f"SET {sets}" + (f" REMOVE {removes}" if removes else "")


def _still(seen: Operation, words: Words) -> Iterator[str]:
    yield f"{words.name('status')} = {words.text(seen.status.value)}"
    yield f"{words.name('revision')} = {words.number(seen.revision)}"
    token = words.name("claim_token")
    yield f"attribute_not_exists({token})" if seen.claim_token is None else f"{token} = {words.text(seen.claim_token)}"
