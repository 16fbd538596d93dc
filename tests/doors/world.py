"""The real doors over a real table and real queues, in moto or in the local engine, at a time that the test sets."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from makegood.adapters.dynamodb_rows import item_of
from makegood.domain import hint
from makegood.domain import promise as promises
from makegood.domain.limits import Limits
from makegood.domain.operation import Operation, QueueName
from makegood.domain.promise import Promise

from tests.contract.builders import fresh
from tests.contract.worlds import TABLE
from tests.doors.types import OPERATION_TYPES

if TYPE_CHECKING:
    from types import ModuleType

    from makegood.adapters.memory import ManualClock

    from tests.contract.worlds import Dynamo

ROOT = Path(__file__).resolve().parents[2]
T = Limits().stale_after
TERMS = {cls.name: cls.policy.under(Limits()) for cls in OPERATION_TYPES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What Lambda tells a function of the run."""

    remaining: timedelta
    aws_request_id: str = "11111111-2222-3333-4444-555555555555"
    function_name: str = "makegood"

    def get_remaining_time_in_millis(self) -> int:
        """Say how long the run may still take."""
        return int(self.remaining / timedelta(milliseconds=1))


@cache
def door(name: str) -> ModuleType:
    """Load a function's app.py as Lambda does: by its file."""
    path = ROOT / "functions" / name / "app.py"
    spec = importlib.util.spec_from_file_location(f"{name}_app", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def speak_here(name: str) -> None:
    """Let a door's log go to where this test's output is captured, as Lambda lets it go to its own."""
    door(name).log.registered_handler.stream = sys.stdout  # an earlier one may be closed by now


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Both doors, what they work on, and the clock that they see."""

    table: Dynamo
    clock: ManualClock
    queues: dict[QueueName, str]

    def work(self, *bodies: str, remaining: timedelta = timedelta(seconds=60)) -> dict[str, Any]:
        """Hand messages to the worker's door in one batch; message ids are m0, m1, …"""
        speak_here("worker")
        records = [
            {"messageId": f"m{number}", "body": body, "eventSource": "aws:sqs"} for number, body in enumerate(bodies)
        ]
        answer: dict[str, Any] = door("worker").handler({"Records": records}, Context(remaining=remaining))
        check_answer(answer, records)
        return answer

    def context(self) -> Context:
        """Return what Lambda tells the worker of a run that has just begun."""
        return Context(remaining=timedelta(seconds=60))

    def failed(self, *bodies: str, remaining: timedelta = timedelta(seconds=60)) -> list[str]:
        """Hand messages to the worker's door and return the ids of those that come again."""
        return [item["itemIdentifier"] for item in self.work(*bodies, remaining=remaining)["batchItemFailures"]]

    def sweep(self, **event: Any) -> dict[str, Any]:
        """Let the reconciler's door run once."""
        speak_here("reconciler")
        answer: dict[str, Any] = door("reconciler").handler(event, Context(remaining=timedelta(seconds=240)))
        return json.loads(json.dumps(answer))  # type: ignore[no-any-return]

    def lost(self, count: int = 1, *, ago: timedelta = T, type_name: str = "probe", **facts: Any) -> list[Operation]:
        """Write rows whose message was lost: submitted that long ago, and nothing has moved since."""
        at = self.clock.now() - int(ago / timedelta(milliseconds=1))
        rows = [
            promises.submit(
                Promise(
                    **{
                        "operation_type": type_name,
                        "entity": f"thing/{number}",
                        "expected_version": 1,
                        "operation_id": fresh("op"),
                        **facts,
                    }
                ),
                now=type(self.clock.now())(at),
                write_id=fresh(),
                terms=TERMS[type_name],
            )
            for number in range(count)
        ]
        for start in range(0, count, 25):
            puts = [{"PutRequest": {"Item": dict(item_of(row))}} for row in rows[start : start + 25]]
            self.table.client.batch_write_item(RequestItems={TABLE: puts})
        return rows

    def row(self, operation: Operation) -> Operation:
        """Read a row as it stands."""
        found = self.table.store.find([operation.operation_id])[operation.operation_id]
        assert isinstance(found, Operation)
        return found

    def bytes(self) -> bytes:
        """Return every operation's row, byte by byte; what the reconciler keeps of itself is left out."""
        items = self.table.client.scan(TableName=TABLE, ConsistentRead=True)["Items"]
        kept = [item for item in items if not item["pk"]["S"].startswith("#")]
        return json.dumps(sorted(kept, key=lambda item: item["pk"]["S"]), sort_keys=True).encode()

    def messages(self) -> list[str]:
        """Take every message out of the queues and return the bodies."""
        sqs: Any = self.table.clients.of("sqs")
        bodies: list[str] = []
        for url in self.queues.values():
            while found := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
                bodies += [message["Body"] for message in found]
        return bodies

    def waiting(self) -> int:
        """Say how many messages the queues hold, those still held back included."""
        sqs: Any = self.table.clients.of("sqs")
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"]
        answers = [sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names) for url in self.queues.values()]
        return sum(int(value) for answer in answers for value in answer["Attributes"].values())


def check_answer(answer: dict[str, Any], records: list[dict[str, Any]]) -> None:
    """Hold every answer of the worker to its one shape: a stray id, or none, would fail or delete the whole batch."""
    assert set(answer) == {"batchItemFailures"}
    assert all(set(item) == {"itemIdentifier"} for item in answer["batchItemFailures"])
    named = [item["itemIdentifier"] for item in answer["batchItemFailures"]]
    assert len(set(named)) == len(named)
    assert set(named) <= {record["messageId"] for record in records}


def message(operation: Operation) -> str:
    """Return the message that names an operation."""
    return hint.render(operation.operation_id)
