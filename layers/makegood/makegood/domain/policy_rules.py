"""The rules that a policy must keep to be registered. Each says which numbers or steps clash, and to what harm."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from makegood.domain.choices import Capability, Mode, Step
from makegood.domain.operation import QueueName

if TYPE_CHECKING:
    from makegood.domain.policy import Policy, Terms

LONGEST_LOOK = timedelta(seconds=30)
LONGEST = timedelta(days=3650)  #: of any time in a policy; an instant beyond the year 9999 could not be kept

Rules: TypeAlias = Iterator[tuple[bool, str]]

_ALLOWED = {
    "on_correct": (Step.CONFIRM, Step.REVIEW),
    "on_missing": (Step.REQUEUE, Step.REVIEW),
    "on_divergent": (Step.REVIEW, Step.COMPENSATE),
    "on_ambiguous": (Step.REVIEW,),
    "on_not_applicable": (Step.CLOSE, Step.REVIEW),
    "on_cancelled": (Step.REVIEW, Step.COMPENSATE),
}
_WHY_NOT = {
    "on_ambiguous": "what may have been applied would be sent again: ambiguity is a person's to decide",
    "on_divergent": "what somebody else wrote would be overwritten",
}
_AFTER_A_LOOK = (
    ("on_missing", Step.REQUEUE),
    ("on_divergent", Step.COMPENSATE),
    ("on_cancelled", Step.COMPENSATE),
)
_KINDS = {
    **dict.fromkeys(_ALLOWED, Step),
    "mode": Mode,
    "capability": Capability,
    "queue": QueueName,
    "idempotent": bool,
    "supersedes": bool,
    "numbers": frozenset,
}
_WHOLE = ("version", "client_tries", "absences", "unknowns", "max_attempts", "max_dispatches", "halt_cap")
_TIMES = (
    *("stale_after", "deadline", "settle_window", "confirmation_window", "outage_limit"),
    *("key_lifetime", "client_timeout", "observe_timeout"),
    *("backoff.first", "backoff.ceiling", "observation_backoff.first", "observation_backoff.ceiling"),
)
_MAY_BE_UNSET = frozenset({*_TIMES[:5], "max_attempts", "max_dispatches", "halt_cap"})
_NOTHING = timedelta()


def odd(policy: "Policy") -> list[str]:
    """Say what in a policy is of another kind than it must be; nothing can be worked out with it then."""
    return [words for holds, words in _of_kinds(policy) if not holds]


def broken(terms: "Terms") -> list[str]:
    """Say which rules a policy breaks under a deployment's numbers; empty if it is safe."""
    rules = (_of_calls, _of_keys, _of_numbers, _of_windows, _of_steps, _of_requeues, _of_observing)
    return [words for rule in rules for holds, words in rule(terms) if not holds]


def _of_kinds(policy: "Policy") -> Rules:
    """Refuse a word in the place of a choice: it would slip past the rules below, which know choices."""
    for name, kind in _KINDS.items():
        value = getattr(policy, name)
        yield isinstance(value, kind), f"{name} ({_shown(value)}) must be a {kind.__name__}"
    for name in _WHOLE:
        value = getattr(policy, name)
        yield type(value) is int or _is_unset(name, value), f"{name} ({_shown(value)}) must be a whole number"
    for name in _TIMES:
        value = _value(policy, name)
        fits = _is_unset(name, value) or (isinstance(value, timedelta) and value <= LONGEST)
        yield fits, f"{name} ({_shown(value)}) must be a timedelta of at most {LONGEST.days} days"


def _of_calls(terms: "Terms") -> Rules:
    policy, limits = terms.policy, terms.limits
    spent = policy.client_timeout * policy.client_tries
    yield policy.client_tries >= 1, f"client_tries ({policy.client_tries}) must be at least 1"
    yield (
        spent < limits.perform_deadline,
        (
            f"client time-out × tries ({_s(spent)}) must be below the perform deadline "
            f"({_s(limits.perform_deadline)}), or Lambda kills the run in the middle of a call"
        ),
    )
    yield (
        policy.idempotent or policy.client_tries == 1,
        (
            f"a type that is not idempotent tries once in its client ({policy.client_tries} are declared), "
            "since a repeated call would be a second effect"
        ),
    )


def _of_keys(terms: "Terms") -> Rules:
    lifetime, retention = terms.policy.key_lifetime, terms.limits.retention
    yield (
        lifetime > terms.key_reserve,
        (
            f"key lifetime ({_s(lifetime)}) must exceed lease + settle window ({_s(terms.key_reserve)}), "
            "or no repeated send could ever be safe"
        ),
    )
    yield (
        retention > lifetime,
        (
            f"retention ({_s(retention)}) must exceed the remote's key lifetime ({_s(lifetime)}), "
            "or a late message could meet no row and a live key"
        ),
    )


