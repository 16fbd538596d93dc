"""Do waits, the index and the time to live keep to what the services take?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood import Accepted, NotApplicable, RejectedError, TransientError
from makegood.adapters.dynamodb_rows import item_of
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant, after, between
from makegood.domain.operation import TERMINAL, Operation, Status, open_shards
from makegood.ports import Unreadable

from tests.case import case
from tests.cases.scene import calls_of, drained, erase, promised, submitted
from tests.contract.worlds import hooked
from tests.doors import types
from tests.doors.world import T, message

if TYPE_CHECKING:
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

FOR_EVER = Instant(2**53)
DAY = timedelta(days=1)
QUEUE_LIMIT = timedelta(seconds=900)


def transient(_: Attempt) -> Outcome:
    """Fail without effect."""
    raise TransientError("503")


def asking_for_days(_: Attempt) -> Outcome:
    """Fail without effect, and ask for a wait that no queue can hold."""
    raise TransientError("503", retry_after=timedelta(seconds=54_524))


@case("F015")
@pytest.mark.parametrize("attempt", [0, 12, 2000])
@pytest.mark.parametrize("answer", [transient, asking_for_days])
def test_a_wait_above_what_a_queue_holds_lives_in_the_row(quick_doors: Doors, attempt: int, answer: Any) -> None:  # noqa: ANN401
    [row] = promised(1, operation_type="stubborn")
    quick_doors.messages()
    quick_doors.table.place(replace(row, attempt=attempt))
    delays: list[int] = []

    def note(params: dict[str, Any], **_: object) -> None:
        delays.extend(entry["DelaySeconds"] for entry in params["Entries"])

    types.answer(answer)
    with hooked(quick_doors.table.clients.of("sqs"), "provide-client-params.sqs.SendMessageBatch", note):
        assert quick_doors.failed(message(row)) == []
    waiting = quick_doors.row(row)
    assert waiting.not_before is not None
    wait = between(quick_doors.clock.now(), waiting.not_before)
    assert delays == ([-(-wait // timedelta(seconds=1))] if wait <= QUEUE_LIMIT else [])
    assert all(0 <= delay <= 900 for delay in delays)
    assert quick_doors.failed(message(row)) == (["m0"] if wait else [])
    if wait:
        assert (quick_doors.row(row), calls_of(row)) == (waiting, 1), "put off: no call, no attempt"


def of_the_table(doors: Doors) -> tuple[set[str], set[str]]:
    """Return the ids of the open operations, by a scan, and of those that the index lists."""
    rows = [found for found in doors.table.store.scan() if isinstance(found, Operation)]
    shards = (*open_shards(4), "review")
    listed = {str(key.operation_id) for shard in shards for key in doors.table.store.due(shard, FOR_EVER)}
    return {row.operation_id for row in rows if not row.is_terminal}, listed


def every_status(doors: Doors) -> list[Operation]:
    """Bring an operation to each status that the doors lead to today, and look at the index on every step."""
    answers: list[Any] = [types.agree, transient, lambda _: Accepted(), lambda _: NotApplicable(reason="superseded")]
    rows = [*promised(len(answers) + 3), submitted(payload={"text": "x" * 600}).operation]
    for row, answer in zip(rows[1:], [*answers, rejecting, types.agree], strict=False):
        types.answer(looking(doors, answer))
        doors.work(message(row))
        check(doors)
    doors.clock.advance(T)
    for _ in range(3):
        doors.sweep()
        check(doors)
        doors.clock.advance(T)
    types.answer(types.agree)
    doors.work(message(rows[-1]))
    check(doors)
    return [doors.row(row) for row in rows]


def rejecting(_: Attempt) -> Outcome:
    """Refuse for good."""
    raise RejectedError("422")


def looking(doors: Doors, answer: Any) -> Any:  # noqa: ANN401 - a type's answer
    """Look at the index while the row is claimed, then answer."""

    def perform(attempt: Attempt) -> Outcome:
        check(doors)
        return answer(attempt)  # type: ignore[no-any-return]

    return perform


def check(doors: Doors) -> None:
    """Hold the index against the table, and every time to live against its unit."""
    is_open, listed = of_the_table(doors)
    assert is_open == listed
    now = doors.clock.now() // 1000
    for item in doors.table.client.scan(TableName="operations", ConsistentRead=True)["Items"]:
        expires_at = int(item.get("expires_at", {"N": now + 1})["N"])
        assert now < expires_at < 10**11
        if "status" in item:
            assert ("expires_at" in item) is (item["status"]["S"] in TERMINAL)


@case("F073", "F088")
def test_open_rows_are_always_in_the_index_and_only_terminal_ones_expire(doors: Doors) -> None:
    ended = every_status(doors)
    seen = {row.status for row in ended}
    assert seen >= {Status.CONFIRMED, Status.NOT_APPLICABLE, Status.MANUAL_REVIEW, Status.RETRY_SCHEDULED}


@case("F073")
@pytest.mark.parametrize("lacks", ["due_at", "due_shard"])
def test_an_open_row_outside_the_index_is_named_and_never_taken_where_no_sweep_could_bring_it_back(
    doors: Doors, lacks: str
) -> None:
    [row] = promised(1)
    item = doors.table.item(row.operation_id)
    del item[lacks]
    doors.table.place_item(item)
    before = doors.bytes()
    assert drained(doors) == [message(row)]
    assert (doors.bytes(), types.calls) == (before, [])
    [found] = doors.table.store.scan()
    assert isinstance(found, Unreadable)
    assert "no sweep would ever look" in found.why


@case("F088")
@pytest.mark.parametrize("name", ["not_before", "deadline_at"])
def test_a_time_in_seconds_is_refused_and_never_taken_for_one_long_past(quick_doors: Doors, name: str) -> None:
    in_an_hour = after(quick_doors.clock.now(), timedelta(hours=1))
    with pytest.raises(InvalidInput, match=f"{name}: epoch milliseconds are wanted, not seconds"):
        submitted(**{name: in_an_hour // 1000})
    assert submitted(**{name: in_an_hour}).created


@case("F089")
def test_a_terminal_row_past_its_time_is_neither_live_nor_swept_nor_revived(quick_doors: Doors) -> None:
    row = submitted(operation_id=None).operation
    [body] = quick_doors.messages()
    quick_doors.work(body)
    ended = quick_doors.row(row)
    assert ended.expires_at is not None
    quick_doors.clock.advance(timedelta(days=91))
    assert ended.expires_at < quick_doors.clock.now() // 1000
    before = quick_doors.bytes()
    assert of_the_table(quick_doors) == (set(), set())
    assert quick_doors.sweep()["scanned"] == 0
    assert quick_doors.failed(body) == []
    assert (quick_doors.bytes(), calls_of(row)) == (before, 1)


@case("F089")
def test_an_intent_promised_again_after_its_row_expired_is_a_new_operation_whether_it_is_gone_or_not(
    quick_doors: Doors,
) -> None:
    row = submitted(operation_id=None, payload={"text": "x" * 600}).operation
    quick_doors.failed(*quick_doors.messages())
    quick_doors.clock.advance(timedelta(days=91))
    assert submitted(operation_id=None, payload={"text": "x" * 600}).created is False, "still there"
    erase(quick_doors, row)
    assert submitted(operation_id=None, payload={"text": "x" * 600}).created is True
    assert quick_doors.failed(*quick_doors.messages()) == []
    assert quick_doors.row(row).status is Status.CONFIRMED
    assert item_of(quick_doors.row(row))
