"""A whole stack whose processes can be killed: real doors and adapters over a real table, at a clock of its own."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood import bootstrap
from makegood.adapters.memory import InlineLookout, ManualClock, SeededEntropy
from makegood.domain.errors import StoreError
from makegood.domain.instant import after
from makegood.domain.operation import Operation, QueueName
from makegood.domain.promise import Promise
from makegood.domain.run import Acknowledgement

from tests.contract.worlds import TABLE, Dynamo, dynamo, hooked
from tests.crash import catalog
from tests.crash.broker import Broker
from tests.crash.remote import Remote
from tests.crash.wire import Killed, Wire
from tests.doors.world import Doors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

SECRET = "a secret that a remote signs with"  # noqa: S105 - nobody's
CACHED = (bootstrap.worker, bootstrap.reconciler, bootstrap.producer)
DAY = timedelta(days=1)


class Secret:
    """Stands in Secrets Manager's place."""

    def secret(self, _: str) -> str:
        """Return the one secret."""
        return SECRET


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The doors, each of whose invocations may be killed, and what they stand on."""

    doors: Doors
    wire: Wire
    broker: Broker
    remote: Remote
    clock: ManualClock
    patch: pytest.MonkeyPatch
    promised: set[str] = field(default_factory=set)  #: of which a producer was told that they stand
    invoked: Counter[str] = field(default_factory=Counter)  #: by door

    @property
    def table(self) -> Dynamo:
        """The table, with its adapters."""
        return self.doors.table

    def submit(self, name: str = "op-1", **facts: Any) -> str:
        """Let a producer promise an operation; return its id, or nothing if it was not told that the promise stands."""
        usual = {"operation_type": "sync", "entity": f"customer/{name}", "expected_version": 7}
        promise = Promise(**{**usual, "operation_id": name, "expected_fields": {"plan": "gold"}, **facts})
        with self.process(), suppress(StoreError):
            told = bootstrap.producer()(promise).operation.operation_id
            self.promised.add(told)
            return told
        return ""

    def deliver(self, at_once: int = 1) -> None:
        """Hand every message that is visible to a worker, so many to each."""
        while batch := [held for _ in range(at_once) if (held := self.broker.receive())]:
            self.invoked["worker"] += 1
            with self.process():
                failed = self.doors.failed(*[held.body for held in batch])
                for number, held in enumerate(batch):
                    if f"m{number}" not in failed:
                        self.broker.delete(held)

    def sweep(self, **event: Any) -> dict[str, Any]:
        """Let the reconciler run once; empty if it was killed or failed."""
        self.invoked["reconciler"] += 1
        with self.process(), suppress(StoreError):
            return self.doors.sweep(**event)
        return {}

    def acknowledge(self, drain_rate: int = 200) -> None:
        """Let a person allow sweeps to act above the cap, for a day."""
        now = self.clock.now()
        given = Acknowledgement(by="alice", at=now, until=after(now, DAY), drain_rate=drain_rate, reason="the pile")
        with self.process(), suppress(StoreError):
            self.table.ledger.acknowledge(given)

    def wait(self, duration: timedelta) -> None:
        """Let time pass."""
        self.clock.advance(duration)

    def deploy(self, **numbers: int | str) -> None:
        """Let every process from now on have these settings, by the names of their variables."""
        for name, number in numbers.items():
            self.patch.setenv(f"MAKEGOOD_{name}", str(number))
        _start_anew()

    def rows(self) -> dict[str, Operation]:
        """Return every row as it stands."""
        found = list(self.table.store.scan())
        assert all(isinstance(row, Operation) for row in found), found
        return {row.operation_id: row for row in found if isinstance(row, Operation)}

    @contextmanager
    def process(self) -> Iterator[None]:
        """Run one process, which may be killed: the next one starts anew."""
        try:
            with self.wire.process():
                yield
        except Killed:
            _start_anew()


def _start_anew() -> None:
    """Forget what a process kept: the next invocation is another one."""
    for built in CACHED:
        built.cache_clear()


@contextmanager
def house(clients: AwsClients, **numbers: int | str) -> Iterator[House]:
    """Build a stack over these clients; `numbers` are settings by the names of their variables."""
    clock, wire, entropy = ManualClock(), Wire(), SeededEntropy()
    broker, remote = Broker(clock), Remote(wire)
    queues = {name: f"https://queue.invalid/{name}" for name in QueueName}
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in _environment(queues, numbers).items():
            patch.setenv(name, value)
        # The composition root is where adapters are chosen: here a clock to set, seeded chance, clients of this world,
        patch.setattr(bootstrap, "SystemClock", lambda: clock)
        patch.setattr(bootstrap, "SystemEntropy", lambda: entropy)
        patch.setattr(bootstrap, "AwsClients", lambda _: clients)
        patch.setattr(bootstrap, "ThreadedLookout", InlineLookout)  # looks in turn, so that each has its number
        patch.setattr(bootstrap, "SecretsManagerSecrets", lambda *_: Secret())
        patch.setattr(catalog, "remotes", [remote])
        table = stack.enter_context(dynamo(clients))
        stack.callback(table.client.delete_table, TableName=TABLE)
        stack.enter_context(hooked(clients.of("sqs"), "before-send.sqs", broker.answer))
        stack.enter_context(wire.between(table.client, clients.of("sqs")))
        stack.callback(_start_anew)
        _start_anew()
        doors = Doors(table=table, clock=clock, queues=queues)
        yield House(doors=doors, wire=wire, broker=broker, remote=remote, clock=clock, patch=patch)


def _environment(queues: dict[QueueName, str], numbers: dict[str, int | str]) -> dict[str, str]:
    names = {"STACK": "crash", "TABLE": TABLE, "CATALOG": catalog.__name__}
    names |= {f"QUEUE_{name.upper()}": url for name, url in queues.items()}
    return {f"MAKEGOOD_{name}": str(value) for name, value in {**names, "SHARDS": 2, **numbers}.items()}
