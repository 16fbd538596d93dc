"""What flows report: one move of one operation, as doors log it."""

from dataclasses import dataclass

from makegood.domain.history import Verb, last
from makegood.domain.operation import Operation, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A transition that landed."""

    operation_id: str
    operation_type: str
    verb: Verb
    source: Status | None  #: `None` for the first write
    target: Status
    reason: str
    attempt: int
    would: str | None = None  #: what the policy wanted instead, such as would_requeue


def move(landed: Operation) -> Move:
    """Describe a landed transition by the row's own newest history entry."""
    entry = last(landed.history)
    return Move(
        operation_id=landed.operation_id,
        operation_type=landed.operation_type,
        verb=entry.verb,
        source=entry.source,
        target=entry.target,
        reason=entry.reason,
        attempt=landed.attempt,
    )
