"""What the flows need of the world, as protocols. The docstrings are the contract; `tests/contract` is the proof."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import ClassVar, Literal, Protocol, TypeAlias

from makegood.domain.instant import Instant
from makegood.domain.latest import Entry, Latest, Left
from makegood.domain.observation import Look, Observed
from makegood.domain.operation import Operation, OperationId, QueueName
from makegood.domain.operation_type import OperationType
from makegood.domain.policy import Terms
from makegood.domain.run import Acknowledgement, Control, RunRecord


@dataclass(frozen=True, slots=True)
class Added:
    """The row is new, or an earlier try of this very write had landed."""

    operation: Operation


@dataclass(frozen=True, slots=True)
class Present:
    """The id is taken; `operation` is what stands there."""

    operation: "Operation | Unreadable"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that cannot be understood: which, and why."""

    operation_id: str
    why: str
    newer_format: bool = False  #: a newer release wrote it


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a walk through the whole table, for people: what it holds, and what reading it cost."""

    rows: "tuple[Operation | Unreadable, ...]"
    units: Decimal | None  #: read units, as the table reports them; `None` if it does not


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a worker wants: one operation, for one attempt."""

    operation_id: OperationId
    now: Instant
    token: str
    write_id: str
    terms: Mapping[str, Terms]  #: by operation type; a type that is not named is never claimed


@dataclass(frozen=True, slots=True)
class Claimed:
    """The operation is ours until the lease ends; its payload is complete."""

    operation: Operation


@dataclass(frozen=True, slots=True)
class NotClaimed:
    """Nothing was written. `found` is the row that was in the way; `None` if there is none."""

    found: Operation | Unreadable | None


@dataclass(frozen=True, slots=True)
class Applied:
    """The write landed, now or at an earlier try."""

    operation: Operation


@dataclass(frozen=True, slots=True)
class Moved:
    """The row is not the one that was seen; nothing was written. `found` is how it stands, `None` if it is gone."""

    found: Operation | Unreadable | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueKey:
    """What the index knows of an operation. It may lag behind the table."""

    operation_id: OperationId
    operation_type: str
    due_at: Instant
    created_at: Instant


class Store(Protocol):
    """The rows. Every write is conditional; a lost race is a value; no write creates a row but `add`.

    Every method raises `StoreError` when the store does not answer, throttles beyond patience, or denies.
    """

    def add(self, operation: Operation) -> Added | Present:
        """Write a new row, and its payload's own item if it is large, both or neither."""
        ...

    def claim(self, claim: Claim) -> Claimed | NotClaimed:
        """Take an operation for one attempt, as `transitions.claim` would, in one conditional write and no read."""
        ...

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Write what changed from `before` to `after`, if status, revision and claim token are still those of `before`.

        Attributes that this release does not know stay. A write of ours that had landed is told by its write id.
        """
        ...

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Operation | Unreadable]:
        """Read rows consistently. Those that do not exist are left out; large payloads are not fetched."""
        ...

    def with_payload(self, operation: Operation) -> Operation:
        """Return a row with its payload, which costs a read where it is large and `find` left it out."""
        ...

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """List what is due in one shard up to and including `until`, oldest first, page by page as it is consumed."""
        ...


class Ledger(Protocol):
    """What the reconciler keeps of itself: its lease, halts, acknowledgements, and the records of its runs."""

    def take_lease(self, *, now: Instant, token: str, until: Instant) -> Control | None:
        """Take the sweep's lease and return the control row; `None` if somebody holds a lease that still runs."""
        ...

    def asking(self, *, token: str, identifiers: Sequence[OperationId]) -> bool:
        """Remember which rows the outside is asked about right now; `False` if the lease is not ours any more.

        What a run that died leaves here, the next one finds in its control row; `finish` and `give_back` forget it.
        """
        ...

    def finish(self, *, token: str, record: RunRecord) -> None:
        """Store a run's record; if the lease is still ours, give it back and remember since when sweeps are halted."""
        ...

    def give_back(self, *, token: str) -> None:
        """Give the lease back if it is still ours, after a run that failed."""
        ...

    def control(self) -> Control:
        """Read the control row."""
        ...

    def acknowledge(self, acknowledgement: Acknowledgement) -> None:
        """Let sweeps act above the cap, at a drain rate, until it expires; replaces an earlier one."""
        ...

    def runs(self, limit: int) -> Sequence[RunRecord]:
        """Return the records of the latest runs, newest first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A hint to be sent: which operation, where, and how long it is held back (0 to 900 s)."""

    operation_id: OperationId
    queue: QueueName
    delay: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one message. Two answers are equal whatever their reasons."""

    SENT: ClassVar["Sent"]
    FAILED: ClassVar["Sent"]  #: not taken, or not accounted for; the row becomes stale again by itself
    REFUSED: ClassVar["Sent"]  #: refused for what it holds; sending it again cannot help

    what: Literal["sent", "failed", "refused"]
    why: str | None = field(default=None, compare=False)  #: for people, where the queue said something


Sent.SENT, Sent.FAILED, Sent.REFUSED = Sent("sent"), Sent("failed"), Sent("refused")


class Queue(Protocol):
    """The queues. They deliver hints, perhaps late, twice, or never."""

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Send each message and say what became of each, in the same order. Never raises for what a queue answers."""
        ...


class Line(Protocol):
    """Where versions of one entity stand in line; only types with `supersedes=True` pay for it."""

    def enter(self, entry: Entry) -> Latest | None:
        """Take the entity for one attempt, if `latest.admits` it; otherwise return what stands there. One request."""
        ...

    def leave(self, entry: Entry, *, busy_until: Instant | None, behind: Left) -> None:
        """Say until when a call of the attempt may still land, `None` if all have, and what it leaves behind.

        Nothing is written if another has entered. One request.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One look to be taken, and who takes it."""

    operation_type: OperationType
    look: Look


class Lookout(Protocol):
    """The outside world, asked and never changed."""

    def ask(self, questions: Sequence[Question]) -> Sequence[Observed]:
        """Ask all at once and return the answers in order. What raises, or is not there in time, is `Unknown`."""
        ...


class Clock(Protocol):
    """The time of this machine, trusted no further than the skew margin."""

    def now(self) -> Instant:
        """Return the present instant."""
        ...


class Entropy(Protocol):
    """Chance."""

    def token(self) -> str:
        """Return 12 fresh characters (72 bits) for a claim, a write or a run."""
        ...

    def fraction(self) -> float:
        """Return a uniform draw from [0, 1)."""
        ...


Found: TypeAlias = Operation | Unreadable
