"""The line that versions of one entity stand in, for types whose newer versions supersede older ones.

One version is applied at a time, and none after a newer one. Whoever enters says until when its calls may still land;
whoever is refused learns what stands in the way.
"""

from dataclasses import dataclass, replace
from enum import Enum

from makegood.domain.instant import Instant, after
from makegood.domain.operation import Operation, OperationId
from makegood.domain.outcome import OutageError
from makegood.domain.policy import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """The newest version of an entity that was ever begun."""

    version: int
    operation_id: OperationId
    busy_until: Instant | None = None  #: a call of it may still land until then
    applied: frozenset[int] = frozenset()  #: versions that may have been applied, from the newest proven one on


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What an attempt asks for: to be the only one for its entity."""

    operation_type: str
    entity: str
    now: Instant
    latest: Latest
    over: OperationId | None = None  #: a newer one that is known to have no effect, and may be passed by


class Left(Enum):
    """What an attempt leaves behind at its entity."""

    NOTHING = "it certainly had no effect"
    DOUBT = "it may have had one"
    EFFECT = "it is proven"


class BehindError(OutageError):
    """Another version of the entity comes first. Nothing was sent."""


def entry(operation: Operation, *, now: Instant, terms: Terms, over: OperationId | None = None) -> Entry:
    """Ask for the entity until every call of this attempt has landed, however late."""
    limits = terms.limits
    busy_until = after(now, limits.lease + limits.skew_margin + terms.settle_window)
    latest = Latest(version=operation.expected_version, operation_id=operation.operation_id, busy_until=busy_until)
    return Entry(operation_type=operation.operation_type, entity=operation.entity, now=now, latest=latest, over=over)


def admits(standing: Latest, wanted: Entry) -> bool:
    """Say whether an entry may take the place of what stands there."""
    mine = wanted.latest
    if standing.operation_id in (mine.operation_id, wanted.over):
        return True
    free = standing.busy_until is None or standing.busy_until <= wanted.now
    return standing.version <= mine.version and free


def entered(standing: Latest | None, wanted: Entry) -> Latest:
    """Say what stands there once an entry was admitted. Until it leaves, it may have been applied."""
    before = standing.applied if standing is not None else frozenset()
    return replace(wanted.latest, applied=before | {wanted.latest.version})


def left(standing: Latest, *, busy_until: Instant | None, behind: Left) -> Latest:
    """Say what stands there once an attempt has left."""
    mine = frozenset({standing.version})
    applied = {Left.NOTHING: standing.applied - mine, Left.DOUBT: standing.applied, Left.EFFECT: mine}[behind]
    return replace(standing, busy_until=busy_until, applied=applied)


def newer_in_doubt(standing: Latest, version: int) -> int | None:
    """Return the newest version, but for the one that stands there, that may have been applied after this one."""
    return max((one for one in standing.applied if one > version and one != standing.version), default=None)
