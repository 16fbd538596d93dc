"""Does delivery that goes wrong (twice, never, in part, to the wrong place) lose or double anything?"""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.operation import QueueName, Status

from tests.case import case
from tests.cases.scene import calls_of, drained, lines, metric, promised, purge, submitted
from tests.contract.worlds import hooked
from tests.doors import types
from tests.doors.world import ROOT, T, check_answer, door, message
from tests.support.hooks import refusing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

DAY = timedelta(days=1)


@case("F001")
@pytest.mark.parametrize("first", ["lives", "dies"])
def test_a_message_that_comes_again_while_its_operation_is_worked_on_changes_nothing(doors: Doors, first: str) -> None:
    [row] = promised(1)
    seen: list[bytes] = []

    def hold(attempt: Attempt) -> Outcome:
        seen.append(doors.bytes())
        assert doors.failed(message(row)) == [], "the second invocation, with the first inside the remote"
        seen.append(doors.bytes())
        if first == "dies":
            doors.clock.advance(T)  # nothing of what follows is written: the claim is gone by then
            doors.sweep()
        return types.agree(attempt)

    types.answer(hold)
    doors.work(message(row))
    assert seen[0] == seen[1]
    assert calls_of(row) == 1
    ended = doors.row(row)
    assert (ended.status, ended.attempt) == (
        (Status.CONFIRMED, 1) if first == "lives" else (Status.AWAITING_CONFIRMATION, 1)
    )


@case("F003")
@pytest.mark.parametrize("good", [[False], [True, False], [False, False], [False, True, False]])
def test_exactly_the_bad_messages_come_again_and_the_run_itself_never_fails(
    quick_doors: Doors, good: Sequence[bool]
) -> None:
    rows = promised(len(good))
    bodies = [message(row) if fine else "poison" for row, fine in zip(rows, good, strict=True)]
    assert quick_doors.failed(*bodies) == [f"m{number}" for number, fine in enumerate(good) if not fine]
    ended = [quick_doors.row(row).status is Status.CONFIRMED for row in rows]
    assert ended == list(good)


@case("F003")
@pytest.mark.parametrize("error", [asyncio.CancelledError(), GeneratorExit(), SystemExit(1), MemoryError()])
def test_whatever_a_type_raises_costs_its_own_message_alone(quick_doors: Doors, error: BaseException) -> None:
    rows = promised(3)

    def perform(attempt: Attempt) -> Outcome:
        if attempt.operation.operation_id == rows[1].operation_id:
            raise error
        return types.agree(attempt)

    types.answer(perform)
    assert quick_doors.failed(*map(message, rows)) in ([], ["m1"])
    assert [quick_doors.row(row).status is Status.CONFIRMED for row in rows] == [True, False, True]
    quick_doors.clock.advance(T)
    quick_doors.sweep()
    assert quick_doors.row(rows[1]).uncertain


@case("F004", "F005")
def test_a_real_event_at_the_real_door_is_one_success(quick_doors: Doors) -> None:
    [row] = promised(1)
    event = json.loads((ROOT / "events" / "sqs_good.json").read_text())
    event["Records"][0]["body"] = message(row)
    answer = door("worker").handler(event, quick_doors.context())
    check_answer(answer, event["Records"])
    assert (answer["batchItemFailures"], quick_doors.row(row).status) == ([], Status.CONFIRMED)


@case("F006")
def test_a_message_that_dies_of_throttling_unrun_costs_its_operation_nothing(doors: Doors) -> None:
    sqs: Any = doors.table.clients.of("sqs")
    url = doors.queues[QueueName.DEFAULT]
    dead = sqs.create_queue(QueueName="dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    redrive = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 5})
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"RedrivePolicy": redrive, "VisibilityTimeout": "0"})
    [row] = promised(1)
    for _ in range(6):  # the poller pulls, and Lambda refuses the run
        sqs.receive_message(QueueUrl=url)
    assert len(sqs.receive_message(QueueUrl=dead)["Messages"]) == 1
    assert (doors.row(row).status, doors.row(row).claim_token) == (Status.PENDING, None)
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "30"})
    doors.clock.advance(T)
    assert doors.sweep()["sent"] == 1
    assert drained(doors) == []
    assert (doors.row(row).status, calls_of(row)) == (Status.CONFIRMED, 1)


@case("F007")
def test_what_a_purge_took_is_sent_once_and_done_once(doors: Doors) -> None:
    rows = promised(5)
    purge(doors)
    rows += promised(2)
    doors.messages()  # a purge also takes what is sent while it runs
    doors.clock.advance(T)
    assert [doors.sweep()["sent"], doors.sweep()["sent"]] == [7, 0]
    assert drained(doors) == []
    assert {(doors.row(row).status, calls_of(row)) for row in rows} == {(Status.CONFIRMED, 1)}


@case("F008")
def test_messages_that_grew_too_old_are_sent_again_when_everything_is_on_again(quick_doors: Doors) -> None:
    rows = promised(7)
    quick_doors.clock.advance(5 * DAY)  # a queue keeps them for four
    purge(quick_doors)
    assert quick_doors.sweep()["sent"] == 7
    assert drained(quick_doors) == []
    assert {quick_doors.row(row).status for row in rows} == {Status.CONFIRMED}


