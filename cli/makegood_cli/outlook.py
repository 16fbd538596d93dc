"""What a look at an operation's outcome could lead to: the sweep's own rule, asked for every verdict that may come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from makegood.domain.choices import Capability, Mode, Step
from makegood.domain.evidence import Evidence, Verdict, VerdictKind
from makegood.domain.follow import follow
from makegood.domain.history import Actor, Role, last
from makegood.domain.instant import after
from makegood.domain.judge import Judged
from makegood.domain.moving import Hand
from makegood.domain.operation import Operation, Status
from makegood.domain.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.history import Verb
    from makegood.domain.instant import Instant
    from makegood.domain.policy import Policy, Terms

_SWEEP = Actor(role=Role.RECONCILER)
_REASONS = {
    VerdictKind.CORRECT: Reason.PROVEN,
    VerdictKind.MISSING: Reason.MISSING,
    VerdictKind.DIVERGENT: Reason.DIVERGENT,
    VerdictKind.AMBIGUOUS: Reason.UNKNOWN_TOO_LONG,
    VerdictKind.NOT_APPLICABLE: Reason.SUPERSEDED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """One verdict that may come, and what follows from it."""

    verdict: VerdictKind
    since: Instant  #: no look says so before
    target: Status
    verb: Verb
    reason: str
    would: Verb | None  #: what the type's mode leaves to a person


def prospects(operation: Operation, *, now: Instant, terms: Terms) -> tuple[Prospect, ...]:
    """Say what each verdict would lead to, as things stand; nothing where no look is awaited."""
    if operation.status is not Status.AWAITING_CONFIRMATION:
        return ()
    return tuple(_prospect(operation, kind, since, terms) for kind, since in _kinds(operation, now, terms))


def settled_by(operation: Operation, policy: Policy) -> str:
    """Say what settles an operation whose cancellation is asked for and whose effect may be there."""
    undone = policy.on_cancelled is Step.COMPENSATE and policy.mode is Mode.CORRECT
    there = "it is undone" if undone else "a person decides"
    gone = ", a person closes it" if operation.uncertain else " it ends as not_applicable"
    ends = f"if its effect is not there{gone}, if it is there, {there}"
    match operation.status:
        case Status.MANUAL_REVIEW:
            return "a person, who decides"
        case Status.PROCESSING:
            return f"what its worker is answered just now, or a look after that: {ends}"
        case _ if not policy.capability.can_ask:
            return "a person: an attempt may have been applied, and its type cannot be asked what is there"
        case _:
            return f"the next look at what is there, and no attempt before: {ends}"


def _kinds(operation: Operation, now: Instant, terms: Terms) -> Iterator[tuple[VerdictKind, Instant]]:
    """Yield the verdicts that may come, each with the instant from which on it can."""
    policy = terms.policy
    ended_at = operation.attempt_ended_at or operation.updated_at
    look_at = max(now, operation.due_at or now)
    given_up_at = max(look_at, after(ended_at, terms.outage_limit))
    if policy.capability.can_ask:
        yield VerdictKind.CORRECT, look_at
        yield VerdictKind.MISSING, max(look_at, after(ended_at, terms.settled_after))
        yield VerdictKind.DIVERGENT, look_at
        if policy.supersedes:
            yield VerdictKind.NOT_APPLICABLE, look_at
        yield VerdictKind.AMBIGUOUS, given_up_at
    elif policy.capability is Capability.ACKNOWLEDGEMENT_ONLY:
        yield VerdictKind.CORRECT, now
        yield VerdictKind.AMBIGUOUS, given_up_at
    elif operation.verdict is not None and operation.verdict.kind is VerdictKind.DIVERGENT:
        yield VerdictKind.DIVERGENT, look_at
    else:
        yield VerdictKind.AMBIGUOUS, look_at


def _prospect(operation: Operation, kind: VerdictKind, since: Instant, terms: Terms) -> Prospect:
    unseen = kind is VerdictKind.AMBIGUOUS and terms.policy.capability is Capability.NOT_OBSERVABLE
    judged = Judged(
        verdict=Verdict(kind=kind, at=since, asked="", policy_version=terms.policy.version),
        reason=Reason.NOT_OBSERVABLE if unseen else _REASONS[kind],
        evidence=Evidence(at=since),
    )
    hand = Hand(now=since, actor=_SWEEP, write_id="", terms=terms)
    followed = follow(operation, judged, hand, fraction=0.0)
    entry = last(followed.after.history)
    return Prospect(
        verdict=kind,
        since=since,
        target=followed.after.status,
        verb=entry.verb,
        reason=entry.reason,
        would=followed.would,
    )
