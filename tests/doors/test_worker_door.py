"""Does a real SQS event get the right answer? Happy, duplicate, poison, unknown, early, late, throttled."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood import NotApplicable, RejectedError, TransientError, UncertainError
from makegood.domain.operation import Status

from tests.case import case
from tests.contract.worlds import hooked
from tests.doors import types
from tests.doors.world import ROOT, door, message

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

MINUTE = timedelta(minutes=1)


def raising(error: BaseException) -> Callable[[Attempt], Outcome]:
    """Answer every attempt with this error."""

    def perform(_: Attempt) -> Outcome:
        raise error

    return perform


def test_a_hint_leads_to_one_call_and_a_proven_end(doors: Doors) -> None:
    [row] = doors.lost(ago=MINUTE)
    assert doors.failed(message(row)) == []
    ended = doors.row(row)
    assert (ended.status, ended.remote_id, len(types.calls)) == (Status.CONFIRMED, "r-1", 1)
    assert (ended.due_at, ended.due_shard, ended.claim_token) == (None, None, None)


def test_a_happy_run_asks_the_database_twice_and_the_queue_never(doors: Doors) -> None:
    [row] = doors.lost(ago=MINUTE)
    doors.table.requests.clear()
    doors.work(message(row))
    assert doors.table.requests == {"UpdateItem": 2}
    assert doors.messages() == []


def test_a_message_that_comes_twice_leads_to_one_call(doors: Doors) -> None:
    [row] = doors.lost(ago=MINUTE)
    assert doors.failed(message(row)) == []
    assert doors.failed(message(row)) == []
    assert len(types.calls) == 1
    assert len(doors.row(row).history) == 3


@pytest.mark.xdist_group("engine")
def test_a_message_that_comes_twice_in_one_batch_leads_to_one_call(engine_doors: Doors) -> None:
    [row] = engine_doors.lost(ago=MINUTE)
    assert engine_doors.failed(*[message(row)] * 5) == []
    assert len(types.calls) == 1
    assert len(engine_doors.row(row).history) == 3


@pytest.mark.parametrize(
    "poison",
    ["", "not json", "[]", "{}", '{"operation_id": 7}', '{"operation_id": "a b"}', '{"operation_id": "\\u0000"}'],
)
def test_a_poison_message_costs_itself_alone(quick_doors: Doors, poison: str) -> None:
    good, other = quick_doors.lost(2, ago=MINUTE)
    assert quick_doors.failed(message(good), poison, message(other)) == ["m1"]
    assert {quick_doors.row(row).status for row in (good, other)} == {Status.CONFIRMED}


@case("F003")
@pytest.mark.parametrize("count", [1, 2])
def test_a_batch_of_nothing_but_poison_is_answered_and_raises_nothing(quick_doors: Doors, count: int) -> None:
    assert quick_doors.failed(*["poison"] * count) == [f"m{number}" for number in range(count)]


def test_an_unknown_operation_is_done_with_and_no_row_appears(doors: Doors) -> None:
    assert doors.failed('{"operation_id": "nobody", "format": 1}') == []
    assert (doors.table.count(), types.calls) == (0, [])


def test_an_operation_type_that_this_release_does_not_know_is_never_claimed_and_comes_again(doors: Doors) -> None:
    [row] = doors.lost(ago=MINUTE)
    item = doors.table.item(row.operation_id)
    doors.table.place_item(item | {"operation_type": {"S": "of_tomorrow"}})
    before = doors.bytes()
    assert doors.failed(message(row)) == ["m0"]
    assert (doors.bytes(), types.calls) == (before, [])


def test_a_message_of_an_older_release_is_as_good_a_hint(quick_doors: Doors) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    assert quick_doors.failed(json.dumps({"operation_id": row.operation_id})) == []
    assert quick_doors.row(row).status is Status.CONFIRMED


def test_a_message_of_a_newer_release_is_as_good_a_hint(quick_doors: Doors) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    assert quick_doors.failed(json.dumps({"operation_id": row.operation_id, "format": 9, "more": [1]})) == []
    assert quick_doors.row(row).status is Status.CONFIRMED


def test_a_message_for_which_too_little_time_is_left_is_handed_back_unclaimed(quick_doors: Doors) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    before = quick_doors.bytes()
    assert quick_doors.failed(message(row), remaining=timedelta(seconds=50)) == ["m0"]
    assert (quick_doors.bytes(), types.calls) == (before, [])


def test_a_short_retry_is_a_new_message_and_the_old_one_is_done(doors: Doors) -> None:
    [row] = doors.lost(ago=MINUTE)
    types.answer(raising(TransientError("503")))
    assert doors.failed(message(row)) == []
    assert doors.row(row).status is Status.RETRY_SCHEDULED
    assert doors.waiting() == 1


def test_a_long_retry_is_left_to_the_sweep(quick_doors: Doors) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    types.answer(raising(TransientError("429", retry_after=timedelta(minutes=20))))
    assert quick_doors.failed(message(row)) == []
    assert quick_doors.row(row).status is Status.RETRY_SCHEDULED
    assert quick_doors.messages() == []
    quick_doors.clock.advance(timedelta(minutes=23) + timedelta(seconds=5))
    assert quick_doors.sweep()["sent"] == 1


def test_a_message_that_comes_before_its_time_comes_again_and_burns_no_attempt(quick_doors: Doors) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    types.answer(raising(TransientError("429", retry_after=timedelta(minutes=20))))
    quick_doors.work(message(row))
    assert quick_doors.failed(message(row)) == ["m0"]
    assert (quick_doors.row(row).attempt, len(types.calls)) == (1, 1)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RejectedError("422"), Status.MANUAL_REVIEW),
        (UncertainError("time-out"), Status.AWAITING_CONFIRMATION),
        (RuntimeError("anything"), Status.AWAITING_CONFIRMATION),
        (SystemExit(1), Status.AWAITING_CONFIRMATION),
    ],
)
def test_what_perform_raises_decides_where_the_operation_goes(
    quick_doors: Doors, error: BaseException, status: Status
) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    types.answer(raising(error))
    assert quick_doors.failed(message(row)) == []
    assert quick_doors.row(row).status is status


def test_what_does_not_apply_ends_without_a_person(quick_doors: Doors) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    types.answer(lambda _: NotApplicable(reason="superseded by version 8"))
    quick_doors.work(message(row))
    ended = quick_doors.row(row)
    assert ended.status is Status.NOT_APPLICABLE
    assert ended.closure is not None
    assert ended.closure.reason == "superseded by version 8"


def test_a_database_that_does_not_answer_lets_the_message_come_again(quick_doors: Doors) -> None:
    good, bad = quick_doors.lost(2, ago=MINUTE)

    def deny(params: dict[str, object], **_: object) -> None:
        if bad.operation_id in str(params):
            params["body"] = b"{}"

    with hooked(quick_doors.table.client, "before-call.dynamodb.UpdateItem", deny):
        assert quick_doors.failed(message(good), message(bad)) == ["m1"]
    assert (quick_doors.row(good).status, quick_doors.row(bad).status) == (Status.CONFIRMED, Status.PENDING)


@case("F004", "F020")
@pytest.mark.parametrize("path", sorted(ROOT.glob("events/sqs_*.json")), ids=lambda path: path.stem)
def test_every_event_of_the_folder_gets_an_answer_that_names_only_its_own_messages(
    quick_doors: Doors, path: Path
) -> None:
    event = json.loads(path.read_text())
    answer = door("worker").handler(event, quick_doors.context())
    named = {item["itemIdentifier"] for item in answer["batchItemFailures"]}
    assert set(answer) == {"batchItemFailures"}
    assert named <= {record["messageId"] for record in event["Records"]}


def test_the_logs_hold_one_line_for_each_transition(quick_doors: Doors, capsys: pytest.CaptureFixture[str]) -> None:
    [row] = quick_doors.lost(ago=MINUTE)
    quick_doors.work(message(row))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["event"], line["verb"], line["operation_id"]) for line in lines] == [
        ("transition", "claim", row.operation_id),
        ("transition", "confirm", row.operation_id),
    ]


@case("F136")
def test_text_from_outside_adds_no_line_and_overwrites_no_field(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = json.dumps({"operation_id": 'x\r\n{"level":"CRITICAL"}', "level": "CRITICAL", "service": "forged"})
    [row] = quick_doors.lost(ago=MINUTE)
    types.answer(raising(RejectedError('Authorization: Bearer abcdef123456\r\n{"level":"CRITICAL"} ada@example.org')))
    quick_doors.work(forged, message(row))
    text = capsys.readouterr().out
    lines = [json.loads(line) for line in text.splitlines()]
    assert {(line["level"], line["service"]) for line in lines} <= {
        ("INFO", "makegood-worker"),
        ("ERROR", "makegood-worker"),
    }
    assert not {secret for secret in ("abcdef123456", "ada@example.org") if secret in text}
