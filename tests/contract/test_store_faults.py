"""Does every way in which the service can fail to answer become one error that says what was asked and what came back?

The faults are hooks of botocore, because neither moto nor the engine throttles, denies or conflicts by itself. They
stand before the engine: moto, a hook of the same event, would do the write that is being refused.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError
from makegood.adapters import dynamodb_transactions
from makegood.domain import transitions
from makegood.domain.errors import StoreError
from makegood.ports import Added, Present

from tests.case import case
from tests.contract import builders as a
from tests.contract.worlds import Dynamo, dynamo, hooked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from makegood.adapters.aws import AwsClients

pytestmark = pytest.mark.xdist_group("engine")

CANCELLED = "TransactionCanceledException"
LARGE = {"text": "x" * 600}
ROW = a.promised()
CALLS: dict[str, Callable[[Dynamo], object]] = {
    "PutItem": lambda table: table.store.add(ROW),
    "TransactWriteItems": lambda table: table.store.add(a.promised(payload=LARGE)),
    "UpdateItem": lambda table: table.store.claim(a.claim(ROW)),
    "BatchGetItem": lambda table: table.store.find([ROW.operation_id]),
    "Query": lambda table: list(table.store.due("open#00", a.LATER)),
    "Scan": lambda table: list(table.store.scan()),
    "GetItem": lambda table: table.ledger.control(),
}


class Body:
    """The raw part of an answer."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: object) -> Iterator[bytes]:
        """Yield it whole."""
        yield self._content


def refusing(
    table: Dynamo, operation: str, code: str, *, times: int = 99, reasons: Sequence[object] = ()
) -> AbstractContextManager[None]:
    """Let the service answer with an error, so many times; a transaction's with a reason for each item."""
    left = [times]

    def handler(request: Any, **_: object) -> AWSResponse | None:  # noqa: ANN401 - botocore's event
        if not left[0]:
            return None
        left[0] -= 1
        said: dict[str, object] = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "said no"}
        content = json.dumps({**said, "CancellationReasons": reasons} if reasons else said)
        headers = {"content-type": "application/x-amz-json-1.0"}
        return AWSResponse(request.url, 400, headers, Body(content.encode()))  # type: ignore[arg-type]  # any mapping will do

    return hooked(table.client, f"before-send.dynamodb.{operation}", handler)


def failing(table: Dynamo, operation: str, error: Exception) -> AbstractContextManager[None]:
    """Let the connection fail."""

    def handler(**_: object) -> None:
        raise error

    return hooked(table.client, f"before-send.dynamodb.{operation}", handler)


@pytest.fixture
def table(engine_clients: AwsClients) -> Iterator[Dynamo]:
    """Return an empty table in the engine."""
    with dynamo(engine_clients) as created:
        yield created


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let retries follow at once, ours and botocore's."""
    monkeypatch.setattr(dynamodb_transactions, "WAITS", (timedelta(),) * 3)
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0)


@case("F094")
@pytest.mark.parametrize("operation", CALLS)
def test_a_denied_call_names_the_action_and_the_right_it_lacks(table: Dynamo, operation: str) -> None:
    message = f"{operation}: AccessDeniedException: said no; grant the caller's role this action"
    with refusing(table, operation, "AccessDeniedException"), pytest.raises(StoreError, match=message):
        CALLS[operation](table)


@pytest.mark.parametrize("operation", CALLS)
def test_a_throttle_beyond_patience_is_named_after_three_tries(table: Dynamo, operation: str) -> None:
    sent: list[str] = []
    code = "ProvisionedThroughputExceededException"
    with (
        refusing(table, operation, code),
        hooked(table.client, f"before-send.dynamodb.{operation}", lambda **_: sent.append(operation)),
        pytest.raises(StoreError, match=f"{operation}: {code}"),
    ):
        CALLS[operation](table)
    assert len(sent) == 3


@pytest.mark.parametrize("operation", CALLS)
def test_a_throttle_that_passes_is_not_noticed(table: Dynamo, operation: str) -> None:
    with refusing(table, operation, "ThrottlingException", times=2):
        CALLS[operation](table)


