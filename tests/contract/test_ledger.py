"""Does the reconciler's ledger let one sweep in, remember a halt since its start, and keep every run?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters import dynamodb_records
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant, after
from makegood.domain.run import Acknowledgement, Control, RunOutcome, RunRecord

from tests.contract import builders as a

if TYPE_CHECKING:
    from tests.contract.worlds import Dynamo, World

MINE, OTHER = "mine", "other"
UNTIL = after(a.NOW, timedelta(minutes=5))
GIVEN = Acknowledgement(by="alice", at=a.NOW, until=a.LATER, drain_rate=50, reason="the queue was purged; I looked")


def run(minute: int = 0, outcome: RunOutcome = RunOutcome.COMPLETED, **facts: Any) -> RunRecord:
    """Return the record of a run that began so many minutes after NOW."""
    started_at = after(a.NOW, timedelta(minutes=minute))
    given = {"run_id": a.fresh("run"), "started_at": started_at, "ended_at": started_at, "outcome": outcome, **facts}
    return RunRecord(**given)


def halted(minute: int, why: str = "201 anomalies are due") -> RunRecord:
    """Return the record of a halted run."""
    return run(minute, RunOutcome.HALTED, halted_why=why)


def finish(world: World, record: RunRecord, token: str = MINE) -> None:
    """Take the lease and finish a run."""
    assert world.ledger.take_lease(now=record.started_at, token=token, until=after(record.started_at, timedelta(1)))
    world.ledger.finish(token=token, record=record)


def test_a_table_that_no_sweep_has_seen_has_an_empty_control_row(world: World) -> None:
    assert world.ledger.control() == Control()
    assert world.ledger.runs(5) == []


def test_the_lease_is_held_by_one_until_it_is_over(world: World) -> None:
    assert world.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL) == Control(lease_ends_at=UNTIL)
    assert world.ledger.take_lease(now=a.NOW, token=OTHER, until=a.LATER) is None
    assert world.ledger.take_lease(now=Instant(UNTIL - 1), token=OTHER, until=a.LATER) is None
    assert world.ledger.take_lease(now=UNTIL, token=OTHER, until=a.LATER) == Control(lease_ends_at=a.LATER)


def test_taking_the_lease_again_with_the_same_token_is_the_same_take(world: World) -> None:
    world.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    assert world.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL) == Control(lease_ends_at=UNTIL)


@pytest.mark.parametrize("how", ["give_back", "finish"])
def test_a_lease_that_was_given_back_is_free(world: World, how: str) -> None:
    world.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    if how == "finish":
        world.ledger.finish(token=MINE, record=run())
    else:
        world.ledger.give_back(token=MINE)
    assert world.ledger.control() == Control()
    assert world.ledger.take_lease(now=a.NOW, token=OTHER, until=UNTIL)


@pytest.mark.parametrize("how", ["give_back", "finish"])
def test_a_lease_that_another_took_over_stays_with_it(world: World, how: str) -> None:
    world.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    world.ledger.take_lease(now=UNTIL, token=OTHER, until=a.LATER)
    if how == "finish":
        world.ledger.finish(token=MINE, record=halted(0))
    else:
        world.ledger.give_back(token=MINE)
    assert world.ledger.control() == Control(lease_ends_at=a.LATER)


def test_giving_back_what_nobody_holds_changes_nothing(world: World) -> None:
    world.ledger.give_back(token=MINE)
    assert world.ledger.control() == Control()


def test_a_halt_is_remembered_since_its_first_run_and_with_its_latest_reason(world: World) -> None:
    first, second = halted(0), halted(5, "305 anomalies are due")
    finish(world, first)
    finish(world, second)
    assert world.ledger.control() == Control(halted_since=first.started_at, halted_why="305 anomalies are due")


def test_a_run_that_works_again_ends_the_halt(world: World) -> None:
    finish(world, halted(0))
    finish(world, run(5))
    assert world.ledger.control() == Control()


@pytest.mark.parametrize("partial", [run(5, partial=True), run(5, RunOutcome.OVERLAPPED)])
def test_a_run_that_looked_at_a_part_or_at_nothing_ends_no_halt(world: World, partial: RunRecord) -> None:
    finish(world, halted(0))
    finish(world, partial)
    assert world.ledger.control().halted_why == "201 anomalies are due"


@pytest.mark.parametrize("outcome", [RunOutcome.COMPLETED, RunOutcome.HALTED])
def test_how_many_shards_a_run_asked_is_remembered(world: World, outcome: RunOutcome) -> None:
    finish(world, run(0, outcome, halted_why="a pile", shards=6))
    control = world.ledger.control()
    assert (control.shards_to_ask(4), control.shards_to_ask(8)) == (6, 8)


def test_a_run_that_another_has_overtaken_says_nothing_of_the_shards(world: World) -> None:
    world.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    world.ledger.take_lease(now=UNTIL, token=OTHER, until=a.LATER)
    world.ledger.finish(token=MINE, record=run(0, shards=6))
    assert world.ledger.control().shards_to_ask(4) == 4


def test_a_halt_after_that_begins_anew(world: World) -> None:
    for record in (halted(0), run(5), halted(10)):
        finish(world, record)
    assert world.ledger.control().halted_since == after(a.NOW, timedelta(minutes=10))


@pytest.mark.parametrize("outcome", [RunOutcome.COMPLETED, RunOutcome.HALTED])
def test_a_dry_run_leaves_lease_and_halt_alone_and_is_recorded(world: World, outcome: RunOutcome) -> None:
    finish(world, halted(0))
    world.ledger.take_lease(now=a.LATER, token=OTHER, until=after(a.LATER, timedelta(minutes=5)))
    before = world.ledger.control()
    record = run(5, outcome, dry_run=True, halted_why="305")
    world.ledger.finish(token=MINE, record=record)
    assert world.ledger.control() == before
    assert world.ledger.runs(1) == [record]


def test_an_acknowledgement_stays_through_runs_and_is_replaced_by_a_later_one(world: World) -> None:
    world.ledger.acknowledge(GIVEN)
    finish(world, halted(0))
    assert world.ledger.control().acknowledgement == GIVEN
    again = replace(GIVEN, by="bob", drain_rate=10)
    world.ledger.acknowledge(again)
    assert world.ledger.control().acknowledgement == again
    assert world.ledger.control().halted_why == "201 anomalies are due"


def test_runs_come_newest_first_and_no_more_than_asked(world: World) -> None:
    records = [run(minute) for minute in (0, 5, 10)]
    for record in records:
        finish(world, record)
    assert world.ledger.runs(2) == [records[2], records[1]]
    assert world.ledger.runs(10) == records[::-1]


def test_a_record_with_every_count_reads_back_equal(world: World) -> None:
    record = run(
        outcome=RunOutcome.HALTED,
        scanned=300,
        anomalies={"lost_dispatch": 201},
        acted={"touch": 3, "release": 1},
        skipped={"moved": 2},
        sent=7,
        send_failures=3,
        errors={"op-1": "StoreError: UpdateItem: „nein“"},
        error_count=21,
        remaining=99,
        halted_why="201",
        halted_types={"sync_customer": "more than 5"},
        acknowledged_by="alice",
    )
    finish(world, record)
    assert world.ledger.runs(1) == [record]


def test_two_runs_of_one_millisecond_are_both_kept(table: Dynamo) -> None:
    finish(table, run(), token=MINE)
    finish(table, run(), token=OTHER)
    assert len(table.ledger.runs(5)) == 2


def test_a_record_expires_after_thirty_days(table: Dynamo) -> None:
    record = run()
    finish(table, record)
    (item,) = table.client.scan(TableName="operations", FilterExpression="attribute_exists(expires_at)")["Items"]
    assert item["expires_at"] == {"N": str(record.ended_at // 1000 + 30 * 86_400)}


def test_a_run_costs_three_requests_and_a_dry_one_its_record(table: Dynamo) -> None:
    finish(table, run())
    assert table.requests == {"UpdateItem": 2, "PutItem": 1}
    table.requests.clear()
    table.ledger.finish(token=MINE, record=run(5, dry_run=True))
    assert table.requests == {"PutItem": 1}


@pytest.mark.parametrize(
    "change",
    [{"record": {"S": "{"}}, {"record": {"S": "{}"}}, {"outcome": {"N": "1"}}, {"record": {"S": "[]"}}],
    ids=["broken", "empty", "odd type", "list"],
)
def test_a_record_that_cannot_be_read_is_stepped_over(table: Dynamo, change: dict[str, Any]) -> None:
    bad, good = run(5), run(0)
    table.place_item({**dynamodb_records.run_item(bad), **change})
    finish(table, good)
    assert table.ledger.runs(1) == [good]


ODD_CONTROL: dict[str, dict[str, Any]] = {
    "lease": {"lease_ends_at": {"S": "2026-03-29T01:00:00Z"}},
    "halt": {"halted_since": {"N": "1.5"}},
    "acknowledgement": {"acknowledgement": {"S": '{"by":"alice"}'}},
    "text": {"acknowledgement": {"S": "alice"}},
}


@pytest.mark.parametrize("change", ODD_CONTROL.values(), ids=ODD_CONTROL)
def test_a_control_row_that_cannot_be_read_is_an_error_not_a_permission(table: Dynamo, change: dict[str, Any]) -> None:
    table.place_item({"pk": {"S": "#control"}, "sk": {"S": "sweep"}, **change})
    with pytest.raises(StoreError, match="control row"):
        table.ledger.control()
