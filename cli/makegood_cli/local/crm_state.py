"""The remote's durable state: calls, reads, effects and remembered keys, in one SQLite file.

Every step is one transaction, so a kill at any moment leaves a call either executed and remembered, or not executed. It
loses nothing that was answered; a power cut may lose the last moments.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "crm.sqlite3"

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
CREATE TABLE IF NOT EXISTS reads (
    number INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, key TEXT NOT NULL, entity TEXT NOT NULL, status INTEGER,
    fault TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS effects_by_entity ON effects (entity);
CREATE INDEX IF NOT EXISTS effects_by_key ON effects (key);
DELETE FROM keys WHERE status IS NULL; -- in progress when an earlier process was killed: nothing had been applied
"""

#: what tables of an earlier release lack: (table, column, declaration)
_GROWN = (
    ("calls", "kind", "TEXT NOT NULL DEFAULT 'change'"),
    ("effects", "kind", "TEXT NOT NULL DEFAULT 'change'"),
    ("effects", "withdrawn_at", "INTEGER"),  # reads stop seeing it then; null if it stands
)
_VIEWS = """
DROP VIEW IF EXISTS states;
CREATE VIEW states AS SELECT * FROM effects WHERE kind IN ('change', 'elsewhere'); -- what a customer can stand at
"""


class State:
    """One process's hold on the file; a second process on the same folder is refused (`sqlite3.OperationalError`)."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(folder / FILE, timeout=1, isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        self._db.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
        self._db.executescript(_TABLES)
        self._grow()
        self._db.executescript(_VIEWS)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do several things in one step, or none of them."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _grow(self) -> None:
        with self.transaction() as db:
            for table, column, declaration in _GROWN:
                if column not in {row["name"] for row in db.execute(f"PRAGMA table_info({table})")}:
                    db.execute(f"ALTER TABLE {table} ADD COLUMN {column} {declaration}")


def milliseconds() -> int:
    """Return the present instant, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


def one(db: sqlite3.Connection, query: str, *values: object) -> Any:  # noqa: ANN401 - a row or None
    """Return the first row of a query."""
    return db.execute(query, values).fetchone()