UNANSWERED = {
    "unreachable": EndpointConnectionError(endpoint_url="https://x"),
    "silent": ReadTimeoutError(endpoint_url="https://x"),
}


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("error", UNANSWERED.values(), ids=UNANSWERED)
def test_no_answer_says_so_and_keeps_the_cause(table: Dynamo, operation: str, error: Exception) -> None:
    with failing(table, operation, error), pytest.raises(StoreError, match=f"{operation}: no answer") as raised:
        CALLS[operation](table)
    assert raised.value.__cause__ is error


PASSING: dict[str, tuple[str, list[object]]] = {
    "a conflict": (CANCELLED, [{"Code": "TransactionConflict"}, {"Code": "None"}]),
    "a conflict at the payload": (CANCELLED, [{"Code": "None"}, {"Code": "TransactionConflict"}]),
    "a throttle": (CANCELLED, [{"Code": "ThrottlingError"}, {"Code": "None"}]),
    "throughput": (CANCELLED, [{"Code": "None"}, {"Code": "ProvisionedThroughputExceeded"}]),
    "in progress": ("TransactionInProgressException", []),
}


@case("F032", "F033")
@pytest.mark.parametrize(("code", "reasons"), PASSING.values(), ids=PASSING)
def test_what_is_in_a_transactions_way_for_a_moment_is_waited_for(
    table: Dynamo, code: str, reasons: list[object]
) -> None:
    row = a.promised(payload=LARGE)
    with refusing(table, "TransactWriteItems", code, times=3, reasons=reasons):
        assert table.store.add(row) == Added(row)


@pytest.mark.parametrize(("code", "reasons"), PASSING.values(), ids=PASSING)
def test_what_is_in_its_way_for_too_long_is_an_error_and_no_success(
    table: Dynamo, code: str, reasons: list[object]
) -> None:
    with refusing(table, "TransactWriteItems", code, reasons=reasons), pytest.raises(StoreError, match=code):
        table.store.add(a.promised(payload=LARGE))
    assert table.count() == 0
    assert table.requests["TransactWriteItems"] == 4


@case("F032")
def test_a_conflict_beside_a_lost_race_is_a_lost_race(table: Dynamo) -> None:
    row = a.promised(payload=LARGE)
    table.store.add(row)
    lost = {"Code": "ConditionalCheckFailed", "Item": table.item(row.operation_id)}
    with refusing(table, "TransactWriteItems", CANCELLED, reasons=[lost, {"Code": "TransactionConflict"}]):
        answer = table.store.add(a.promised(payload=LARGE, operation_id=row.operation_id))
    assert isinstance(answer, Present)


@case("F033")
@pytest.mark.parametrize("code", ["IdempotentParameterMismatchException", "ValidationException"])
def test_a_token_used_for_other_writes_is_an_error_and_no_success(table: Dynamo, code: str) -> None:
    with refusing(table, "TransactWriteItems", code, times=1), pytest.raises(StoreError, match=code):
        table.store.add(a.promised(payload=LARGE))
    assert table.requests["TransactWriteItems"] == 1


def test_an_item_that_can_never_be_written_is_not_tried_again(table: Dynamo) -> None:
    reasons = [{"Code": "ValidationError"}, {"Code": "TransactionConflict"}]
    with refusing(table, "TransactWriteItems", CANCELLED, reasons=reasons), pytest.raises(StoreError, match=CANCELLED):
        table.store.add(a.promised(payload=LARGE))
    assert table.requests["TransactWriteItems"] == 1


def test_a_move_refused_for_another_reason_than_a_race_is_an_error(table: Dynamo) -> None:
    held = a.claimed()
    table.place(held)
    confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
    with refusing(table, "UpdateItem", "ItemCollectionSizeLimitExceededException"), pytest.raises(StoreError):
        table.store.apply(held, confirmed)
    assert table.store.find([held.operation_id]) == {held.operation_id: held}
