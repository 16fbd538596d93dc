"""Is one key sent for one effect, never a new one, and none at all once the remote may have forgotten it?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.domain.backoff import Backoff
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Status, idempotency_key_for
from makegood.domain.outcome import RejectedError, TransientError, UncertainError
from makegood.domain.policy import Capability, Step
from makegood.flows.cancel import Refused
from makegood.flows.review import Taken

from tests.case import case
from tests.cases.outside import applied_then, outside, reasons, verbs
from tests.doors.world import message
from tests.support.remote import blind, raising, seeing

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

    from tests.cases.outside import Outside
    from tests.doors.world import Doors

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SLOWLY = Backoff(first=6 * HOUR, ceiling=6 * HOUR)
LOST = UncertainError("no answer within 10 s")
OLD_ERROR = UncertainError("the CRM answered 500")
NONE = seeing(Absent(asked="GET /customers?key=…", summary="404 none"))
THERE = seeing(Found(version=7, fields={"plan": "gold"}, remote_id="crm-9", asked="GET /customers?key=…"))
REUSED = RejectedError("the CRM refuses it: 409 key_reused")


def keys(world: Outside) -> set[str]:
    """Return every key that the remote was called with."""
    return {attempt.idempotency_key for attempt in world.remote.attempts}


@case("F077")
def test_a_key_that_is_known_with_other_parameters_goes_to_a_person_and_no_new_one_is_made(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    refused = world.deliver(row, raising(REUSED))
    assert (refused.status, refused.last_error) == (
        Status.MANUAL_REVIEW,
        "RejectedError: the CRM refuses it: 409 key_reused",
    )
    quick_doors.messages()
    world.later(DAY)
    assert quick_doors.sweep()["acted"] == {}
    assert isinstance(world.decide(row, "retry", stated="looked: nobody has it"), Taken)
    again = world.deliver(row, raising(REUSED))
    assert (again.status, world.calls(row)) == (Status.MANUAL_REVIEW, 2)
    assert keys(world) == {idempotency_key_for(row.operation_id, Intent.EFFECT)} == {again.idempotency_key}
    assert [decision.outcome for decision in again.decisions] == ["manual_review"]


@case("F077")
def test_a_key_that_was_taken_after_an_uncertain_attempt_is_looked_for_by_whoever_decides(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    world.deliver(row, raising(LOST))
    world.look(row, NONE)
    world.to(world.row(row).not_before)
    refused = world.deliver(row, raising(REUSED))
    assert (refused.status, refused.uncertain) == (Status.MANUAL_REVIEW, True)
    world.later(HOUR)
    world.remote.sights[:] = [THERE]
    assert isinstance(world.decide(row, "retry", stated="I think it is not there"), Refused)
    world.remote.sights[:] = [THERE]
    assert isinstance(world.decide(row, "confirm"), Taken)
    assert (world.row(row).status, world.row(row).remote_id) == (Status.CONFIRMED, "crm-9")


@case("F078")
def test_an_error_that_is_repeated_for_ever_over_an_effect_that_is_there_is_confirmed_by_a_look(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    world.deliver(row, applied_then(world.remote, OLD_ERROR))
    ended = world.look(row, world.remote.truth)
    assert (ended.status, world.calls(row), world.effects(row)) == (Status.CONFIRMED, 1, 1)
    assert verbs(ended) == ["submit", "claim", "await", "confirm_by_proof"]


@case("F078")
@pytest.mark.parametrize("most", [1, 3, 8])
def test_an_error_that_is_repeated_for_ever_without_an_effect_ends_before_a_person_after_so_many_calls(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE, max_attempts=most)
    row = world.promised()
    for _ in range(most):
        world.to(world.row(row).not_before or quick_doors.clock.now())
        assert world.deliver(row, raising(OLD_ERROR)).status is Status.AWAITING_CONFIRMATION
        world.look(row, NONE)
    ended = world.row(row)
    assert (ended.status, world.calls(row), len(keys(world))) == (Status.MANUAL_REVIEW, most, 1)
    assert ended.verdict is not None
    assert (ended.verdict.kind.value, ended.verdict.recommendation) == ("missing", "requeue")
    assert (reasons(ended)[-1], ended.last_error) == ("not_permitted", "it lacks: attempts left")
    quick_doors.messages()
    world.later(DAY)
    assert (quick_doors.sweep()["acted"], quick_doors.messages()) == ({}, [])


def unknown_for(world: Outside, duration: timedelta) -> Operation:
    """Promise an operation whose call timed out, and whose outside system says nothing for so long."""
    row = world.promised()
    world.deliver(row, raising(LOST))
    until = quick_end(world, duration)
    while world.doors.clock.now() < until:
        world.look(row, seeing(Unknown(why="it answered 503")))
    return row


def quick_end(world: Outside, duration: timedelta) -> int:
    """Return the instant so far ahead."""
    return world.doors.clock.now() + int(duration / timedelta(milliseconds=1))


@case("F079")
def test_after_the_key_has_lapsed_a_look_that_finds_it_confirms_without_a_send(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE, outage_limit=3 * DAY, observation_backoff=SLOWLY)
    row = unknown_for(world, 25 * HOUR)
    assert world.row(row).status is Status.AWAITING_CONFIRMATION
    assert world.look(row, THERE).status is Status.CONFIRMED
    assert world.calls(row) == 1


@case("F079")
@pytest.mark.parametrize("said", [None, "I looked: it is certainly not there"])
def test_after_the_key_has_lapsed_nothing_is_sent_under_it_whatever_is_seen_and_said(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, said: str | None
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE, outage_limit=3 * DAY, observation_backoff=SLOWLY)
    row = unknown_for(world, 25 * HOUR)
    missing = world.look(row, NONE)
    assert (missing.status, reasons(missing)[-1]) == (Status.MANUAL_REVIEW, "not_permitted")
    assert "key's lifetime" in str(missing.last_error)
    quick_doors.messages()
    refused = world.decide(row, "retry", stated=said)
    assert isinstance(refused, Refused)
    assert "forgotten its key" in refused.why
    quick_doors.work(message(row))
    assert (world.row(row), world.calls(row), quick_doors.messages()) == (missing, 1, [])
    world.remote.sights[:] = [NONE]
    assert isinstance(world.decide(row, "close"), Taken), "and the way out is open"
    assert world.row(row).status is Status.NOT_APPLICABLE


@case("F079")
@pytest.mark.parametrize("by", ["its message", "a sweep"])
def test_a_resend_that_was_allowed_and_comes_too_late_is_not_made(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    world.deliver(row, raising(LOST))
    assert world.look(row, NONE).status is Status.RETRY_SCHEDULED
    world.later(25 * HOUR)
    if by == "its message":
        world.deliver(row)
    else:
        quick_doors.messages()
        quick_doors.sweep()
        assert (world.row(row).status, reasons(world.row(row))[-1]) == (Status.MANUAL_REVIEW, "key_too_old")
    assert (world.calls(row), quick_doors.messages()[1:]) == (1, [])


@case("F079")
def test_what_never_may_have_been_applied_may_be_sent_however_old_its_key_is(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = world.promised()
    world.deliver(row, raising(TransientError("423")))
    world.later(25 * HOUR)
    assert world.deliver(row).status is Status.CONFIRMED
    assert (world.calls(row), world.effects(row), len(keys(world))) == (2, 1, 1)


@case("F080")
def test_three_answers_that_say_in_progress_and_then_an_effect_are_one_call(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    busy = UncertainError("a call with this key is still running: 409 in_progress")
    waiting = world.deliver(row, applied_then(world.remote, busy))
    for _ in range(3):
        assert (waiting.status, waiting.verdict) == (Status.AWAITING_CONFIRMATION, None)
        waiting = world.look(row, blind(busy))
    ended = world.look(row, world.remote.truth)
    assert (ended.status, world.calls(row), world.effects(row)) == (Status.CONFIRMED, 1, 1)


@case("F078", "F080")
@pytest.mark.parametrize("capability", [Capability.NOT_OBSERVABLE, Capability.BY_KEY])
def test_what_is_not_idempotent_is_called_once_whatever_the_answer(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, capability: Capability
) -> None:
    world = outside(quick_doors, monkeypatch, idempotent=False, capability=capability)
    row = world.promised()
    world.deliver(row, raising(OLD_ERROR))
    world.remote.sights[:] = [NONE]
    world.to(world.row(row).due_at)
    quick_doors.sweep()
    for _ in range(3):
        quick_doors.work(message(row))
        world.later(DAY)
        quick_doors.sweep()
    assert (world.row(row).status, world.calls(row)) == (Status.MANUAL_REVIEW, 1)
