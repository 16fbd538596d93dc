"""Do operations that are already under way look as the real moves leave them, and does a sweep treat them so?"""

from __future__ import annotations

import pytest
from makegood import Promise
from makegood.domain.operation import Status
from makegood.testing import Bench

from tests.testing.publish_price import PublishPrice

PRICE = Promise(operation_type="publish_price", entity="price/4711", expected_version=3)

#: builder → the status it leaves, and what a sweep then does by itself
GIVEN = [
    ("fresh", Status.PENDING, {}),
    ("stale", Status.PENDING, {"touch": 1}),
    ("claimed", Status.PROCESSING, {}),
    ("dead_claim", Status.PROCESSING, {"release": 1}),
    ("awaiting", Status.AWAITING_CONFIRMATION, {"observe_again": 1}),
    ("in_review", Status.MANUAL_REVIEW, {}),
    ("in_doubt", Status.MANUAL_REVIEW, {}),
]
MOVES = {"claimed": 1, "dead_claim": 1, "awaiting": 2, "in_review": 2, "in_doubt": 3}  #: after the attempts before


class NoShop(PublishPrice):
    """The type with nobody to call: a look raises, which is Unknown."""


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.register(NoShop)
    return made


@pytest.mark.parametrize(("name", "status", "acted"), GIVEN)
def test_a_sweep_does_what_its_name_says(bench: Bench, name: str, status: Status, acted: dict[str, int]) -> None:
    operation = getattr(bench.given, name)(PRICE)
    bench.assert_status(operation, status)
    bench.refute_dispatched(operation)
    assert bench.sweep().record.acted == acted


@pytest.mark.parametrize("attempts", [0, 1, 7])
@pytest.mark.parametrize("name", [name for name, _, _ in GIVEN])
def test_it_has_so_many_attempts_behind_it(bench: Bench, name: str, attempts: int) -> None:
    operation = getattr(bench.given, name)(PRICE, attempts=attempts)
    moves = MOVES.get(name, 0)
    assert operation.attempt == attempts + bool(moves)
    assert operation.revision == 1 + 2 * attempts + moves
    assert operation.updated_at <= bench.clock.now()


def test_more_attempts_than_it_has_are_refused_in_words(bench: Bench) -> None:
    with pytest.raises(ValueError, match="attempts=8: it has 8, and the last that fails leads to in_review"):
        bench.given.stale(PRICE, attempts=8)
