"""Does the sweep leave alone, to the last byte, what is claimed, fresh, above the cap, or moved?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from makegood.domain.operation import QueueName, Status, open_shards
from makegood.domain.run import RunOutcome
from makegood.ports import Message, Sent

from tests.case import case
from tests.support.deployment import Deployment
from tests.support.faults import FailingQueue, InterruptedStore, LaggingIndex
from tests.support.rows import HOUR, LIMITS, MINUTE, SECOND, T, operation

MS = SECOND / 1000


@pytest.fixture
def house() -> Deployment:
    return Deployment()


@pytest.mark.parametrize("age", [timedelta(), T, HOUR, 24 * HOUR, 400 * 24 * HOUR])
def test_a_claimed_row_is_left_alone_however_old(house: Deployment, age: timedelta) -> None:
    house.claimed()
    house.clock.advance(age)
    house.change("op-1", lease_ends_at=house.clock.now() - 60_000, due_at=house.clock.now() - 1)
    before = house.picture()
    record = house.swept().record
    assert (record.skipped, record.acted, record.anomalies) == ({"lease_running": 1}, {}, {})
    assert (house.picture(), house.queued()) == (before, [])


@pytest.mark.parametrize("age", [timedelta(), T - SECOND, T - MS])
def test_a_fresh_row_is_left_alone_up_to_the_last_millisecond(house: Deployment, age: timedelta) -> None:
    house.submitted()
    house.queue.take()
    house.clock.advance(age)
    before = house.picture()
    assert house.swept().record.acted == {}
    assert (house.picture(), house.queued()) == (before, [])


@pytest.mark.parametrize("age", [T, T + SECOND])
def test_a_stale_row_is_touched_and_sent_once(house: Deployment, age: timedelta) -> None:
    house.submitted()
    house.queue.take()
    house.clock.advance(age)
    record = house.swept().record
    assert (record.acted, record.sent, record.anomalies) == ({"touch": 1}, 1, {"lost_dispatch": 1})
    assert (house.queued(), house.row().dispatches, house.row().attempt) == (["op-1"], 1, 0)


def test_above_the_cap_nothing_is_touched_or_sent_and_the_control_row_remembers_why(house: Deployment) -> None:
    house.lost(201)
    before = house.picture()
    record = house.swept().record
    assert (record.outcome, record.acted, record.sent) == (RunOutcome.HALTED, {}, 0)
    assert (house.picture(), house.queued()) == (before, [])
    assert record.halted_why == house.ledger.control().halted_why != ""
    assert house.ledger.control().halted_since == record.started_at


def confirmed(house: Deployment, name: str) -> None:
    house.worked(name)


def claimed(house: Deployment, name: str) -> None:
    lease = {"claim_token": "claim-9", "lease_ends_at": house.clock.now() + 120_000}
    house.change(name, status=Status.PROCESSING, attempt=1, **lease)


def cancelled(house: Deployment, name: str) -> None:
    house.change(name, status=Status.NOT_APPLICABLE, due_at=None, due_shard=None)


def deleted(house: Deployment, name: str) -> None:
    del house.store.rows[name]


def touched_again(house: Deployment, name: str) -> None:
    house.change(name, due_at=house.clock.now() + 900_000, dispatches=1)


MOVES = [confirmed, claimed, cancelled, deleted, touched_again]


@pytest.mark.parametrize("move", MOVES)
def test_a_row_that_moved_between_the_reading_and_the_touch_is_skipped(
    house: Deployment, move: Callable[[Deployment, str], None]
) -> None:
    moving, *others = house.lost(5)
    before: list[bytes] = []

    def somebody() -> None:
        move(house, moving)
        before.append(house.picture([moving]))

    record = house.swept(flow=replace(house.sweep_flow, store=InterruptedStore(house.store, somebody))).record
    assert (record.skipped, record.acted, record.error_count) == ({"moved": 1}, {"touch": 4}, 0)
    assert [house.picture([moving])] == before
    assert sorted(house.queued()) == others


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (confirmed, "terminal"),
        (claimed, "lease_running"),
        (cancelled, "terminal"),
        (deleted, "gone"),
        (touched_again, "not_due"),
    ],
)
def test_a_row_that_the_index_still_lists_but_that_has_moved_on_is_left_alone(
    house: Deployment, move: Callable[[Deployment, str], None], reason: str
) -> None:
    moving, *others = house.lost(5)
    index = LaggingIndex(house.store, open_shards(LIMITS.shards), house.clock.now())
    move(house, moving)
    before = house.picture([moving])
    record = house.swept(flow=replace(house.sweep_flow, store=index)).record
    assert (record.skipped, record.acted) == ({reason: 1}, {"touch": 4})
    assert (house.picture([moving]), sorted(house.queued())) == (before, others)


def test_a_row_in_review_is_not_even_read(house: Deployment) -> None:
    house.store.rows["op-1"] = operation(Status.MANUAL_REVIEW)
    before = house.picture()
    assert house.swept().record.scanned == 0
    assert house.picture() == before


@pytest.mark.parametrize("status", [Status.CONFIRMED, Status.COMPENSATED, Status.NOT_APPLICABLE])
def test_a_terminal_row_is_not_even_read(house: Deployment, status: Status) -> None:
    house.store.rows["op-1"] = operation(status, expires_at=1)
    assert house.swept().record.scanned == 0


def test_rescues_go_out_in_batches_of_ten_on_the_queue_of_each_operation(house: Deployment) -> None:
    batches: list[Sequence[Message]] = []

    class Counting(FailingQueue):
        def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
            batches.append(messages)
            return super().send(messages)

    house.lost(23)
    house.store.rows["urgent"] = operation(operation_id="urgent", queue=QueueName.HIGH, due_at=house.clock.now())
    house.swept(flow=replace(house.sweep_flow, queue=Counting(house.queue, after=99)))
    assert [len(batch) for batch in batches] == [10, 10, 4]
    assert {message.queue for message in house.queue.messages if message.operation_id == "urgent"} == {QueueName.HIGH}
    assert {message.queue for message in house.queue.messages if message.operation_id != "urgent"} == {
        QueueName.DEFAULT
    }


def test_a_sweep_reads_what_is_due_and_not_what_exists(house: Deployment) -> None:
    for number in range(500):
        house.submitted(f"fresh-{number}")
    house.queue.take()
    house.clock.advance(T - MINUTE)
    house.store.rows["old"] = operation(operation_id="old", due_at=house.clock.now())
    assert house.swept().record.scanned == 1


def test_two_sweeps_one_after_the_other_do_not_send_twice(house: Deployment) -> None:
    house.lost(50)
    assert [house.swept().record.sent for _ in range(2)] == [50, 0]
    assert len(set(house.queued())) == 50


def test_the_multiplier_three_rows_and_four_sweeps_within_the_stale_time(house: Deployment) -> None:
    house.lost(3)
    sent = []
    for _ in range(4):
        sent.append(house.swept().record.sent)
        house.clock.advance(T / 4 - SECOND)
    assert sent == [3, 0, 0, 0]
    house.clock.advance(4 * SECOND)
    assert house.swept().record.sent == 3


@case("F092")
@pytest.mark.parametrize("ticks", [[0, 8, 130, 131], [0, 899], [0, 1, 2, 3, 300, 600, 899]])
def test_ticks_that_drift_and_double_act_once_in_a_window(house: Deployment, ticks: list[int]) -> None:
    house.lost(7)
    sent, at = [], 0
    for tick in ticks:
        house.clock.advance((tick - at) * SECOND)
        at = tick
        sent.append(house.swept().record.sent)
    assert sent == [7, *[0] * (len(ticks) - 1)]


def test_a_touch_that_was_never_sent_becomes_stale_again_by_itself(house: Deployment) -> None:
    house.lost(1)
    record = house.swept(flow=replace(house.sweep_flow, queue=FailingQueue(house.queue))).record
    assert (record.acted, record.sent, record.send_failures) == ({"touch": 1}, 0, 1)
    assert (house.queued(), house.row("op-000").attempt) == ([], 0)
    house.clock.advance(T - MS)
    assert house.swept().record.sent == 0
    house.clock.advance(MS)
    assert house.swept().record.sent == 1
