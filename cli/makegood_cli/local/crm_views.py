"""What can be read of the remote's state: customers as callers see them, and all that an auditor wants to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from makegood.domain import document

from makegood_cli.local.crm_records import Customer, Effect, Kind, LoggedCall, Seen
from makegood_cli.local.crm_state import milliseconds, one

if TYPE_CHECKING:
    import sqlite3

    from makegood_cli.local.crm_state import State

PAGE = 1000  #: lines of a log in one answer

_STATE = """
SELECT * FROM states WHERE entity = :entity AND (:without IS NULL OR key <> :without)
    AND visible_at <= :now AND (withdrawn_at IS NULL OR withdrawn_at > :now) ORDER BY position DESC LIMIT 1
"""
_APPLIED = """
SELECT count(*) FROM states WHERE entity = :entity AND key = :key
    AND visible_at <= :now AND (withdrawn_at IS NULL OR withdrawn_at > :now)
"""
_STANDING = "SELECT * FROM states WHERE entity = ? AND withdrawn_at IS NULL ORDER BY position DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class Views:
    """Reads, each of one moment."""

    state: State

    def customer(self, identifier: str, *, without: str | None = None) -> Customer | None:
        """Return a customer as reads see it now; or as they would, had nothing been applied under a key."""
        values = {"entity": f"customer/{identifier}", "now": milliseconds(), "without": without}
        with self.state.transaction() as db:
            row = db.execute(_STATE, values).fetchone()
        return None if row is None else Customer(id=identifier, version=row["version"], fields=_fields(row))

    def applied(self, identifier: str, key: str) -> int:
        """Count how often a key was applied to a customer and not withdrawn, as reads see it now."""
        values = {"entity": f"customer/{identifier}", "key": key, "now": milliseconds()}
        with self.state.transaction() as db:
            return int(db.execute(_APPLIED, values).fetchone()[0])

    def effects(self, key: str) -> list[Effect]:
        """Return all that was done under a key, as far as reads see it now, oldest first; also what was withdrawn."""
        query = "SELECT * FROM effects WHERE key = ? AND visible_at <= ? ORDER BY position"
        with self.state.transaction() as db:
            return [_effect(row) for row in db.execute(query, (key, milliseconds()))]

    def elsewhere(self) -> list[Effect]:
        """Return what somebody else did, oldest first."""
        query = "SELECT * FROM effects WHERE kind = ? ORDER BY position"
        with self.state.transaction() as db:
            return [_effect(row) for row in db.execute(query, (Kind.ELSEWHERE,))]

    def log(self, *, after: int, key: str | None) -> list[LoggedCall]:
        """Return a page of the log, oldest first, behind the call numbered `after`; of one key if it is given."""
        query = "SELECT * FROM calls WHERE number > ? AND (? IS NULL OR key = ?) ORDER BY number LIMIT ?"
        with self.state.transaction() as db:
            return [_logged(row) for row in db.execute(query, (after, key, key, PAGE))]

    def reads(self, *, after: int, key: str | None) -> list[Seen]:
        """Return a page of the log of reads, in the same way."""
        query = "SELECT * FROM reads WHERE number > ? AND (? IS NULL OR key = ?) ORDER BY number LIMIT ?"
        with self.state.transaction() as db:
            return [_seen(row) for row in db.execute(query, (after, key, key, PAGE))]


def standing(db: sqlite3.Connection, entity: str) -> sqlite3.Row | None:
    """Return the effect that stands at a customer, whether reads see it yet or not."""
    row: sqlite3.Row | None = one(db, _STANDING, entity)
    return row


def customer_of(row: sqlite3.Row) -> Customer:
    """Read a customer from the effect that stands at it."""
    identifier = row["entity"].partition("/")[2]
    return Customer(id=identifier, version=row["version"], fields=_fields(row))


def _fields(row: sqlite3.Row) -> document.Document:
    return document.parse(row["fields"], what="stored fields")


def _effect(row: sqlite3.Row) -> Effect:
    return Effect(
        number=row["number"],
        kind=Kind(row["kind"]),
        key=row["key"],
        operation_id=row["operation_id"],
        entity=row["entity"],
        version=row["version"],
        fields=_fields(row),
        applied_at=row["applied_at"],
        withdrawn=row["withdrawn_at"] is not None,
    )


def _logged(row: sqlite3.Row) -> LoggedCall:
    return LoggedCall(
        number=row["number"],
        kind=Kind(row["kind"]),
        received_at=row["received_at"],
        key=row["key"],
        operation_id=row["operation_id"],
        entity=row["entity"],
        version=row["version"],
        status=row["status"],
        code=row["code"],
        applied=bool(row["applied"]),
        replayed=bool(row["replayed"]),
        faults=tuple(filter(None, row["faults"].split(","))),
    )


def _seen(row: sqlite3.Row) -> Seen:
    return Seen(
        number=row["number"],
        received_at=row["received_at"],
        key=row["key"],
        entity=row["entity"],
        status=row["status"],
        fault=row["fault"],
    )
