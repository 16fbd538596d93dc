"""The local stack of these tests: its own functions and its schedule rest, so that what happens is sam's doing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from makegood.domain import promise as promises
from makegood.domain.instant import after
from makegood.domain.operation import Operation, OperationId
from makegood.domain.promise import Promise

if TYPE_CHECKING:
    from datetime import timedelta

    from makegood_cli.local.crm_client import CrmClient
    from makegood_cli.local.stack import LocalStack
    from makegood_cli.stacks import Stack

TYPE = "sync_customer"
FIELDS = {"email": "ada@example.org"}


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the containers work on, and what became of it."""

    found: LocalStack
    stack: Stack
    crm: CrmClient

    def promise(self, name: str, *, ago: timedelta, version: int = 7) -> str:
        """Write the row of a promise made that long ago whose message never came; return the customer."""
        customer = name.replace(":", "-")
        rooms = self.stack.rooms
        promise = Promise(
            operation_type=TYPE,
            entity=f"customer/{customer}",
            expected_version=version,
            expected_fields=FIELDS,
            operation_id=name,
        )
        made_at = after(rooms.clock.now(), -ago)
        rooms.store.add(
            promises.submit(promise, now=made_at, write_id=f"w-{customer}", terms=rooms.registry.terms[TYPE])
        )
        return customer

    def row(self, name: str) -> Operation:
        """Read a row as it stands."""
        row = self.stack.rooms.store.find([OperationId(name)])[OperationId(name)]
        assert isinstance(row, Operation)
        return row

    def applied(self, name: str) -> int:
        """Say how often the CRM has applied an operation."""
        return sum(call.applied for call in self.crm.log(key=self.row(name).idempotency_key))

    def rows(self) -> bytes:
        """Return every operation's row, byte by byte; what the reconciler keeps of itself is left out."""
        kept = [item for item in self._items() if not item["pk"]["S"].startswith("#")]
        return json.dumps(sorted(kept, key=lambda item: str(item["pk"])), sort_keys=True).encode()

    def messages(self) -> list[str]:
        """Take every message out of the queues; return which operations they name."""
        sqs = self.found.clients.of("sqs")
        bodies: list[str] = []
        for url in self._queues():
            while got := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
                bodies += [message["Body"] for message in got]
        return sorted(json.loads(body)["operation_id"] for body in bodies)

    def empty(self) -> None:
        """Forget every row and every message."""
        table, sqs = self.found.clients.of("dynamodb"), self.found.clients.of("sqs")
        for item in self._items():
            table.delete_item(TableName=self.found.outputs["TableName"], Key={"pk": item["pk"], "sk": item["sk"]})
        for url in self._queues():
            sqs.purge_queue(QueueUrl=url)

    def _items(self) -> list[dict[str, Any]]:
        table = self.found.clients.of("dynamodb")
        items: list[dict[str, Any]] = table.scan(TableName=self.found.outputs["TableName"], ConsistentRead=True)[
            "Items"
        ]
        return items

    def _queues(self) -> list[str]:
        return [self.found.outputs[f"Queue{name}Url"] for name in ("High", "Default", "Low")]


def rest(found: LocalStack) -> None:
    """Let the deployed functions and the schedule rest."""
    functions, scheduler = found.clients.of("lambda"), found.clients.of("scheduler")
    worker = found.outputs["WorkerFunctionName"]
    for mapping in functions.list_event_source_mappings(FunctionName=worker)["EventSourceMappings"]:
        functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=False)
    schedule = scheduler.get_schedule(Name=found.outputs["ScheduleName"])
    kept = ("Name", "GroupName", "ScheduleExpression", "FlexibleTimeWindow", "Target")
    scheduler.update_schedule(**{name: schedule[name] for name in kept if name in schedule}, State="DISABLED")
