"""Is a row that cannot be understood named and left alone, without harm to the others? What of a newer release's?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters import dynamodb_rows as rows
from makegood.domain import transitions
from makegood.domain.errors import StoreError
from makegood.domain.history import Role
from makegood.domain.instant import Instant
from makegood.domain.operation import Operation, OperationId
from makegood.domain.reason import Reason
from makegood.ports import Applied, Moved, NotClaimed, Present, Unreadable

from tests.case import case
from tests.contract import builders as a

if TYPE_CHECKING:
    from tests.contract.worlds import Dynamo

# What the condition of a claim can see: these rows are never written.
ODD: dict[str, dict[str, Any]] = {
    "created_at with an offset": {"created_at": {"S": "2026-03-29T01:00:00+00:00"}},
    "created_at with Z": {"created_at": {"S": "2026-03-29T01:00:00Z"}},
    "updated_at as text": {"updated_at": {"S": "1790000000000"}},
    "no version": {"expected_version": None},
    "no expected fields": {"expected_fields": None},
    "fields as a map": {"expected_fields": {"M": {}}},
    "no intent": {"intent": None},
    "an unknown intent": {"intent": {"S": "guess"}},
    "no revision": {"revision": None},
    "no format": {"format": None},
    "a NULL claim": {"claim_token": {"NULL": True}},
    "a NULL not_before": {"not_before": {"NULL": True}},
    "an unknown status": {"status": {"S": "paused"}},
    "history as text": {"history": {"S": "su"}},
    "a claim without a lease": {"claim_token": {"S": "t"}, "status": {"S": "processing"}},
    "processing without a claim": {"status": {"S": "processing"}},
}
# What it cannot see, because it lies inside a text, a list or a number.
ODD_INSIDE: dict[str, dict[str, Any]] = {
    "a fraction of a millisecond": {"created_at": {"N": "1789999999999.5"}},
    "a NULL error": {"last_error": {"NULL": True}},
    "an unknown queue": {"queue": {"S": "urgent"}},
    "fields that are no JSON": {"expected_fields": {"S": "{email: 1}"}},
    "fields with NaN": {"expected_fields": {"S": '{"x":NaN}'}},
    "fields nested too deep": {"expected_fields": {"S": '{"x":' * 5000 + "1" + "}" * 5000}},
    "a key given twice": {"payload": {"S": '{"x":1,"x":2}'}},
    "evidence without a time": {"evidence": {"S": "{}"}},
    "evidence as a list": {"evidence": {"S": "[]"}},
    "evidence with a version in words": {"evidence": {"S": '{"at":1,"version":"7"}'}},
    "decisions as an object": {"decisions": {"S": '{"at":1}'}},
    "history with numbers": {"history": {"L": [{"N": "1"}]}},
}
NEWER = {"format": {"N": "2"}}
ALL = {**ODD, **ODD_INSIDE, "newer": NEWER}


def odd(row: Operation, change: dict[str, Any]) -> dict[str, Any]:
    """Return the row's item with other attributes; `None` takes one away."""
    changed = {**rows.item_of(row), **change}
    return {name: value for name, value in changed.items() if value is not None}


@pytest.fixture
def crowd(table: Dynamo) -> tuple[dict[str, Operation], dict[str, Operation]]:
    """Place 20 good rows and one odd one of each kind; return the good by id, and by kind what the odd were before."""
    good = [a.promised() for _ in range(20)]
    odd_ones = {kind: a.promised() for kind in ALL}
    for row in good:
        table.place(row)
    for kind, row in odd_ones.items():
        table.place_item(odd(row, ALL[kind]))
    return {row.operation_id: row for row in good}, odd_ones


def test_an_odd_row_costs_only_itself(table: Dynamo, crowd: tuple[dict[str, Operation], dict[str, Operation]]) -> None:
    good, odd_ones = crowd
    found = table.store.find([OperationId(name) for name in good] + [row.operation_id for row in odd_ones.values()])
    assert {name: found[OperationId(name)] for name in good} == good
    for kind, row in odd_ones.items():
        unreadable = found[row.operation_id]
        assert isinstance(unreadable, Unreadable), kind
        assert unreadable.operation_id == row.operation_id
        assert unreadable.why
        assert unreadable.newer_format is (kind == "newer")


