"""Does a sweep keep within its time, alone, and do two that meet by mischance still act once?"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest
from makegood.adapters.memory import MemoryLedger, MemoryStore
from makegood.domain.operation import Operation, OperationId, Status
from makegood.domain.run import RunOutcome
from makegood.flows.sweep import Swept
from makegood.ports import Unreadable

from tests.case import case
from tests.support.deployment import Deployment
from tests.support.faults import InterruptedStore, PassingStore, SlowStore
from tests.support.rows import LIMITS, MINUTE, SECOND, ahead, operation


@pytest.fixture
def house() -> Deployment:
    return Deployment()


def slowly(house: Deployment, seconds: float, *, write: timedelta = SECOND, read: timedelta = timedelta()) -> Swept:
    """Sweep with so many seconds left and a store that takes its time."""
    store = SlowStore(house.store, house.clock, write=write, read=read)
    return house.swept(time_left=seconds * SECOND, flow=replace(house.sweep_flow, store=store))


@pytest.mark.parametrize("seconds", [1, 7, 10, 25])
def test_a_run_stops_while_there_is_time_left_and_says_what_remains(house: Deployment, seconds: int) -> None:
    house.lost(30)
    record = slowly(house, seconds).record
    assert (record.outcome, record.sent, record.remaining) == (RunOutcome.COMPLETED, seconds, 30 - seconds)
    assert record.acted == {"touch": seconds}
    touched = {name for name, row in house.store.rows.items() if row.dispatches}
    assert set(house.queued()) == touched, "whatever was touched was also sent"


def test_the_next_run_goes_on_where_the_last_one_stopped(house: Deployment) -> None:
    names = house.lost(30)
    assert [slowly(house, 12).record.sent for _ in range(4)] == [12, 12, 6, 0]
    assert sorted(house.queued()) == names


@pytest.mark.parametrize("seconds", [0, -5])
def test_a_run_without_any_time_does_nothing_and_says_so(house: Deployment, seconds: int) -> None:
    house.lost(3)
    before = house.picture()
    record = slowly(house, seconds).record
    assert (record.acted, record.sent, record.remaining) == ({}, 0, 3)
    assert (house.picture(), house.queued()) == (before, [])


def test_reading_takes_at_most_half_of_the_time(house: Deployment) -> None:
    for number in range(500):
        name = f"op-{number}"
        house.store.rows[name] = operation(Status.RETRY_SCHEDULED, operation_id=name, due_at=house.clock.now())
    record = slowly(house, 10, write=timedelta(), read=3 * SECOND).record
    assert (record.scanned, record.sent) == (200, 200)
    assert record.remaining == 100, "more may be due than was looked at"


def test_another_sweep_in_the_middle_of_one_does_nothing_at_all(house: Deployment) -> None:
    house.lost(50)
    meanwhile: list[Swept] = []
    store = InterruptedStore(house.store, lambda: meanwhile.append(house.swept()))
    record = house.swept(flow=replace(house.sweep_flow, store=store)).record
    assert [swept.record.outcome for swept in meanwhile] == [RunOutcome.OVERLAPPED]
    assert (record.sent, len(house.queued())) == (50, 50)
    assert house.ledger.records == [record]


def test_a_lease_that_was_left_behind_is_over_when_its_run_must_have_ended(house: Deployment) -> None:
    house.lost(1)
    now = house.clock.now()
    until = ahead(4 * MINUTE + LIMITS.skew_margin, now)
    house.ledger.take_lease(now=now, token="theirs", until=until)  # noqa: S106
    house.clock.advance(5 * MINUTE - SECOND / 1000)
    assert house.swept().record.outcome is RunOutcome.OVERLAPPED
    house.clock.advance(SECOND / 1000)
    assert house.swept().record.sent == 1


def test_a_sweep_holds_its_lease_until_it_must_have_ended_and_gives_it_back(house: Deployment) -> None:
    ends: list[int | None] = []
    house.lost(1)
    store = InterruptedStore(house.store, lambda: ends.append(house.ledger.control().lease_ends_at))
    start = house.clock.now()
    house.swept(flow=replace(house.sweep_flow, store=store), time_left=4 * MINUTE)
    assert ends == [start + 240_000 + 60_000]
    assert house.ledger.control().lease_ends_at is None


def test_two_sweeps_without_a_common_lease_touch_and_send_each_row_once(house: Deployment) -> None:
    names = house.lost(50)
    other: list[Swept] = []
    unaware = replace(house.sweep_flow, ledger=MemoryLedger())
    store = InterruptedStore(house.store, lambda: other.append(house.swept(flow=unaware)))
    first = house.swept(flow=replace(house.sweep_flow, store=store)).record
    assert (first.sent, first.skipped, first.error_count) == (0, {"moved": 50}, 0)
    assert [swept.record.sent for swept in other] == [50]
    assert sorted(house.queued()) == names
    assert {(row.dispatches, row.revision) for row in house.store.rows.values()} == {(1, 2)}


class MeetingStore(PassingStore):
    """Lets two sweeps read the same rows before either of them goes on."""

    def __init__(self, store: MemoryStore, barrier: Barrier) -> None:
        super().__init__(store)
        self._barrier = barrier

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Operation | Unreadable]:
        """Read, then wait for the other."""
        found = super().find(identifiers)
        self._barrier.wait(timeout=10)
        return found


@case("F048")
def test_two_sweeps_side_by_side_on_the_same_rows_send_fifty_messages(house: Deployment) -> None:
    names = house.lost(50)
    store = MeetingStore(house.store, Barrier(2))
    flows = [replace(house.sweep_flow, store=store, ledger=MemoryLedger()) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        records = [swept.record for swept in pool.map(lambda flow: house.swept(flow=flow), flows)]
    assert sorted(house.queued()) == names
    assert sum(record.sent for record in records) == 50
    assert sum(record.skipped.get("moved", 0) for record in records) == 50
    assert {record.error_count for record in records} == {0}
    assert {row.dispatches for row in house.store.rows.values()} == {1}


def test_a_clock_that_steps_back_between_reading_and_touching_moves_no_time_back(house: Deployment) -> None:
    house.lost(3)
    store = InterruptedStore(house.store, lambda: house.clock.advance(-2 * SECOND))
    house.swept(flow=replace(house.sweep_flow, store=store))
    assert all(row.updated_at >= row.created_at for row in house.store.rows.values())


@pytest.mark.parametrize("skew", [-5 * MINUTE, 5 * MINUTE])
def test_rows_written_by_clocks_five_minutes_off_keep_their_order_of_times(house: Deployment, skew: timedelta) -> None:
    house.lost(1)
    house.clock.advance(skew)
    house.swept()
    row = house.row("op-000")
    assert row.updated_at >= row.created_at
    house.clock.advance(-skew)
    house.worked("op-000")
    assert house.row("op-000").updated_at >= row.updated_at
    assert house.row("op-000").status is Status.CONFIRMED
