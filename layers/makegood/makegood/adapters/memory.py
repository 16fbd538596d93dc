"""Twins of the adapters in memory: the same promises, nothing outside. For tests, simulations and explanations."""

import random  # noqa: TID251 - a seeded one, so that chance repeats
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from makegood.adapters.threads import answer_of
from makegood.domain import transitions
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.history import Actor, Role
from makegood.domain.instant import Instant, after
from makegood.domain.latest import Entry, Latest, Left, admits, entered, left
from makegood.domain.moving import Hand
from makegood.domain.observation import Observed
from makegood.domain.operation import Operation, OperationId
from makegood.domain.run import Acknowledgement, Control, RunOutcome, RunRecord
from makegood.ports import (
    Added,
    Applied,
    Claim,
    Claimed,
    DueKey,
    Message,
    Moved,
    NotClaimed,
    Present,
    Question,
    Sent,
    Unreadable,
)


class MemoryStore:
    """Rows in a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[str, Operation] = {}
        self._lock = threading.Lock()

    def add(self, operation: Operation) -> Added | Present:
        """Write a new row."""
        with self._lock:
            found = self.rows.setdefault(operation.operation_id, operation)
        return Added(found) if found.write_id == operation.write_id else Present(found)

    def claim(self, claim: Claim) -> Claimed | NotClaimed:
        """Take an operation as the table of transitions allows."""
        with self._lock:
            found = self.rows.get(claim.operation_id)
            if found is None or found.operation_type not in claim.terms:
                return NotClaimed(found)
            if found.claim_token == claim.token:
                return Claimed(found)
            hand = Hand(
                now=claim.now,
                actor=Actor(role=Role.WORKER),
                write_id=claim.write_id,
                terms=claim.terms[found.operation_type],
            )
            try:
                claimed = transitions.claim(found, hand, token=claim.token)
            except ImpossibleTransition:
                return NotClaimed(found)
            self.rows[claim.operation_id] = claimed
            return Claimed(claimed)

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Replace the row if it is still the one that was seen."""
        with self._lock:
            found = self.rows.get(before.operation_id)
            if found is None:
                return Moved(None)
            if found.write_id == after.write_id:
                return Applied(found)
            seen = (before.status, before.revision, before.claim_token)
            if (found.status, found.revision, found.claim_token) != seen:
                return Moved(found)
            self.rows[before.operation_id] = after
            return Applied(after)

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Operation | Unreadable]:
        """Read rows."""
        return {identifier: self.rows[identifier] for identifier in identifiers if identifier in self.rows}

    def with_payload(self, operation: Operation) -> Operation:
        """Return the row: every row here has its payload."""
        return operation

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """List what is due in one shard, oldest first."""
        keys = [
            DueKey(
                operation_id=row.operation_id,
                operation_type=row.operation_type,
                due_at=row.due_at,
                created_at=row.created_at,
            )
            for row in self.rows.values()
            if row.due_shard == shard and row.due_at is not None and row.due_at <= until
        ]
        yield from sorted(keys, key=lambda key: key.due_at)


class MemoryLedger:
    """The reconciler's own rows."""

    def __init__(self) -> None:
        self._control = Control()
        self._token: str | None = None
        self.records: list[RunRecord] = []

    def take_lease(self, *, now: Instant, token: str, until: Instant) -> Control | None:
        """Take the sweep's lease unless somebody holds it."""
        ends_at = self._control.lease_ends_at
        if ends_at is not None and now < ends_at and token != self._token:
            return None
        self._token = token
        self._control = replace(self._control, lease_ends_at=until)
        return self._control

    def give_back(self, *, token: str) -> None:
        """Give the lease back if it is still ours."""
        if token == self._token:
            self._token = None
            self._control = replace(self._control, lease_ends_at=None, asking=())

    def asking(self, *, token: str, identifiers: Sequence[OperationId]) -> bool:
        """Remember which rows the outside is asked about, if the lease is still ours."""
        if token != self._token:
            return False
        self._control = replace(self._control, asking=tuple(identifiers))
        return True

    def finish(self, *, token: str, record: RunRecord) -> None:
        """Store a run's record and what it says of the halt, unless another run has overtaken it."""
        self.records.append(record)
        if record.dry_run or token != self._token:
            return
        self.give_back(token=token)
        self._control = replace(self._control, shards=record.shards)
        if record.outcome is RunOutcome.HALTED:
            since = self._control.halted_since or record.started_at
            self._control = replace(self._control, halted_since=since, halted_why=record.halted_why)
        elif record.ends_a_halt:
            self._control = replace(self._control, halted_since=None, halted_why=None)

    def control(self) -> Control:
        """Read the control row."""
        return self._control

    def acknowledge(self, acknowledgement: Acknowledgement) -> None:
        """Keep an acknowledgement."""
        self._control = replace(self._control, acknowledgement=acknowledgement)

    def runs(self, limit: int) -> Sequence[RunRecord]:
        """Return the latest records, newest first."""
        return self.records[::-1][:limit]


class MemoryLine:
    """The newest version of each entity that was ever begun."""

    def __init__(self) -> None:
        self.standing: dict[tuple[str, str], Latest] = {}
        self._lock = threading.Lock()

    def enter(self, entry: Entry) -> Latest | None:
        """Take the entity for one attempt if it is free."""
        with self._lock:
            standing = self.standing.get((entry.operation_type, entry.entity))
            if standing is not None and not admits(standing, entry):
                return standing
            self.standing[entry.operation_type, entry.entity] = entered(standing, entry)
            return None

    def leave(self, entry: Entry, *, busy_until: Instant | None, behind: Left) -> None:
        """Say until when a call may still land, if the entity is still this attempt's."""
        place = entry.operation_type, entry.entity
        with self._lock:
            standing = self.standing.get(place)
            if standing is not None and replace(standing, applied=frozenset()) == entry.latest:
                self.standing[place] = left(standing, busy_until=busy_until, behind=behind)


class InlineLookout:
    """Looks taken one after the other, here and now."""

    def ask(self, questions: Sequence[Question]) -> Sequence[Observed]:
        """Ask each in its turn; nobody measures its time."""
        return [answer_of(question) for question in questions]


class MemoryQueue:
    """Messages in a list, in the order they were sent."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Keep every message."""
        self.messages.extend(messages)
        return [Sent.SENT for _ in messages]

    def take(self) -> list[Message]:
        """Hand out what is queued and forget it."""
        taken, self.messages = self.messages, []
        return taken


class ManualClock:
    """A clock that moves when it is told to."""

    def __init__(self, now: Instant = Instant(1_790_000_000_000)) -> None:
        self._now = now

    def now(self) -> Instant:
        """Return the present instant."""
        return self._now

    def advance(self, duration: timedelta) -> Instant:
        """Move on and return the new instant."""
        self._now = after(self._now, duration)
        return self._now


class SeededEntropy:
    """Chance that repeats with its seed."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)  # noqa: S311 - repeatable, and guards nothing

    def token(self) -> str:
        """Return 12 characters."""
        return f"{self._random.getrandbits(48):012x}"

    def fraction(self) -> float:
        """Return a draw from [0, 1)."""
        return self._random.random()
