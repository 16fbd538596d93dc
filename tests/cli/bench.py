"""A stack in memory, and the command run against it as a person would type it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar

from makegood import telemetry
from makegood.adapters.memory import InlineLookout, ManualClock, MemoryLedger, MemoryQueue, MemoryStore, SeededEntropy
from makegood.domain.instant import Instant, after
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import Operation, OperationId, QueueName
from makegood.domain.operation_type import Attempt, OperationType
from makegood.domain.outcome import Done, Outcome
from makegood.domain.policy import Capability, Mode, Policy, Step
from makegood.domain.registry import Registry
from makegood.flows.cancel import Cancel
from makegood.flows.check import Check
from makegood.flows.order import asked
from makegood.flows.review import Review
from makegood.flows.submit import Submit
from makegood.flows.sweep import Sweep
from makegood.ports import DueKey, Found, Page, Unreadable
from makegood.settings import StackSettings, SweepSettings
from makegood_cli.app import app
from makegood_cli.local.places import Places
from makegood_cli.stacks import Choice, Depth, Stack, World
from typer.testing import CliRunner, Result

from tests.support.remote import Remote, calling
from tests.support.rows import NOW


class Sync(OperationType):
    """A type that the bench knows; nothing here performs it."""

    name: ClassVar[str] = "sync"
    policy: ClassVar[Policy] = Policy(idempotent=True)
    destination: ClassVar[str] = "the CRM"

    def perform(self, attempt: Attempt) -> Outcome:
        """Say that it is done."""
        return Done(remote_id="crm-9", version=attempt.operation.expected_version)


class Bill(Sync):
    """A type with a cap of its own."""

    name: ClassVar[str] = "bill"
    policy: ClassVar[Policy] = Policy(idempotent=True, halt_cap=3)


class NoRemotes:
    """There is nothing outside."""

    def url(self, name: str) -> str:
        """Return an address that nobody asks."""
        return f"http://{name}.invalid"

    def secret(self, _: str) -> str | None:
        """Return nothing."""
        return None


class PeoplesStore(MemoryStore):
    """Rows in a dictionary, with what only people ask; it remembers which parts of its index were walked."""

    def __init__(self) -> None:
        super().__init__()
        self.walked: list[str] = []
        self.odd: dict[str, Unreadable] = {}  #: rows that another release wrote

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """List what is due in one shard."""
        self.walked.append(shard)
        return super().due(shard, until)

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Found]:
        """Read rows; the odd ones cannot be understood."""
        found = super().find(identifiers)
        return {identifier: self.odd.get(identifier, row) for identifier, row in found.items()}

    def scan(self) -> Iterator[Found]:
        """Read every row."""
        return iter(list(self.rows.values()))

    def decided(self) -> Iterator[Page]:
        """Read every row with decisions, at a price."""
        rows = tuple(row for row in self.rows.values() if isinstance(row, Operation) and row.decisions)
        return iter([Page(rows=(), units=Decimal("128.5")), Page(rows=rows, units=Decimal("0.5"))])

    def with_payload(self, operation: Operation) -> Operation:
        """Return the operation; memory keeps payloads in their rows."""
        return operation


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRooms:
    """A deployment in memory."""

    settings: SweepSettings
    store: PeoplesStore
    ledger: MemoryLedger
    queue: MemoryQueue
    clock: ManualClock
    registry: Registry
    submit: Submit
    sweep: Sweep
    review: Review
    cancel: Cancel
    check: Check


@dataclass(slots=True)
class Bench:
    """A stack in memory and the command."""

    halt_cap: int = 5
    only_watching: bool = False
    has_person: bool = True  #: whether somebody sits at the terminal
    remote: Remote = field(default_factory=Remote)  #: what the types `seen` and `charge` call
    rooms: MemoryRooms = field(init=False)
    fault: BaseException | None = None  #: what reaching the stack raises
    choices: list[Choice] = field(default_factory=list)  #: which stacks the command asked for

    def __post_init__(self) -> None:
        """Put the rooms together."""
        self.rooms = rooms(self.halt_cap, self.remote, only_watching=self.only_watching)

    def hold(self, *operations: Operation) -> None:
        """Put rows into the table."""
        self.rooms.store.rows.update({each.operation_id: each for each in operations})

    def run(
        self, *args: str, typed: str = "", columns: int = 80, environment: Mapping[str, str] | None = None
    ) -> Result:
        """Run the command."""
        world = World(reach=self.reach, places=Places(), has_person=lambda: self.has_person)
        variables = {"COLUMNS": str(columns), "NO_COLOR": "1", **(environment or {})}
        return CliRunner().invoke(app, list(args), input=typed, env=variables, obj=world, prog_name="makegood")

    def json(self, *args: str, code: int = 0) -> Any:  # noqa: ANN401 - JSON of any shape
        """Run the command with --json and read the one document on stdout."""
        result = self.run(*args, "--json")
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    def reach(self, choice: Choice, _: Places) -> Stack:
        """Reach this stack, whatever is asked for."""
        self.choices.append(choice)
        if self.fault is not None:
            raise self.fault
        return Stack(
            name=choice.stack or "bench",
            where="memory",
            is_local=choice.stack is None,
            rooms=self.rooms,
            sweep=self._sweep,
            who=lambda: "arn:aws:iam::000000000000:user/alice",
            depths=lambda: {"high": Depth(waiting=len(self.rooms.queue.messages), in_flight=0, delayed=0)},
        )

    def _sweep(self, event: Mapping[str, object]) -> Mapping[str, Any]:
        """Do what the reconciler's door does, through JSON as Lambda does."""
        until = after(self.rooms.clock.now(), timedelta(minutes=4))
        swept = self.rooms.sweep(asked(json.loads(json.dumps(event)), run_id="run-1", until=until))
        summary = telemetry.summary(swept.record) | {
            "unknown_types": list(swept.unknown_types),
            "plan": [telemetry.planned(item) for item in swept.plan],
        }
        answer: dict[str, Any] = json.loads(json.dumps(summary))
        return answer


