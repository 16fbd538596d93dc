"""What waits for a person as JSON, and what became of a decision."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from makegood.ports import Unreadable

from makegood_cli.json_operation import found_data, operation_data
from makegood_cli.json_text import as_data
from makegood_cli.reasons import latest, words

if TYPE_CHECKING:
    from makegood.flows.review import Case, Taken

_SHOWN = (
    "operation_id",
    "operation_type",
    "entity",
    "expected_version",
    "status",
    "intent",
    "revision",
    "attempt",
    "uncertain",
    "created_at",
    "remote_id",
    "last_error",
    "cancel_reason",
    "verdict",
    "evidence",
    "decisions",
)


def case_data(case: Case | Unreadable) -> dict[str, Any]:
    """Describe an operation as somebody needs it who must decide; of one that cannot be read, its id and why."""
    if isinstance(case, Unreadable):
        return found_data(case)
    row = case.operation
    because = latest(row)
    return {
        **{name: as_data(getattr(row, name), name=name) for name in _SHOWN},
        "destination": case.destination,
        "age_seconds": case.age / timedelta(seconds=1),
        "waiting_seconds": case.waiting / timedelta(seconds=1),
        "reason": because,
        "words": words(because) if because else None,
        "risk": case.risk,
        "recommended": case.recommended.value if case.recommended else None,
        "advice": case.advice,
    }


def taken_data(taken: Taken, *, action: str, by: str) -> dict[str, Any]:
    """Describe a decision that stands."""
    return {
        "action": action,
        "by": by,
        "verb": taken.move.verb.value,
        "from": taken.move.source.value if taken.move.source else None,
        "to": taken.move.target.value,
        "answer": taken.answer,
        "dispatched": taken.dispatched,
        "operation": operation_data(taken.operation),
    }