def test_an_odd_row_is_listed_as_due_so_that_it_is_counted(
    table: Dynamo, crowd: tuple[dict[str, Operation], dict[str, Operation]]
) -> None:
    good, odd_ones = crowd
    shards = (f"open#{number:02d}" for number in range(a.LIMITS.shards))
    listed = {str(key.operation_id) for shard in shards for key in table.store.due(shard, Instant(2**53))}
    assert listed == set(good) | {row.operation_id for row in odd_ones.values()}


def test_a_row_without_its_type_or_time_is_listed_too(table: Dynamo) -> None:
    bad = a.promised()
    table.place_item(odd(bad, {"operation_type": None, "created_at": None, "due_at": {"N": "1790000000000.5"}}))
    (key,) = table.store.due(str(bad.due_shard), a.LATER)
    assert (key.operation_id, key.operation_type, key.created_at) == (bad.operation_id, "", key.due_at)


@case("F038", "F082")
@pytest.mark.parametrize("change", [*ODD.values(), NEWER], ids=[*ODD, "newer"])
def test_a_row_that_cannot_be_understood_is_not_claimed_and_stays_as_it_is(
    table: Dynamo, change: dict[str, Any]
) -> None:
    bad = a.promised()
    table.place_item(odd(bad, change))
    before = table.item(bad.operation_id)
    answer = table.store.claim(a.claim(bad))
    assert isinstance(answer, NotClaimed)
    assert isinstance(answer.found, Unreadable)
    assert table.item(bad.operation_id) == before


@pytest.mark.parametrize("change", ODD_INSIDE.values(), ids=ODD_INSIDE)
def test_a_row_that_is_odd_inside_is_worked_on_by_nobody(table: Dynamo, change: dict[str, Any]) -> None:
    bad = a.promised()
    table.place_item(odd(bad, change))
    with pytest.raises(StoreError, match=f"{bad.operation_id} is claimed, but its row cannot be read"):
        table.store.claim(a.claim(bad))


def test_an_id_that_an_odd_row_holds_is_taken(table: Dynamo) -> None:
    bad = a.promised()
    table.place_item(odd(bad, NEWER))
    answer = table.store.add(bad)
    assert isinstance(answer, Present)
    assert isinstance(answer.operation, Unreadable)


def test_a_row_that_a_newer_release_rewrote_is_not_written(table: Dynamo) -> None:
    seen = a.promised()
    table.place_item(odd(seen, {**NEWER, "revision": {"N": "2"}}))
    after = transitions.touch(seen, a.hand(role=Role.RECONCILER), reason=Reason.LOST_DISPATCH)
    answer = table.store.apply(seen, after)
    assert isinstance(answer, Moved)
    assert isinstance(answer.found, Unreadable)
    assert answer.found.newer_format


def test_attributes_of_another_release_stay_through_claim_and_settle(table: Dynamo) -> None:
    row = a.promised()
    extra = {"region": {"S": "eu"}, "priority": {"N": "3"}, "tags": {"M": {"a": {"L": [{"BOOL": True}]}}}}
    table.place_item(odd(row, extra))
    claimed = table.store.claim(a.claim(row))
    assert not isinstance(claimed, NotClaimed)
    settled = transitions.confirm(claimed.operation, a.hand(), evidence=a.EVIDENCE)
    assert table.store.apply(claimed.operation, settled) == Applied(settled)
    item = table.item(row.operation_id)
    assert {name: item[name] for name in extra} == extra


def test_why_a_row_cannot_be_read_names_every_attribute() -> None:
    row = a.promised()
    item = odd(row, {**ODD["created_at with Z"], "revision": None})
    assert rows.read(item) == Unreadable(row.operation_id, "created_at is of type S, not N; revision is missing")
