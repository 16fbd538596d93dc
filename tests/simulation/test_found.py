"""Does what schedules have found stay found? One story for each kind of fault, as it was told when shrunk."""

from typing import Any

import pytest
from makegood.domain.choices import Capability, Mode, Step
from makegood.domain.observation import Absent, Found, Observed
from makegood.domain.operation import Status
from makegood.domain.outcome import RejectedError, UncertainError

from tests.support.deployment import Deployment
from tests.support.remote import raising, seeing
from tests.support.rows import HOUR, MINUTE, OPERATOR

UNDOES: dict[str, Any] = {
    "idempotent": True,
    "capability": Capability.BY_KEY,
    "mode": Mode.CORRECT,
    "on_divergent": Step.COMPENSATE,
    "on_cancelled": Step.COMPENSATE,
}
TAKEN_AWAY = Found(version=7, fields={"plan": "gold"}, deleted=True)
OLDER = Found(version=6, fields={"plan": "gold"})


@pytest.mark.parametrize("seen", [TAKEN_AWAY, OLDER], ids=["taken away by others", "an older version"])
def test_a_policy_does_not_undo_what_is_not_there(seen: Observed) -> None:
    house = Deployment(**UNDOES)
    house.submitted()
    house.remote.script = [raising(UncertainError("no answer"))]
    house.delivered()
    house.remote.sights = [seeing(seen)]
    house.clock.advance(5 * MINUTE)
    house.swept()
    row = house.row()
    assert (row.status, row.verdict.recommendation if row.verdict else None) == (Status.MANUAL_REVIEW, "compensate")
    assert not house.queued()


def test_an_undoing_does_not_take_a_newer_version_away() -> None:
    house = Deployment(**UNDOES, supersedes=True)
    house.submitted("v7", entity="customer/452", expected_version=7)
    house.remote.script = [raising(UncertainError("no answer"))]
    house.worked("v7")
    house.cancel(house.row("v7").operation_id, reason="not wanted", actor=OPERATOR)
    house.remote.effects["v7"] = 1
    house.clock.advance(5 * MINUTE)
    house.swept()
    house.queue.take()  # its hint is lost
    house.submitted("v8", entity="customer/452", expected_version=8)
    house.worked("v8")
    house.clock.advance(HOUR)
    house.worked("v7")
    assert (house.row("v8").status, house.row("v7").status) == (Status.CONFIRMED, Status.MANUAL_REVIEW)
    assert not house.remote.undone


def twice_absent() -> Deployment:
    """Return a house that wants to see an absence twice, with an operation that was seen absent once."""
    house = Deployment(**UNDOES, absences=2)
    house.submitted()
    house.remote.script = [raising(UncertainError("no answer"))]
    house.delivered()
    house.remote.sights = [seeing(Absent())]
    house.clock.advance(5 * MINUTE)
    house.swept()
    assert house.row().absences == 1
    return house


def test_an_absence_is_not_counted_with_one_from_before_it_was_seen() -> None:
    house = twice_absent()
    house.remote.sights = [seeing(Found(version=8, fields={"plan": "gold"}, count=2, deleted=True))]
    house.clock.advance(HOUR)
    house.swept()
    assert (house.row().status, house.row().absences) == (Status.MANUAL_REVIEW, 0)


def test_an_absence_is_not_counted_with_one_from_before_the_attempt() -> None:
    house = twice_absent()
    house.change("op-1", status=Status.RETRY_SCHEDULED)
    house.remote.script = [raising(RejectedError("not allowed"))]
    house.worked()
    assert (house.row().status, house.row().absences) == (Status.MANUAL_REVIEW, 0)