def types_of(remote: Remote) -> tuple[type[OperationType], ...]:
    """Return the types: two that nobody can look at, one that is observed and corrected, one that charges once."""
    seen = calling(
        remote,
        "seen",
        version=3,
        idempotent=True,
        capability=Capability.BY_KEY,
        mode=Mode.CORRECT,
        on_missing=Step.REQUEUE,
    )
    return (Sync, Bill, seen, calling(remote, "charge"))


def rooms(halt_cap: int, remote: Remote, *, only_watching: bool) -> MemoryRooms:
    """Put a deployment in memory together."""
    limits, sweep_limits = Limits(), SweepLimits(halt_cap=halt_cap)
    store, ledger, queue = PeoplesStore(), MemoryLedger(), MemoryQueue()
    clock, entropy, lookout = ManualClock(NOW), SeededEntropy(), InlineLookout()
    registry = Registry(types_of(remote), limits=limits, remotes=NoRemotes())
    queues = {name: f"https://sqs.invalid/{name}" for name in QueueName}
    shared = StackSettings(
        stack="bench", table="table", queues=queues, limits=limits, catalog="catalog", remote_secret_arn=None
    )
    parts: dict[str, Any] = {"store": store, "clock": clock, "entropy": entropy, "registry": registry}
    sending = {**parts, "queue": queue}
    sweeping: dict[str, Any] = {"sweep_limits": sweep_limits, "lookout": lookout, "only_watching": only_watching}
    return MemoryRooms(
        settings=SweepSettings(shared=shared, sweep=sweep_limits, only_watching=only_watching),
        store=store,
        ledger=ledger,
        queue=queue,
        clock=clock,
        registry=registry,
        submit=Submit(**sending),
        sweep=Sweep(**sending, ledger=ledger, limits=limits, **sweeping),
        review=Review(**sending, lookout=lookout),
        cancel=Cancel(**parts),
        check=Check(**sending, ledger=ledger, limits=limits, drain_rate=sweep_limits.drain_rate),
    )
