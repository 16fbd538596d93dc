"""Is an unsafe policy refused, with words that name the rule and the harm, and a safe one taken?"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from makegood.domain.backoff import Backoff
from makegood.domain.errors import UnsafePolicy
from makegood.domain.observation import Look, Observed
from makegood.domain.operation_type import Attempt, OperationType
from makegood.domain.outcome import Outcome
from makegood.domain.policy import Capability, Mode, Policy, Step
from makegood.domain.registry import Registry

from tests.support.remote import Nowhere, Remote, calling
from tests.support.rows import HOUR, LIMITS, MINUTE, SECOND, terms

ASKS: dict[str, Any] = {"capability": Capability.BY_KEY}
SAFE: Mapping[str, Mapping[str, Any]] = {
    "the defaults": {},
    "one that is asked by key": ASKS,
    "one that sends again what is missing": {**ASKS, "idempotent": True, "on_missing": Step.REQUEUE},
    "one that undoes what is divergent or cancelled": {
        **ASKS,
        "on_divergent": Step.COMPENSATE,
        "on_cancelled": Step.COMPENSATE,
    },
    "one by business key that may do all": {"capability": Capability.BY_BUSINESS_KEY, "mode": Mode.CORRECT},
    "one that looks at once": {**ASKS, "confirmation_window": timedelta()},
    "windows as long as the lease": {"settle_window": LIMITS.lease, "deadline": LIMITS.lease},
    "one that leaves everything to people": {"on_correct": Step.REVIEW, "on_not_applicable": Step.REVIEW},
}


@pytest.mark.parametrize("policy", SAFE)
def test_a_safe_policy_is_taken(policy: str) -> None:
    assert terms(**SAFE[policy]).policy == Policy(**SAFE[policy])


def test_a_new_type_only_reports_asks_nobody_and_leaves_every_doubt_to_a_person() -> None:
    policy = Policy()
    assert (policy.mode, policy.capability, policy.idempotent) == (Mode.OBSERVE, Capability.NOT_OBSERVABLE, False)
    assert {policy.on_missing, policy.on_divergent, policy.on_ambiguous, policy.on_cancelled} == {Step.REVIEW}


SEND_AGAIN: dict[str, Any] = {**ASKS, "idempotent": True, "on_missing": Step.REQUEUE}
UNSAFE: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "ambiguous is sent again": (
        {"on_ambiguous": Step.REQUEUE},
        "on_ambiguous may be review, not requeue; what may have been applied would be sent again",
    ),
    "ambiguous is confirmed": ({"on_ambiguous": Step.CONFIRM}, "on_ambiguous may be review, not confirm"),
    "divergent is overwritten": (
        {"on_divergent": Step.REQUEUE},
        "on_divergent may be review or compensate, not requeue; what somebody else wrote would be overwritten",
    ),
    "a version that is text": ({"version": "2"}, r"version \('2'\) must be a whole number"),
    "a version that is no number": ({"version": True}, r"version \('True'\) must be a whole number"),
    "a version that is none": ({"version": None}, r"version \('None'\) must be a whole number"),
    "a version below the first": ({"version": 0}, r"version \(0\) must be at least 1"),
    "a number of attempts that is text": ({"max_attempts": "8"}, r"max_attempts \('8'\) must be a whole number"),
    "half an absence": ({"absences": 1.5}, r"absences \('1.5'\) must be a whole number"),
    "seconds without a unit": ({"client_timeout": 5}, r"client_timeout \('5'\) must be a timedelta"),
    "a settle window in seconds": ({"settle_window": 300}, r"settle_window \('300'\) must be a timedelta"),
    "no key lifetime": ({"key_lifetime": None}, r"key_lifetime \('None'\) must be a timedelta"),
    "no back-off": ({"backoff": None}, r"backoff.first \('None'\) must be a timedelta"),
    "a deadline that no date can be": ({"deadline": timedelta.max}, "deadline .* must be .* of at most 3650 days"),
    "a window that no date can end": ({"settle_window": timedelta.max}, "settle_window .* of at most 3650 days"),
    "missing is confirmed": ({"on_missing": Step.CONFIRM}, "on_missing may be requeue or review, not confirm"),
    "missing is closed": ({"on_missing": Step.CLOSE}, "on_missing may be requeue or review, not close"),
    "correct is undone": ({"on_correct": Step.COMPENSATE}, "on_correct may be confirm or review, not compensate"),
    "cancelled is confirmed": ({"on_cancelled": Step.CONFIRM}, "on_cancelled may be review or compensate"),
    "sent again, not idempotent": ({**SEND_AGAIN, "idempotent": False}, "a call that lands late would be a second eff"),
    "sent again, key forgotten by then": (
        {**SEND_AGAIN, "key_lifetime": 9 * MINUTE},
        r"the key lifetime \(540 s\) would be over before a send .* take 540 s",
    ),
    "sent again, looked at after the key is forgotten": (
        {**SEND_AGAIN, "confirmation_window": 24 * HOUR},
        r"the key lifetime \(86400 s\) would be over",
    ),
    "sent again, absences seen until the key is forgotten": (
        {**SEND_AGAIN, "absences": 1440},
        r"the key lifetime \(86400 s\) would be over .* take 86880 s",
    ),
    "sent again, and nobody can be asked": (
        {**SEND_AGAIN, "capability": Capability.NOT_OBSERVABLE},
        "on_missing is requeue, which needs by_key or by_business_key; not_observable never shows what is there",
    ),
    "undone, and nobody can be asked": (
        {"on_divergent": Step.COMPENSATE, "capability": Capability.ACKNOWLEDGEMENT_ONLY},
        "on_divergent is compensate, which needs by_key or by_business_key; acknowledgement_only never shows",
    ),
    "cancelled is undone, and nobody can be asked": ({"on_cancelled": Step.COMPENSATE}, "on_cancelled is compensate"),
    "a settle window below the lease": (
        {"settle_window": 119 * SECOND},
        r"settle_window \(119 s\) must not be shorter than the lease \(120 s\): an absence would count",
    ),
    "a deadline below the lease": ({"deadline": 60 * SECOND}, r"deadline \(60 s\) must not be shorter than the lease"),
    "an outage limit below the lease": ({"outage_limit": SECOND}, r"outage_limit \(1 s\) must not be shorter than"),
    "an outage limit below the first look": (
        {"outage_limit": HOUR, "confirmation_window": HOUR},
        r"outage_limit \(3600 s\) must exceed the settle and confirmation windows \(3600 s\)",
    ),
    "a key forgotten within a lease": ({"key_lifetime": 4 * MINUTE}, r"key lifetime \(240 s\) must exceed"),
    "a key that outlives the row": ({"key_lifetime": LIMITS.retention}, r"retention \(.* s\) must exceed"),
    "two tries, not idempotent": ({"client_tries": 2}, "a repeated call would be a second effect"),
    "tries that outlast the deadline": (
        {"idempotent": True, "client_tries": 5},
        r"client time-out × tries \(50 s\) must be below the perform deadline \(50 s\)",
    ),
    "no try": ({"client_tries": 0}, r"client_tries \(0\) must be at least 1"),
    "no absence": ({"absences": 0}, r"absences \(0\) must be at least 1"),
    "no unknown": ({"unknowns": 0}, r"unknowns \(0\) must be at least 1"),
    "no attempt": ({"max_attempts": 0}, r"max_attempts \(0\) must be at least 1"),
    "a look that is too long": ({"observe_timeout": 31 * SECOND}, r"observe_timeout \(31 s\) must not exceed"),
    "a look without time": ({"observe_timeout": timedelta()}, r"observe_timeout \(0 s\) must be above 0 s"),
    "looks without a pause": (
        {"observation_backoff": Backoff(first=timedelta())},
        r"observation_backoff.first \(0 s\) must be above 0 s",
    ),
    "a first look before the call": ({"confirmation_window": -SECOND}, r"confirmation_window \(-1 s\) must not be neg"),
    "stale before its message may come": ({"stale_after": 430 * SECOND}, r"stale_after \(430 s\) must exceed queue"),
    "a negative cap": ({"halt_cap": -1}, r"halt_cap \(-1\) must not be negative"),
    "a step that is only a word": ({**SEND_AGAIN, "idempotent": False, "on_missing": "requeue"}, "on_missing.*a Step"),
    "a mode that is only a word": ({"mode": "correct"}, "mode.*a Mode"),
    "a capability that is only a word": ({"capability": "by_key"}, "capability.*a Capability"),
    "one name in the place of a set of them": ({"numbers": "sum"}, "numbers.*a frozenset"),
}  # fmt: skip


@pytest.mark.parametrize("policy", UNSAFE)
def test_an_unsafe_policy_is_refused_and_the_words_say_which_rule_and_why(policy: str) -> None:
    said, words = UNSAFE[policy]
    with pytest.raises(UnsafePolicy, match=words):
        terms(**said)


def test_every_broken_rule_is_named_at_once() -> None:
    with pytest.raises(UnsafePolicy, match=r"absences.*unknowns.*on_ambiguous"):
        terms(absences=0, unknowns=0, on_ambiguous=Step.REQUEUE)


class Plain(OperationType):
    """A type that can make its effect, and nothing else."""

    name = "plain"
    policy = Policy()
    destination = "nowhere"

    def perform(self, attempt: Attempt) -> Outcome:
        """Do nothing."""
        raise NotImplementedError(attempt)


class Seeing(Plain):
    """One that can be observed as well."""

    def observe(self, look: Look) -> Observed:
        """See nothing."""
        raise NotImplementedError(look)


def registered(base: type[OperationType], **policy: Any) -> Registry:
    cls = type("Declared", (base,), {"policy": Policy(**policy)})
    return Registry([cls], limits=LIMITS, remotes=Nowhere())


UNABLE: Mapping[str, tuple[type[OperationType], Mapping[str, Any], str]] = {
    "asked, and has no observe": (Plain, ASKS, "has no observe, so nothing could ever be proven"),
    "has an observe that nobody asks": (Seeing, {}, "declares not_observable, so nobody would ever ask"),
    "undoes, and has no compensate": (Seeing, {**ASKS, "on_divergent": Step.COMPENSATE}, "it has no compensate"),
    "undoes what is cancelled, and has none": (Seeing, {**ASKS, "on_cancelled": Step.COMPENSATE}, "has no compensate"),
    "acknowledged, and nobody could check": (
        Plain,
        {"capability": Capability.ACKNOWLEDGEMENT_ONLY},
        "names no secret in acknowledged_with",
    ),
}


@pytest.mark.parametrize("type_", UNABLE)
def test_a_type_that_cannot_do_what_its_policy_says_is_refused_by_name(type_: str) -> None:
    base, policy, words = UNABLE[type_]
    with pytest.raises(UnsafePolicy, match=f"operation type plain is not registered: .*{words}"):
        registered(base, **policy)


def test_a_type_that_can_do_what_its_policy_says_is_registered() -> None:
    assert list(registered(Seeing, **ASKS).terms) == ["plain"]
    full = calling(Remote(), **{**ASKS, "on_divergent": Step.COMPENSATE})
    assert list(Registry([full], limits=LIMITS, remotes=Nowhere()).terms) == ["sync"]
