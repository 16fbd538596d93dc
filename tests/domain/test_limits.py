"""Is each pair of numbers that could lose work refused, by name and with both numbers?"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from makegood.domain.backoff import Backoff
from makegood.domain.errors import SettingsError, UnsafePolicy
from makegood.domain.limits import SQS_DELAY_LIMIT, Limits, SweepLimits
from makegood.domain.policy import Policy

from tests.support.rows import HOUR, MINUTE, SECOND

DAY = 24 * HOUR

LOCAL = Limits(
    stale_after=40 * SECOND,
    worker_timeout=4 * SECOND,
    perform_deadline=3 * SECOND,
    lease=10 * SECOND,
    visibility=25 * SECOND,
    skew_margin=SECOND,
    settle_window=2 * SECOND,
    outage_limit=2 * MINUTE,
)

DESIGNED = Limits(
    shards=4,
    stale_after=15 * MINUTE,
    worker_timeout=60 * SECOND,
    perform_deadline=50 * SECOND,
    lease=120 * SECOND,
    visibility=370 * SECOND,
    skew_margin=60 * SECOND,
    settle_window=2 * MINUTE,
    outage_limit=DAY,
    retention=90 * DAY,
    max_attempts=8,
    max_dispatches=5,
)

PAIRS: list[tuple[dict[str, Any], list[str]]] = [
    ({"perform_deadline": 60 * SECOND}, ["perform deadline (60 s)", "worker time-out (60 s)"]),
    ({"worker_timeout": 61 * SECOND, "lease": 61 * SECOND}, ["worker time-out (61 s)", "lease (61 s)"]),
    ({"lease": 901 * SECOND}, ["lease (901 s)", "stale_after (900 s)"]),
    ({"visibility": 359 * SECOND}, ["queue visibility (359 s)", "(360 s)"]),
    ({"batch_window": 11 * SECOND}, ["queue visibility (370 s)", "(371 s)"]),
    ({"stale_after": 430 * SECOND}, ["stale_after (430 s)", "queue visibility + skew margin (430 s)"]),
    ({"shards": 0}, ["shards (0)", "1"]),
    ({"max_attempts": 0}, ["max_attempts (0)", "1"]),
    ({"max_dispatches": 0}, ["max_dispatches (0)", "1"]),
    ({"skew_margin": -SECOND}, ["skew margin (-1 s)", "negative"]),
    ({"settle_window": -SECOND}, ["settle window (-1 s)", "longer than nothing"]),
    ({"settle_window": timedelta()}, ["settle window (0 s)", "longer than nothing"]),
    ({"perform_deadline": timedelta()}, ["perform deadline (0 s)", "longer than nothing"]),
    ({"outage_limit": timedelta()}, ["outage limit (0 s)", "longer than nothing"]),
    ({"retention": timedelta()}, ["retention (0 s)", "longer than nothing"]),
    ({"shards": 101}, ["shards (101)", "100"]),
]
EDGES: list[dict[str, Any]] = [
    {"perform_deadline": timedelta(seconds=59.999)},
    {"lease": 900 * SECOND},
    {"visibility": 360 * SECOND},
    {"batch_window": 10 * SECOND},
    {"stale_after": 431 * SECOND},
    {"shards": 1, "max_attempts": 1, "max_dispatches": 1},
    {"skew_margin": timedelta(), "settle_window": SECOND},
    {"shards": 100},
]


def test_what_nobody_sets_is_what_the_design_says() -> None:
    assert Limits() == DESIGNED
    assert SweepLimits() == SweepLimits(halt_cap=200, drain_rate=200, max_receive_count=5)
    assert SQS_DELAY_LIMIT == 15 * MINUTE
    assert Policy().under(Limits()).key_reserve == 4 * MINUTE


@pytest.mark.parametrize("limits", [Limits(), LOCAL], ids=["default", "local profile"])
def test_the_designs_own_numbers_agree(limits: Limits) -> None:
    limits.check()
    Policy(client_timeout=SECOND).under(limits)


@pytest.mark.parametrize(("changes", "words"), PAIRS)
def test_a_broken_pair_is_refused_with_both_numbers(changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(SettingsError) as refused:
        replace(Limits(), **changes).check()
    assert [word for word in words if word not in str(refused.value)] == []


@pytest.mark.parametrize("changes", EDGES)
def test_a_pair_that_just_agrees_is_taken(changes: dict[str, Any]) -> None:
    replace(Limits(), **changes).check()


def test_every_broken_pair_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as refused:
        Limits(perform_deadline=MINUTE, visibility=MINUTE, max_attempts=0).check()
    assert str(refused.value).count(";") == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schedule_interval": 239 * SECOND}, ["schedule interval (239 s)", "sweep's time-out (240 s)"]),
        ({"max_receive_count": 4}, ["maxReceiveCount (4)", "at least 5"]),
        ({"halt_cap": -1}, ["halt cap (-1)", "negative"]),
        ({"drain_rate": 0}, ["drain rate (0)", "at least 1"]),
        ({"sweep_timeout": timedelta()}, ["sweep time-out (0 s)", "longer than nothing"]),
    ],
)
def test_the_sweeps_broken_pairs_are_refused_with_both_numbers(changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(SettingsError) as refused:
        replace(SweepLimits(), **changes).check()
    assert [word for word in words if word not in str(refused.value)] == []


def test_the_sweeps_own_numbers_agree() -> None:
    SweepLimits().check()
    SweepLimits(halt_cap=0, drain_rate=1, schedule_interval=240 * SECOND).check()


POLICIES: list[tuple[dict[str, Any], list[str]]] = [
    ({"client_timeout": 50 * SECOND}, ["client time-out × tries (50 s)", "perform deadline (50 s)"]),
    ({"client_timeout": 25 * SECOND, "client_tries": 2, "idempotent": True}, ["(50 s)", "perform deadline (50 s)"]),
    ({"client_tries": 2}, ["not idempotent", "2 are declared"]),
    ({"client_tries": 0}, ["client_tries (0)", "at least 1"]),
    ({"client_timeout": timedelta()}, ["client_timeout (0 s)", "above 0"]),
    ({"max_attempts": 0}, ["max_attempts (0)", "at least 1"]),
    ({"max_dispatches": 0}, ["max_dispatches (0)", "at least 1"]),
    ({"key_lifetime": 240 * SECOND}, ["key lifetime (240 s)", "lease + settle window (240 s)"]),
    ({"settle_window": DAY}, ["key lifetime (86400 s)", "lease + settle window (86520 s)"]),
    ({"key_lifetime": 90 * DAY}, ["retention (7776000 s)", "key lifetime (7776000 s)"]),
    ({"stale_after": 430 * SECOND}, ["stale_after (430 s)", "queue visibility + skew margin (430 s)"]),
    ({"stale_after": timedelta()}, ["stale_after (0 s)", "queue visibility + skew margin (430 s)"]),
    ({"halt_cap": -1}, ["halt_cap (-1)", "negative"]),
    ({"deadline": timedelta()}, ["deadline (0 s)", "above 0"]),
    ({"settle_window": -SECOND}, ["settle_window (-1 s)", "negative"]),
    ({"backoff": Backoff(first=-SECOND)}, ["backoff.first (-1 s)", "negative"]),
    ({"confirmation_window": -SECOND}, ["confirmation_window (-1 s)", "negative"]),
]


@pytest.mark.parametrize(("policy", "words"), POLICIES)
def test_an_unsafe_policy_is_refused_with_both_numbers(policy: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(UnsafePolicy) as refused:
        Policy(**policy).under(Limits())
    assert [word for word in words if word not in str(refused.value)] == []


def test_every_rule_that_a_policy_breaks_is_named_at_once() -> None:
    with pytest.raises(UnsafePolicy) as refused:
        Policy(client_tries=9, client_timeout=MINUTE, max_attempts=0).under(Limits())
    assert str(refused.value).count(";") == 2


def test_a_policy_takes_the_deployments_numbers_where_it_says_nothing() -> None:
    terms = Policy().under(Limits(max_attempts=3, settle_window=MINUTE))
    assert (terms.max_attempts, terms.settle_window, terms.stale_after) == (3, MINUTE, 15 * MINUTE)


def test_a_policys_own_numbers_win() -> None:
    terms = Policy(max_attempts=2, max_dispatches=9, settle_window=3 * MINUTE, stale_after=HOUR).under(Limits())
    assert (terms.max_attempts, terms.max_dispatches) == (2, 9)
    assert (terms.settle_window, terms.stale_after, terms.key_reserve) == (3 * MINUTE, HOUR, 5 * MINUTE)


def test_a_new_type_only_observes_and_is_not_taken_for_idempotent() -> None:
    assert (Policy().mode, Policy().idempotent) == ("observe", False)
