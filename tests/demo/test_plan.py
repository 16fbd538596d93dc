"""Is the file that ships with the demo good, and is what happens to it a function of the seed?"""

from collections import Counter

import pytest
from makegood.adapters.dynamodb_rows import item_of
from makegood.domain import promise as promises
from makegood.domain.operation import QueueName
from makegood.domain.promise import Promise
from makegood_cli.demo.auditor.rows import text_of
from makegood_cli.demo.plan import AGAIN, LOST, ON_HIGH, TWICE, Cause, intended, planned
from makegood_cli.demo.refusing import wave
from makegood_cli.demo.story import read

from tests.support.rows import NOW, terms

PROMISES = read(NOW)
QUEUES = [promise.queue or QueueName.DEFAULT for promise in PROMISES]
SEEDS = range(50)


def submitted(promise: Promise) -> str:
    """Make the row of a promise; return its id."""
    return promises.submit(promise, now=NOW, write_id="w", terms=terms()).operation_id


def test_the_file_holds_two_hundred_good_promises_of_two_hundred_customers() -> None:
    assert len(PROMISES) == 200
    assert len({submitted(promise) for promise in PROMISES}) == 200
    assert len({promise.entity for promise in PROMISES}) == 200
    assert {promise.operation_type for promise in PROMISES} == {"sync_customer"}


def test_its_rows_are_as_small_as_rows_should_be() -> None:
    rows = (promises.submit(promise, now=NOW, write_id="w" * 12, terms=terms()) for promise in PROMISES)
    assert (
        max(len(text_of(item_of(row))) for row in rows) < 1024 + 500
    )  # the text has quotes that DynamoDB does not bill


def test_its_addresses_are_nobodys() -> None:
    domains = {str(promise.expected_fields["email"]).rpartition("@")[2] for promise in PROMISES}
    assert domains == {"example.com", "example.net", "example.org"}  # RFC 2606


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seed_loses_as_much_from_the_queue_it_should(seed: int) -> None:
    plan = planned(QUEUES, seed=seed)
    assert intended(plan) == {cause.value: count for cause, count in LOST.items()}
    assert sorted(plan.order) == list(range(200))
    for line, cause in plan.causes.items():
        assert QUEUES[line] == ("high" if cause in ON_HIGH else "default")


def test_what_is_doubled_is_not_lost_and_doubled_in_one_way() -> None:
    for seed in SEEDS:
        plan = planned(QUEUES, seed=seed)
        assert (len(plan.twice), len(plan.again)) == (TWICE, AGAIN)
        assert not (plan.twice | plan.again) & plan.causes.keys()
        assert not plan.twice & plan.again


def test_the_same_seed_repeats_and_another_differs() -> None:
    assert planned(QUEUES, seed=7) == planned(QUEUES, seed=7)
    assert len({planned(QUEUES, seed=seed).order for seed in SEEDS}) == len(SEEDS)


def test_each_line_is_promised_once() -> None:
    plan = planned(QUEUES, seed=7)
    apart = plan.of(Cause.WORKER_KILLED) + plan.of(Cause.QUEUE_PURGED)
    assert Counter(apart + plan.rest()) == Counter(range(200))


def test_the_second_part_is_of_other_customers_and_goes_to_a_queue_of_its_own() -> None:
    more = wave(PROMISES, 201)
    assert len({submitted(promise) for promise in more}) == 201
    assert not {promise.entity for promise in more} & {promise.entity for promise in PROMISES}
    assert {promise.queue for promise in more} == {QueueName.LOW}
