"""What becomes of an attempt that may have been made, was ruled out since, and is certainly not there?"""

from __future__ import annotations

from typing import Any

from makegood.domain.history import Verb, last
from makegood.domain.operation import Status
from makegood.domain.outcome import NotApplicable, UncertainError
from makegood.domain.policy import Capability, Mode, Step
from makegood.domain.reason import Reason

from tests.support.deployment import Deployment
from tests.support.remote import raising, saying
from tests.support.rows import HOUR

CORRECT: dict[str, Any] = {
    "capability": Capability.BY_KEY,
    "mode": Mode.CORRECT,
    "idempotent": True,
    "on_missing": Step.REQUEUE,
}
SUPERSEDED = NotApplicable(reason="superseded by version 8")


def found_missing(house: Deployment) -> None:
    """Let one attempt end: work, then look; it is not there."""
    house.worked()
    house.clock.advance(HOUR)
    house.swept()
    house.clock.advance(HOUR)
    house.queue.take()


def test_what_a_rule_speaks_against_is_not_sent_again_because_it_is_missing() -> None:
    house = Deployment(**CORRECT)
    house.submitted()
    house.remote.script = [raising(UncertainError("timed out")), saying(SUPERSEDED)]
    found_missing(house)
    assert house.row().status is Status.RETRY_SCHEDULED
    found_missing(house)
    row = house.row()
    assert (row.status, row.attempt, house.remote.calls["op-1"]) == (Status.MANUAL_REVIEW, 2, 2)
    assert row.verdict is not None
    assert row.verdict.recommendation == Step.CLOSE
    assert (last(row.history).verb, last(row.history).reason) == (Verb.ESCALATE, Reason.NOT_PERMITTED)
