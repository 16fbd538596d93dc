"""Is a promise checked at the door, before anything is stored?"""

from typing import Any

import pytest
from makegood.domain import promise
from makegood.domain.errors import InvalidInput
from makegood.domain.history import last
from makegood.domain.instant import EARLIEST
from makegood.domain.operation import Operation, QueueName, Status
from makegood.domain.promise import FIELDS_LIMIT, INLINE_LIMIT, PAYLOAD_LIMIT, Promise

from tests.support.rows import HOUR, NOW, ago, ahead, terms


def submitted(**facts: Any) -> Operation:
    usual = {"operation_type": "sync", "entity": "customer/452", "expected_version": 7}
    return promise.submit(Promise(**{**usual, **facts}), now=NOW, write_id="write-1", terms=terms())


def test_a_new_row_is_pending_unclaimed_and_tells_who_promised_it() -> None:
    row = submitted(payload={"plan": "gold"}, expected_fields={"plan": "gold"})
    assert (row.status, row.revision, row.write_id, row.attempt) == (Status.PENDING, 1, "write-1", 0)
    assert (row.created_at, row.updated_at, row.uncertain, row.claim_token) == (NOW, NOW, False, None)
    entry = last(row.history)
    assert (entry.verb, entry.source, entry.target, entry.actor) == ("submit", None, "pending", "producer")


@pytest.mark.parametrize(
    "facts",
    [
        {"operation_type": "Sync"},
        {"entity": ""},
        {"expected_version": "7"},
        {"expected_fields": {"a": float("nan")}},
        {"payload": {"a": float("inf")}},
        {"payload": ["a"]},
        {"operation_id": "a/b"},
        {"queue": "urgent"},
        {"queue": 1},
        {"operation_id": ""},
    ],
)
def test_what_cannot_be_accepted_is_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        submitted(**facts)


@pytest.mark.parametrize("name", ["not_before", "deadline_at"])
@pytest.mark.parametrize(
    "value", ["2026-09-21", 1.79e12, True, -1, 0, 1_790_000_000, 1_790_000_000_000_000, 10**5_000], ids=range(8)
)
def test_an_instant_that_is_no_time_of_ours_is_refused_and_not_waited_for(name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=f"{name}.*epoch milliseconds"):
        submitted(**{name: value})


def test_a_start_in_the_past_is_now() -> None:
    assert submitted(not_before=EARLIEST).due_at == submitted().due_at
    assert submitted(not_before=ago(HOUR)).due_at == submitted().due_at


def padding(size: int) -> dict[str, str]:
    return {"a": "x" * (size - len('{"a":""}'))}


def test_a_small_payload_lives_in_the_row_and_a_larger_one_beside_it() -> None:
    assert submitted(payload=padding(INLINE_LIMIT)).payload_bytes is None
    assert submitted(payload=padding(INLINE_LIMIT + 1)).payload_bytes == INLINE_LIMIT + 1


@pytest.mark.parametrize(("name", "limit"), [("payload", PAYLOAD_LIMIT), ("expected_fields", FIELDS_LIMIT)])
def test_what_would_leave_no_room_in_the_row_is_refused_with_both_numbers(name: str, limit: int) -> None:
    assert submitted(**{name: padding(limit)}).status is Status.PENDING
    with pytest.raises(InvalidInput, match=f"{name}: {limit + 1} bytes; at most {limit} are taken"):
        submitted(**{name: padding(limit + 1)})


def test_sizes_are_counted_in_bytes_not_characters() -> None:
    with pytest.raises(InvalidInput, match="bytes"):
        submitted(payload={"a": "é" * (PAYLOAD_LIMIT // 2)})


def test_a_queue_is_stored_only_where_it_is_not_the_types_own() -> None:
    assert submitted(queue=QueueName.DEFAULT).queue is None
    assert submitted(queue="default").queue is None
    assert submitted(queue=QueueName.HIGH).queue is QueueName.HIGH


def test_the_queue_and_the_times_are_no_part_of_the_intent() -> None:
    plain, other = submitted(), submitted(queue=QueueName.HIGH, not_before=ahead(HOUR), deadline_at=ahead(2 * HOUR))
    assert plain.fingerprint == other.fingerprint
