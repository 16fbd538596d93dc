"""Does the line of an entity's versions let in whom the rule admits, in every world, whoever comes at once?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant, after
from makegood.domain.latest import Entry, Latest, Left, admits, entered, left
from makegood.domain.operation import OperationId

from tests.contract import builders as a
from tests.contract.worlds import TABLE, Dynamo, dynamo
from tests.double.losing import at_once, losing_first_reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

    from tests.contract.worlds import World

LEASE = timedelta(minutes=5)
ENDS = after(a.NOW, LEASE)
WRITERS = 16


def entry(version: int, *, by: str | None = None, now: Instant = a.NOW, over: str | None = None) -> Entry:
    """Return what an attempt at this version asks for; by default the version names the operation."""
    latest = Latest(version=version, operation_id=OperationId(by or f"op-{version}"), busy_until=after(now, LEASE))
    passed = None if over is None else OperationId(over)
    return Entry(operation_type=a.TYPE, entity="customer/452", now=now, latest=latest, over=passed)


def standing(world: World) -> Latest | None:
    """Say what stands in the line: a stranger with an impossibly low version is told."""
    return world.line.enter(replace(entry(0, by="stranger"), latest=Latest(version=-1, operation_id=OperationId("-"))))


@dataclass(frozen=True, slots=True)
class Case:
    """An entry that comes when version 7 stands there, and whether it is let in."""

    name: str
    wanted: Entry
    is_admitted: bool
    busy_until: Instant | None = ENDS

    def __str__(self) -> str:
        """Name the case for the test report."""
        return self.name


BEFORE, AT, PAST = Instant(ENDS - 1), ENDS, Instant(ENDS + 1)
CASES = (
    Case("a newer one while a call may land", entry(8, now=BEFORE), is_admitted=False),
    Case("a newer one at the instant when none may land any more", entry(8, now=AT), is_admitted=True),
    Case("a newer one afterwards", entry(8, now=PAST), is_admitted=True),
    Case("a newer one when all calls have landed", entry(8), is_admitted=True, busy_until=None),
    Case("an older one while a call may land", entry(6), is_admitted=False),
    Case("an older one afterwards", entry(6, now=PAST), is_admitted=False),
    Case("an older one when all calls have landed", entry(6), is_admitted=False, busy_until=None),
    Case("the same operation again", entry(7), is_admitted=True),
    Case("the same operation again, afterwards", entry(7, now=PAST), is_admitted=True),
    Case("another of the same version, while busy", entry(7, by="op-other"), is_admitted=False),
    Case("another of the same version, afterwards", entry(7, by="op-other", now=PAST), is_admitted=True),
    Case("an older one over that very operation", entry(6, over="op-7"), is_admitted=True),
    Case("an older one over another", entry(6, over="op-8"), is_admitted=False),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_who_is_let_in_when_another_stands_there(world: World, case: Case) -> None:
    first = entry(7)
    assert world.line.enter(first) is None
    if case.busy_until is None:
        world.line.leave(first, busy_until=None, behind=Left.DOUBT)
    there = replace(entered(None, first), busy_until=case.busy_until)
    assert admits(there, case.wanted) is case.is_admitted
    assert world.line.enter(case.wanted) == (None if case.is_admitted else there)
    assert standing(world) == (entered(there, case.wanted) if case.is_admitted else there)


def test_the_first_is_let_in_whatever_its_version(world: World) -> None:
    assert world.line.enter(entry(0)) is None
    assert standing(world) == entered(None, entry(0))


@pytest.mark.parametrize("other", [{"entity": "customer/453"}, {"operation_type": "another"}], ids=str)
def test_entities_and_types_stand_in_lines_of_their_own(world: World, other: dict[str, Any]) -> None:
    world.line.enter(entry(7))
    assert world.line.enter(replace(entry(6), **other)) is None
    assert standing(world) == entered(None, entry(7))


@pytest.mark.parametrize("busy_until", [None, PAST])
def test_who_leaves_says_until_when_a_call_may_land(world: World, busy_until: Instant | None) -> None:
    world.line.enter(entry(7))
    world.line.leave(entry(7), busy_until=busy_until, behind=Left.DOUBT)
    assert standing(world) == replace(entered(None, entry(7)), busy_until=busy_until)


@pytest.mark.parametrize("busy_until", [None, PAST])
@pytest.mark.parametrize("behind", Left)
def test_what_is_left_behind_is_known_to_those_who_come_later(
    world: World, behind: Left, busy_until: Instant | None
) -> None:
    world.line.enter(entry(6))
    world.line.enter(entry(7, now=PAST))
    world.line.leave(entry(7, now=PAST), busy_until=busy_until, behind=behind)
    found = standing(world)
    assert found is not None
    assert found.applied == {Left.NOTHING: {6}, Left.DOUBT: {6, 7}, Left.EFFECT: {7}}[behind]
    both = entered(entered(None, entry(6)), entry(7, now=PAST))
    assert found == left(both, busy_until=busy_until, behind=behind)


def test_where_nothing_was_ever_applied_nothing_is_stored(table: Dynamo) -> None:
    table.line.enter(entry(7))
    table.line.leave(entry(7), busy_until=None, behind=Left.NOTHING)
    assert set(table.item(f"entity#{a.TYPE}#customer/452", "latest")) == {"pk", "sk", "version", "operation_id"}


@pytest.mark.parametrize("busy_until", [None, PAST])
def test_who_was_passed_changes_nothing_by_leaving(world: World, busy_until: Instant | None) -> None:
    world.line.enter(entry(7))
    world.line.enter(entry(8, now=PAST))
    world.line.leave(entry(7), busy_until=busy_until, behind=Left.EFFECT)
    assert standing(world) == entered(entered(None, entry(7)), entry(8, now=PAST))


@pytest.mark.parametrize("busy_until", [None, PAST])
def test_an_attempt_that_leaves_late_frees_nothing_of_the_next_one(world: World, busy_until: Instant | None) -> None:
    again = entry(7, now=after(a.NOW, timedelta(seconds=1)))
    world.line.enter(entry(7))
    world.line.enter(again)
    world.line.leave(entry(7), busy_until=busy_until, behind=Left.EFFECT)
    assert standing(world) == entered(None, again)


def test_leaving_a_line_that_nobody_entered_makes_no_item(world: World) -> None:
    world.line.leave(entry(7), busy_until=PAST, behind=Left.EFFECT)
    assert world.count() == 0
    assert standing(world) is None


def test_entering_and_leaving_cost_a_request_each_and_no_read(table: Dynamo) -> None:
    table.line.enter(entry(7))
    table.line.leave(entry(7), busy_until=None, behind=Left.EFFECT)
    assert table.requests == {"UpdateItem": 2}
    assert table.line.enter(entry(6)) is not None
    assert table.requests == {"UpdateItem": 3}


def test_what_is_stored_is_what_the_page_on_the_rows_says(table: Dynamo) -> None:
    table.line.enter(entry(7))
    assert table.item(f"entity#{a.TYPE}#customer/452", "latest") == {
        "pk": {"S": f"entity#{a.TYPE}#customer/452"},
        "sk": {"S": "latest"},
        "version": {"N": "7"},
        "operation_id": {"S": "op-7"},
        "busy_until": {"N": str(ENDS)},
        "applied": {"NS": ["7"]},
    }


def test_an_entry_whose_reply_was_lost_is_in(table: Dynamo) -> None:
    with losing_first_reply(table.client, "UpdateItem"):
        assert table.line.enter(entry(7)) is None
    assert standing(table) == entered(None, entry(7))


@pytest.mark.parametrize("behind", Left)
@pytest.mark.parametrize("busy_until", [None, PAST])
def test_leaving_twice_is_leaving_once(table: Dynamo, busy_until: Instant | None, behind: Left) -> None:
    table.line.enter(entry(7))
    with losing_first_reply(table.client, "UpdateItem"):
        table.line.leave(entry(7), busy_until=busy_until, behind=behind)
    assert standing(table) == left(entered(None, entry(7)), busy_until=busy_until, behind=behind)


@pytest.mark.parametrize(
    "change", [{"version": {"N": "7.5"}}, {"busy_until": {"N": "12"}}, {"operation_id": {"N": "1"}}]
)
def test_an_item_that_cannot_be_read_lets_nobody_by(table: Dynamo, change: dict[str, dict[str, str]]) -> None:
    table.line.enter(entry(7))
    odd = table.item(f"entity#{a.TYPE}#customer/452", "latest") | change
    table.place_item(odd)
    with pytest.raises(StoreError, match="entity's item cannot be read"):
        table.line.enter(entry(6, by="op-6"))


@pytest.fixture
def engine_table(engine_clients: AwsClients) -> Iterator[Dynamo]:
    """Return an empty table in the engine: moto lets two of many writers win."""
    with dynamo(engine_clients) as created:
        yield created


@pytest.mark.xdist_group("engine")
def test_of_sixteen_versions_at_once_one_is_let_in_and_the_others_see_it(engine_table: Dynamo) -> None:
    entries = [entry(version) for version in range(WRITERS)]
    told = at_once([lambda one=one: engine_table.line.enter(one) for one in entries])  # type: ignore[misc]
    ((winner, _),) = ((one, answer) for one, answer in zip(entries, told, strict=True) if answer is None)
    assert [answer for answer in told if answer is not None] == [entered(None, winner)] * (WRITERS - 1)
    assert standing(engine_table) == entered(None, winner)


@pytest.mark.xdist_group("engine")
def test_of_sixteen_versions_that_land_at_once_none_follows_a_newer_one(engine_table: Dynamo) -> None:
    landed = [replace(one, latest=replace(one.latest, busy_until=None)) for one in map(entry, range(WRITERS))]
    told = at_once([lambda one=one: engine_table.line.enter(one) for one in landed])  # type: ignore[misc]
    for one, answer in zip(landed, told, strict=True):
        assert answer is None or not admits(answer, one)
    assert told[-1] is None, "nobody is newer than the newest"
    assert engine_table.item(f"entity#{a.TYPE}#customer/452", "latest")["version"] == {"N": str(WRITERS - 1)}
    assert engine_table.client.scan(TableName=TABLE)["Count"] == 1
