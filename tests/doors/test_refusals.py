"""The four refusals, at the real doors and byte by byte: claimed, fresh, above the cap, moved since it was listed."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.domain import transitions
from makegood.domain.history import Actor, Role
from makegood.domain.instant import after
from makegood.domain.moving import Hand

from tests.case import case
from tests.contract.builders import fresh
from tests.contract.worlds import hooked
from tests.doors.world import TERMS, T, message

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

    from tests.doors.world import Doors

SECOND = timedelta(seconds=1)
ON_ENGINE = pytest.mark.xdist_group("engine")


def claimed(doors: Doors, row: Operation, *, ago: timedelta) -> Operation:
    """Let a worker have taken the row that long ago."""
    worker = Actor(role=Role.WORKER)
    now = after(doors.clock.now(), -ago)
    hand = Hand(now=now, actor=worker, write_id=fresh(), terms=TERMS[row.operation_type])
    taken = transitions.claim(row, hand, token=fresh("t"))
    doors.table.place(taken)
    return taken


def test_a_claimed_row_is_left_alone_however_old(doors: Doors) -> None:
    [row] = doors.lost(ago=timedelta(days=30))
    claimed(doors, row, ago=timedelta(seconds=119))
    before = doors.bytes()
    answer = doors.sweep()
    assert (doors.bytes(), doors.messages()) == (before, [])
    assert answer["skipped"] == {"lease_running": 1}


@pytest.mark.parametrize(("ago", "sent"), [(T - SECOND, 0), (T, 1), (T + SECOND, 1)])
def test_a_row_is_stale_at_the_threshold_and_not_a_second_before(doors: Doors, ago: timedelta, sent: int) -> None:
    [row] = doors.lost(ago=ago)
    before = doors.bytes()
    answer = doors.sweep()
    assert answer["sent"] == sent
    assert doors.messages() == [message(row)] * sent
    assert (doors.bytes() == before) is not bool(sent)


@case("F044")
@ON_ENGINE
def test_above_the_cap_nothing_is_touched_or_sent(engine_doors: Doors) -> None:
    doors = engine_doors
    doors.lost(201)
    before = doors.bytes()
    answer = doors.sweep()
    assert (answer["outcome"], answer["acted"], answer["sent"]) == ("halted", {}, 0)
    assert (doors.bytes(), doors.messages()) == (before, [])
    assert doors.table.ledger.control().halted_since == doors.clock.now()


@case("F044")
@ON_ENGINE
def test_at_the_cap_every_row_is_touched_and_sent(engine_doors: Doors) -> None:
    doors = engine_doors
    rows = doors.lost(200)
    answer = doors.sweep()
    assert (answer["outcome"], answer["acted"], answer["sent"]) == ("completed", {"touch": 200}, 200)
    assert sorted(doors.messages()) == sorted(map(message, rows))


def test_a_row_that_moved_since_the_index_was_read_is_skipped(doors: Doors) -> None:
    rows = doors.lost(5)
    moved: list[Operation] = []

    def move_after_the_read(**_: object) -> None:
        if not moved:
            moved.extend(claimed(doors, row, ago=timedelta()) for row in rows[:2])

    with hooked(doors.table.client, "after-call.dynamodb.BatchGetItem", move_after_the_read):
        answer = doors.sweep()
    assert (answer["sent"], answer["skipped"]) == (3, {"moved": 2})
    assert sorted(doors.messages()) == sorted(map(message, rows[2:]))
    assert [doors.row(row) for row in moved] == moved


def test_a_halted_sweep_says_so_in_the_line_that_an_alarm_reads(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAKEGOOD_HALT_CAP", "2")
    quick_doors.lost(3)
    quick_doors.sweep()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    [metrics] = [line for line in lines if "_aws" in line]
    assert (metrics["stack"], metrics["SweepHalted"], metrics["SweepCompleted"]) == ("doors", [1.0], [1.0])
