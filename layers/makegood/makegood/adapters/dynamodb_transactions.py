"""Transactions: two items or none, with each item's reason read one by one; and patience where one is in the way."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from botocore.client import BaseClient

from makegood.adapters.aws import AwsRefusal, ask
from makegood.adapters.dynamodb_attributes import Item
from makegood.adapters.system_clock import rest

T = TypeVar("T")

LOST = "ConditionalCheckFailed"
WAITS = tuple(timedelta(milliseconds=50 * 2**n) for n in range(4))  #: between five tries

# Nothing was written, and asking again may help: another transaction was at the row, or a throttle.
# Source: DynamoDB API reference, "TransactWriteItems", "CancellationReasons".
_PASSING = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
# The same of one item, and of a transaction whose own first try still runs. The SDK repeats none of the first two.
# Source: DynamoDB API reference, "UpdateItem", "Errors".
_IN_THE_WAY = frozenset(
    {"TransactionConflictException", "ReplicatedWriteConflictException", "TransactionInProgressException"}
)


def transact(client: BaseClient, writes: Sequence[dict[str, Any]], *, token: str) -> Sequence[Item | None]:
    """Write all or nothing.

    Returns for each write the row that did not meet its condition (`{}` if there is none), `None` where all was well.
    `token` is fresh with every set of writes; for ten minutes the service tells a repeated request by it.

    Raises:
        StoreError: the service refused, or something passing stood in the way five times.
    """
    return patiently(lambda: _once(client, writes, token))


def patiently(write: Callable[[], T]) -> T:
    """Write; where something passing stood in the way, wait and write again, five times at most.

    Raises:
        AwsRefusal: the last refusal.
    """
    for wait in WAITS:
        try:
            return write()
        except AwsRefusal as refusal:
            if not _passes(refusal):
                raise
        rest(wait)
    return write()


def _once(client: BaseClient, writes: Sequence[dict[str, Any]], token: str) -> Sequence[Item | None]:
    try:
        ask(client, "TransactWriteItems", TransactItems=list(writes), ClientRequestToken=token)
    except AwsRefusal as refusal:
        lost = [reason.get("Item", {}) if reason.get("Code") == LOST else None for reason in _reasons(refusal)]
        if all(item is None for item in lost):
            raise
        return lost
    return [None] * len(writes)


def _passes(refusal: AwsRefusal) -> bool:
    codes = {reason.get("Code", "None") for reason in _reasons(refusal)} - {"None"}
    return refusal.code in _IN_THE_WAY or (bool(codes) and codes <= _PASSING)


def _reasons(refusal: AwsRefusal) -> Sequence[dict[str, Any]]:
    reasons: Sequence[dict[str, Any]] = refusal.response.get("CancellationReasons", ())
    return reasons
