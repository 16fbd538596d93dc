"""The real doors and the shipped types, before the local stack's CRM in a process of its own; a test sets the time.

Messages come as Lambda hands them over, out of real queues; nothing waits, because no retry is spread by chance here.
"""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from makegood import bootstrap
from makegood.adapters.memory import SeededEntropy
from makegood.domain.errors import StoreError
from makegood.domain.limits import Limits
from makegood.domain.operation import Intent, Operation, idempotency_key_for
from makegood.domain.promise import Promise

from tests.crash.wire import ANY, Blow, Killed, Kind, Wire
from tests.doors.world import ROOT, Context, check_answer, door, speak_here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.instant import Instant
    from makegood_cli.local.crm_records import Effect, LoggedCall

    from tests.doors.world import Doors
    from tests.local_crm import LocalCrm

FIELDS = {"email": "ada.lovelace@example.org", "plan": "gold"}
SETTLED = Limits().settle_window + Limits().skew_margin + timedelta(seconds=1)
GIVEN_UP = Limits().lease + Limits().skew_margin + Limits().stale_after  #: when a sweep takes a claim from the dead
EVENT = json.loads((ROOT / "events" / "sqs_good.json").read_text())["Records"][0]


class NoSpread(SeededEntropy):
    """Chance by which nothing is put off any longer than it must be."""

    def fraction(self) -> float:
        """Return the least draw."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A deployment with a customer that nobody else uses."""

    doors: Doors
    crm: LocalCrm
    wire: Wire
    customer: str
    names: list[str] = field(default_factory=list)

    def promise(self, version: int = 7, **facts: Any) -> str:
        """Let a producer promise that the customer comes to a version; return the operation's id."""
        usual: dict[str, Any] = {
            "operation_type": "sync_customer",
            "entity": f"customer/{self.customer}",
            "expected_version": version,
            "expected_fields": {**FIELDS, "tier": version},
        }
        with self._process():
            self.names.append(bootstrap.producer()(Promise(**{**usual, **facts})).operation.operation_id)
        return self.names[-1]

    def deliver(self, *, at_once: int = 10, copies: int = 1) -> list[str]:
        """Hand the queues' messages to workers as Lambda does; return the ids of those that were handed back."""
        handed_back: list[str] = []
        for url in self.doors.queues.values():
            found = self._sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=at_once).get("Messages", [])
            records = [_record(message, number) for number in range(copies) for message in found]
            failed = self._work(records) if found else set()
            for message, record in zip(found, records, strict=False):
                if record["messageId"] in failed:
                    handed_back.append(record["messageId"])
                else:
                    self._sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return handed_back

    def sweep(self, after: timedelta = timedelta()) -> dict[str, Any]:
        """Let time pass, then the reconciler run once."""
        self.doors.clock.advance(after)
        with self._process(), suppress(StoreError):
            return self.doors.sweep(source="schedule")
        return {}

    def lose(self) -> None:
        """Purge the queues."""
        for url in self.doors.queues.values():
            self._sqs.purge_queue(QueueUrl=url)

    def kills(self, kind: Kind, *, at: int) -> None:
        """Let the next process die at the request of that number."""
        self.wire.listen(Blow(number=at, request=ANY, kind=kind))

    def row(self, name: str | None = None) -> Operation:
        """Read a row as it stands; the last one if none is named."""
        identifier = name or self.names[-1]
        found = self.doors.table.store.find([identifier])[identifier]  # type: ignore[list-item,index]
        assert isinstance(found, Operation)
        return found

    def effects(self, name: str | None = None) -> list[Effect]:
        """Return what the CRM says was applied under an operation's key."""
        return self.crm.client.effects(_key(name or self.names[-1]))

    def calls(self, name: str | None = None) -> list[LoggedCall]:
        """Return the CRM's log of an operation's calls."""
        return self.crm.client.log(key=_key(name or self.names[-1]))

    def looks(self, name: str | None = None) -> int:
        """Say how often the CRM was asked about an operation's effect."""
        return len(self.crm.client.reads(key=_key(name or self.names[-1])))

    def version(self) -> int | None:
        """Return the version that the CRM has of the customer."""
        customer = self.crm.client.customer(self.customer)
        return customer.version if customer else None

    def now(self) -> Instant:
        """Return the time of the doors."""
        return self.doors.clock.now()

    @property
    def _sqs(self) -> Any:  # noqa: ANN401 - botocore makes its classes at run time
        return self.doors.table.clients.of("sqs")

    def _work(self, records: list[dict[str, Any]]) -> set[str]:
        speak_here("worker")
        with self._process():
            answer: dict[str, Any] = door("worker").handler(
                {"Records": records}, Context(remaining=timedelta(seconds=60))
            )
            check_answer(answer, records)
            return {item["itemIdentifier"] for item in answer["batchItemFailures"]}
        return {record["messageId"] for record in records}  # the run is dead: Lambda deletes nothing

    @contextmanager
    def _process(self) -> Iterator[None]:
        """Run one invocation, which may die; the next one starts anew."""
        try:
            with self.wire.process():
                yield
        except Killed:
            restart()


def restart() -> None:
    """Forget what the processes kept, as a deployment or a new worker does."""
    for built in (bootstrap.worker, bootstrap.reconciler, bootstrap.producer):
        built.cache_clear()


def _key(name: str) -> str:
    return idempotency_key_for(name, Intent.EFFECT)  # type: ignore[arg-type]


def _record(message: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a message as the event source mapping hands it over; a duplicate has an id of its own."""
    return {
        **EVENT,
        "messageId": f"{message['MessageId']}-{number}" if number else message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "md5OfBody": message["MD5OfBody"],
    }
