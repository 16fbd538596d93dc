"""The history of a row: one short string for each move, decoded here for people.

DynamoDB bills the whole item in steps of 1,024 bytes at every write, so an entry is packed:

    mhk2z1ab cl w w delivered          instant in base 36, verb, new status, actor, reason code
    ~ 37 r                             37 entries were left out here; the status then was retry_scheduled

The status an entry leaves is the one before it entered, so it is not stored. Actors are `p`roducer, `w`orker,
`r`econciler and `o:NAME` for an operator; `r:NAME` where a person's result file was judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from makegood.domain.instant import Instant
from makegood.domain.operation import Status
from makegood.domain.reason import Reason

FIRST_KEPT = 4
LAST_KEPT = 12
NAME_LIMIT = 24
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Verb(StrEnum):
    """Every move that the table of transitions knows."""

    SUBMIT = "submit"
    CLAIM = "claim"
    CONFIRM = "confirm"
    COMPENSATED = "compensated"
    AWAIT = "await"
    SCHEDULE_RETRY = "schedule_retry"
    ESCALATE = "escalate"
    CLOSE = "close"
    TOUCH = "touch"
    RELEASE = "release"
    CONFIRM_BY_PROOF = "confirm_by_proof"
    COMPENSATED_BY_PROOF = "compensated_by_proof"
    REQUEUE = "requeue"
    OBSERVE_AGAIN = "observe_again"
    RETRY = "retry"
    COMPENSATE = "compensate"
    REQUEST_CANCEL = "request_cancel"


class Role(StrEnum):
    """Who may own a move."""

    PRODUCER = "producer"
    WORKER = "worker"
    RECONCILER = "reconciler"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who moved a row. Operators have a name, and the reconciler where a person handed it what to judge by."""

    role: Role
    name: str | None = None

    def __str__(self) -> str:
        """Name the actor for people: `worker`, `operator alice`."""
        return f"{self.role} {self.name}" if self.name else str(self.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One move as people read it."""

    at: Instant
    verb: Verb
    source: Status | None  #: `None` for the first
    target: Status
    actor: str
    reason: str  #: a reason's code; words for those of this release


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many entries a bounded history no longer holds at this place."""

    count: int


@dataclass(frozen=True, slots=True)
class Foreign:
    """An entry that this release cannot decode, as it stands: another release wrote it."""

    packed: str


VERB_CODES: dict[Verb, str] = {
    Verb.SUBMIT: "su",
    Verb.CLAIM: "cl",
    Verb.CONFIRM: "cf",
    Verb.COMPENSATED: "cd",
    Verb.AWAIT: "aw",
    Verb.SCHEDULE_RETRY: "sr",
    Verb.ESCALATE: "es",
    Verb.CLOSE: "cs",
    Verb.TOUCH: "to",
    Verb.RELEASE: "rl",
    Verb.CONFIRM_BY_PROOF: "cp",
    Verb.COMPENSATED_BY_PROOF: "dp",
    Verb.REQUEUE: "rq",
    Verb.OBSERVE_AGAIN: "ob",
    Verb.RETRY: "rt",
    Verb.COMPENSATE: "co",
    Verb.REQUEST_CANCEL: "ca",
}
STATUS_CODES: dict[Status, str] = {
    Status.PENDING: "p",
    Status.PROCESSING: "w",
    Status.AWAITING_CONFIRMATION: "a",
    Status.RETRY_SCHEDULED: "r",
    Status.MANUAL_REVIEW: "m",
    Status.CONFIRMED: "C",
    Status.COMPENSATED: "X",
    Status.NOT_APPLICABLE: "N",
}
_VERBS = {code: verb for verb, code in VERB_CODES.items()}
_STATUSES = {code: status for status, code in STATUS_CODES.items()}
_ROLES = {role[0]: role for role in Role}


def pack(*, at: Instant, verb: Verb, target: Status, actor: Actor, reason: Reason) -> str:
    """Write one entry; 20 to 40 bytes but for long names."""
    who = actor.role[0] + (f":{_name(actor.name)}" if actor.name else "")
    return f"{_base36(at)} {VERB_CODES[verb]} {STATUS_CODES[target]} {who} {reason.value}"


def extended(history: Sequence[str], entry: str) -> tuple[str, ...]:
    """Add an entry, keeping the first 4 and the last 12, and between them a count and the status at the cut."""
    longer = (*history, entry)
    already = _left_out(history)
    in_front = FIRST_KEPT + (1 if already else 0)
    dropped = longer[in_front:-LAST_KEPT]
    if not dropped:
        return longer
    marker = f"~ {already + len(dropped)} {_target(dropped[-1])}"
    return (*longer[:FIRST_KEPT], marker, *longer[-LAST_KEPT:])


def read(history: Sequence[str]) -> Iterator[Entry | LeftOut | Foreign]:
    """Decode a row's history, oldest first. An entry whose source another release alone knows has none."""
    status: Status | None = None
    for packed in history:
        yield _decoded(packed, status)
        status = _STATUSES.get(_target(packed))


def last(history: Sequence[str]) -> Entry:
    """Decode the newest entry. Of what stands before only the status is looked at, which another release may know."""
    *before, newest = history
    return _entry(newest, _STATUSES.get(_target(before[-1])) if before else None)


def _decoded(packed: str, source: Status | None) -> Entry | LeftOut | Foreign:
    try:
        return LeftOut(int(packed.split(" ")[1])) if packed.startswith("~ ") else _entry(packed, source)
    except (ValueError, LookupError):
        return Foreign(packed)


def _entry(packed: str, source: Status | None) -> Entry:
    at, verb, target, actor, reason = packed.split(" ")
    role, _, name = actor.partition(":")
    return Entry(
        at=Instant(int(at, 36)),
        verb=_VERBS[verb],
        source=source,
        target=_STATUSES[target],
        actor=str(Actor(role=_ROLES[role], name=name or None)),
        reason=reason,
    )


def _left_out(history: Sequence[str]) -> int:
    marker = history[FIRST_KEPT] if len(history) > FIRST_KEPT else ""
    return int(marker.split(" ")[1]) if marker.startswith("~ ") else 0


def _target(packed: str) -> str:
    return "".join(packed.split(" ")[2:3])


def _name(name: str) -> str:
    plain = "".join(c if c.isascii() and c.isprintable() and c != " " else "_" for c in name)
    return plain[-NAME_LIMIT:]


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
