"""Does the fixture's Makegood do what the deployed one does, and do its assertions say why they fail?"""

from __future__ import annotations

from datetime import timedelta

import pytest
from makegood import Promise
from makegood.domain.operation import Status
from makegood.flows.cancel import Cancelled, Refused
from makegood.flows.review import Taken
from makegood.testing import Addresses, Bench, Fault, RemoteInMemory

from tests.testing.publish_price import PublishPrice

PRICE = Promise(
    operation_type="publish_price", entity="price/4711", expected_version=3, expected_fields={"amount": "10.00"}
)
SHOP = RemoteInMemory()


class InTest(PublishPrice):
    """The type at this module's double."""

    shop = SHOP


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.register(InTest)
    made.connect(SHOP)
    return made


def said(failure: pytest.ExceptionInfo[BaseException]) -> str:
    """Return what a failed assertion says."""
    return str(failure.value)


def test_the_clock_moves_when_it_is_told_to_and_only_then(bench: Bench) -> None:
    before = bench.clock.now()
    assert bench.clock.advance(minutes=16) - before == 16 * 60_000
    assert bench.clock.advance(timedelta(seconds=1), milliseconds=5) - before == 16 * 60_000 + 1005
    assert bench.clock.now() - before == 16 * 60_000 + 1005


def test_one_message_is_delivered_and_the_others_stay(bench: Bench) -> None:
    first = bench.submit(PRICE)
    second = bench.submit(Promise(operation_type="publish_price", entity="price/2", expected_version=1))
    bench.deliver(second)
    bench.assert_status(second, Status.CONFIRMED)
    bench.assert_dispatched(first)
    with pytest.raises(LookupError, match="no message names"):
        bench.deliver(second)
    bench.assert_dispatched(first)


def test_a_message_that_comes_too_early_stays_queued(bench: Bench) -> None:
    price = bench.given.fresh(PRICE)
    bench.memory.store.rows[price.operation_id] = price
    later = bench.submit(
        Promise(
            operation_type="publish_price",
            entity="price/2",
            expected_version=1,
            not_before=bench.clock.now() + 60_000,  # type: ignore[arg-type]
        )
    )
    bench.deliver()
    bench.assert_dispatched(later)
    bench.clock.advance(minutes=1)
    bench.deliver()
    bench.assert_status(later, "confirmed")


def test_the_messages_of_a_worker_that_dies_are_queued_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    price = bench.submit(PRICE)
    other = bench.submit(Promise(operation_type="publish_price", entity="price/2", expected_version=1))
    monkeypatch.setattr(SHOP, "put", die)
    with pytest.raises(KeyboardInterrupt):
        bench.deliver()
    bench.assert_status(price, "processing")
    bench.assert_dispatched(price)
    bench.assert_dispatched(other)


def test_a_duplicate_is_worked_on_once(bench: Bench) -> None:
    price = bench.submit(PRICE)
    bench.deliver()
    bench.deliver_again(price)
    bench.assert_effects(price, 1)
    bench.assert_effects(price.operation.idempotency_key, 1)
    bench.assert_effects("another key", 0)


def test_cancelling_and_deciding_are_the_real_flows(bench: Bench) -> None:
    price = bench.submit(PRICE)
    assert isinstance(bench.cancel(price), Cancelled)
    bench.assert_status(price, "not_applicable")
    undone = bench.submit(Promise(operation_type="publish_price", entity="price/8", expected_version=1))
    bench.deliver(undone)
    assert isinstance(bench.cancel(undone), Refused)
    doubtful = bench.given.in_doubt(Promise(operation_type="publish_price", entity="price/9", expected_version=1))
    assert [case.operation.operation_id for case in bench.exceptions()] == [doubtful.operation_id]  # type: ignore[union-attr]
    assert isinstance(bench.decide(doubtful, "confirm"), Refused)
    assert isinstance(bench.decide(doubtful, "retry"), Taken)


def test_a_wrong_status_is_told_with_all_that_led_there(bench: Bench) -> None:
    price = bench.given.awaiting(PRICE, attempts=2)
    with pytest.raises(AssertionError) as failure:
        bench.assert_status(price, "confirmed")
    words = said(failure)
    assert words.startswith(f"{price.operation_id} is awaiting_confirmation; confirmed was expected\n")
    for part in (
        'price/4711, version 3, {"amount":"10.00"}',
        "awaiting_confirmation, attempt 3 of 8, may have been applied",
        "TimeoutError: no answer",
        "claim → processing  by worker: a message named it and it was free",
        "now would observe: its outcome is being established",
    ):
        assert part in words


def test_a_dispatch_that_is_missing_or_not_wanted_or_double_is_told(bench: Bench) -> None:
    price = bench.submit(PRICE)
    with pytest.raises(AssertionError, match="was not to be dispatched, and 1 message"):
        bench.refute_dispatched(price)
    bench.memory.queue.messages *= 2
    with pytest.raises(AssertionError, match="2 messages name it: it would be worked on twice"):
        bench.assert_dispatched(price)
    assert bench.lose_messages() == 2
    with pytest.raises(AssertionError, match="was expected to be dispatched once, and no message names it"):
        bench.assert_dispatched(price)


def test_effects_that_are_missing_are_told_with_those_under_other_keys(bench: Bench) -> None:
    SHOP.put("price/1", key="mine", version=1, fields={})
    SHOP.put("price/1", key=None, version=2, fields={})
    with pytest.raises(
        AssertionError, match=r"0 effect\(s\) under key other; 1 expected, out of 2 call\(s\)"
    ) as failure:
        bench.assert_effects("other", 1)
    assert "{'mine': 1, 'no key': 1}" in said(failure)
    with pytest.raises(AssertionError, match=r"makegood\.connect"):
        Bench().assert_effects("other", 1)


def test_evidence_that_is_missing_or_other_is_told(bench: Bench) -> None:
    price = bench.submit(PRICE)
    with pytest.raises(AssertionError, match="none is stored: nothing proves the effect"):
        bench.assert_evidence(price)
    bench.deliver()
    bench.assert_evidence(price, version=3, fields={"amount": "10.00"}, remote_id="price/4711")
    with pytest.raises(AssertionError, match=r"version 4 expected, 3 stored; stored is: remote id price/4711"):
        bench.assert_evidence(price, version=4)


def test_a_verdict_is_asserted_by_its_kind(bench: Bench) -> None:
    SHOP.tell(Fault.TIME_OUT_AFTER, PRICE)
    price = bench.submit(PRICE)
    bench.deliver()
    SHOP.tell(Fault.CHANGED_ELSEWHERE, PRICE)
    bench.clock.advance(minutes=3)
    bench.sweep()
    bench.assert_status(price, "manual_review")
    bench.assert_evidence(price, verdict="divergent", version=4)
    with pytest.raises(
        AssertionError, match="verdict correct was expected; stored is: divergent, asked GET price/4711"
    ):
        bench.assert_evidence(price, verdict="correct")


def test_what_is_not_there_is_told_with_what_is(bench: Bench) -> None:
    price = bench.submit(PRICE)
    with pytest.raises(LookupError, match=f"no operation has the id nobody; there are: {price.operation.operation_id}"):
        bench.assert_status("nobody", "confirmed")
    with pytest.raises(LookupError, match="the test names no remote 'crm'; known are: shop"):
        Addresses(urls={"shop": "http://shop"}).url("crm")
