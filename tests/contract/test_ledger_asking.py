"""Does the ledger remember whom a run was asking about when it died, and forget it when a run ends?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.operation import OperationId
from makegood.domain.run import Control, RunOutcome

from tests.contract import builders as a
from tests.contract.test_ledger import MINE, OTHER, UNTIL, finish, run
from tests.double.losing import losing_first_reply

if TYPE_CHECKING:
    from makegood.domain.run import RunRecord

    from tests.contract.worlds import Dynamo, World

ROWS = (OperationId("op-1"), OperationId("op-2"))


def asking(world: World) -> None:
    """Take the lease and ask about two rows."""
    world.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    assert world.ledger.asking(token=MINE, identifiers=ROWS)


def test_the_next_run_is_told_what_a_run_that_died_was_asking(world: World) -> None:
    asking(world)
    assert world.ledger.control().asking == ROWS
    assert world.ledger.take_lease(now=UNTIL, token=OTHER, until=a.LATER) == Control(lease_ends_at=a.LATER, asking=ROWS)


def test_a_round_takes_the_place_of_the_one_before(world: World) -> None:
    asking(world)
    world.ledger.asking(token=MINE, identifiers=[OperationId("op-3")])
    assert world.ledger.control().asking == ("op-3",)


@pytest.mark.parametrize("how", ["give_back", "finish", "finish halted"])
def test_a_run_that_ends_leaves_no_suspect(world: World, how: str) -> None:
    asking(world)
    if how == "give_back":
        world.ledger.give_back(token=MINE)
    else:
        outcome = RunOutcome.HALTED if "halted" in how else RunOutcome.COMPLETED
        world.ledger.finish(token=MINE, record=run(0, outcome, halted_why="a pile"))
    assert world.ledger.control().asking == ()


def test_a_run_that_another_has_overtaken_may_not_ask(world: World) -> None:
    asking(world)
    world.ledger.take_lease(now=UNTIL, token=OTHER, until=a.LATER)
    before = world.ledger.control()
    assert not world.ledger.asking(token=MINE, identifiers=[OperationId("op-9")])
    assert world.ledger.control() == before


def test_a_run_that_holds_no_lease_may_not_ask(world: World) -> None:
    assert not world.ledger.asking(token=MINE, identifiers=ROWS)
    assert world.ledger.control() == Control()


def test_a_run_that_another_has_overtaken_forgets_nothing_of_the_other_s(world: World) -> None:
    asking(world)
    world.ledger.take_lease(now=UNTIL, token=OTHER, until=a.LATER)
    world.ledger.asking(token=OTHER, identifiers=[OperationId("op-3")])
    world.ledger.finish(token=MINE, record=run(0))
    world.ledger.give_back(token=MINE)
    assert world.ledger.control().asking == ("op-3",)


def test_asking_costs_one_request_a_round(table: Dynamo) -> None:
    table.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    table.requests.clear()
    table.ledger.asking(token=MINE, identifiers=ROWS)
    assert table.requests == {"UpdateItem": 1}


def test_asking_whose_reply_was_lost_is_allowed(table: Dynamo) -> None:
    table.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    with losing_first_reply(table.client, "UpdateItem"):
        assert table.ledger.asking(token=MINE, identifiers=ROWS)
    assert table.ledger.control().asking == ROWS


OBSERVED: dict[str, Any] = {
    "verdicts": {"missing": 1, "correct": 2, "divergent": 3, "ambiguous": 4, "not_applicable": 5},
    "would": {"would_requeue": 1, "would_touch": 2},
    "not_asked": {"sync_customer": "3 looks in a row without an answer: 503"},
}


@pytest.mark.parametrize("record", [run(5, RunOutcome.OBSERVED, **OBSERVED), run(5, **OBSERVED)])
def test_what_a_run_judged_reads_back_equal(world: World, record: RunRecord) -> None:
    finish(world, record)
    assert world.ledger.runs(1) == [record]


def test_a_run_that_only_watched_gives_the_lease_back_and_ends_no_halt(world: World) -> None:
    finish(world, run(0, RunOutcome.HALTED, halted_why="a pile"))
    finish(world, run(5, RunOutcome.OBSERVED))
    assert world.ledger.control() == Control(halted_since=a.NOW, halted_why="a pile")
