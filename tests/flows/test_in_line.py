"""Are versions of one entity applied one after the other, and never an older one after a newer one?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from makegood.adapters.memory import MemoryLine
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant
from makegood.domain.latest import Entry, Latest, Left
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import Outcome, RejectedError, TransientError, UncertainError
from makegood.domain.reason import Reason
from makegood.flows.work import Worked

from tests.case import case
from tests.flows.test_observe import CORRECT
from tests.support.deployment import Deployment, Killed
from tests.support.remote import raising, seeing
from tests.support.rows import HOUR, LIMITS, MINUTE, OPERATOR, SECOND, SETTLED

SUPERSEDES: dict[str, Any] = {**CORRECT, "supersedes": True}
KEY = ("sync", "customer/452")
HEALED = LIMITS.lease + SETTLED


@pytest.fixture
def house() -> Deployment:
    return Deployment(**SUPERSEDES)


def promised(house: Deployment, version: int, **facts: Any) -> Operation:
    return house.submitted(f"v{version}", entity="customer/452", expected_version=version, **facts)


def versions(house: Deployment) -> list[int]:
    """List what was applied, in the order of the calls."""
    return [attempt.operation.expected_version for attempt in house.remote.attempts]


def worked_again(house: Deployment, name: str) -> Worked:
    """Work on an operation once its wait is over."""
    house.clock.advance(max(((house.row(name).not_before or 0) - house.clock.now()) * SECOND / 1000, 0 * SECOND))
    return house.worked(name)


def during(house: Deployment, name: str) -> Any:  # noqa: ANN401 - a reply
    """Return a reply in the middle of which another worker takes another operation."""

    def call(attempt: Attempt) -> Outcome:
        house.worked(name)
        return house.remote.apply(attempt)

    return call


def test_messages_in_order_are_applied_in_order_and_the_entity_is_free_afterwards(house: Deployment) -> None:
    for version in (7, 8, 9):
        promised(house, version)
        house.worked(f"v{version}")
    assert (versions(house), {row.status for row in house.store.rows.values()}) == ([7, 8, 9], {Status.CONFIRMED})
    ninth = Latest(version=9, operation_id=house.row("v9").operation_id, busy_until=None, applied=frozenset({9}))
    assert house.line.standing[KEY] == ninth


@case("F036")
def test_an_older_version_that_comes_after_a_newer_one_was_confirmed_is_never_called(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.worked("v8")
    worked = house.worked("v7")
    assert (worked.called, versions(house)) == (False, [8])
    row = house.row("v7")
    assert row.status is Status.NOT_APPLICABLE
    assert row.closure is not None
    assert row.closure.reason == "version 8 of the entity has been confirmed, by v8"


@case("F036")
def test_an_older_version_waits_for_a_newer_one_that_was_begun_and_gives_its_attempt_back(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.remote.script = [during(house, "v7")]
    house.worked("v8")
    assert (house.row("v7").status, house.row("v7").attempt, versions(house)) == (Status.RETRY_SCHEDULED, 0, [8])
    assert "BehindError: version 7 waits: version 8 of the entity was begun" in (house.row("v7").last_error or "")
    worked_again(house, "v7")
    assert (house.row("v7").status, versions(house)) == (Status.NOT_APPLICABLE, [8])


def test_a_newer_version_waits_while_a_call_of_an_older_one_may_still_land(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.remote.script = [during(house, "v8")]
    house.worked("v7")
    assert (house.row("v8").status, house.row("v8").attempt, versions(house)) == (Status.RETRY_SCHEDULED, 0, [7])
    assert [move.reason for move in worked_again(house, "v8").moves][-1] == Reason.AGREED
    assert versions(house) == [7, 8]


def test_a_newer_version_waits_until_a_call_without_an_answer_can_land_no_more(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.remote.script = [raising(UncertainError("timed out"))]
    house.worked("v7")
    house.worked("v8")
    waits = house.row("v8")
    assert (waits.status, versions(house)) == (Status.RETRY_SCHEDULED, [7])
    assert (waits.not_before or 0) >= house.clock.now() + SETTLED // (SECOND / 1000)
    worked_again(house, "v8")
    assert (house.row("v8").status, versions(house)) == (Status.CONFIRMED, [7, 8])


def test_an_uncertain_older_version_is_never_sent_again_once_a_newer_one_is_there(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.remote.script = [raising(UncertainError("timed out"))]
    house.worked("v7")
    house.clock.advance(SETTLED)
    house.worked("v8")
    house.remote.sights = [seeing(Absent())]
    house.swept()
    assert house.row("v7").status is Status.RETRY_SCHEDULED
    worked_again(house, "v7")
    assert (house.row("v7").status, versions(house)) == (Status.AWAITING_CONFIRMATION, [7, 8])
    house.remote.sights = [seeing(Found(version=8, fields={"plan": "gold"}))]
    house.clock.advance(HOUR)
    house.swept()
    assert (house.row("v7").status, versions(house)) == (Status.MANUAL_REVIEW, [7, 8])


ENDED: Mapping[str, Outcome | Exception] = {
    "by a person, after it was refused": RejectedError("no such plan"),
    "by a person, after it had no answer": UncertainError("timed out"),
}


@pytest.mark.parametrize("how", ENDED)
def test_an_older_version_may_go_once_a_newer_one_has_ended_without_an_effect(house: Deployment, how: str) -> None:
    promised(house, 7)
    promised(house, 8)
    house.remote.script = [raising(ENDED[how])]  # type: ignore[arg-type]
    house.worked("v8")
    house.worked("v7")
    assert house.row("v7").status is Status.RETRY_SCHEDULED, "nobody knows yet what becomes of the newer one"
    house.cancel(house.row("v8").operation_id, reason="no more", actor=OPERATOR)
    house.change("v8", status=Status.NOT_APPLICABLE, due_at=None, due_shard=None)
    worked_again(house, "v7")
    assert (house.row("v7").status, versions(house)) == (Status.CONFIRMED, [8, 7])


def test_an_operation_takes_its_own_place_again_at_once(house: Deployment) -> None:
    promised(house, 7)
    house.remote.script = [raising(TransientError("busy"))]
    house.worked("v7")
    worked_again(house, "v7")
    assert (house.row("v7").status, versions(house)) == (Status.CONFIRMED, [7, 7])


def test_a_worker_that_dies_in_its_call_holds_the_entity_until_its_call_can_land_no_more(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.remote.script = [raising(Killed())]
    with pytest.raises(Killed):
        house.worked("v7")
    house.worked("v8")
    assert house.row("v8").status is Status.RETRY_SCHEDULED
    house.clock.advance(HEALED)
    worked_again(house, "v8")
    assert house.row("v8").status is Status.CONFIRMED


class BrokenLine(MemoryLine):
    """Does not answer when somebody enters, or when somebody leaves."""

    def __init__(self, *, enters: bool) -> None:
        super().__init__()
        self._enters = enters

    def enter(self, entry: Entry) -> Latest | None:
        """Enter, and perhaps lose the reply."""
        standing = super().enter(entry)
        if not self._enters:
            raise StoreError("UpdateItem: no answer")
        return standing

    def leave(self, entry: Entry, *, busy_until: Instant | None, behind: Left) -> None:
        """Fail."""
        raise StoreError(f"UpdateItem: no answer for {entry.entity} until {busy_until}: {behind.value}")


def test_a_line_that_does_not_answer_before_the_call_costs_no_doubt_about_the_effect(house: Deployment) -> None:
    promised(house, 7)
    house.work = replace(house.work, line=BrokenLine(enters=False))
    worked = house.worked("v7")
    row = house.row("v7")
    assert (worked.called, row.status, row.uncertain) == (False, Status.RETRY_SCHEDULED, False)
    house.work = replace(house.work, line=house.line)
    worked_again(house, "v7")
    assert (house.row("v7").status, versions(house)) == (Status.CONFIRMED, [7])


def test_a_line_that_does_not_answer_after_the_call_heals_by_time(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    line = BrokenLine(enters=True)
    house.work = replace(house.work, line=line)
    with pytest.raises(StoreError):
        house.worked("v7")
    assert house.row("v7").status is Status.CONFIRMED
    house.work = replace(house.work, line=house.line)
    house.line.standing |= line.standing
    house.worked("v8")
    assert house.row("v8").status is Status.RETRY_SCHEDULED
    house.clock.advance(HEALED)
    worked_again(house, "v8")
    assert versions(house) == [7, 8]


def test_types_that_do_not_supersede_stand_in_no_line() -> None:
    plain = Deployment(**CORRECT)
    promised(plain, 8)
    promised(plain, 7)
    plain.delivered()
    assert (versions(plain), plain.line.standing) == ([8, 7], {})


def test_an_older_version_is_not_undone_where_a_newer_one_is_confirmed(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.worked("v8")
    house.change("v7", intent=Intent.COMPENSATION)
    house.worked("v7")
    assert (house.row("v7").status, house.remote.undone) == (Status.MANUAL_REVIEW, {})


def test_entities_do_not_wait_for_each_other(house: Deployment) -> None:
    promised(house, 8)
    house.submitted("other", entity="customer/9", expected_version=1)
    house.remote.script = [during(house, "other")]
    house.worked("v8")
    assert house.row("other").status is Status.CONFIRMED
    assert MINUTE < HEALED