def _of_numbers(terms: "Terms") -> Rules:
    policy = terms.policy
    for name, number in (
        ("version", policy.version),
        ("max_attempts", policy.max_attempts),
        ("max_dispatches", policy.max_dispatches),
        ("absences", policy.absences),
        ("unknowns", policy.unknowns),
    ):
        yield number is None or number >= 1, f"{name} ({number}) must be at least 1"
    yield policy.halt_cap is None or policy.halt_cap >= 0, f"halt_cap ({policy.halt_cap}) must not be negative"
    for name, window in (
        ("settle_window", policy.settle_window),
        ("confirmation_window", policy.confirmation_window),
        ("backoff.first", policy.backoff.first),
        ("backoff.ceiling", policy.backoff.ceiling),
    ):
        yield window is None or window >= _NOTHING, f"{name} ({_s(window or _NOTHING)}) must not be negative"
    for name, time in (
        ("client_timeout", policy.client_timeout),
        ("deadline", policy.deadline),
        ("observe_timeout", policy.observe_timeout),
        ("observation_backoff.first", policy.observation_backoff.first),
        ("observation_backoff.ceiling", policy.observation_backoff.ceiling),
    ):
        yield time is None or time > _NOTHING, f"{name} ({_s(time or _NOTHING)}) must be above 0 s"


def _of_windows(terms: "Terms") -> Rules:
    policy, limits = terms.policy, terms.limits
    least = limits.visibility + limits.skew_margin
    yield (
        terms.stale_after > least and terms.stale_after >= limits.lease,
        (
            f"stale_after ({_s(terms.stale_after)}) must exceed queue visibility + skew margin ({_s(least)}) "
            f"and not be below the lease ({_s(limits.lease)}), or messages on their way are sent again"
        ),
    )
    for name, window, harm in (
        ("settle_window", policy.settle_window, "an absence would count while a call may still be under way"),
        ("deadline", policy.deadline, "it would pass during the first attempt"),
        ("outage_limit", policy.outage_limit, "a question would reach a person before it could be asked twice"),
    ):
        yield (
            window is None or window >= limits.lease,
            f"{name} ({_s(window or _NOTHING)}) must not be shorter than the lease ({_s(limits.lease)}): {harm}",
        )
    first_answer = max(terms.settled_after, terms.confirmation_window)
    yield (
        terms.outage_limit > first_answer,
        (
            f"outage_limit ({_s(terms.outage_limit)}) must exceed the settle and confirmation windows "
            f"({_s(first_answer)}), or the first question without an answer would be the last"
        ),
    )


def _of_steps(terms: "Terms") -> Rules:
    for name, allowed in _ALLOWED.items():
        step = getattr(terms.policy, name)
        why = f"; {_WHY_NOT[name]}" if name in _WHY_NOT else ""
        yield step in allowed, f"{name} may be {' or '.join(allowed)}, not {step}{why}"


def _of_requeues(terms: "Terms") -> Rules:
    policy = terms.policy
    if policy.on_missing is not Step.REQUEUE:
        return
    words = "on_missing is requeue, which needs idempotent=True: a call that lands late would be a second effect"
    yield policy.idempotent, words
    first_answer = max(terms.settled_after, terms.confirmation_window)
    more_looks = (policy.absences - 1) * policy.observation_backoff.first
    needed = terms.limits.lease + first_answer + more_looks + terms.key_reserve
    yield (
        policy.key_lifetime > needed,
        (
            f"on_missing is requeue, but the key lifetime ({_s(policy.key_lifetime)}) would be over before a send that "
            "follows the first certain absence: lease + window + looks until it is certain + (lease + settle window) "
            f"take {_s(needed)}"
        ),
    )


def _of_observing(terms: "Terms") -> Rules:
    policy = terms.policy
    for name, step in _AFTER_A_LOOK:
        words = (
            f"{name} is {step}, which needs by_key or by_business_key; {policy.capability} never shows what is there"
        )
        yield policy.capability.can_ask or getattr(policy, name) is not step, words
    yield (
        policy.observe_timeout <= LONGEST_LOOK,
        (
            f"observe_timeout ({_s(policy.observe_timeout)}) must not exceed {_s(LONGEST_LOOK)}, "
            "or a few slow looks could cost a sweep"
        ),
    )


def _value(policy: object, name: str) -> object:
    holder, _, part = name.rpartition(".")
    return getattr(getattr(policy, holder, None) if holder else policy, part, None)


def _is_unset(name: str, value: object) -> bool:
    return value is None and name in _MAY_BE_UNSET


def _shown(value: object) -> str:
    return ascii(str(value)[:40])


def _s(duration: timedelta) -> str:
    return f"{duration.total_seconds():.12g} s"
