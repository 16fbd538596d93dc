"""The CRM's durable state: calls, effects and remembered keys, in one SQLite file.

Every step is one transaction, so a kill at any moment leaves a call either executed and remembered, or not executed. It
loses nothing that was answered; a power cut may lose the last moments.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from makegood.domain import document

from makegood_cli.local.crm_records import Answer, Customer, Effect, LoggedCall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta
    from pathlib import Path

    from makegood_cli.local.crm_records import Call

FILE = "crm.sqlite3"
PAGE = 1000  #: lines of the log in one answer

_TABLES = """
CREATE TABLE IF NOT EXISTS calls (
    number INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, key TEXT NOT NULL, operation_id TEXT,
    entity TEXT NOT NULL, version INTEGER NOT NULL, status INTEGER, code TEXT, applied INTEGER NOT NULL DEFAULT 0,
    replayed INTEGER NOT NULL DEFAULT 0, faults TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS keys (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL, since INTEGER NOT NULL, status INTEGER, body TEXT);
CREATE TABLE IF NOT EXISTS effects (
    position INTEGER PRIMARY KEY, number INTEGER NOT NULL, key TEXT NOT NULL, operation_id TEXT, entity TEXT NOT NULL,
    version INTEGER NOT NULL, fields TEXT NOT NULL, applied_at INTEGER NOT NULL, visible_at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS effects_by_entity ON effects (entity);
CREATE INDEX IF NOT EXISTS effects_by_key ON effects (key);
DELETE FROM keys WHERE status IS NULL; -- in progress when an earlier process was killed: nothing had been applied
"""


@dataclass(frozen=True, slots=True)
class Fresh:
    """The key is this call's alone until it is answered."""


@dataclass(frozen=True, slots=True)
class Busy:
    """Another call with this key is being executed."""


@dataclass(frozen=True, slots=True)
class Reused:
    """The key was used for another request."""


KeyState: TypeAlias = Fresh | Busy | Reused | Answer


class CrmStore:
    """One process's hold on the state; a second process on the same folder is refused (`sqlite3.OperationalError`)."""

    def __init__(self, folder: Path, *, key_lifetime: timedelta) -> None:
        self._lifetime_ms = int(key_lifetime.total_seconds() * 1000)
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(folder / FILE, timeout=1, isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        self._db.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
        self._db.executescript(_TABLES)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    def received(self, call: Call) -> int:
        """Log a call as it comes in; return its number."""
        row = (_now(), call.key, call.operation_id, call.entity, call.version)
        with self._transaction() as db:
            insert = "INSERT INTO calls (received_at, key, operation_id, entity, version) VALUES (?, ?, ?, ?, ?)"
            return db.execute(insert, row).lastrowid or 0

    def struck(self, number: int, fault: str) -> None:
        """Log that a fault hit a call."""
        with self._transaction() as db:
            db.execute("UPDATE calls SET faults = ltrim(faults || ',' || ?, ',') WHERE number = ?", (fault, number))

    def take_key(self, call: Call, *, forget: bool) -> KeyState:
        """Look the key up, and take it if it is new, too old, or to be forgotten."""
        now = _now()
        with self._transaction() as db:
            known = None if forget else _one(db, "SELECT * FROM keys WHERE key = ?", call.key)
            if known is None or known["since"] + self._lifetime_ms <= now:
                row = (call.key, call.digest, now)
                db.execute("INSERT OR REPLACE INTO keys (key, digest, since) VALUES (?, ?, ?)", row)
                return Fresh()
        if known["digest"] != call.digest:
            return Reused()
        if known["status"] is None:
            return Busy()
        return Answer(status=known["status"], body=document.parse(known["body"], what="the recorded answer"))

    def latest_version(self, entity: str) -> int | None:
        """Return the version that stands, whether reads see it yet or not; None for an unknown customer."""
        with self._transaction() as db:
            return _latest_version(db, entity)

    def apply(self, number: int, call: Call, answer: Answer, *, lag_seconds: float = 0) -> bool:
        """Make the effect, record the key's answer, log both, in one step; if it is stale do nothing and say False."""
        now = _now()
        visible_at = now + int(lag_seconds * 1000)
        effect = (number, call.key, call.operation_id, call.entity, call.version, document.render(call.fields), now)
        with self._transaction() as db:
            latest = _latest_version(db, call.entity)
            if latest is not None and latest > call.version:
                return False
            db.execute("INSERT INTO effects VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", (*effect, visible_at))
            _record(db, call.key, answer)
            _log(db, number, answer, applied=True)
        return True

    def record(self, number: int, call: Call, answer: Answer) -> None:
        """Record an answer for the key, without any effect, and log it."""
        with self._transaction() as db:
            _record(db, call.key, answer)
            _log(db, number, answer)

    def let_go(self, number: int, call: Call, answer: Answer | None) -> None:
        """Let the key go as if it had never been used, since nothing was applied; log the answer if there is one."""
        with self._transaction() as db:
            db.execute("DELETE FROM keys WHERE key = ? AND status IS NULL", (call.key,))
            if answer is not None:
                _log(db, number, answer)

    def answered(self, number: int, answer: Answer, *, replayed: bool = False) -> None:
        """Log an answer that leaves the key alone."""
        with self._transaction() as db:
            _log(db, number, answer, replayed=replayed)

    def customer(self, identifier: str) -> Customer | None:
        """Return a customer as reads see it now."""
        query = "SELECT * FROM effects WHERE entity = ? AND visible_at <= ? ORDER BY position DESC LIMIT 1"
        with self._transaction() as db:
            row = _one(db, query, f"customer/{identifier}", _now())
        return None if row is None else Customer(id=identifier, version=row["version"], fields=_fields(row))

    def effects(self, key: str) -> list[Effect]:
        """Return the effects of a key that reads see now, oldest first."""
        query = "SELECT * FROM effects WHERE key = ? AND visible_at <= ? ORDER BY position"
        with self._transaction() as db:
            return [_effect(row) for row in db.execute(query, (key, _now()))]

    def log(self, *, after: int, key: str | None) -> list[LoggedCall]:
        """Return a page of the log, oldest first, behind the call numbered `after`; of one key if it is given."""
        query = "SELECT * FROM calls WHERE number > ? AND (? IS NULL OR key = ?) ORDER BY number LIMIT ?"
        with self._transaction() as db:
            return [_logged(row) for row in db.execute(query, (after, key, key, PAGE))]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")


def _now() -> int:
    return time.time_ns() // 1_000_000


def _one(db: sqlite3.Connection, query: str, *values: object) -> Any:  # noqa: ANN401 - a row or None
    return db.execute(query, values).fetchone()


def _latest_version(db: sqlite3.Connection, entity: str) -> int | None:
    row = _one(db, "SELECT version FROM effects WHERE entity = ? ORDER BY position DESC LIMIT 1", entity)
    return None if row is None else int(row["version"])


def _record(db: sqlite3.Connection, key: str, answer: Answer) -> None:
    values = (answer.status, document.render(answer.body), key)
    db.execute("UPDATE keys SET status = ?, body = ? WHERE key = ?", values)


def _log(db: sqlite3.Connection, number: int, answer: Answer, *, applied: bool = False, replayed: bool = False) -> None:
    values = (answer.status, answer.code, applied, replayed, number)
    db.execute("UPDATE calls SET status = ?, code = ?, applied = ?, replayed = ? WHERE number = ?", values)


def _fields(row: sqlite3.Row) -> document.Document:
    return document.parse(row["fields"], what="stored fields")


def _effect(row: sqlite3.Row) -> Effect:
    return Effect(
        number=row["number"],
        key=row["key"],
        operation_id=row["operation_id"],
        entity=row["entity"],
        version=row["version"],
        fields=_fields(row),
        applied_at=row["applied_at"],
    )


def _logged(row: sqlite3.Row) -> LoggedCall:
    return LoggedCall(
        number=row["number"],
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
