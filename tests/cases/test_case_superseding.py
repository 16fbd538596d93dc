"""Is an older change never applied after a newer one, in whatever order their messages come and calls end?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import Intent, Status
from makegood.domain.outcome import Done, RejectedError, TransientError, UncertainError
from makegood.domain.policy import Step
from makegood.flows.review import Taken

from tests.case import case
from tests.cases.outside import Killed, applied_then, outside, reasons
from tests.doors.world import T, message
from tests.support.remote import raising, seeing
from tests.support.rows import SETTLED

if TYPE_CHECKING:
    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.cases.outside import Outside
    from tests.doors.world import Doors

LOST = UncertainError("no answer within 10 s")
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def world(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> Outside:
    """Return an outside system whose newer versions take the place of older ones."""
    return outside(quick_doors, monkeypatch, supersedes=True, on_missing=Step.REQUEUE)


def versions(world: Outside) -> list[int]:
    """List the versions in the order in which the remote was called with them."""
    return [attempt.operation.expected_version for attempt in world.remote.attempts]


def both(world: Outside, **facts: Any) -> tuple[Operation, Operation]:
    """Promise version 7 of a customer, then version 8."""
    return world.promised(expected_version=7, **facts), world.promised(expected_version=8, **facts)


@case("F036")
@pytest.mark.parametrize("how", ["its first message", "a retry", "a rescue by a sweep"])
def test_an_older_change_that_comes_after_a_newer_one_is_confirmed_is_not_applied(world: Outside, how: str) -> None:
    seventh, eighth = both(world)
    if how == "a retry":
        assert world.deliver(seventh, raising(TransientError("423"))).status is Status.RETRY_SCHEDULED
    assert world.deliver(eighth).status is Status.CONFIRMED
    world.later(T)
    if how == "a rescue by a sweep":
        world.doors.messages()
        assert world.doors.sweep()["acted"] == {"touch": 1}
    ended = world.deliver(seventh)
    assert (ended.status, reasons(ended)[-1]) == (Status.NOT_APPLICABLE, "ruled_out")
    assert ended.closure is not None
    assert ended.closure.reason == f"version 8 of the entity has been confirmed, by {eighth.operation_id}"
    assert versions(world)[-1] == 8
    assert (world.effects(seventh), world.effects(eighth), world.calls(eighth)) == (0, 1, 1)


@case("F036")
@pytest.mark.parametrize("end", [Killed(), LOST, None])
def test_a_newer_change_waits_while_a_call_of_an_older_one_may_still_land(
    world: Outside, end: BaseException | None
) -> None:
    seventh, eighth = both(world)

    def meanwhile(attempt: Attempt) -> Outcome:
        waiting = world.deliver(eighth)
        assert (waiting.status, reasons(waiting)[-1], waiting.attempt) == (Status.RETRY_SCHEDULED, "behind_another", 0)
        if end is not None:
            raise end
        return world.remote.apply(attempt)

    world.deliver(seventh, meanwhile)
    for _ in range(20):
        world.to(max(world.row(eighth).not_before or 0, world.doors.clock.now()))
        if world.deliver(eighth).is_terminal:
            break
        world.later(MINUTE)
    assert (world.row(eighth).status, world.row(eighth).attempt, versions(world)) == (Status.CONFIRMED, 1, [7, 8])


@case("F036")
@pytest.mark.parametrize("stands", [7, 8])
def test_an_older_change_of_unknown_end_is_never_sent_again_once_a_newer_one_was_sent(
    world: Outside, stands: int
) -> None:
    seventh, eighth = both(world)
    world.deliver(seventh, raising(LOST))
    world.later(SETTLED)
    assert world.deliver(eighth).status is Status.CONFIRMED
    sight = Absent() if stands == 7 else Found(version=8, fields={"plan": "gold"}, remote_id="crm-9", asked="GET")
    looked = world.look(seventh, seeing(sight))
    for _ in range(10):
        if looked.not_before is None:
            break
        world.to(looked.not_before)
        looked = world.deliver(seventh)
        if looked.status is Status.AWAITING_CONFIRMATION:
            looked = world.look(seventh, seeing(sight))
    assert (looked.status, versions(world)) == (Status.MANUAL_REVIEW, [7, 8]), "a call may have landed: a person's word"
    assert looked.verdict is not None
    if stands == 8:
        assert (looked.verdict.kind.value, looked.verdict.recommendation) == ("not_applicable", "close")


def refused(_: Attempt) -> Outcome:
    """Refuse for good."""
    raise RejectedError("422")


@case("F036")
def test_an_older_change_is_not_held_up_for_ever_by_a_newer_one_that_came_to_nothing(world: Outside) -> None:
    seventh, eighth = both(world)
    assert world.deliver(eighth, refused).status is Status.MANUAL_REVIEW
    waiting = world.deliver(seventh)
    assert (waiting.status, reasons(waiting)[-1]) == (Status.RETRY_SCHEDULED, "behind_another")
    world.remote.sights[:] = [seeing(Absent())]
    world.decide(eighth, "close")
    assert world.row(eighth).status is Status.NOT_APPLICABLE
    world.to(waiting.not_before)
    assert (world.deliver(seventh).status, versions(world)) == (Status.CONFIRMED, [8, 7])


@case("F036")
def test_a_wait_behind_a_newer_change_that_nobody_decides_upon_ends_before_a_person(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, supersedes=True, outage_limit=2 * HOUR)
    seventh, eighth = both(world)
    world.deliver(eighth, refused)
    for _ in range(60):
        if world.deliver(seventh).status is Status.MANUAL_REVIEW:
            break
        world.to(world.row(seventh).not_before)
    ended = world.row(seventh)
    assert (ended.status, versions(world)) == (Status.MANUAL_REVIEW, [8])
    assert "version 8 of the entity was begun" in str(ended.last_error)


@case("F036")
@pytest.mark.parametrize(
    "other", [{"entity": "customer/453"}, {"entity": "customer/452#8"}, {"entity": "Customer/452"}]
)
def test_another_entity_stands_in_no_ones_way(world: Outside, other: dict[str, Any]) -> None:
    seventh = world.promised(expected_version=7)
    assert world.deliver(world.promised(expected_version=8, **other)).status is Status.CONFIRMED
    assert world.deliver(seventh).status is Status.CONFIRMED


@case("F036")
def test_two_changes_to_the_same_version_are_applied_one_after_the_other(world: Outside) -> None:
    first, second = world.promised(), world.promised()

    def meanwhile(attempt: Attempt) -> Outcome:
        assert world.deliver(second).status is Status.RETRY_SCHEDULED
        return world.remote.apply(attempt)

    assert world.deliver(first, meanwhile).status is Status.CONFIRMED
    world.to(world.row(second).not_before)
    assert world.deliver(second).status is Status.CONFIRMED


@case("F036")
def test_an_undoing_of_a_newer_change_does_not_bring_the_older_one_back_by_itself(world: Outside) -> None:
    seventh, eighth = both(world)
    world.deliver(eighth)
    assert world.deliver(seventh).status is Status.NOT_APPLICABLE
    before = world.doors.bytes()
    world.doors.work(message(seventh))
    world.later(T)
    world.doors.sweep()
    assert world.doors.bytes() == before


@case("F036")
def test_a_remote_that_keeps_the_newest_by_itself_ends_an_older_change_as_divergent(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch)
    seventh, eighth = both(world)
    world.deliver(eighth)

    def newest(_: Attempt) -> Outcome:
        return Done(remote_id="crm-9", version=8, fields={"plan": "gold"})

    waiting = world.deliver(seventh, newest)
    assert waiting.verdict is not None
    assert (waiting.status, waiting.verdict.kind.value) == (Status.AWAITING_CONFIRMATION, "divergent")
    looked = world.look(seventh, seeing(Found(version=8, fields={"plan": "gold"}, remote_id="crm-9")))
    assert (looked.status, world.effects(eighth)) == (Status.MANUAL_REVIEW, 1)


@case("F036")
def test_an_older_change_is_not_undone_any_more_once_a_newer_one_is_confirmed(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, supersedes=True, on_divergent=Step.COMPENSATE)
    seventh, eighth = both(world)
    world.deliver(seventh, applied_then(world.remote, LOST))
    world.later(3 * MINUTE)
    assert world.look(seventh, seeing(Found(version=7, fields={"plan": "x"}))).intent is Intent.COMPENSATION
    assert world.deliver(eighth).status is Status.CONFIRMED
    ended = world.deliver(seventh)
    assert (ended.status, reasons(ended)[-1]) == (Status.MANUAL_REVIEW, "ruled_out"), "it would undo the newer one"
    assert (versions(world), world.remote.undone.total()) == ([7, 8], 0)


@case("F036")
def test_a_newer_change_that_was_undone_leaves_the_way_to_the_older_one(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, supersedes=True, on_cancelled=Step.COMPENSATE)
    seventh, eighth = both(world)

    def wanted_no_more(attempt: Attempt) -> Outcome:
        world.cancel(eighth)
        return world.remote.apply(attempt)

    world.deliver(eighth, wanted_no_more)
    assert reasons(world.deliver(seventh))[-1] == "behind_another"
    world.settled(eighth)
    assert world.deliver(eighth).status is Status.COMPENSATED
    world.to(world.row(seventh).not_before)
    assert world.deliver(seventh).status is Status.CONFIRMED


@case("F036", "F122")
def test_a_retry_of_an_older_change_by_a_person_makes_no_call_once_a_newer_one_is_confirmed(world: Outside) -> None:
    seventh, eighth = both(world)
    world.deliver(seventh, refused)
    assert world.deliver(eighth).status is Status.CONFIRMED
    world.remote.sights[:] = [seeing(Absent())]
    world.later(HOUR)
    assert isinstance(world.decide(seventh, "retry"), Taken)
    assert (world.deliver(seventh).status, versions(world)) == (Status.NOT_APPLICABLE, [7, 8])
