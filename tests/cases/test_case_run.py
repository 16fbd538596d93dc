"""Does a run tell truly what it did: its name, its counts, and that it could not look?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.errors import StoreError

from tests.case import case
from tests.cases.scene import lines, metric
from tests.contract.worlds import hooked
from tests.doors.world import message
from tests.support.hooks import every, refusing, throttling

if TYPE_CHECKING:
    from tests.doors.world import Doors

ON_ENGINE = pytest.mark.xdist_group("engine")


@case("F050")
def test_a_tick_that_starts_two_runs_has_one_name_and_does_no_work_twice(quick_doors: Doors) -> None:
    rows = quick_doors.lost(3)
    tick = {"source": "schedule", "scheduled_at": "2026-09-21T14:10:00Z"}
    answers = [quick_doors.sweep(**tick)]
    quick_doors.clock.advance(timedelta(seconds=8))
    answers.append(quick_doors.sweep(**tick))
    assert [answer["run_id"] for answer in answers] == [tick["scheduled_at"]] * 2
    assert [record.run_id for record in quick_doors.table.ledger.runs(5)] == [tick["scheduled_at"]] * 2
    assert [answer["sent"] for answer in answers] == [3, 0]
    assert sorted(quick_doors.messages()) == sorted(map(message, rows))


@case("F050")
@pytest.mark.parametrize(
    ("event", "name"),
    [
        ({}, None),
        ({"scheduled_at": "<aws.scheduler.scheduled-time>"}, None),
        ({"run_id": "by\ud800hand\n1"}, "by hand 1"),
        ({"run_id": "\x00"}, None),
        ({"detail-type": "Scheduled Event", "id": "e" * 500}, "e" * 99 + "…"),
    ],
)
def test_a_run_bears_the_name_of_its_tick_if_that_is_one(
    quick_doors: Doors, event: dict[str, Any], name: str | None
) -> None:
    answer = quick_doors.sweep(**event)
    [record] = quick_doors.table.ledger.runs(5)
    assert answer["run_id"] == record.run_id == (name or quick_doors.context().aws_request_id)


@case("F063")
def test_three_looks_that_only_report_change_nothing_and_the_next_run_is_an_ordinary_one(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = quick_doors.lost(3)
    before = quick_doors.bytes()
    assert [quick_doors.sweep(dry_run=True)["acted"] for _ in range(3)] == [{"touch": 3}] * 3
    assert [line["acted"] for line in lines(capsys) if line.get("event") == "sweep"] == [{"touch": 3}] * 3
    assert (quick_doors.bytes(), quick_doors.messages()) == (before, [])
    assert quick_doors.sweep()["sent"] == len(rows)


@case("F061", "F094")
def test_an_index_that_may_not_be_queried_is_an_error_of_the_run_and_never_nothing_stale(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    quick_doors.lost(3)
    denied = refusing(quick_doors.table.client, "Query", "AccessDeniedException")
    with denied, pytest.raises(StoreError, match="Query: AccessDeniedException"):
        quick_doors.sweep()
    assert lines(capsys) == []
    assert quick_doors.table.ledger.runs(5) == []


@case("F061")
def test_rows_that_fail_are_counted_and_the_rest_is_swept(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = quick_doors.lost(20)
    item = quick_doors.table.item(rows[6].operation_id)
    quick_doors.table.place_item(item | {"history": {"S": "no list"}})
    name = rows[8].operation_id
    with refusing(quick_doors.table.client, "UpdateItem", "ThrottlingException", where=lambda body: name in body):
        answer = quick_doors.sweep()
    assert (answer["sent"], answer["acted"], answer["error_count"]) == (18, {"touch": 18}, 2)
    assert set(answer["errors"]) == {rows[6].operation_id, name}
    assert metric(lines(capsys), "SweepErrors") == [2]


@case("F103")
@ON_ENGINE
def test_throttled_touches_are_tried_within_bounds_and_nothing_untouched_is_sent(
    engine_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0)
    rows = engine_doors.lost(20)
    names = {row.operation_id for row in rows}
    fifth = every(5)

    def touches(body: str) -> bool:
        return any(name in body for name in names) and fifth(body)

    sent: list[int] = []
    client = engine_doors.table.client
    with (
        throttling(client, "UpdateItem", where=touches),
        hooked(client, "before-send.dynamodb.UpdateItem", lambda **_: sent.append(1)),
    ):
        answer = engine_doors.sweep()
    assert (answer["acted"], answer["sent"], answer["error_count"]) == ({"touch": 16}, 16, 4)
    assert len(sent) == 16 + 4 * 3 + 2, "three tries each; and the lease, taken and given back"
    touched = {message(row) for row in rows if engine_doors.row(row).dispatches}
    assert set(engine_doors.messages()) == touched
