"""What the CRM is told, what it keeps, and what it answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from makegood.domain import document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.domain.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A changing call as it came in."""

    key: str
    operation_id: str | None
    entity: str  #: such as customer/452
    version: int
    fields: Document
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  #: for a refusal that echoes; never stored

    @property
    def digest(self) -> str:
        """Return a hash of what is asked, equal for equal requests however they are written."""
        return document.fingerprint(self.entity, str(self.version), document.canonical(self.fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the CRM decided to answer. The network may still lose it."""

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
    received_at: int  #: epoch milliseconds
    key: str
    operation_id: str | None
    entity: str
    version: int
    status: int | None  #: what was decided, even if the caller never saw it; None if the call broke off before
    code: str | None
    applied: bool  #: this very call changed the customer
    replayed: bool  #: the key's recorded answer was given again
    faults: tuple[str, ...]  #: names of the faults that hit it


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One effective application: a customer was changed."""

    number: int  #: of the call that did it
    key: str
    operation_id: str | None
    entity: str
    version: int
    fields: Document
    applied_at: int  #: epoch milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """A customer as a read sees it."""

    id: str
    version: int
    fields: Document


def as_document(record: LoggedCall | Effect | Customer) -> dict[str, Any]:
    """Write a record as a JSON object, under the names of its fields."""
    return asdict(record)
