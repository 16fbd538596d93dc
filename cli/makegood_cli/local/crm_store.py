"""What changes the remote's state. Each method is one step: done whole, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from makegood.domain import document

from makegood_cli.local.crm_records import Answer, Kind
from makegood_cli.local.crm_state import milliseconds, one
from makegood_cli.local.crm_views import customer_of, standing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from datetime import timedelta

    from makegood_cli.local.crm_records import Call, Customer, Question
    from makegood_cli.local.crm_state import State


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

_CALL = "INSERT INTO calls (received_at, kind, key, operation_id, entity, version) VALUES (?, ?, ?, ?, ?, ?)"
_EFFECT = """
INSERT INTO effects (number, kind, key, operation_id, entity, version, fields, applied_at, visible_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_WITHDRAW = """
UPDATE effects SET withdrawn_at = ?
    WHERE entity = ? AND version = ? AND kind IN ('change', 'elsewhere') AND withdrawn_at IS NULL
"""


class CrmStore:
    """Writes calls, effects, keys and reads."""

    def __init__(self, state: State, *, key_lifetime: timedelta) -> None:
        self._lifetime_ms = int(key_lifetime.total_seconds() * 1000)
        self._state = state

    def received(self, call: Call) -> int:
        """Log a call as it comes in; return its number."""
        row = (milliseconds(), call.kind, call.key, call.operation_id, call.entity, call.version)
        with self._state.transaction() as db:
            return db.execute(_CALL, row).lastrowid or 0

    def asked(self, question: Question, *, status: int | None, fault: str) -> None:
        """Log a caller's read, and what became of it."""
        row = (milliseconds(), question.key, question.entity, status, fault)
        with self._state.transaction() as db:
            db.execute("INSERT INTO reads VALUES (NULL, ?, ?, ?, ?, ?)", row)

    def struck(self, number: int, fault: str) -> None:
        """Log that a fault hit a call."""
        with self._state.transaction() as db:
            db.execute("UPDATE calls SET faults = ltrim(faults || ',' || ?, ',') WHERE number = ?", (fault, number))

    def take_key(self, call: Call, *, forget: bool) -> KeyState:
        """Look the key up, and take it if it is new, too old, or to be forgotten."""
        now = milliseconds()
        with self._state.transaction() as db:
            known = None if forget else one(db, "SELECT * FROM keys WHERE key = ?", call.key)
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
        with self._state.transaction() as db:
            row = standing(db, entity)
        return None if row is None else int(row["version"])

    def change(self, number: int, call: Call, answer: Answer, *, lag_seconds: float = 0) -> bool:
        """Change the customer, record the key's answer, log both; if the version is stale do nothing and say False."""
        with self._state.transaction() as db:
            latest = standing(db, call.entity)
            if latest is not None and latest["version"] > call.version:
                return False
            _effect(db, number, call, lag_seconds)
            _record(db, call.key, answer)
            _log(db, number, answer, applied=True)
        return True

    def withdraw(
        self, number: int, call: Call, answer: Callable[[Customer | None], Answer], *, lag_seconds: float = 0
    ) -> Answer | None:
        """Take the customer back to the version before, record the key's answer, log both.

        `answer` gets what stands then. If another version stands now, or one that was written under another key than
        the withdrawal names, nothing is done and None is returned.
        """
        with self._state.transaction() as db:
            latest = standing(db, call.entity)
            if (
                latest is None
                or latest["version"] != call.version
                or latest["key"] != call.fields.get("of", latest["key"])
            ):
                return None
            hidden_at = milliseconds() + int(lag_seconds * 1000)
            db.execute(_WITHDRAW, (hidden_at, call.entity, call.version))
            before = standing(db, call.entity)
            said = answer(None if before is None else customer_of(before))
            _effect(db, number, call, lag_seconds)
            _record(db, call.key, said)
            _log(db, number, said, applied=True)
        return said

    def charge(self, number: int, call: Call, answer: Answer, *, lag_seconds: float = 0) -> None:
        """Take the money and log it, whatever was taken under this key before."""
        with self._state.transaction() as db:
            _effect(db, number, call, lag_seconds)
            _log(db, number, answer, applied=True)

    def elsewhere(self, call: Call) -> None:
        """Change a customer as somebody else would: under no key, whatever version stands, in no log of calls."""
        with self._state.transaction() as db:
            _effect(db, 0, call, 0)

    def record(self, number: int, call: Call, answer: Answer) -> None:
        """Record an answer for the key, without any effect, and log it."""
        with self._state.transaction() as db:
            if call.kind is not Kind.CHARGE:
                _record(db, call.key, answer)
            _log(db, number, answer)

    def let_go(self, number: int, call: Call, answer: Answer | None) -> None:
        """Let the key go as if it had never been used, since nothing was applied; log the answer if there is one."""
        with self._state.transaction() as db:
            if call.kind is not Kind.CHARGE:
                db.execute("DELETE FROM keys WHERE key = ? AND status IS NULL", (call.key,))
            if answer is not None:
                _log(db, number, answer)

    def answered(self, number: int, answer: Answer, *, replayed: bool = False) -> None:
        """Log an answer that leaves the key alone."""
        with self._state.transaction() as db:
            _log(db, number, answer, replayed=replayed)


def _effect(db: sqlite3.Connection, number: int, call: Call, lag_seconds: float) -> None:
    now = milliseconds()
    told = (number, call.kind, call.key, call.operation_id, call.entity, call.version, document.render(call.fields))
    db.execute(_EFFECT, (*told, now, now + int(lag_seconds * 1000)))


def _record(db: sqlite3.Connection, key: str, answer: Answer) -> None:
    values = (answer.status, document.render(answer.body), key)
    db.execute("UPDATE keys SET status = ?, body = ? WHERE key = ?", values)


def _log(db: sqlite3.Connection, number: int, answer: Answer, *, applied: bool = False, replayed: bool = False) -> None:
    values = (answer.status, answer.code, applied, replayed, number)
    db.execute("UPDATE calls SET status = ?, code = ?, applied = ?, replayed = ? WHERE number = ?", values)
