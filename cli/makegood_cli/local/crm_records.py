"""What the remote is told, what it keeps, and what it answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from makegood.domain import document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.domain.document import Document


class Kind(StrEnum):
    """What a call does to the world."""

    CHANGE = "change"  #: a customer gets a version
    WITHDRAW = "withdraw"  #: a customer loses its version and goes back to the one before
    CHARGE = "charge"  #: money is taken for an invoice
    ELSEWHERE = "elsewhere"  #: somebody else changed a customer, under no key


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A changing call as it came in."""

    kind: Kind = Kind.CHANGE
    key: str
    operation_id: str | None
    entity: str  #: such as customer/452
    version: int
    fields: Document
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  #: for a refusal that echoes; never stored

    @property
    def digest(self) -> str:
        """Return a hash of what is asked, equal for equal requests however they are written."""
        return document.fingerprint(self.kind, self.entity, str(self.version), document.canonical(self.fields))

    @property
    def name(self) -> str:
        """Return the entity's own id."""
        return self.entity.partition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A caller's read: whom it asks about, and by which key."""

    key: str
    entity: str

    @property
    def name(self) -> str:
        """Return the entity's own id."""
        return self.entity.partition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the remote decided to answer. The network may still lose it."""

    status: int
    body: Document
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str | None:
        """Return the documented error code, absent from a good answer."""
        code = self.body.get("code")
        return code if isinstance(code, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCall:
    """One line of the CRM's own log: a changing call and what became of it."""

    number: int  #: 1 is the first call ever
    kind: Kind
    received_at: int  #: epoch milliseconds
    key: str
    operation_id: str | None
    entity: str
    version: int
    status: int | None  #: what was decided, even if the caller never saw it; None if the call broke off before
    code: str | None
    applied: bool  #: this very call had its effect
    replayed: bool  #: the key's recorded answer was given again
    faults: tuple[str, ...]  #: names of the faults that hit it


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One effective application: a customer was changed, or money taken."""

    number: int  #: of the call that did it; 0 for what somebody else did
    kind: Kind
    key: str
    operation_id: str | None
    entity: str
    version: int
    fields: Document
    applied_at: int  #: epoch milliseconds
    withdrawn: bool  #: it was taken back later


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """A customer as a read sees it."""

    id: str
    version: int
    fields: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One line of the log of reads: who was asked about, by which key, and what was answered."""

    number: int  #: 1 is the first read ever
    received_at: int  #: epoch milliseconds
    key: str
    entity: str
    status: int | None  #: None if no answer was given
    fault: str  #: the name of the one that hit it; empty if none did


def as_document(record: LoggedCall | Effect | Customer | Seen) -> dict[str, Any]:
    """Write a record as a JSON object, under the names of its fields."""
    return asdict(record)
