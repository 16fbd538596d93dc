"""The operation: one durable piece of promised work, and the names it is known by."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import NewType

from makegood.domain.document import Document, byte_length
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import Closure, Decision, Evidence, Verdict
from makegood.domain.instant import Instant

OperationId = NewType("OperationId", str)

ROW_FORMAT = 1  #: the newest format of a row that this release reads and writes
REVIEW_SHARD = "review"
ENTITY_BYTES = 256
VERSION_LIMIT = 2**63 - 1

_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_TYPE = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Status(StrEnum):
    """Where an operation stands. Five are open, three are terminal; there are no others."""

    PENDING = "pending"
    PROCESSING = "processing"
    AWAITING_CONFIRMATION = "awaiting_confirmation"
    RETRY_SCHEDULED = "retry_scheduled"
    MANUAL_REVIEW = "manual_review"
    CONFIRMED = "confirmed"
    COMPENSATED = "compensated"
    NOT_APPLICABLE = "not_applicable"

    @property
    def is_terminal(self) -> bool:
        """Say whether nothing may ever change this status."""
        return self in TERMINAL


TERMINAL = frozenset({Status.CONFIRMED, Status.COMPENSATED, Status.NOT_APPLICABLE})
OPEN = frozenset(Status) - TERMINAL
CLAIMABLE = frozenset({Status.PENDING, Status.RETRY_SCHEDULED})  #: a worker may take it; its hint is to be sent


class Intent(StrEnum):
    """What an operation's attempts are for: to make its effect, or to undo it."""

    EFFECT = "effect"
    COMPENSATION = "compensation"


class QueueName(StrEnum):
    """The three urgencies: a person is waiting, ordinary, can wait."""

    HIGH = "high"
    DEFAULT = "default"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One durable piece of promised work, as it stands. A field is `None` where the row has no such attribute."""

    operation_id: OperationId
    format: int = ROW_FORMAT  #: of the row, so that two releases can meet
    operation_type: str
    entity: str  #: what the effect is about, such as customer/452
    expected_version: int
    expected_fields: Document = field(default_factory=dict)  #: what the effect must look like
    payload: Document = field(default_factory=dict)  #: what perform needs beyond that
    payload_bytes: int | None = None  #: set where the payload lives in an item of its own
    fingerprint: str  #: of type, entity, version, fields and payload
    queue: QueueName | None = None  #: where the producer chose another than its type's
    idempotency_key: str  #: of the present intent; goes to the remote with every attempt

    status: Status
    intent: Intent = Intent.EFFECT
    attempt: int = 0  #: how often it has been claimed for this intent
    dispatches: int = 0  #: touches since it last could be claimed anew
    observations: int = 0  #: how often its turn came and gave no verdict, asked or put off
    absences: int = 0  #: how often in a row it was seen absent, once that counts
    revision: int = 1  #: grows by one with every write
    write_id: str  #: fresh with every write; tells our own write from another's

    claim_token: str | None = None  #: which claim holds it; there only while processing
    claimed_at: Instant | None = None
    lease_ends_at: Instant | None = None
    first_claimed_at: Instant | None = None  #: of this intent
    attempt_ended_at: Instant | None = None  #: of this intent
    uncertain: bool = False  #: an attempt of this intent ended without a certain answer

    created_at: Instant
    updated_at: Instant  #: never moves back
    not_before: Instant | None = None  #: no attempt is allowed before
    deadline_at: Instant | None = None
    due_shard: str | None = None  #: its part of the index; absent once terminal
    due_at: Instant | None = None  #: if nothing has moved by then, somebody must look; absent once terminal
    expires_at: int | None = None  #: epoch seconds; terminal rows only

    remote_id: str | None = None
    evidence: Evidence | None = None
    verdict: Verdict | None = None
    cancel_reason: str | None = None
    last_error: str | None = None  #: class and short text, scrubbed
    closure: Closure | None = None
    decisions: tuple[Decision, ...] = ()
    history: tuple[str, ...] = ()  #: packed entries; see domain/history.py

    @property
    def is_terminal(self) -> bool:
        """Say whether the operation has ended."""
        return self.status.is_terminal

    @property
    def is_claimed(self) -> bool:
        """Say whether a worker holds it, whatever its lease."""
        return self.claim_token is not None


def operation_id(text: str) -> OperationId:
    """Accept an id at the door.

    Raises:
        InvalidInput: if it is not 1 to 128 characters out of `A-Z a-z 0-9 . _ : -`.
    """
    if not isinstance(text, str) or not _ID.fullmatch(text):
        raise InvalidInput(f"operation_id {_short(text)}: 1 to 128 characters out of A-Z a-z 0-9 . _ : - are wanted")
    return OperationId(text)


def operation_type_name(text: str) -> str:
    """Accept the name of an operation type: lower case, digits and underscores, at most 64."""
    if not isinstance(text, str) or not _TYPE.fullmatch(text):
        raise InvalidInput(
            f"operation type {_short(text)}: lower-case letters, digits and _ are wanted, at most 64, a letter first"
        )
    return text


def entity_name(text: str) -> str:
    """Accept the entity's name: printable text of 1 to 256 bytes with no space at either end."""
    if not isinstance(text, str) or not text or not text.isprintable() or text != text.strip():
        raise InvalidInput(
            f"entity {_short(text)}: printable text without spaces at its ends is wanted, such as customer/452"
        )
    if byte_length(text) > ENTITY_BYTES:
        raise InvalidInput(f"entity {_short(text)}: {byte_length(text)} bytes; at most {ENTITY_BYTES} are taken")
    return text


def version_number(number: int) -> int:
    """Accept an expected version: a whole number from 0 to 2^63-1."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= VERSION_LIMIT:
        raise InvalidInput(f"expected version {_short(number)}: a whole number from 0 to {VERSION_LIMIT} is wanted")
    return number


def derived_id(fingerprint: str) -> OperationId:
    """Name an operation by its intent, so that submitting the same intent twice is one operation."""
    return OperationId(f"op-{fingerprint[:26]}")


def idempotency_key_for(identifier: OperationId, intent: Intent) -> str:
    """Derive the key that the remote gets: 27 ASCII characters that reveal nothing; a compensation has its own."""
    return "mg-" + sha256(f"{intent}:{identifier}".encode("ascii")).hexdigest()[:24]


def shard_of(identifier: OperationId, shards: int) -> str:
    """Name an operation's shard of the index: `open#00`, `open#01` and so on."""
    return f"open#{int(sha256(identifier.encode('ascii')).hexdigest()[:8], 16) % shards:02d}"


def open_shards(shards: int) -> tuple[str, ...]:
    """Name every shard that a sweep asks."""
    return tuple(f"open#{number:02d}" for number in range(shards))


def _short(value: object) -> str:
    huge = isinstance(value, int) and abs(value) > 10**60
    return "(a very long number)" if huge else ascii(str(value)[:60])
