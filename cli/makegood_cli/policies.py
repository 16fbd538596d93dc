"""The written policy of an operation type, line by line: what `makegood types` and docs/policies.md show.

It is the inventory that a team would otherwise keep in a wiki, read from the code that acts by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain.choices import Capability
from makegood.domain.registry import can_compensate

from makegood_cli.modes import CAPABILITIES, MODES, STEPS, withholds
from makegood_cli.words import counted, duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.backoff import Backoff
    from makegood.domain.operation_type import OperationType
    from makegood.domain.policy import Policy, Step, Terms

Line = tuple[str, str]

_NOBODY = {True: "not written down", False: "nobody: it cannot be asked"}  #: by whether it can be asked


def written(cls: type[OperationType], terms: Terms) -> Iterator[Line]:
    """Yield what a policy says, with every number filled in."""
    yield from _of_the_effect(cls, terms)
    yield from _of_verdicts(terms.policy)
    yield from _of_observing(terms)
    yield from _of_attempts(terms)


def _of_the_effect(cls: type[OperationType], terms: Terms) -> Iterator[Line]:
    policy = terms.policy
    yield "policy", f"version {policy.version}"
    yield "expected effect", cls.effect or "not written down"
    yield "destination", cls.destination
    yield "source of truth", cls.source_of_truth or _NOBODY.get(policy.capability.can_ask, "")
    yield "evidence", cls.proof or "not written down"
    yield "capability", f"{policy.capability.value}: {CAPABILITIES[policy.capability]}"
    yield "mode", f"{policy.mode.value}: {MODES[policy.mode]}"
    yield "idempotent", "yes: a key is applied once" if policy.idempotent else "no: a repeated call is a second effect"
    yield "can be undone", "yes" if can_compensate(cls) else "no: it has no compensation"
    yield "supersedes", "yes: a newer version ends older ones" if policy.supersedes else "no: each version is wanted"
    if cls.acknowledged_with:
        yield "acknowledged with", f"the secret {cls.acknowledged_with!a}"


def _of_verdicts(policy: Policy) -> Iterator[Line]:
    steps = (
        ("if correct", policy.on_correct),
        ("if missing", policy.on_missing),
        ("if divergent", policy.on_divergent),
        ("if ambiguous", policy.on_ambiguous),
        ("if not applicable", policy.on_not_applicable),
        ("if cancelled, there", policy.on_cancelled),
    )
    yield from ((name, _step(step, policy)) for name, step in steps)


def _step(step: Step, policy: Policy) -> str:
    left = f"; in mode {policy.mode.value} a person takes that step" if withholds(policy.mode, step) else ""
    return f"{step.value}: {STEPS[step]}{left}"


def _of_observing(terms: Terms) -> Iterator[Line]:
    policy, limit = terms.policy, duration(terms.outage_limit)
    if policy.numbers:
        yield "numbers", f"{', '.join(sorted(policy.numbers))}: equal by value, however they are written"
    if policy.capability.can_ask:
        yield "first look", f"{duration(terms.confirmation_window)} after an attempt"
        yield "look", f"at most {duration(policy.observe_timeout)}; again after {_growing(policy.observation_backoff)}"
        yield "absence", f"counts {duration(terms.settled_after)} after an attempt, {_in_a_row(policy.absences)}"
        yield "no answer", f"{counted(policy.unknowns, 'look')} in a row: a sweep asks no further; {limit}: ambiguous"
    elif policy.capability is Capability.ACKNOWLEDGEMENT_ONLY:
        yield "no answer", f"no acknowledgement {limit} after an attempt: ambiguous"
    else:
        yield "no answer", "an attempt that may have been applied is ambiguous at once"
    yield "outage", f"for {limit} a call that is turned away uses no attempt up"


def _of_attempts(terms: Terms) -> Iterator[Line]:
    policy, limits = terms.policy, terms.limits
    yield "queue", policy.queue.value
    yield "deadline", "none" if policy.deadline is None else f"{duration(policy.deadline)} after submission"
    yield "attempts", f"at most {terms.max_attempts}, and {terms.max_dispatches} dispatches without a claim"
    yield "retry", f"after {_growing(policy.backoff)}"
    calls = f"{policy.client_tries} × {duration(policy.client_timeout)}"
    yield "client", f"{calls}, within {duration(limits.perform_deadline)}"
    yield "lease", duration(limits.lease)
    yield "stale after", duration(terms.stale_after)
    yield "key lifetime", f"{duration(policy.key_lifetime)}; then nothing uncertain is sent again"
    yield "halt cap", "the sweep's alone" if policy.halt_cap is None else f"{policy.halt_cap} anomalies of this type"


def _growing(backoff: Backoff) -> str:
    return f"{duration(backoff.first)}, growing to {duration(backoff.ceiling)}"


def _in_a_row(absences: int) -> str:
    return "once seen" if absences == 1 else f"seen {absences} times in a row"
