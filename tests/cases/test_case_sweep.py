"""Does a sweep act on what is, once, within its cap, and say so when it could not?"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain import transitions
from makegood.domain.history import Role
from makegood.domain.operation import Status
from makegood.domain.outcome import UncertainError
from makegood.domain.reason import Reason
from makegood.ports import Claimed

from tests.case import case
from tests.cases.outside import applied_then, outside, verbs
from tests.cases.scene import calls_of, drained, erase, lines, metric, once
from tests.contract import builders as a
from tests.contract.worlds import TABLE, hooked
from tests.doors.world import TERMS, T, message
from tests.support.hooks import losing_reply, refusing

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.observation import Look, Observed
    from makegood.domain.operation import Operation

    from tests.doors.world import Doors

MINUTE = timedelta(minutes=1)
ON_ENGINE = pytest.mark.xdist_group("engine")


def confirm(doors: Doors, row: Operation) -> None:
    """Let a worker have done it."""
    doors.work(message(row))


def claim(doors: Doors, row: Operation) -> None:
    """Let a worker have it in hand."""
    claimed = doors.table.store.claim(a.claim(row, now=doors.clock.now(), terms=TERMS))
    assert isinstance(claimed, Claimed)


def cancel(doors: Doors, row: Operation) -> None:
    """Let its producer want it no more."""
    by = a.hand(now=doors.clock.now(), role=Role.PRODUCER, terms=TERMS[row.operation_type])
    doors.table.store.apply(row, transitions.request_cancel(row, by, words="ordered twice"))


def touch(doors: Doors, row: Operation) -> None:
    """Let another sweep have touched it."""
    by = a.hand(now=doors.clock.now(), role=Role.RECONCILER, terms=TERMS[row.operation_type])
    doors.table.store.apply(row, transitions.touch(row, by, reason=Reason.LOST_DISPATCH))


MOVES = (confirm, claim, cancel, erase, touch)


@case("F034")
@pytest.mark.parametrize(
    ("move", "reason"),
    [(confirm, "terminal"), (claim, "lease_running"), (cancel, "terminal"), (erase, "gone"), (touch, "not_due")],
)
def test_a_row_that_the_index_lists_and_that_has_moved_on_costs_no_write_and_no_message(
    doors: Doors, move: Callable[[Doors, Operation], None], reason: str
) -> None:
    [row] = doors.lost()
    now: list[bytes] = []

    def moved() -> None:
        move(doors, row)
        now.append(doors.bytes())

    with once(doors, "before-call", moved):
        answer = doors.sweep()
    assert (answer["skipped"], answer["acted"], answer["sent"]) == ({reason: 1}, {}, 0)
    assert (doors.bytes(), doors.messages()) == (now[0], [])


@case("F034")
def test_a_row_that_the_index_lists_twice_is_one_row(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKEGOOD_HALT_CAP", "4")
    doors.lost(4)

    def twice(parsed: dict[str, Any], **_: object) -> None:
        parsed["Items"] = [item for item in parsed["Items"] for _ in range(2)]

    with hooked(doors.table.client, "after-call.dynamodb.Query", twice):
        answer = doors.sweep()
    assert (answer["outcome"], answer["anomalies"], answer["sent"]) == ("completed", {"lost_dispatch": 4}, 4)


@case("F043")
def test_a_row_that_was_touched_and_not_sent_is_sent_when_it_is_stale_again(doors: Doors) -> None:
    [row] = doors.lost()
    with refusing(doors.table.clients.of("sqs"), "SendMessageBatch", "InternalFailure"):
        answer = doors.sweep()
    assert (answer["acted"], answer["sent"], answer["send_failures"]) == ({"touch": 1}, 0, 1)
    assert (doors.messages(), doors.row(row).attempt) == ([], 0)
    doors.clock.advance(T - timedelta(seconds=1))
    assert doors.sweep()["sent"] == 0
    doors.clock.advance(timedelta(seconds=1))
    assert doors.sweep()["sent"] == 1
    assert drained(doors) == []
    assert (doors.row(row).status, calls_of(row)) == (Status.CONFIRMED, 1)


@case("F044")
@ON_ENGINE
def test_one_above_the_cap_is_refused_and_below_it_the_next_tick_works(
    engine_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    doors = engine_doors
    rows = doors.lost(201)
    before = doors.bytes()
    answer = doors.sweep()
    assert (answer["outcome"], answer["acted"], answer["sent"]) == ("halted", {}, 0)
    assert (doors.bytes(), doors.messages()) == (before, [])
    assert metric(lines(capsys), "SweepHalted") == [1]
    for row in rows[150:]:
        erase(doors, row)
    again = doors.sweep()
    assert (again["outcome"], again["sent"]) == ("completed", 150)
    assert metric(lines(capsys), "SweepHalted") == [0]


@case("F047")
def test_rows_that_move_between_the_list_and_the_act_get_no_message(doors: Doors) -> None:
    rows = doors.lost(6)

    def moved() -> None:
        for move, row in zip(MOVES, rows[:5], strict=True):
            move(doors, row)

    with once(doors, "after-call", moved):
        answer = doors.sweep()
    assert (answer["skipped"], answer["acted"], answer["error_count"]) == ({"moved": 5}, {"touch": 1}, 0)
    assert doors.messages() == [message(rows[5])]


@case("F048")
@ON_ENGINE
@pytest.mark.parametrize("lease", ["holds", "is lost"])
def test_two_sweeps_at_once_touch_and_send_each_row_once(engine_doors: Doors, lease: str) -> None:
    doors = engine_doors
    rows = doors.lost(50)
    meet = threading.Barrier(2)

    def wait(**_: object) -> None:
        if lease == "is lost" and not meet.broken:
            doors.table.client.delete_item(TableName=TABLE, Key={"pk": {"S": "#control"}, "sk": {"S": "sweep"}})
            meet.wait(timeout=20)

    with (
        hooked(doors.table.client, "after-call.dynamodb.BatchGetItem", wait),
        ThreadPoolExecutor(2) as pool,
    ):
        first = pool.submit(doors.sweep)
        if lease == "is lost":
            poll(lambda: meet.n_waiting == 1)
        answers = [pool.submit(doors.sweep).result(), first.result()]
    assert sorted(doors.messages()) == sorted(map(message, rows))
    assert {doors.row(row).dispatches for row in rows} == {1}
    assert (sum(answer["sent"] for answer in answers), [answer["error_count"] for answer in answers]) == (50, [0, 0])


def poll(ask: Callable[[], bool]) -> None:
    """Ask until it is so."""
    waiting = threading.Event()
    for _ in range(2000):
        if ask():
            return
        waiting.wait(0.01)
    raise AssertionError("it did not happen")


@case("F021", "F022")
@pytest.mark.parametrize("number", range(1, 6))
def test_a_sweep_may_lose_the_reply_to_any_of_its_writes(doors: Doors, number: int) -> None:
    rows = doors.lost(3)
    with losing_reply(doors.table.client, "UpdateItem", number=number):
        answer = doors.sweep()
    assert (answer["outcome"], answer["sent"], answer["error_count"]) == ("completed", 3, 0)
    assert [doors.row(row).dispatches for row in rows] == [1, 1, 1]
    assert (doors.table.ledger.control().lease_ends_at, len(doors.table.ledger.runs(5))) == (None, 1)


@case("F013", "F021")
def test_a_send_whose_reply_was_lost_doubles_the_hint_and_not_the_call(doors: Doors) -> None:
    rows = doors.lost(3)
    with losing_reply(doors.table.clients.of("sqs"), "SendMessageBatch"):
        assert doors.sweep()["sent"] == 3
    messages = doors.messages()
    assert len(messages) == 6
    assert [body for body in messages if doors.failed(body)] == []
    assert [calls_of(row) for row in rows] == [1, 1, 1]


@case("F048")
def test_two_sweeps_that_look_at_the_same_rows_record_what_they_saw_once(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch)
    rows = [world.promised() for _ in range(3)]
    for row in rows:
        world.deliver(row, applied_then(world.remote, UncertainError("no answer within 10 s")))
    inner: list[dict[str, Any]] = []

    def look(asked: Look) -> Observed:
        if not inner:
            inner.append({})
            quick_doors.table.client.delete_item(TableName=TABLE, Key={"pk": {"S": "#control"}, "sk": {"S": "sweep"}})
            inner[:] = [quick_doors.sweep()]
        return world.remote.truth(asked)

    world.remote.sights[:] = [look, look, look]
    world.later(timedelta(hours=1))
    outer = quick_doors.sweep()
    assert inner[0]["acted"] == {"confirm_by_proof": 3}
    assert (outer["acted"], outer["skipped"], outer["error_count"]) == ({}, {"moved": 3}, 0)
    assert [verbs(world.row(row)).count("confirm_by_proof") for row in rows] == [1, 1, 1]
