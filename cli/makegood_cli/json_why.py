"""The answer of `why` as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from makegood.domain.decide import Leave
from makegood.domain.instant import iso
from makegood.ports import Unreadable

from makegood_cli.explain import name_of
from makegood_cli.json_text import as_data
from makegood_cli.reasons import words
from makegood_cli.screens.why import sentence

if TYPE_CHECKING:
    from makegood.domain.run import Control
    from makegood.ports import Found

    from makegood_cli.explain import Explanation, Step
    from makegood_cli.outlook import Prospect


def why_data(found: Found, explanation: Explanation, control: Control) -> dict[str, Any]:
    """Describe which rule holds, until when, and what then."""
    worker, hold = explanation.worker, explanation.hold
    given = control.acknowledged(explanation.now)
    return {
        "operation_id": found.operation_id,
        "status": None if isinstance(found, Unreadable) else found.status.value,
        "now": iso(explanation.now),
        "sentence": sentence(explanation),
        "acts_now": explanation.acts_now,
        "steps": [_step(step) for step in explanation.steps],
        "held": None if hold is None else {"why": hold.words, "since": hold.since and iso(hold.since)},
        "prospects": [_prospect(each) for each in explanation.prospects],
        "advice": explanation.advice,
        "cancelled": explanation.cancelled,
        "acknowledgement": as_data(given),
        "worker": {
            "may_claim": explanation.is_claimable and worker is None,
            "reason": worker.value if worker else None,
        },
    }


def _prospect(prospect: Prospect) -> dict[str, Any]:
    return {
        "verdict": prospect.verdict.value,
        "since": iso(prospect.since),
        "to": prospect.target.value,
        "verb": prospect.verb.value,
        "reason": prospect.reason,
        "words": words(prospect.reason),
        "would": prospect.would.value if prospect.would else None,
    }


def _step(step: Step) -> dict[str, Any]:
    action = step.action
    until = action.until if isinstance(action, Leave) else None
    return {
        "at": iso(step.at),
        "action": name_of(action),
        "reason": action.reason.value,
        "words": action.reason.words,
        "until": None if until is None else iso(until),
        "anomaly": step.anomaly.value if step.anomaly else None,
    }
