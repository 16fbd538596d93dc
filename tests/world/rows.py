"""The operation's row, reduced to what can matter from now on, and known by a number."""

from dataclasses import replace
from typing import Any, NamedTuple

from makegood.domain.evidence import Decision, Verdict, VerdictKind
from makegood.domain.instant import Instant, after
from makegood.domain.operation import Intent, Operation, OperationId, Status
from makegood.domain.promise import Promise, submit
from makegood.domain.reason import Reason

from tests.world.kinds import LIMITS, NOW, OUTAGE, SENDABLE, SETTLE, UNIT, Kind

ID = OperationId("op-1")
TYPE = "small"
TOKEN = "held"  # noqa: S105
REVISION = 100
_VERDICTS = {kind: Verdict(kind=kind, at=NOW, asked="them") for kind in VerdictKind}
_DECISION = Decision(at=NOW, by="alice", seen_revision=1, action="retry", reason="decided", outcome="known")


class Row(NamedTuple):
    """A row and what the steps ask of it all the time."""

    operation: Operation
    status: Status
    ended: bool
    undoing: bool
    claimed: bool
    lease_left: int  #: units until the lease is over; 0 is its last instant


def promised(kind: Kind) -> Operation:
    """Make the row of the world's only promise."""
    promise = Promise(
        operation_type=TYPE,
        entity="customer/452",
        expected_version=7,
        expected_fields={"plan": "gold"},
        operation_id=ID,
    )
    return submit(promise, now=NOW, write_id="first", terms=kind.policy.under(LIMITS))


class Rows:
    """Every row that was ever met, reduced, by its number."""

    def __init__(self) -> None:
        self.all: list[Row] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._later: dict[int, int] = {}

    def number(self, operation: Operation) -> int:
        """Reduce a row and return its number."""
        kept = _kept_at_the_end(operation) if operation.is_terminal else _kept_of_an_open(operation)
        decisions = (_DECISION,) if operation.decisions else ()
        key = (operation.status, operation.intent, operation.uncertain, len(decisions), *kept.values())
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self.all.append(_row(replace(operation, decisions=decisions, **kept, **_FORGOTTEN)))
        return self._numbers[key]

    def later(self, number: int) -> int:
        """Return the row as it is one unit of time later."""
        if number not in self._later:
            operation = self.all[number].operation
            moved: dict[str, Any] = {name: _earlier(getattr(operation, name)) for name in TIMES}
            self._later[number] = self.number(replace(operation, **moved))
        return self._later[number]


TIMES = ("deadline_at", "first_claimed_at", "attempt_ended_at", "lease_ends_at", "not_before", "due_at")


def _earlier(instant: Instant | None) -> Instant | None:
    return None if instant is None else after(instant, -UNIT)


def _no_older(instant: Instant | None, units: int) -> Instant | None:
    return None if instant is None else max(instant, after(NOW, -units * UNIT))


_FORGOTTEN: dict[str, Any] = {
    "revision": REVISION,
    "write_id": "known",
    "created_at": NOW,
    "updated_at": NOW,
    "evidence": None,
    "remote_id": None,
    "last_error": None,
    "closure": None,
    "expires_at": None,
}


def _kept(operation: Operation) -> dict[str, Any]:
    return {
        "verdict": _VERDICTS[operation.verdict.kind] if operation.verdict else None,
        "cancel_reason": operation.cancel_reason,
        "due_shard": operation.due_shard,
    }


def _kept_at_the_end(operation: Operation) -> dict[str, Any]:
    nothing = dict.fromkeys(("attempt", "dispatches", "observations", "absences"), 0)
    gone = dict.fromkeys(("claim_token", "claimed_at", *TIMES))
    return {**_kept(operation), **nothing, **gone, "history": operation.history[:1]}


def _kept_of_an_open(operation: Operation) -> dict[str, Any]:
    not_before, in_review = operation.not_before, operation.status is Status.MANUAL_REVIEW
    return {
        **_kept(operation),
        "attempt": max(min(operation.attempt, LIMITS.max_attempts), 0),
        "dispatches": min(operation.dispatches, LIMITS.max_dispatches),
        "observations": min(operation.observations, 1),
        "absences": operation.absences,
        "claim_token": TOKEN if operation.claim_token else None,
        "claimed_at": NOW if operation.claimed_at else None,
        "lease_ends_at": _no_older(operation.lease_ends_at, 1),
        "first_claimed_at": _no_older(operation.first_claimed_at, SENDABLE),
        "attempt_ended_at": _no_older(operation.attempt_ended_at, max(SETTLE, OUTAGE)),
        "not_before": not_before if not_before is not None and not_before > NOW else None,
        "deadline_at": _no_older(operation.deadline_at, 0),
        "due_at": NOW if in_review else _no_older(operation.due_at, 0),
        "history": (operation.history[0], *_ruled_out(operation)),
    }


def _ruled_out(operation: Operation) -> tuple[str, ...]:
    """Keep that the last attempt met a rule against it, which is all that is ever asked of a history."""
    for packed in reversed(operation.history):
        _, verb, target, _, reason = packed.split(" ")
        if verb in ("aw", "cl"):
            return (f"1 aw {target} w {reason}",) if reason == Reason.RULED_OUT else ()
    return ()


def _row(operation: Operation) -> Row:
    lease_left = -1 if operation.lease_ends_at is None else (operation.lease_ends_at - NOW) // 60_000
    return Row(
        operation=operation,
        status=operation.status,
        ended=operation.is_terminal,
        undoing=operation.intent is Intent.COMPENSATION,
        claimed=operation.is_claimed,
        lease_left=lease_left,
    )