@case("F008")
def test_a_worker_that_is_off_while_the_sweep_runs_leaves_every_operation_to_a_person_and_loses_none(
    quick_doors: Doors,
) -> None:
    rows = promised(3)
    for _ in range(12):
        quick_doors.messages()
        quick_doors.clock.advance(T)
        quick_doors.sweep()
    assert {quick_doors.row(row).status for row in rows} == {Status.MANUAL_REVIEW}
    assert {quick_doors.row(row).history[-1].split()[-1] for row in rows} == {"dispatches_used"}


@case("F009")
@pytest.mark.parametrize("told", [3, 2], ids=["each refusal is told", "one entry is not accounted for"])
def test_what_a_batch_did_not_take_is_counted_and_sent_again(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str], told: int
) -> None:
    rows = quick_doors.lost(10)
    dropped: list[dict[str, Any]] = []

    def drop(params: dict[str, Any], **_: object) -> None:
        dropped.extend(params["Entries"][7:])
        params["Entries"] = params["Entries"][:7]

    def tell(parsed: dict[str, Any], **_: object) -> None:
        failed = [{"Id": entry["Id"], "SenderFault": False, "Code": "InternalError"} for entry in dropped[:told]]
        parsed["Failed"] = failed

    sqs: Any = quick_doors.table.clients.of("sqs")
    with (
        hooked(sqs, "provide-client-params.sqs.SendMessageBatch", drop),
        hooked(sqs, "after-call.sqs.SendMessageBatch", tell),
    ):
        answer = quick_doors.sweep()
    assert (answer["sent"], answer["send_failures"]) == (7, 3)
    assert metric(lines(capsys), "SweepSendFailures") == [3]
    assert drained(quick_doors) == []
    quick_doors.clock.advance(T)
    assert quick_doors.sweep()["sent"] == 3
    assert drained(quick_doors) == []
    assert {quick_doors.row(row).status for row in rows} == {Status.CONFIRMED}


@case("F011")
def test_one_message_that_cannot_be_sent_goes_to_a_person_and_holds_up_nobody(quick_doors: Doors) -> None:
    rows = quick_doors.lost(12)
    bad = rows[2].operation_id
    sqs: Any = quick_doors.table.clients.of("sqs")
    with refusing(sqs, "SendMessageBatch", "InvalidMessageContents", where=lambda body: bad in body):
        answer = quick_doors.sweep()
        quick_doors.clock.advance(T)
        again = quick_doors.sweep()
    assert (answer["sent"], answer["send_failures"]) == (11, 1)
    assert (again["sent"], again["send_failures"]) == (11, 0), "the one is not tried again"
    assert quick_doors.row(rows[2]).status is Status.MANUAL_REVIEW
    assert bad not in "".join(quick_doors.messages())


@case("F013")
def test_a_rescue_is_never_taken_for_a_duplicate(doors: Doors) -> None:
    [row] = doors.lost()
    entries: list[dict[str, Any]] = []

    def note(params: dict[str, Any], **_: object) -> None:
        entries.extend(params["Entries"])

    with hooked(doors.table.clients.of("sqs"), "provide-client-params.sqs.SendMessageBatch", note):
        for _ in range(2):
            assert doors.sweep()["sent"] == 1
            assert doors.messages() == [message(row)], "a new message, though the one before was acknowledged"
            doors.clock.advance(T)
    assert not {"MessageDeduplicationId", "MessageGroupId"} & {name for entry in entries for name in entry}


@case("F017")
def test_a_message_with_a_stale_copy_of_the_work_is_still_only_a_hint(quick_doors: Doors) -> None:
    row = submitted(expected_version=7, payload={"amount": 12}).operation
    assert quick_doors.messages() == [message(row)]
    assert set(json.loads(message(row))) == {"operation_id", "format"}
    stale = {"operation_id": row.operation_id, "expected_version": 6, "payload": {"amount": 11}, "format": 1}
    assert quick_doors.failed(json.dumps(stale)) == []
    [attempt] = types.calls
    assert (attempt.operation.expected_version, attempt.operation.payload) == (7, {"amount": 12})


@case("F018")
@pytest.mark.parametrize("name", ["nope", "op-of-a-row-that-was-deleted"])
def test_a_message_without_a_row_is_done_with_once(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert quick_doors.failed(json.dumps({"operation_id": name})) == []
    assert (quick_doors.table.count(), types.calls) == (0, [])
    assert [line["reason"] for line in lines(capsys)] == ["orphan"]


@case("F020")
def test_both_doors_answer_in_one_small_shape_whatever_perform_returns(quick_doors: Doors) -> None:
    for odd in (None, True, {"batchItemFailures": [{"itemIdentifier": "m0"}]}, ["m0"], object()):
        [row] = promised(1)
        types.answer(lambda _, odd=odd: odd)  # type: ignore[misc]  # a team's slip
        assert quick_doors.work(message(row)) == {"batchItemFailures": []}
        assert quick_doors.row(row).status is Status.AWAITING_CONFIRMATION
    assert len(json.dumps(quick_doors.sweep())) < 2000
