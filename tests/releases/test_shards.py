"""Is every open row looked at, whatever becomes of the number of shards on a live table?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from makegood.domain.limits import Limits
from makegood.domain.operation import Status, open_shards, shard_of

if TYPE_CHECKING:
    from tests.crash.house import House

STALE = Limits().stale_after
NAMES = [f"op-{number}" for number in range(40)]


def in_every_shard(shards: int) -> None:
    """See that the names are spread over all of them."""
    assert {shard_of(name, shards) for name in NAMES} == set(open_shards(shards))  # type: ignore[arg-type]  # plain text


def promised_and_lost(home: House) -> None:
    """Promise one operation for each name, lose the messages, let the rows become stale."""
    for name in NAMES:
        home.submit(name)
    home.broker.purge()
    home.wait(STALE)


def all_end(home: House) -> None:
    """Sweep once, deliver, and see that every operation is confirmed."""
    home.sweep()
    home.deliver()
    assert {row.status for row in home.rows().values()} == {Status.CONFIRMED}


@pytest.mark.parametrize(("before", "then"), [(4, 6), (1, 8), (6, 4), (8, 1)])
def test_rows_of_the_former_shards_are_swept(home: House, before: int, then: int) -> None:
    in_every_shard(before)
    home.deploy(SHARDS=before)
    home.sweep()
    promised_and_lost(home)
    home.deploy(SHARDS=then)
    all_end(home)


def test_rows_that_were_promised_while_it_was_higher_are_swept_after_a_rollback(home: House) -> None:
    in_every_shard(6)
    home.sweep()
    home.deploy(SHARDS=6)
    home.sweep()
    promised_and_lost(home)
    home.deploy(SHARDS=4)
    home.sweep()
    home.deliver()
    home.sweep()  # which is not the first since the rollback
    home.deploy(SHARDS=5)
    all_end(home)


def test_a_dry_run_sees_the_former_shards_too(home: House) -> None:
    home.deploy(SHARDS=6)
    home.sweep()
    promised_and_lost(home)
    home.deploy(SHARDS=4)
    assert home.sweep(dry_run=True)["acted"] == {"touch": len(NAMES)}


def test_new_rows_go_to_the_shards_of_today(home: House) -> None:
    home.deploy(SHARDS=6)
    home.sweep()
    home.deploy(SHARDS=4)
    for name in NAMES:
        home.submit(name)
    assert {row.due_shard for row in home.rows().values()} == set(open_shards(4))


def test_remembering_costs_no_request(home: House) -> None:
    home.sweep()
    home.wire.listen()
    home.sweep()
    assert len(home.wire.recording) == 4 + 3
    home.deploy(SHARDS=6)
    home.wire.listen()
    home.sweep()
    assert len(home.wire.recording) == 6 + 3
    home.deploy(SHARDS=4)
    home.wire.listen()
    home.sweep()
    assert len(home.wire.recording) == 6 + 3


def test_the_run_says_how_many_it_asked(home: House) -> None:
    home.deploy(SHARDS=6)
    home.sweep()
    home.deploy(SHARDS=4)
    assert home.sweep()["shards"] == 6
