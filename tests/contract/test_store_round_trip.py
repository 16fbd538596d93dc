"""Does every row that the table can make come back from its stored form as it was, whatever stands in it?"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from makegood.adapters import dynamodb_rows as rows
from makegood.domain import document
from makegood.domain.choices import Capability, Mode
from makegood.domain.history import Verb
from makegood.domain.operation import Operation
from makegood.domain.policy import Policy
from makegood.domain.table import TABLE, Row
from makegood.ports import Added, Applied, Claim, Claimed

from tests.contract.any_rows import operations
from tests.contract.worlds import dynamo
from tests.support.any_moves import Chance, Course, Made
from tests.support.rows import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

    from tests.contract.worlds import Dynamo

TERMS = Policy(
    idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, key_lifetime=timedelta(days=60), max_attempts=99
).under(LIMITS)
SEEDS, TRIES, ENOUGH = 6_000, 60, 12  #: courses at most, moves tried in each, rows wanted of each line
LINES = [pytest.param(line, id=_id) for line in TABLE for _id in [f"{line.verb} by {'/'.join(sorted(line.owners))}"]]


@pytest.fixture
def moto(moto_clients: AwsClients) -> Iterator[Dynamo]:
    with dynamo(moto_clients) as created:
        yield created


@cache
def _made() -> dict[Row, list[Made]]:
    """Make rows by random moves, until there are enough of each line of the table."""
    found: defaultdict[Row, list[Made]] = defaultdict(list)
    wanted = {line for line in TABLE if line.verb is not Verb.SUBMIT}
    for seed in range(SEEDS):
        course = Course(TERMS, Chance(Random(seed)))  # noqa: S311 - the same rows at every run
        for made in course.moves(course.first(), TRIES):
            for line in wanted:
                if _is_of(made, line) and len(found[line]) < ENOUGH:
                    found[line].append(made)
        if all(len(found[line]) >= ENOUGH for line in wanted):
            break
    return found


def _is_of(made: Made, line: Row) -> bool:
    target = line.target or made.before.status
    fits = line.verb is made.verb and made.before.status in line.sources and made.hand.actor.role in line.owners
    return fits and made.row.status is target


def _submitted() -> list[Operation]:
    return [Course(TERMS, Chance(Random(seed))).first() for seed in range(ENOUGH)]  # noqa: S311 - as above


def _rows(line: Row) -> list[Operation]:
    return _submitted() if line.verb is Verb.SUBMIT else [made.row for made in _made()[line]]


@pytest.mark.parametrize("line", LINES)
def test_the_rows_of_each_line_of_the_table_come_back_from_their_items_as_they_were(line: Row) -> None:
    made = _rows(line)
    assert len(made) == ENOUGH
    for row in made:
        _comes_back(row, rows.read(rows.item_of(row)))


@pytest.mark.parametrize("line", LINES)
def test_a_row_of_each_line_of_the_table_comes_back_from_a_table_as_it_was(line: Row, moto: Dynamo) -> None:
    for row in _rows(line)[:3]:
        _comes_back(row, moto.store.find([row.operation_id]).get(row.operation_id) if _write(line, row, moto) else None)


def _write(line: Row, row: Operation, moto: Dynamo) -> bool:
    """Write a row as its own move is written: added, claimed, or changed."""
    if line.verb is Verb.SUBMIT:
        return isinstance(moto.store.add(row), Added)
    made = next(made for made in _made()[line] if made.row is row)
    moto.place(made.before)
    if line.verb is not Verb.CLAIM:
        return moto.store.apply(made.before, row) == Applied(row)
    now, token = made.hand.now, row.claim_token or ""
    wish: dict[str, Any] = {"now": now, "token": token, "write_id": row.write_id, "terms": {"sync": TERMS}}
    return moto.store.claim(Claim(operation_id=row.operation_id, **wish)) == Claimed(row)


@settings(max_examples=200, derandomize=True, deadline=None, database=None)
@given(operations)
def test_any_row_comes_back_from_its_item_as_it_was(row: Operation) -> None:
    _comes_back(row, rows.read(rows.item_of(row)))


def _comes_back(row: Operation, found: object) -> None:
    """Hold that what came back is equal, and its numbers are written as they were."""
    assert found == row
    assert isinstance(found, Operation)
    for given_, read in ((row.payload, found.payload), (row.expected_fields, found.expected_fields)):
        assert document.render(read) == document.render(given_)
    if row.evidence is not None and found.evidence is not None:
        assert document.render(found.evidence.fields) == document.render(row.evidence.fields)
