"""What each guard of the table checks, given the row and the facts at hand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from makegood.domain.answer import differences
from makegood.domain.document import Document
from makegood.domain.evidence import Difference, Evidence, Verdict, VerdictKind
from makegood.domain.instant import Instant, after, between
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.policy import Terms
from makegood.domain.table import Guard


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a move rests on beside the row."""

    now: Instant
    terms: Terms
    reason_given: bool = True
    due_until: Instant | None = None  #: a person asked to judge staleness by another horizon than now
    evidence: Evidence | None = None
    verdict: Verdict | None = None  #: fresh, not the stored one
    stated: str | None = None  #: what a person says they checked


def key_is_fresh(operation: Operation, now: Instant, terms: Terms) -> bool:
    """Say whether one more send is safe: certain so far, or well within the remote's memory of the key."""
    if not operation.uncertain or operation.first_claimed_at is None:
        return True
    age = between(operation.first_claimed_at, now)
    return terms.policy.key_lifetime - age > terms.key_reserve


def agrees(operation: Operation, version: int | None, fields: Document, terms: Terms) -> bool:
    """Say whether an answer proves the expected effect: its version and every expected field."""
    return version is not None and not differences(operation, version, fields, terms)


def holds(guard: Guard, operation: Operation, facts: Facts) -> bool:
    """Check one guard."""
    return _CHECKS[guard](operation, facts)


def _agrees(operation: Operation, facts: Facts) -> bool:
    evidence = facts.evidence
    return evidence is not None and agrees(operation, evidence.version, evidence.fields, facts.terms)


def _attempts_left(operation: Operation, facts: Facts) -> bool:
    return operation.attempt < facts.terms.max_attempts


def _is_due(operation: Operation, facts: Facts) -> bool:
    horizon = facts.now if facts.due_until is None else facts.due_until
    return operation.due_at is not None and operation.due_at <= horizon


def _lease_over(operation: Operation, facts: Facts) -> bool:
    ends_at = operation.lease_ends_at
    return ends_at is None or facts.now > after(ends_at, facts.terms.limits.skew_margin)


def _settled(operation: Operation, facts: Facts) -> bool:
    ended_at = operation.attempt_ended_at
    return ended_at is not None and facts.now >= after(ended_at, facts.terms.settled_after)


def _verdict_resend(operation: Operation, facts: Facts) -> bool:
    return _kind(facts) in (_MISSING if operation.intent is Intent.EFFECT else _FOUND)


def _verdict_found(operation: Operation, facts: Facts) -> bool:
    if facts.verdict is None or facts.verdict.kind not in _FOUND:
        return False
    return not any(_is_not_ours(difference, operation) for difference in facts.verdict.differences)


def _is_not_ours(difference: Difference, operation: Operation) -> bool:
    """Say whether a difference shows that what was found is not the effect: it was taken away, or is still to come."""
    seen = difference.observed or ""
    if difference.field == "version":
        return seen.isdecimal() and int(seen) < operation.expected_version
    return difference.field == "deleted" and seen == "true"


def _checked(operation: Operation, facts: Facts) -> bool:
    if _kind(facts) in (_PROVEN if operation.intent is Intent.EFFECT else _MISSING):
        return False  # what is proven to be as wanted needs no other attempt, whatever a person says
    untried = facts.verdict is None and not operation.uncertain
    return _verdict_resend(operation, facts) or untried or bool(facts.stated)


def _kind(facts: Facts) -> VerdictKind | None:
    return facts.verdict.kind if facts.verdict else None


_MISSING = frozenset({VerdictKind.MISSING})
_PROVEN = frozenset({VerdictKind.CORRECT})
_FOUND = frozenset({VerdictKind.CORRECT, VerdictKind.DIVERGENT})
_NEVER_TRIED = frozenset({Status.PENDING, Status.RETRY_SCHEDULED})

_CHECKS: Mapping[Guard, Callable[[Operation, Facts], bool]] = {
    Guard.UNCLAIMED: lambda operation, _: not operation.is_claimed,
    Guard.ALLOWED_NOW: lambda operation, facts: operation.not_before is None or operation.not_before <= facts.now,
    Guard.ATTEMPTS_LEFT: _attempts_left,
    Guard.KEY_FRESH: lambda operation, facts: key_is_fresh(operation, facts.now, facts.terms),
    Guard.FOR_EFFECT: lambda operation, _: operation.intent is Intent.EFFECT,
    Guard.FOR_COMPENSATION: lambda operation, _: operation.intent is Intent.COMPENSATION,
    Guard.NOT_CANCELLED: lambda operation, _: operation.cancel_reason is None,
    Guard.STILL_WANTED: lambda operation, _: operation.cancel_reason is None or operation.intent is Intent.COMPENSATION,
    Guard.AGREES: _agrees,
    Guard.EVIDENCE: lambda _, facts: facts.evidence is not None,
    Guard.CERTAIN: lambda operation, _: not operation.uncertain,
    Guard.UNCERTAIN: lambda operation, _: operation.uncertain or operation.status not in _NEVER_TRIED,
    Guard.DUE: _is_due,
    Guard.LEASE_OVER: _lease_over,
    Guard.VERDICT_CORRECT: lambda _, facts: _kind(facts) is VerdictKind.CORRECT,
    Guard.VERDICT_GONE: lambda _, facts: _kind(facts) is VerdictKind.MISSING,
    Guard.VERDICT_RESEND: _verdict_resend,
    Guard.VERDICT_FOUND: _verdict_found,
    Guard.IDEMPOTENT: lambda _, facts: facts.terms.policy.idempotent,
    Guard.SETTLED: _settled,
    Guard.REASON: lambda _, facts: facts.reason_given,
    Guard.CHECKED: _checked,
}
