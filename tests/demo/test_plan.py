"""Is the file that ships with the demo good, and is what happens to it a function of the seed?"""

from collections import Counter

import pytest
from makegood.adapters.dynamodb_rows import item_of
from makegood.domain import promise as promises
from makegood.domain.operation import QueueName
from makegood.domain.promise import Promise
from makegood_cli.demo.auditor.rows import text_of
from makegood_cli.demo.plan import AGAIN, PLANNED, POOLS, TWICE, Cause, intended, planned, pool_of
from makegood_cli.demo.refusing import wave
from makegood_cli.demo.story import read

from tests.support.rows import NOW, terms

PROMISES = read(NOW)
UPDATES = [promise for promise in PROMISES if promise.operation_type == "sync_customer"]
OF_POOLS = [pool_of(promise) for promise in PROMISES]
SEEDS = range(50)


def submitted(promise: Promise) -> str:
    """Make the row of a promise; return its id."""
    return promises.submit(promise, now=NOW, write_id="w", terms=terms()).operation_id


def test_the_file_holds_two_hundred_updates_of_two_hundred_customers_and_four_charges() -> None:
    assert len(UPDATES) == 200
    assert len({submitted(promise) for promise in PROMISES}) == 204
    assert len({promise.entity for promise in PROMISES}) == 204
    assert [promise.operation_type for promise in PROMISES if promise not in UPDATES] == ["charge_invoice"] * 4


def test_its_rows_are_as_small_as_rows_should_be() -> None:
    rows = (promises.submit(promise, now=NOW, write_id="w" * 12, terms=terms()) for promise in PROMISES)
    assert (
        max(len(text_of(item_of(row))) for row in rows) < 1024 + 500
    )  # the text has quotes that DynamoDB does not bill


def test_its_addresses_are_nobodys() -> None:
    domains = {str(promise.expected_fields["email"]).rpartition("@")[2] for promise in UPDATES}
    assert domains == {"example.com", "example.net", "example.org"}  # RFC 2606


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seed_strikes_as_many_from_the_pool_it_should(seed: int) -> None:
    plan = planned(OF_POOLS, seed=seed)
    assert intended(plan) == {cause.value: count for cause, count in PLANNED.items()}
    assert sorted(plan.order) == list(range(204))
    for line, cause in plan.causes.items():
        assert OF_POOLS[line] == POOLS.get(cause, "default")


def test_what_is_doubled_is_not_lost_and_doubled_in_one_way() -> None:
    for seed in SEEDS:
        plan = planned(OF_POOLS, seed=seed)
        assert (len(plan.twice), len(plan.again)) == (TWICE, AGAIN)
        assert not (plan.twice | plan.again) & plan.causes.keys()
        assert not plan.twice & plan.again


def test_the_same_seed_repeats_and_another_differs() -> None:
    assert planned(OF_POOLS, seed=7) == planned(OF_POOLS, seed=7)
    assert len({planned(OF_POOLS, seed=seed).order for seed in SEEDS}) == len(SEEDS)


def test_each_line_is_promised_once() -> None:
    plan = planned(OF_POOLS, seed=7)
    apart = plan.of(*set(Cause) - {Cause.SEND_FAILED, Cause.SEND_LOST, Cause.ANSWER_LOST})
    assert Counter(apart + plan.rest()) == Counter(range(204))


def test_the_second_part_is_of_other_customers_and_goes_to_a_queue_of_its_own() -> None:
    more = wave(PROMISES, 201)
    assert len({submitted(promise) for promise in more}) == 201
    assert not {promise.entity for promise in more} & {promise.entity for promise in PROMISES}
    assert {promise.queue for promise in more} == {QueueName.LOW}
    assert {promise.operation_type for promise in more} == {"sync_customer"}
