"""Do the ready refusal tests pass where a sweep refuses, and fail, with reasons, where it does not?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from makegood import Promise
from makegood.domain.instant import after
from makegood.domain.limits import Limits, SweepLimits
from makegood.testing import (
    Bench,
    assert_leaves_claimed,
    assert_leaves_fresh,
    assert_refuses_above_the_cap,
)

from tests.testing.publish_price import PublishPrice

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.flows.sweep import Swept

PRICE = Promise(operation_type="publish_price", entity="price/4711", expected_version=3)
REAL = Bench.sweep


class Capped(PublishPrice):
    """The type with a cap of its own."""

    policy = replace(PublishPrice.policy, halt_cap=2)


class Patient(PublishPrice):
    """The type with a stale time of its own."""

    policy = replace(PublishPrice.policy, stale_after=Limits().stale_after * 4)


@pytest.mark.parametrize("kind", [PublishPrice, Capped, Patient])
def test_a_real_sweep_refuses_all_three(kind: type[PublishPrice]) -> None:
    assert_leaves_claimed(PRICE, kind)
    assert_leaves_fresh(PRICE, kind)
    assert_refuses_above_the_cap(PRICE, kind, sweep_limits=SweepLimits(halt_cap=3))


def hasty(self: Bench, **order: Any) -> Swept:
    """Sweep, and write and send whatever is there, as a sweep without refusals would."""
    for name, row in self.memory.store.rows.items():
        self.memory.store.rows[name] = replace(row, revision=row.revision + 1, due_at=after(self.clock.now(), TICK))
    return REAL(self, **order)


TICK = Limits().lease


@pytest.mark.parametrize(
    ("refusal", "why"),
    [
        (assert_leaves_claimed, "a worker holds it and its lease is running; the sweep wrote it"),
        (assert_leaves_fresh, "it is not stale yet: its message may be on its way; the sweep wrote it"),
        (assert_refuses_above_the_cap, "201 are lost, which is above the cap of 200; the sweep wrote it"),
    ],
)
def test_a_sweep_that_refuses_nothing_fails_them_in_words(
    monkeypatch: pytest.MonkeyPatch, refusal: Callable[..., None], why: str
) -> None:
    monkeypatch.setattr(Bench, "sweep", hasty)
    with pytest.raises(AssertionError, match=f"must be left alone: {why}"):
        refusal(PRICE, PublishPrice)


def test_a_sweep_that_does_nothing_and_raises_no_alarm_fails_the_third(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bench, "sweep", lambda _: REAL(Bench()))
    with pytest.raises(AssertionError, match="above the cap of 200; the sweep did not halt"):
        assert_refuses_above_the_cap(PRICE, PublishPrice)
