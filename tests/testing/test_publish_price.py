"""Does publishing a price keep its promise, whatever goes wrong?"""

import pytest
from makegood import OperationType, Promise
from makegood.testing import Bench, Fault, RemoteInMemory, put_on_trial, refusal_tests

from tests.testing.publish_price import PublishPrice

SHOP = RemoteInMemory()
PRICE = Promise(
    operation_type="publish_price", entity="price/4711", expected_version=3, expected_fields={"amount": "10.00"}
)


class InTest(PublishPrice):
    """The same type, with a double in the place of the shop's client."""

    shop = SHOP


@pytest.fixture
def makegood_types() -> tuple[type[OperationType], ...]:
    return (InTest,)


@pytest.fixture
def makegood_remote() -> RemoteInMemory:
    return SHOP


def test_a_lost_message_is_sent_again(makegood: Bench) -> None:
    price = makegood.submit(PRICE)
    makegood.lose_messages()
    makegood.clock.advance(minutes=16)
    makegood.sweep()
    makegood.assert_dispatched(price)
    makegood.deliver()
    makegood.assert_status(price, "confirmed")
    makegood.assert_effects(price, 1)
    makegood.assert_evidence(price, version=3, fields={"amount": "10.00"})


def test_a_price_that_timed_out_is_looked_for_and_not_sent_again(makegood: Bench) -> None:
    SHOP.tell(Fault.TIME_OUT_AFTER, PRICE)
    price = makegood.submit(PRICE)
    makegood.deliver()
    makegood.assert_status(price, "awaiting_confirmation")
    makegood.clock.advance(minutes=3)
    makegood.sweep()
    makegood.refute_dispatched(price)
    makegood.assert_status(price, "confirmed")
    makegood.assert_effects(price, 1)


def test_what_is_in_review_waits_for_a_person_and_then_goes_on(makegood: Bench) -> None:
    price = makegood.given.in_review(PRICE, attempts=3)
    makegood.sweep()
    makegood.refute_dispatched(price)
    makegood.decide(price, "retry", reason="the shop has found its fault")
    makegood.deliver(price)
    makegood.assert_status(price, "confirmed")


TestRefusals = refusal_tests(PRICE, InTest)


def test_it_withstands_every_fault() -> None:
    put_on_trial(InTest, SHOP, PRICE).assert_sound()
