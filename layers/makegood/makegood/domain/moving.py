"""How any row moves: whose hand, what the table permits, and what every move writes down."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from makegood.domain import guards, history
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.evidence import Decision, Evidence
from makegood.domain.guards import Facts
from makegood.domain.history import Actor, Role, Verb
from makegood.domain.instant import Instant, after, earliest, epoch_seconds
from makegood.domain.operation import Operation, Status
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason
from makegood.domain.table import Guard, Row, rows_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """Who moves a row, when, by what terms, and under which write id."""

    now: Instant
    actor: Actor
    write_id: str
    terms: Terms

    def facts(self, **more: Any) -> Facts:
        """Gather what the guards judge by."""
        return Facts(now=self.now, terms=self.terms, **more)


def permitted(operation: Operation, verb: Verb, role: Role, facts: Facts) -> Row:
    """Return the line of the table that allows this move.

    Raises:
        ImpossibleTransition: saying what was, what was wanted, and which guard does not hold.
    """
    rows = rows_for(verb, operation.status, role)
    missing: list[Guard] = []
    for row in rows:
        missing = [guard for guard in row.guards if not guards.holds(guard, operation, facts)]
        if not missing:
            return row
    lacks = f"it lacks: {', '.join(missing)}" if rows else f"the table has no such move for the {role}"
    said = f"{operation.operation_id}: {verb} from {operation.status} is not possible; {lacks}"
    raise ImpossibleTransition(said, lacks=tuple(missing))


def moved(operation: Operation, row: Row, hand: Hand, reason: Reason, **changes: Any) -> Operation:
    """Write down a move: revision, write id, time, history, and what leaving a status takes with it."""
    target = row.target or operation.status
    entry = history.pack(at=hand.now, verb=row.verb, target=target, actor=hand.actor, reason=reason)
    common: dict[str, Any] = {
        "status": target,
        "revision": operation.revision + 1,
        "write_id": hand.write_id,
        "updated_at": max(hand.now, operation.updated_at),
        "history": history.extended(operation.history, entry),
    }
    return replace(operation, **{**changes, **common, **dict(_left(operation, target, hand, changes))})


def proven(
    operation: Operation, row: Row, hand: Hand, reason: Reason, evidence: Evidence | None, **more: Any
) -> Operation:
    """Write down the end of a move that evidence allows."""
    remote_id = (evidence.remote_id if evidence else None) or operation.remote_id
    return moved(operation, row, hand, reason, evidence=evidence, remote_id=remote_id, last_error=None, **more)


def waiting(operation: Operation, row: Row, hand: Hand, reason: Reason, wait: timedelta, **more: Any) -> Operation:
    """Write down a move to where the next attempt waits for its time."""
    not_before = after(hand.now, wait)
    due_at = max(operation.due_at or not_before, after(not_before, hand.terms.limits.retry_grace))
    return moved(
        operation, row, hand, reason, dispatches=0, not_before=not_before, due_at=no_later(operation, due_at), **more
    )


def decided(operation: Operation, decision: Decision | None) -> dict[str, Any]:
    """Return the row's decisions with one more, as changes of a move; nothing where nobody decided."""
    return {"decisions": (*operation.decisions, decision)} if decision else {}


def no_later(operation: Operation, due_at: Instant) -> Instant:
    """Never look later than the deadline."""
    return earliest(due_at, operation.deadline_at) or due_at


def _left(operation: Operation, target: Status, hand: Hand, changes: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if operation.status is Status.PROCESSING and target is not Status.PROCESSING:
        yield from (("claim_token", None), ("claimed_at", None), ("lease_ends_at", None))
        yield from (("attempt_ended_at", hand.now), ("absences", 0))  # they are counted from the end of an attempt
    decisions = changes.get("decisions", operation.decisions)
    if target.is_terminal or target is Status.MANUAL_REVIEW:
        yield "decisions", tuple(each if each.outcome else replace(each, outcome=target.value) for each in decisions)
    if target.is_terminal:
        yield from (("due_shard", None), ("due_at", None), ("not_before", None))
        kept = bool(decisions)
        yield "expires_at", None if kept else epoch_seconds(after(hand.now, hand.terms.limits.retention))
