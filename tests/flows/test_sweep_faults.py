"""Does whatever fails around a sweep cost only itself, and is a failure never told as an empty success?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from makegood.adapters.memory import MemoryLedger
from makegood.domain.errors import StoreError
from makegood.domain.operation import Operation, Status
from makegood.domain.reason import Reason
from makegood.domain.run import RunOutcome, RunRecord
from makegood.flows.sweep import Sweep
from makegood.ports import Message, Sent

from tests.support.deployment import Deployment
from tests.support.faults import BrokenIndex, BrokenRows, FailingQueue, LostReplies
from tests.support.rows import HOUR, T, operation


@pytest.fixture
def house() -> Deployment:
    return Deployment()


def with_queue(house: Deployment, **fault: Any) -> Sweep:
    return replace(house.sweep_flow, queue=FailingQueue(house.queue, **fault))


@pytest.mark.parametrize("keys", [0, 1, 7])
def test_an_error_while_the_index_is_read_is_an_error_of_the_run_and_nothing_was_done(
    house: Deployment, keys: int
) -> None:
    house.lost(20)
    before = house.picture()
    with pytest.raises(StoreError, match="AccessDenied"):
        house.swept(flow=replace(house.sweep_flow, store=BrokenIndex(house.store, after=keys)))
    assert (house.picture(), house.queued(), house.ledger.records) == (before, [], [])


def test_a_failed_run_gives_the_lease_back(house: Deployment) -> None:
    house.lost(2)
    with pytest.raises(StoreError):
        house.swept(flow=replace(house.sweep_flow, store=BrokenIndex(house.store, after=0)))
    assert house.swept().record.sent == 2


def test_a_run_whose_record_could_not_be_stored_fails_and_gives_the_lease_back(house: Deployment) -> None:
    house.lost(2)

    class Unrecorded(MemoryLedger):
        def finish(self, *, token: str, record: RunRecord) -> None:
            raise StoreError(f"PutItem: {token} {record.outcome}")

    forgetful = Unrecorded()
    with pytest.raises(StoreError):
        house.swept(flow=replace(house.sweep_flow, ledger=forgetful))
    assert forgetful.control().lease_ends_at is None


def test_one_bad_row_among_twenty_is_named_and_the_others_are_swept(house: Deployment) -> None:
    names = house.lost(20)
    bad = names[6]
    store = BrokenRows(house.store, unwritable=[bad])
    record = house.swept(flow=replace(house.sweep_flow, store=store)).record
    assert (record.outcome, record.sent, record.acted) == (RunOutcome.COMPLETED, 19, {"touch": 19})
    assert (record.error_count, list(record.errors)) == (1, [bad])
    assert "throttled" in record.errors[bad]
    assert bad not in house.queued()


@pytest.mark.parametrize("reason", [Reason.UNREADABLE, Reason.NEWER_FORMAT])
def test_one_row_that_cannot_be_understood_is_named_counted_and_left_alone(house: Deployment, reason: Reason) -> None:
    names = house.lost(20)
    bad = names[6]
    before = house.picture([bad])
    store = BrokenRows(house.store, unreadable=[bad], newer=reason is Reason.NEWER_FORMAT)
    record = house.swept(flow=replace(house.sweep_flow, store=store)).record
    assert (record.sent, record.skipped, record.error_count) == (19, {reason.value: 1}, 1)
    assert record.errors == {bad: "created_at is a text"}
    assert house.picture([bad]) == before


def test_a_row_that_contradicts_itself_is_named_and_does_not_stop_the_others(house: Deployment) -> None:
    names = house.lost(5)
    house.change(names[2], claim_token="who knows")  # noqa: S106
    record = house.swept().record
    assert (record.sent, record.error_count, list(record.errors)) == (4, 1, [names[2]])
    assert "it lacks: unclaimed" in record.errors[names[2]]


def test_at_most_twenty_bad_rows_are_named_and_all_are_counted(house: Deployment) -> None:
    names = house.lost(30)
    record = house.swept(flow=replace(house.sweep_flow, store=BrokenRows(house.store, unwritable=names))).record
    assert (record.error_count, len(record.errors), record.sent) == (30, 20, 0)


def test_sends_that_fail_in_part_are_counted_and_come_again(house: Deployment) -> None:
    names = house.lost(10)
    record = house.swept(flow=with_queue(house, after=7)).record
    assert (record.acted, record.sent, record.send_failures) == ({"touch": 10}, 7, 3)
    assert record.send_trouble == "AccessDenied: said no"
    sent = set(house.queued())
    assert house.swept().record.sent == 0
    for name in sent:
        house.worked(name)
    house.queue.take()
    house.clock.advance(T)
    assert house.swept().record.sent == 3
    assert sent | set(house.queued()) == set(names)


def test_a_touch_is_not_an_attempt(house: Deployment) -> None:
    house.lost(1)
    house.swept(flow=with_queue(house))
    row = house.row("op-000")
    assert (row.attempt, row.dispatches, row.status) == (0, 1, Status.PENDING)


def test_one_message_that_is_refused_for_what_it_holds_goes_to_a_person_and_the_others_go_out(
    house: Deployment,
) -> None:
    names = house.lost(12)
    record = house.swept(flow=with_queue(house, after=99, refusing=[names[2]])).record
    assert (record.sent, record.send_failures) == (11, 1)
    assert record.acted == {"touch": 12, "escalate": 1}
    refused = house.row(names[2])
    assert (refused.status, refused.attempt) == (Status.MANUAL_REVIEW, 0)
    assert "unsendable" in refused.history[-1]
    house.clock.advance(T)
    assert names[2] not in [move.operation_id for move in house.swept().moves]


def test_a_row_that_was_claimed_before_its_refusal_came_back_is_not_escalated(house: Deployment) -> None:
    (name,) = house.lost(1)

    class ClaimsWhileSending(FailingQueue):
        def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
            house.worked(name)
            return super().send(messages)

    queue = ClaimsWhileSending(house.queue, refusing=[name])
    record = house.swept(flow=replace(house.sweep_flow, queue=queue)).record
    assert record.skipped == {"moved": 1}
    assert house.row(name).status is Status.CONFIRMED


def test_a_lost_reply_to_a_touch_sends_nothing_and_the_row_comes_again(house: Deployment) -> None:
    house.lost(3)
    record = house.swept(flow=replace(house.sweep_flow, store=LostReplies(house.store))).record
    assert (record.sent, record.error_count, house.queued()) == (0, 3, [])
    house.clock.advance(T)
    assert house.swept().record.sent == 3


def test_what_is_never_claimed_is_dispatched_five_times_and_then_a_persons(house: Deployment) -> None:
    house.lost(1)
    sent = []
    for _ in range(8):
        sent.append(house.swept().record.sent)
        house.clock.advance(T)
    assert sent == [1, 1, 1, 1, 1, 0, 0, 0]
    assert house.row("op-000").status is Status.MANUAL_REVIEW
    assert "dispatches_used" in house.row("op-000").history[-1]


@pytest.mark.parametrize(
    ("row", "verb", "reason", "status"),
    [
        (operation(deadline_at=1), "escalate", "deadline_passed", Status.MANUAL_REVIEW),
        (operation(Status.RETRY_SCHEDULED, attempt=8), "escalate", "attempts_used", Status.MANUAL_REVIEW),
        (
            operation(Status.RETRY_SCHEDULED, uncertain=True, first_claimed_at=1),
            "escalate",
            "key_too_old",
            Status.MANUAL_REVIEW,
        ),
        (operation(Status.PROCESSING, lease_ends_at=1), "release", "lease_over", Status.AWAITING_CONFIRMATION),
        (operation(Status.PROCESSING, lease_ends_at=None), "release", "lease_over", Status.AWAITING_CONFIRMATION),
        (operation(Status.AWAITING_CONFIRMATION), "escalate", "not_observable", Status.MANUAL_REVIEW),
    ],
)
def test_each_rule_moves_the_row_and_says_why(
    house: Deployment, row: Operation, verb: str, reason: str, status: Status
) -> None:
    house.store.rows["op-1"] = row
    swept = house.swept()
    assert [(m.verb, m.reason, m.target) for m in swept.moves] == [(verb, reason, status)]
    assert (swept.record.acted, house.row().status, house.queued()) == ({verb: 1}, status, [])


def test_a_type_that_is_not_known_is_counted_and_named_and_swept_by_the_release_that_knows_it(
    house: Deployment,
) -> None:
    house.store.rows["op-1"] = operation(operation_type="charge")
    before = house.picture()
    swept = house.swept()
    assert (swept.record.skipped, swept.unknown_types) == ({"unknown_type": 1}, ("charge",))
    assert house.picture() == before
    house.change("op-1", operation_type="sync")
    house.clock.advance(HOUR)
    assert house.swept().record.sent == 1


def test_the_run_record_says_what_was_counted(house: Deployment) -> None:
    house.lost(3)
    record = house.swept().record
    assert house.ledger.runs(1) == [record]
    assert (record.run_id, record.started_at, record.ended_at) == ("run", house.clock.now(), house.clock.now())
    assert (record.scanned, record.remaining, record.error_count) == (3, 0, 0)
