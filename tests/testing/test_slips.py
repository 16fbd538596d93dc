"""Is a slip in a test itself explained, where it would otherwise fail far from its cause?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from makegood.testing import Bench, RemoteInMemory, put_on_trial

from tests.testing.publish_price import PublishPrice
from tests.testing.test_publish_price import PRICE, SHOP, InTest

if TYPE_CHECKING:
    from makegood import Attempt, Done


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.register(InTest)
    bench.connect(SHOP)
    return bench


def test_a_status_that_there_is_not_is_told_with_those_that_there_are(bench: Bench) -> None:
    with pytest.raises(ValueError, match="there is no status 'done'; there are: pending, processing, "):
        bench.assert_status(bench.submit(PRICE), "done")


def test_a_decision_that_there_is_not_is_told_with_those_that_there_are(bench: Bench) -> None:
    with pytest.raises(ValueError, match="there is no action 'approve'; there are: retry, "):
        bench.decide(bench.submit(PRICE), "approve")


def test_a_promise_is_not_taken_for_its_operation(bench: Bench) -> None:
    promise: Any = PRICE
    with pytest.raises(TypeError, match="what `submit` returned is wanted, not Promise"):
        bench.assert_status(promise, "pending")


@pytest.mark.parametrize("slip", [{"duration": 16}, {"minute": 16}])
def test_a_clock_that_is_not_told_how_far_shows_how_to_say_it(bench: Bench, slip: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"advance\(minutes=16\)"):
        bench.clock.advance(**slip)


def test_expected_evidence_may_hold_a_float_as_a_promise_may(bench: Bench) -> None:
    price = bench.submit(PRICE)
    bench.deliver()
    with pytest.raises(AssertionError, match=r'{"amount":9.5} expected, {"amount":"10.00"} stored'):
        bench.assert_evidence(price, fields={"amount": 9.5})


def test_a_double_that_the_type_does_not_call_is_named_before_the_type_is_blamed() -> None:
    told = str(put_on_trial(InTest, RemoteInMemory(), PRICE))
    assert "The double counted no call when nothing went wrong: is it the one that the type calls?" in told
    assert "counted no call" not in str(put_on_trial(InTest, SHOP, PRICE))


def test_what_a_type_raises_when_nothing_goes_wrong_is_told_in_its_own_words() -> None:
    class Lost(PublishPrice):
        shop = SHOP

        def perform(self, attempt: Attempt) -> Done:
            """Ask for an address that no test has given."""
            raise AssertionError(attempt, self.remotes.url("shop"))

    told = str(put_on_trial(Lost, SHOP, PRICE))
    assert (
        "a person is asked after 8 attempt(s): LookupError: the test names no remote 'shop'; known are: none." in told
    )
