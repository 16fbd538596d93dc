"""The table of transitions, as data: which verb leads where, who may use it, and what must hold.

The life-cycle page of the docs is generated from it. A guard is named here and checked in `guards`; whatever is
fenced by a `key` is part of the write itself, so that nothing can come between the check and the write.
"""

from dataclasses import dataclass
from enum import StrEnum

from makegood.domain.history import Role, Verb
from makegood.domain.operation import OPEN, Status


class Key(StrEnum):
    """What a write names of the row it saw, beside its status."""

    ABSENT = "no row has this id"
    UNCLAIMED = "unclaimed"
    TOKEN = "the claim's token"  # noqa: S105
    REVISION = "the revision"


class Guard(StrEnum):
    """What must hold of the row and the facts at hand."""

    UNCLAIMED = "unclaimed"
    ALLOWED_NOW = "not_before has come"
    ATTEMPTS_LEFT = "attempts left"
    KEY_FRESH = "if uncertain, the key's lifetime leaves more than lease + settle window"
    FOR_EFFECT = "intent is effect"
    FOR_COMPENSATION = "intent is compensation"
    NOT_CANCELLED = "not cancelled"
    STILL_WANTED = "not cancelled, or being undone"
    AGREES = "evidence agrees with what was expected"
    EVIDENCE = "evidence"
    CERTAIN = "not uncertain"
    UNCERTAIN = "uncertain, or already claimed or awaiting"
    DUE = "due"
    LEASE_OVER = "the lease is over by more than the skew margin"
    VERDICT_CORRECT = "fresh verdict: correct"
    VERDICT_GONE = "fresh verdict: the effect is gone"
    VERDICT_RESEND = "fresh verdict: missing (of a compensation: the effect is still found)"
    VERDICT_FOUND = "fresh verdict that found the effect"
    IDEMPOTENT = "the type is idempotent"
    SETTLED = "the settle window is over"
    REASON = "a reason"
    CHECKED = (
        "fresh verdict that calls for it, or nothing applied and nothing found, or the person states what they checked"
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    verb: Verb
    sources: frozenset[Status]  #: empty for the first write
    target: Status | None  #: `None` where the status stays
    owners: frozenset[Role]
    key: Key
    guards: tuple[Guard, ...] = ()


_P, _W, _A = Status.PENDING, Status.PROCESSING, Status.AWAITING_CONFIRMATION
_R, _M = Status.RETRY_SCHEDULED, Status.MANUAL_REVIEW
_WORKER, _SWEEP, _PERSON = frozenset({Role.WORKER}), frozenset({Role.RECONCILER}), frozenset({Role.OPERATOR})
_PRODUCER = frozenset({Role.PRODUCER})


def _row(
    verb: Verb, sources: set[Status], target: Status | None, owners: frozenset[Role], key: Key, *guards: Guard
) -> Row:
    return Row(verb, frozenset(sources), target, owners, key, guards)


TABLE: tuple[Row, ...] = (
    _row(Verb.SUBMIT, set(), _P, _PRODUCER, Key.ABSENT),
    _row(
        Verb.CLAIM,
        {_P, _R},
        _W,
        _WORKER,
        Key.UNCLAIMED,
        Guard.UNCLAIMED,
        Guard.ALLOWED_NOW,
        Guard.ATTEMPTS_LEFT,
        Guard.KEY_FRESH,
    ),
    _row(Verb.CONFIRM, {_W}, Status.CONFIRMED, _WORKER, Key.TOKEN, Guard.FOR_EFFECT, Guard.NOT_CANCELLED, Guard.AGREES),
    _row(Verb.COMPENSATED, {_W}, Status.COMPENSATED, _WORKER, Key.TOKEN, Guard.FOR_COMPENSATION, Guard.EVIDENCE),
    _row(Verb.AWAIT, {_W}, _A, _WORKER, Key.TOKEN),
    _row(Verb.SCHEDULE_RETRY, {_W}, _R, _WORKER, Key.TOKEN, Guard.ATTEMPTS_LEFT),
    _row(Verb.ESCALATE, {_W}, _M, _WORKER, Key.TOKEN, Guard.REASON),
    _row(Verb.ESCALATE, {_P, _R, _A}, _M, _SWEEP, Key.REVISION, Guard.REASON),
    _row(Verb.CLOSE, {_W}, Status.NOT_APPLICABLE, _WORKER, Key.TOKEN, Guard.REASON, Guard.CERTAIN, Guard.FOR_EFFECT),
    _row(
        Verb.CLOSE,
        {_P, _R, _A, _M},
        Status.NOT_APPLICABLE,
        _SWEEP,
        Key.REVISION,
        Guard.REASON,
        Guard.CERTAIN,
        Guard.FOR_EFFECT,
    ),
    _row(Verb.CLOSE, {_P, _R, _A, _M}, Status.NOT_APPLICABLE, _PERSON, Key.REVISION, Guard.REASON),
    _row(Verb.TOUCH, {_P, _R}, None, _SWEEP, Key.REVISION, Guard.UNCLAIMED, Guard.DUE, Guard.ALLOWED_NOW),
    _row(Verb.RELEASE, {_W}, _A, _SWEEP, Key.REVISION, Guard.LEASE_OVER),
    _row(
        Verb.CONFIRM_BY_PROOF,
        {_A, _M},
        Status.CONFIRMED,
        _SWEEP,
        Key.REVISION,
        Guard.FOR_EFFECT,
        Guard.NOT_CANCELLED,
        Guard.VERDICT_CORRECT,
        Guard.EVIDENCE,
    ),
    _row(
        Verb.CONFIRM_BY_PROOF,
        {_A, _M},
        Status.CONFIRMED,
        _PERSON,
        Key.REVISION,
        Guard.FOR_EFFECT,
        Guard.VERDICT_CORRECT,
        Guard.EVIDENCE,
    ),
    _row(
        Verb.COMPENSATED_BY_PROOF,
        {_A, _M},
        Status.COMPENSATED,
        _SWEEP | _PERSON,
        Key.REVISION,
        Guard.FOR_COMPENSATION,
        Guard.VERDICT_GONE,
    ),
    _row(
        Verb.REQUEUE,
        {_A},
        _R,
        _SWEEP,
        Key.REVISION,
        Guard.IDEMPOTENT,
        Guard.ATTEMPTS_LEFT,
        Guard.KEY_FRESH,
        Guard.SETTLED,
        Guard.STILL_WANTED,
        Guard.VERDICT_RESEND,
    ),
    _row(Verb.OBSERVE_AGAIN, {_A}, None, _SWEEP, Key.REVISION),
    _row(Verb.RETRY, {_M}, _R, _PERSON, Key.REVISION, Guard.REASON, Guard.STILL_WANTED, Guard.CHECKED),
    _row(
        Verb.COMPENSATE,
        {_A, _M},
        _P,
        _SWEEP | _PERSON,
        Key.REVISION,
        Guard.FOR_EFFECT,
        Guard.VERDICT_FOUND,
        Guard.SETTLED,
    ),
    _row(
        Verb.REQUEST_CANCEL,
        {_P, _R},
        Status.NOT_APPLICABLE,
        _PRODUCER | _PERSON,
        Key.REVISION,
        Guard.REASON,
        Guard.CERTAIN,
        Guard.FOR_EFFECT,
    ),
    _row(
        Verb.REQUEST_CANCEL,
        set(OPEN),
        None,
        _PRODUCER | _PERSON,
        Key.REVISION,
        Guard.REASON,
        Guard.UNCERTAIN,
        Guard.FOR_EFFECT,
    ),
)


def rows_for(verb: Verb, source: Status | None, role: Role) -> tuple[Row, ...]:
    """Find the lines that could allow this move; empty if the table knows none."""
    return tuple(
        row
        for row in TABLE
        if row.verb is verb and role in row.owners and (source in row.sources if source else not row.sources)
    )
