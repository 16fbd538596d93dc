"""Are rows read as they stand, all of them, page by page, and what is due oldest first?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters import dynamodb_reads
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant, after
from makegood.domain.operation import TERMINAL, OperationId, Status
from makegood.ports import DueKey

from tests.case import case
from tests.contract import builders as a
from tests.contract.worlds import TABLE, Dynamo, World, hooked
from tests.support.rows import decision

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

SHARD = "open#00"


def due(number: int, **facts: Any) -> Operation:
    """Return a row that is due so many milliseconds after NOW."""
    row = replace(a.promised(), due_shard=SHARD, due_at=after(a.NOW, timedelta(milliseconds=number)))
    return replace(row, **facts)


def test_rows_that_do_not_exist_are_left_out(world: World) -> None:
    row = a.promised()
    world.place(row)
    assert world.store.find([OperationId("nobody"), row.operation_id]) == {row.operation_id: row}
    assert world.store.find([]) == {}


def test_an_id_asked_for_twice_is_read_once(world: World) -> None:
    row = a.promised()
    world.place(row)
    assert world.store.find([row.operation_id, row.operation_id]) == {row.operation_id: row}


def test_rows_are_read_as_they_stand_never_as_they_stood(table: Dynamo) -> None:
    asked: list[bool] = []

    def note(params: dict[str, Any], **_: object) -> None:
        keys = params.get("RequestItems", {TABLE: params})[TABLE]
        asked.append(keys.get("ConsistentRead", False))

    with hooked(table.client, "provide-client-params.dynamodb", note):
        table.store.find([OperationId("nobody")])
        table.store.claim(replace(a.claim(a.promised()), terms={}))
        table.ledger.control()
        table.ledger.runs(1)
        list(table.store.scan())
    assert asked == [True] * 5


def test_more_rows_than_one_request_takes_are_all_found(world: World) -> None:
    placed = {row.operation_id: row for row in (a.promised() for _ in range(105))}
    for row in placed.values():
        world.place(row)
    assert world.store.find(list(placed)) == placed


def test_what_is_due_comes_oldest_first_up_to_and_including_the_horizon(world: World) -> None:
    for number in (30, 10, 20, 31):
        world.place(due(number, operation_id=OperationId(f"due-{number}")))
    world.place(due(10, operation_id=OperationId("elsewhere"), due_shard="open#01"))
    keys = list(world.store.due(SHARD, after(a.NOW, timedelta(milliseconds=30))))
    assert [key.operation_id for key in keys] == ["due-10", "due-20", "due-30"]
    assert keys[0] == DueKey(
        operation_id=OperationId("due-10"), operation_type=a.TYPE, due_at=Instant(a.NOW + 10), created_at=a.NOW
    )


@case("F073")
@pytest.mark.parametrize("status", Status)
def test_every_open_row_is_in_the_index_and_no_terminal_one(world: World, status: Status) -> None:
    row = a.in_status(status)
    world.place(row)
    shards = [*(f"open#{number:02d}" for number in range(a.LIMITS.shards)), "review"]
    for_ever = Instant(2**53)
    listed = [key.operation_id for shard in shards for key in world.store.due(shard, for_ever)]
    assert listed == ([] if status in TERMINAL else [row.operation_id])


def test_due_keys_come_page_by_page_as_they_are_consumed(table: Dynamo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamodb_reads, "PAGE", 3)
    for number in range(7):
        table.place(due(number))
    keys = table.store.due(SHARD, a.LATER)
    assert table.requests["Query"] == 0
    next(keys)
    assert table.requests["Query"] == 1
    assert [key.due_at for key in keys] == [a.NOW + number for number in range(1, 7)]
    assert table.requests["Query"] == 3


def test_a_scan_reads_every_operation_and_nothing_else(table: Dynamo) -> None:
    rows = [a.promised(), a.in_status(Status.CONFIRMED), a.promised(payload={"text": "x" * 600})]
    for row in rows:
        table.store.add(row)
    table.ledger.take_lease(now=a.NOW, token="t", until=a.LATER)  # noqa: S106 - a fence, not a secret
    wanted = {row.operation_id: row if row.payload_bytes is None else replace(row, payload={}) for row in rows}
    assert {found.operation_id: found for found in table.store.scan()} == wanted


def test_what_people_decided_upon_is_read_with_what_it_costs(table: Dynamo) -> None:
    decided = [replace(a.in_status(status), decisions=(decision(),)) for status in (Status.CONFIRMED, Status.PENDING)]
    for row in (*decided, a.promised(), a.in_status(Status.NOT_APPLICABLE)):
        table.place(row)
    table.ledger.take_lease(now=a.NOW, token="t", until=a.LATER)  # noqa: S106 - a fence, not a secret
    [page] = table.store.decided()
    assert {row.operation_id: row for row in page.rows} == {row.operation_id: row for row in decided}
    assert page.units
    assert table.requests["Scan"] == 1


def test_a_page_without_decisions_is_not_the_end_of_them(table: Dynamo) -> None:
    for number in range(6):
        row = replace(a.promised(), operation_id=OperationId(f"op-{number}"))
        table.place(replace(row, decisions=(decision(),)) if number == 0 else row)
    with hooked(table.client, "provide-client-params.dynamodb.Scan", lambda params, **_: params.update(Limit=2)):
        pages = list(table.store.decided())
    assert len(pages) >= 3
    assert [row.operation_id for page in pages for row in page.rows] == ["op-0"]


def leaving_some(table: Dynamo, *, times: int, keys: int) -> Any:  # noqa: ANN401 - a botocore handler
    """Return a hook that moves the last rows of an answer to what is left for later, so many times."""
    left = [times]

    def handler(parsed: dict[str, Any], **_: object) -> None:
        if left[0] and "Responses" in parsed:
            left[0] -= 1
            items = parsed["Responses"][TABLE]
            later = [{"pk": item["pk"], "sk": item["sk"]} for item in items[-keys:]]
            parsed["Responses"][TABLE] = items[:-keys]
            parsed["UnprocessedKeys"] = {TABLE: {"Keys": later, "ConsistentRead": True}}

    return hooked(table.client, "after-call.dynamodb.BatchGetItem", handler)


@case("F040")
def test_what_a_batch_leaves_for_later_is_asked_for_again(table: Dynamo) -> None:
    placed = {row.operation_id: row for row in (a.promised() for _ in range(10))}
    for row in placed.values():
        table.place(row)
    with leaving_some(table, times=2, keys=3):
        assert table.store.find(list(placed)) == placed
    assert table.requests["BatchGetItem"] == 3


@case("F040")
def test_rows_left_for_later_too_often_are_an_error_that_counts_them(
    table: Dynamo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dynamodb_reads, "WAITS", (timedelta(),) * 4)
    placed = [a.promised() for _ in range(10)]
    for row in placed:
        table.place(row)
    with leaving_some(table, times=99, keys=2), pytest.raises(StoreError, match="2 of 10 rows"):
        table.store.find([row.operation_id for row in placed])
    assert table.requests["BatchGetItem"] == 4
