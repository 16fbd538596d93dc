"""What field cases do at the real doors: promise, deliver, lose, count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from makegood import Promise, bootstrap
from makegood.adapters.dynamodb_rows import key

from tests.contract.builders import fresh
from tests.contract.worlds import TABLE, hooked
from tests.doors import types

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import pytest
    from makegood.domain.operation import Operation
    from makegood.flows.submit import Submitted

    from tests.doors.world import Doors


def submitted(**facts: Any) -> Submitted:
    """Promise one operation as a producer does, under an id of its own, and say what it was told."""
    usual = {"operation_type": "probe", "entity": "thing/1", "expected_version": 7}
    return bootstrap.producer()(Promise(**{**usual, "operation_id": fresh("op"), **facts}))


def promised(count: int, **facts: Any) -> list[Operation]:
    """Promise so many operations and dispatch them."""
    return [submitted(**facts).operation for _ in range(count)]


def drained(doors: Doors) -> list[str]:
    """Hand every queued message to the worker, one invocation each; return the bodies of those that come again."""
    return [body for body in doors.messages() if doors.failed(body)]


def purge(doors: Doors) -> None:
    """Clear every queue, as somebody does in an incident."""
    sqs: Any = doors.table.clients.of("sqs")
    for url in doors.queues.values():
        sqs.purge_queue(QueueUrl=url)


def erase(doors: Doors, row: Operation) -> None:
    """Delete a row by hand."""
    doors.table.client.delete_item(TableName=TABLE, Key=key(row.operation_id))


def once(doors: Doors, moment: str, act: Callable[[], object]) -> AbstractContextManager[None]:
    """Let something happen once, at the first such moment: `before-call` or `after-call` of the reading of rows."""
    done: list[str] = []

    def handler(**_: object) -> None:
        if not done:
            done.append(moment)
            act()

    return hooked(doors.table.client, f"{moment}.dynamodb.BatchGetItem", handler)


def calls_of(row: Operation) -> int:
    """Say how many changing calls the remote saw for this operation."""
    return sum(attempt.operation.operation_id == row.operation_id for attempt in types.calls)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Read what the doors said since the last look, a JSON document a line."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def metric(said: list[dict[str, Any]], name: str) -> list[float]:
    """Return the values of a metric in the order in which they were emitted."""
    return [value for line in said for value in line.get(name, ())]
