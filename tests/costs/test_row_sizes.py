"""Does a row stay as small as its price supposes, however often it is tried?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.adapters.dynamodb_rows import item_of
from makegood.domain import transitions
from makegood.domain.instant import after
from makegood.domain.policy import Policy

from tests.contract import builders as a
from tests.costs.billing import WRITE_UNIT, item_bytes
from tests.costs.metered import ORDINARY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.operation import Operation

SOON = after(a.NOW, timedelta(seconds=1))
MANY = Policy(idempotent=True, max_attempts=100).under(a.LIMITS)
ERROR = "TransientError: 503 Service Unavailable: the CRM is being updated, try again in a minute"


def confirmed(held: Operation) -> Operation:
    """Return a held row as its worker confirms it."""
    evidence = replace(a.EVIDENCE, fields=held.expected_fields)
    return transitions.confirm(held, a.hand(now=held.updated_at, terms=MANY), evidence=evidence)


def failed(held: Operation) -> Operation:
    """Return a held row as its worker puts it off."""
    hand = a.hand(now=held.updated_at, terms=MANY)
    return transitions.schedule_retry(held, hand, wait=timedelta(seconds=9), error=ERROR)


def life(attempts: int) -> Iterator[Operation]:
    """Walk an ordinary promise through so many attempts, confirmed at the last."""
    row = a.promised(**ORDINARY)
    yield row
    for number in range(1, attempts + 1):
        now = max(row.not_before or SOON, row.updated_at)
        row = transitions.claim(row, a.hand(now=now, terms=MANY), token="t" * 12)
        yield row
        row = confirmed(row) if number == attempts else failed(row)
        yield row


def test_an_ordinary_row_stays_within_one_unit_through_four_attempts() -> None:
    sizes = [item_bytes(item_of(row)) for row in life(4)]
    assert max(sizes) <= WRITE_UNIT, sizes


def test_a_history_at_its_bound_stays_within_two_units() -> None:
    sizes = [item_bytes(item_of(row)) for row in life(40)]
    assert max(sizes) <= 2 * WRITE_UNIT, sizes


def test_no_attempt_moves_the_index() -> None:
    *open_rows, last = life(1)
    assert {(row.due_shard, row.due_at) for row in open_rows} == {(open_rows[0].due_shard, open_rows[0].due_at)}
    assert (last.due_shard, last.due_at) == (None, None)
