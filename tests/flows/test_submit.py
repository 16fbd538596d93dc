"""Does a promise stand once it is given, whatever becomes of its message?"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from makegood.domain.errors import ConflictError, InvalidInput, StoreError
from makegood.domain.operation import Operation, QueueName, Status
from makegood.domain.promise import Promise
from makegood.ports import Added, Message, Present

from tests.case import case
from tests.support.deployment import Deployment
from tests.support.faults import BrokenRows, FailingQueue, PassingStore
from tests.support.rows import HOUR, LIMITS, SECOND, T

QUARTER = timedelta(seconds=900)


@pytest.fixture
def house() -> Deployment:
    return Deployment()


def test_the_row_is_written_and_its_hint_is_sent(house: Deployment) -> None:
    said = house.promised("op-1")
    assert (said.created, said.dispatched) == (True, True)
    assert house.row("op-1") == said.operation
    assert house.queue.messages == [Message(operation_id=said.operation.operation_id, queue=QueueName.DEFAULT)]


def test_a_send_that_fails_leaves_the_row_and_the_sweep_repairs_it(house: Deployment) -> None:
    submit = replace(house.submit, queue=FailingQueue(house.queue))
    said = submit(Promise(operation_type="sync", entity="customer/1", expected_version=7, operation_id="op-1"))
    assert (said.created, said.dispatched) == (True, False)
    assert house.row().status is Status.PENDING
    house.clock.advance(T)
    assert house.swept().record.sent == 1
    house.delivered()
    assert house.row().status is Status.CONFIRMED


def test_a_send_that_is_taken_is_told_as_dispatched(house: Deployment) -> None:
    submit = replace(house.submit, queue=FailingQueue(house.queue, after=1))
    said = submit(Promise(operation_type="sync", entity="customer/1", expected_version=7, operation_id="op-1"))
    assert said.dispatched
    assert house.queued() == ["op-1"]


def test_the_same_intent_twice_is_one_operation_and_one_message(house: Deployment) -> None:
    first = house.promised("op-1")
    before = house.picture()
    again = house.promised("op-1")
    assert (again.created, again.dispatched, again.operation) == (False, False, first.operation)
    assert house.picture() == before
    assert house.queued() == ["op-1"]


def test_the_same_intent_without_an_id_is_one_operation_too(house: Deployment) -> None:
    one = house.promised(operation_id=None, payload={"a": 1, "b": 10})
    same = house.promised(operation_id=None, payload={"b": 10.00, "a": 1})
    assert (same.created, same.operation.operation_id) == (False, one.operation.operation_id)
    assert len(house.store.rows) == 1


@pytest.mark.parametrize(
    "facts", [{"expected_version": 8}, {"entity": "customer/2"}, {"payload": {"a": 1}}, {"expected_fields": {}}]
)
def test_the_same_id_with_another_intent_is_a_conflict_that_changes_nothing(
    house: Deployment, facts: dict[str, Any]
) -> None:
    house.submitted("op-1")
    before = house.picture()
    with pytest.raises(ConflictError, match=r"op-1 exists with another intent .*version 7.*another id"):
        house.promised("op-1", **facts)
    assert house.picture() == before
    assert house.queued() == ["op-1"]


def test_an_operation_that_has_ended_is_returned_and_never_revived(house: Deployment) -> None:
    house.submitted("op-1")
    house.delivered()
    before = house.picture()
    again = house.promised("op-1")
    assert (again.created, again.operation.status) == (False, Status.CONFIRMED)
    assert (house.picture(), house.queued()) == (before, [])


def test_an_id_that_is_taken_by_a_row_that_cannot_be_read_is_refused(house: Deployment) -> None:
    submit = replace(house.submit, store=BrokenRows(house.store, unreadable=["op-1"]))
    with pytest.raises(InvalidInput, match="op-1 exists and its row cannot be read"):
        submit(Promise(operation_type="sync", entity="customer/1", expected_version=7, operation_id="op-1"))
    assert house.queued() == []


@pytest.mark.parametrize("name", ["sink", "", None, 7, ["sync"], "x" * 5_000])
def test_an_operation_type_that_this_release_does_not_know_is_refused_and_the_known_are_named(
    house: Deployment, name: str
) -> None:
    with pytest.raises(InvalidInput, match="known are: sync") as refused:
        house.promised("op-1", operation_type=name)
    assert len(str(refused.value)) < 300
    assert (house.store.rows, house.queued()) == ({}, [])


@pytest.mark.parametrize(
    "facts",
    [{"operation_id": "a b"}, {"payload": {"a": float("nan")}}, {"payload": {"a": "x" * 300_000}}, {"queue": "urgent"}],
)
def test_what_is_refused_at_the_door_leaves_no_row_and_no_message(house: Deployment, facts: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        house.promised(**facts)
    assert (house.store.rows, house.queued()) == ({}, [])


def test_the_types_own_queue_is_taken_unless_the_promise_says_another() -> None:
    house = Deployment(queue=QueueName.LOW)
    house.submitted("op-1")
    house.submitted("op-2", queue=QueueName.HIGH)
    assert [message.queue for message in house.queue.messages] == [QueueName.LOW, QueueName.HIGH]


def test_work_for_later_is_held_back_by_the_queue_up_to_900_seconds(house: Deployment) -> None:
    said = house.promised("op-1", not_before=house.clock.now() + 900_000)
    assert said.dispatched
    assert house.queue.messages[0].delay == QUARTER


def test_work_for_a_start_in_the_past_is_not_held_back(house: Deployment) -> None:
    house.promised("op-1", not_before=house.clock.now() - 900_000)
    assert house.queue.messages[0].delay == timedelta()


def test_work_for_later_than_that_is_dispatched_by_the_sweep_when_its_time_has_come(house: Deployment) -> None:
    said = house.promised("op-1", not_before=house.clock.now() + 900_001)
    assert (said.created, said.dispatched, house.queued()) == (True, False, [])
    house.clock.advance(QUARTER + LIMITS.retry_grace)
    assert house.swept().record.acted == {}
    house.clock.advance(SECOND)
    record = house.swept().record
    assert (record.sent, record.anomalies) == (1, {})
    assert [worked.called for worked in house.delivered()] == [True]


def test_two_hundred_and_one_operations_for_the_same_hour_halt_nothing(house: Deployment) -> None:
    for number in range(201):
        house.submitted(f"op-{number}", not_before=house.clock.now() + 3_600_000)
    house.clock.advance(HOUR + LIMITS.retry_grace)
    record = house.swept().record
    assert (record.outcome, record.sent, record.remaining) == ("completed", 200, 1)


def test_a_store_that_does_not_answer_is_an_error_and_asking_again_is_safe(house: Deployment) -> None:
    class LosesTheReply(PassingStore):
        def add(self, operation: Operation) -> Added | Present:
            super().add(operation)
            raise StoreError("PutItem: no answer")

    promise = Promise(operation_type="sync", entity="customer/1", expected_version=7, operation_id="op-1")
    with pytest.raises(StoreError):
        replace(house.submit, store=LosesTheReply(house.store))(promise)
    assert house.queued() == []
    assert house.submit(promise).created is False
    assert len(house.store.rows) == 1


def test_a_row_can_be_prepared_for_a_callers_own_transaction_and_dispatched_after_it(house: Deployment) -> None:
    promise = Promise(operation_type="sync", entity="customer/1", expected_version=7)
    prepared = house.submit.prepare(promise)
    assert (house.store.rows, house.queued()) == ({}, [])
    house.store.add(prepared)
    assert house.submit.dispatch(prepared)
    assert house.queued() == [prepared.operation_id]


@case("F084")
def test_two_creates_in_one_warm_process_have_their_own_times(house: Deployment) -> None:
    first = house.submitted("op-1")
    house.clock.advance(HOUR)
    second = house.submitted("op-2")
    assert second.created_at - first.created_at == 3_600_000
    assert house.swept().record.acted == {"touch": 1}
