"""Can a person do only what fits, once, by what is there now; and is what they did kept in the same write?"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.domain.errors import StoreError
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import Status
from makegood.domain.outcome import RejectedError, UncertainError
from makegood.domain.review import DECISIONS_LIMIT, WORDS_LIMIT, Action
from makegood.flows.cancel import Refused
from makegood.flows.review import Case, Taken
from makegood.ports import Unreadable

from tests.case import case
from tests.cases.outside import applied_then, outside, placed
from tests.doors.world import T, message
from tests.support import rows
from tests.support.hooks import losing_reply, refusing
from tests.support.remote import raising, seeing

if TYPE_CHECKING:
    from tests.doors.world import Doors

DAY = timedelta(days=1)
LOST = UncertainError("no answer within 10 s")
THERE = seeing(Found(version=7, fields={"plan": "gold"}, remote_id="crm-9", asked="GET", summary="200"))
NONE = seeing(Absent(asked="GET", summary="404 none"))
OPEN = [Status.PENDING, Status.PROCESSING, Status.AWAITING_CONFIRMATION, Status.RETRY_SCHEDULED, Status.MANUAL_REVIEW]
FITS = {
    "retry": {Status.MANUAL_REVIEW},
    "confirm": {Status.MANUAL_REVIEW, Status.AWAITING_CONFIRMATION},
    "compensate": {Status.MANUAL_REVIEW, Status.AWAITING_CONFIRMATION},
    "close": {Status.PENDING, Status.RETRY_SCHEDULED, Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW},
    "cancel": set(OPEN),
}


@case("F122")
@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("action", FITS)
def test_an_action_is_taken_in_the_statuses_it_fits_and_leaves_the_others_as_they_are(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, action: str, status: Status
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = placed(world, status)
    before = quick_doors.bytes()
    world.remote.sights[:] = [NONE if action in {"retry", "close"} else THERE]
    done = world.cancel(row) if action == "cancel" else world.decide(row, action)
    if status in FITS[action]:
        assert not isinstance(done, Refused)
        assert quick_doors.bytes() != before
        assert world.row(row).history[: len(row.history)] == row.history, "nothing of the past is overwritten"
        return
    assert isinstance(done, Refused)
    assert status.value in done.why
    assert (quick_doors.bytes(), quick_doors.messages()) == (before, [])


@case("F122")
@pytest.mark.parametrize("end", ["confirmed", "not_applicable", "compensated"])
def test_what_has_ended_stays_so_whatever_is_sent_and_asked_for(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = placed(world, Status(end))
    before = quick_doors.bytes()
    for action in Action:
        assert isinstance(world.decide(row, action.value, stated="I know better", remote_id="x"), Refused)
    quick_doors.work(message(row))
    world.later(T)
    quick_doors.sweep()
    assert (quick_doors.bytes(), world.calls(row)) == (before, 0)


@case("F122", "F124")
@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("meanwhile", ["before", "while it is asked"])
def test_a_decision_upon_a_row_that_moved_since_it_was_shown_is_refused(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, action: Action, meanwhile: str
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = placed(world, Status.MANUAL_REVIEW)

    def somebody_else() -> None:
        quick_doors.table.place(replace(row, revision=row.revision + 1, write_id="another's"))

    def sight(_: object) -> Found:
        somebody_else()
        return Found(version=7, fields={"plan": "gold"}, remote_id="crm-9")

    if meanwhile == "before":
        somebody_else()
    world.remote.sights[:] = [sight]
    refused = world.decide(row, action.value, seen=row, stated="I looked")
    assert isinstance(refused, Refused)
    if action not in {Action.RETRY, Action.CLOSE} or meanwhile == "before":
        assert "moved" in refused.why  # what is there as promised is neither tried again nor closed, moved or not
    assert (world.row(row).decisions, world.row(row).status) == ((), Status.MANUAL_REVIEW)


@case("F122")
def test_a_second_click_finds_that_the_first_has_moved_it(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    world = outside(quick_doors, monkeypatch)
    row = world.promised()
    seen = world.deliver(row, raising(RejectedError("422")))
    quick_doors.messages()
    world.remote.sights[:] = [NONE, NONE]
    world.later(DAY)
    done = [world.decide(row, "retry", seen=seen) for _ in range(2)]
    assert [type(each) for each in done] == [Taken, Refused]
    assert (len(world.row(row).decisions), len(quick_doors.messages())) == (1, 1)
    assert world.deliver(row).status is Status.CONFIRMED
    assert (world.calls(row), world.row(row).decisions[0].outcome) == (2, "confirmed")


@case("F124")
@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError", "AccessDeniedException"])
def test_a_decision_whose_write_is_refused_leaves_neither_the_act_nor_its_record(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = placed(world, Status.MANUAL_REVIEW)
    before = quick_doors.bytes()
    with refusing(quick_doors.table.client, "UpdateItem", code), pytest.raises(StoreError):
        world.decide(row, "close")
    with refusing(quick_doors.table.client, "UpdateItem", code), pytest.raises(StoreError):
        world.cancel(row)
    assert (quick_doors.bytes(), quick_doors.messages()) == (before, [])


@case("F124")
@pytest.mark.parametrize("action", ["retry", "confirm", "close", "compensate"])
def test_a_decision_whose_reply_is_lost_is_there_once_with_its_record(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = placed(world, Status.MANUAL_REVIEW)
    world.remote.sights[:] = [NONE if action in {"retry", "close"} else THERE]
    with losing_reply(quick_doors.table.client, "UpdateItem"):
        assert isinstance(world.decide(row, action), Taken)
    [decision] = world.row(row).decisions
    assert (decision.action, decision.by, decision.seen_revision) == (action, "alice", row.revision)
    assert len(world.row(row).history) == len(row.history) + 1
    assert world.row(row).revision == row.revision + 1


@case("F124")
@pytest.mark.parametrize("action", ["retry", "compensate"])
def test_a_decision_whose_hint_is_not_taken_stands_and_a_sweep_sends_it(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = placed(world, Status.MANUAL_REVIEW)
    world.remote.sights[:] = [NONE if action in {"retry", "close"} else THERE]
    with refusing(quick_doors.table.clients.of("sqs"), "SendMessageBatch", "InternalFailure"):
        done = world.decide(row, action)
    assert isinstance(done, Taken)
    assert (done.dispatched, quick_doors.messages()) == (False, [])
    world.later(T)
    assert (quick_doors.sweep()["sent"], quick_doors.messages()) == (1, [message(row)])


@case("F071")
def test_a_row_that_people_decided_upon_as_often_as_they_may_still_moves(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch)
    longest = "\U0001d54f" * WORDS_LIMIT
    past = rows.decision(reason=longest, stated=longest, outcome="manual_review")
    fields = {"note": "x" * 16_000}
    row = placed(world, Status.MANUAL_REVIEW, decisions=(past,) * (DECISIONS_LIMIT - 1), expected_fields=fields)
    world.remote.sights[:] = [NONE, NONE]
    assert isinstance(world.decide(row, "retry", reason=longest, stated=longest), Taken)
    assert world.deliver(row, raising(RejectedError("422 " + "x" * 10_000))).status is Status.MANUAL_REVIEW
    world.later(DAY)
    refused = world.decide(row, "retry")
    assert isinstance(refused, Refused)
    assert "decided upon it 40 times" in refused.why
    world.remote.sights[:] = [NONE]
    assert isinstance(world.decide(row, "close", reason=longest), Taken)
    assert len(world.row(row).decisions) == DECISIONS_LIMIT + 1
    assert len(json.dumps(quick_doors.table.item(row.operation_id), ensure_ascii=False).encode()) < 200_000


@case("F128")
def test_what_waits_for_people_is_listed_with_the_longest_waiting_first_and_how_long(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch)
    first = world.promised()
    world.deliver(first, raising(RejectedError("422 no such plan")))
    world.later(timedelta(days=5))
    others = [world.promised(entity=f"customer/{number}") for number in range(3)]
    for row in others:
        world.deliver(row, raising(RejectedError("422")))
        world.later(timedelta(hours=1))
    world.later(3 * DAY - timedelta(hours=3))
    odd = quick_doors.table.item(others[1].operation_id)
    quick_doors.table.place_item(odd | {"history": {"S": "no list"}})
    found = list(world.parts.review().exceptions(100))
    names = [each.operation_id if isinstance(each, Unreadable) else each.operation.operation_id for each in found]
    assert names == [row.operation_id for row in (first, *others)], "one that cannot be read is named among them"
    assert isinstance(found[0], Case)
    assert (found[0].waiting, found[0].destination) == (timedelta(days=8), "the scripted remote")
    quick_doors.sweep()
    assert world.row(first).status is Status.MANUAL_REVIEW, "time alone decides nothing"


@case("F132")
def test_what_is_shown_before_a_decision_says_what_where_at_which_version_and_at_what_risk(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = world.promised()
    world.deliver(row, applied_then(world.remote, LOST))
    world.look(row, seeing(Found(version=8, fields={"plan": "silver"}, remote_id="crm-9", asked="GET", summary="200")))
    shown = world.parts.review().case(row.operation_id)
    assert (shown.operation.entity, shown.operation.expected_version) == ("customer/452", 7)
    assert shown.destination == "the scripted remote"
    assert shown.risk.startswith("low: it may have been applied, but the remote applies a key once")
    assert shown.operation.verdict is not None
    assert [each.field for each in shown.operation.verdict.differences] == ["version", "plan"]
    assert "find out who changed it" in shown.advice
