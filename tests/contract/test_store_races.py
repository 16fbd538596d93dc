"""Of many writers at once, does one win? Only the engine is asked: moto lets two win."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from makegood.domain import transitions
from makegood.domain.history import Role
from makegood.domain.instant import after
from makegood.domain.operation import Operation
from makegood.domain.reason import Reason
from makegood.ports import Added, Applied, Claimed, Moved, NotClaimed, Present

from tests.case import case
from tests.contract import builders as a
from tests.contract.worlds import Dynamo, dynamo
from tests.double.losing import at_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

pytestmark = pytest.mark.xdist_group("engine")
WRITERS = 16


@pytest.fixture
def table(engine_clients: AwsClients) -> Iterator[Dynamo]:
    """Return an empty table in the engine."""
    with dynamo(engine_clients) as created:
        yield created


def test_of_sixteen_adds_of_one_id_one_wins_and_all_see_the_winner(table: Dynamo) -> None:
    rows = [a.promised(operation_id="wanted", entity=f"customer/{n}") for n in range(WRITERS)]
    answers = at_once([lambda row=row: table.store.add(row) for row in rows])  # type: ignore[misc]
    (winner,) = (answer.operation for answer in answers if isinstance(answer, Added))
    assert [answer.operation for answer in answers if isinstance(answer, Present)] == [winner] * (WRITERS - 1)


@case("F001")
def test_of_sixteen_claims_one_wins_and_the_others_see_it(table: Dynamo) -> None:
    row = a.promised()
    table.place(row)
    claims = [a.claim(row) for _ in range(WRITERS)]
    answers = at_once([lambda claim=claim: table.store.claim(claim) for claim in claims])  # type: ignore[misc]
    (winner,) = (answer.operation for answer in answers if isinstance(answer, Claimed))
    assert [answer.found for answer in answers if isinstance(answer, NotClaimed)] == [winner] * (WRITERS - 1)
    assert winner.attempt == 1


def test_a_claim_and_sixteen_sweeps_leave_one_winner_for_each_revision(table: Dynamo) -> None:
    row = a.promised()
    table.place(row)
    won: list[Operation] = []

    def climb() -> int:
        """Touch the row again and again from what was last seen; count what was won."""
        seen, wins = row, 0
        for _ in range(8):
            wanted = replace(seen, revision=seen.revision + 1, write_id=a.fresh(), dispatches=seen.dispatches + 1)
            match table.store.apply(seen, wanted):
                case Applied(landed):
                    won.append(landed)
                    seen, wins = landed, wins + 1
                case Moved(found):
                    assert isinstance(found, Operation)
                    seen = found
        return wins

    wins = at_once([climb] * WRITERS)
    assert sum(wins) == len(won)
    assert sorted(landed.revision for landed in won) == list(range(2, len(won) + 2))
    (final,) = table.store.find([row.operation_id]).values()
    assert isinstance(final, Operation)
    assert (final.revision, final.dispatches) == (len(won) + 1, len(won))


@case("F024")
def test_of_a_worker_and_a_sweep_at_one_expired_lease_one_wins(table: Dynamo) -> None:
    for _ in range(20):
        held = a.claimed()
        table.place(held)
        sweep = a.hand(now=after(a.LATER, a.LIMITS.lease * 2), role=Role.RECONCILER)
        released = transitions.release(held, sweep)
        confirmed = transitions.confirm(held, a.hand(), evidence=a.EVIDENCE)
        answers = at_once(
            [lambda: table.store.apply(held, released), lambda: table.store.apply(held, confirmed)]  # noqa: B023
        )
        (winner,) = (answer.operation for answer in answers if isinstance(answer, Applied))
        assert table.store.find([held.operation_id]) == {held.operation_id: winner}


def test_of_sixteen_large_terminal_moves_one_wins(table: Dynamo) -> None:
    row = a.promised(payload={"text": "x" * 600})
    table.store.add(row)
    held = a.claimed(row)
    table.place(held)
    ends = [transitions.close(held, a.hand(), reason=Reason.RULED_OUT, words=f"by writer {n}") for n in range(WRITERS)]
    answers = at_once([lambda end=end: table.store.apply(held, end) for end in ends])  # type: ignore[misc]
    (winner,) = (answer.operation for answer in answers if isinstance(answer, Applied))
    (final,) = table.store.find([row.operation_id]).values()
    assert isinstance(final, Operation)
    assert final.closure == winner.closure


def test_of_sixteen_sweeps_one_takes_the_lease(table: Dynamo) -> None:
    tokens = [a.fresh("lease") for _ in range(WRITERS)]
    answers = at_once(
        [
            lambda token=token: table.ledger.take_lease(now=a.NOW, token=token, until=a.LATER)  # type: ignore[misc]
            for token in tokens
        ]
    )
    assert sum(answer is not None for answer in answers) == 1
