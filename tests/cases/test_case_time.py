"""Is time the same in every zone, on every machine, in every format, and never taken on trust?"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.instant import Instant, after, between, from_datetime
from makegood.domain.operation import Status

from tests.case import case
from tests.cases.scene import drained, lines, promised, submitted
from tests.contract import builders as a
from tests.doors import types
from tests.doors.world import TERMS, T, message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
SPRING = from_datetime(datetime(2025, 3, 30, 1, tzinfo=UTC))
AUTUMN = from_datetime(datetime(2025, 10, 26, 1, tzinfo=UTC))


@pytest.fixture(params=["America/New_York", "Europe/Madrid"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the process live in a time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@case("F081", "F084")
@pytest.mark.usefixtures("zone")
def test_ages_are_right_to_the_second_before_and_after_a_reload_and_now_is_asked_each_time(quick_doors: Doors) -> None:
    [first] = promised(1)
    quick_doors.clock.advance(HOUR)
    [second] = promised(1)
    reloaded = [quick_doors.row(row) for row in (first, second)]
    assert [row.created_at for row in reloaded] == [first.created_at, second.created_at]
    assert between(first.created_at, second.created_at) == HOUR
    assert [between(row.created_at, quick_doors.clock.now()) for row in reloaded] == [HOUR, timedelta()]
    quick_doors.messages()
    assert quick_doors.sweep()["sent"] == 1, "the first is stale by now, the second is not"
    quick_doors.clock.advance(T)
    assert quick_doors.sweep()["sent"] == 2


FORMATS = {
    "with an offset": {"S": "2026-09-21T14:13:20+00:00"},
    "with Z": {"S": "2026-09-21T14:13:20Z"},
    "naive": {"S": "2026-09-21T14:13:20"},
    "digits as text": {"S": "1790000000000"},
    "a fraction": {"N": "1790000000000.5"},
    "seconds": {"N": "1790000000"},
    "microseconds": {"N": "1790000000000000"},
    "38 digits": {"N": "9" * 38},
    "before all time": {"N": "-1"},
    "NULL": {"NULL": True},
}


@case("F082")
@pytest.mark.parametrize("name", ["created_at", "updated_at", "not_before", "deadline_at"])
@pytest.mark.parametrize("value", FORMATS.values(), ids=FORMATS)
def test_a_row_with_another_writers_time_is_named_and_the_other_nineteen_are_swept(
    quick_doors: Doors, name: str, value: dict[str, Any]
) -> None:
    rows = quick_doors.lost(20)
    item = quick_doors.table.item(rows[7].operation_id)
    quick_doors.table.place_item(item | {name: value})
    answer = quick_doors.sweep()
    assert (answer["sent"], answer["error_count"], list(answer["errors"])) == (19, 1, [rows[7].operation_id])
    assert name in answer["errors"][rows[7].operation_id]
    assert quick_doors.table.item(rows[7].operation_id) == item | {name: value}


OFF = [timedelta(minutes=5), timedelta(minutes=-5)]


def working(doors: Doors, row: Operation, *, off: timedelta) -> list[dict[str, Any]]:
    """Let a worker whose clock is that far off hold the row through its whole time-out, with a sweep at each 5 s."""
    answers: list[dict[str, Any]] = []

    def hold(attempt: Attempt) -> Outcome:
        doors.clock.advance(-off)
        for _ in range(10):
            doors.clock.advance(5 * SECOND)
            answers.append(doors.sweep())
        doors.clock.advance(off)
        return types.agree(attempt)

    types.answer(hold)
    doors.clock.advance(off)
    doors.work(message(row))
    doors.clock.advance(-off)
    return answers


@case("F085")
@pytest.mark.parametrize("off", OFF, ids=["ahead", "behind"])
def test_an_ordinary_claim_is_safe_from_sweeps_whose_clock_is_five_minutes_off(
    quick_doors: Doors, off: timedelta
) -> None:
    [row] = promised(1)
    assert all(answer["scanned"] == 0 for answer in working(quick_doors, row, off=off))
    assert quick_doors.row(row).status is Status.CONFIRMED


@case("F085")
@pytest.mark.parametrize("off", OFF, ids=["ahead", "behind"])
def test_within_the_margin_no_live_claim_is_taken_however_overdue_its_row(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    monkeypatch.setenv("MAKEGOOD_SKEW_MARGIN_SECONDS", "300")
    [row] = quick_doors.lost(ago=30 * MINUTE)
    assert {str(answer["skipped"]) for answer in working(quick_doors, row, off=off)} == {"{'lease_running': 1}"}
    ended = quick_doors.row(row)
    assert ended.status is Status.CONFIRMED
    assert ended.updated_at >= row.updated_at


@case("F085")
@pytest.mark.parametrize("off", OFF, ids=["ahead", "behind"])
def test_a_dead_claim_is_taken_when_the_stale_time_and_the_margin_are_over_and_times_never_move_back(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    monkeypatch.setenv("MAKEGOOD_SKEW_MARGIN_SECONDS", "300")
    [row] = promised(1)
    wish = a.claim(row, now=after(quick_doors.clock.now(), off), terms=TERMS)
    quick_doors.table.store.claim(wish)
    claimed = quick_doors.row(row)
    quick_doors.clock.advance(T + 5 * MINUTE)
    assert quick_doors.sweep()["acted"] == {"release": 1}
    assert row.updated_at <= claimed.updated_at <= quick_doors.row(row).updated_at


@case("F090")
@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("jump", [SPRING, AUTUMN], ids=["spring", "autumn"])
def test_no_sweep_is_lost_or_doubled_on_the_nights_when_local_clocks_jump(quick_doors: Doors, jump: Instant) -> None:
    quick_doors.clock.advance(between(quick_doors.clock.now(), after(jump, -HOUR)))
    [row] = promised(1, operation_type="stubborn")
    quick_doors.messages()
    sent: list[int] = []
    for _ in range(17):  # a sweep each five minutes, from an hour before
        sent.append(quick_doors.sweep()["sent"])
        quick_doors.clock.advance(5 * MINUTE)
    assert [5 * tick for tick, number in enumerate(sent) if number] == [15, 30, 45, 60, 75]
    assert quick_doors.row(row).dispatches == 5


@case("F092")
def test_ticks_that_drift_do_together_what_one_tick_does(quick_doors: Doors) -> None:
    rows = quick_doors.lost(7)
    sent: list[int] = []
    for wait in (0, 8, 122, 1):
        quick_doors.clock.advance(wait * SECOND)
        sent.append(quick_doors.sweep()["sent"])
    assert sent == [7, 0, 0, 0]
    assert len(quick_doors.messages()) == len(rows)
    quick_doors.clock.advance(2 * HOUR)  # the ticks between were missed
    assert quick_doors.sweep()["sent"] == 7


@case("F084")
def test_a_deadline_counts_from_its_own_promise_in_a_warm_process(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    deadline = after(quick_doors.clock.now(), HOUR)
    early = submitted(deadline_at=deadline).operation
    quick_doors.clock.advance(2 * HOUR)
    late = submitted(deadline_at=after(quick_doors.clock.now(), HOUR)).operation
    assert drained(quick_doors) == []
    assert late.deadline_at is not None
    assert early.deadline_at == deadline < late.deadline_at
    assert {line["verb"] for line in lines(capsys)} == {"claim", "confirm"}
