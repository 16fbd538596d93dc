"""Let versions of one entity be applied one after the other, for types whose newer versions supersede older ones.

    enter    before perform: one request and one write unit
    leave    after the settle: the same

An older version that finds a newer one confirmed is not applicable, without a call; to undo it is then a person's
question, since what is there is the newer one's. One that finds a newer one begun and not ended waits, since it could
land behind it; so does a newer one while a call of another may still land.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from makegood.domain import latest
from makegood.domain.errors import StoreError
from makegood.domain.instant import after, between
from makegood.domain.latest import BehindError, Entry, Latest, Left
from makegood.domain.operation import Intent, Operation, OperationId, Status
from makegood.domain.outcome import NotApplicable
from makegood.domain.policy import Terms
from makegood.ports import Clock, Line, Store

TRIES = 3  #: how many newer versions without an effect are passed by in one attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """The attempt may go on. `entry` is what to leave afterwards; `None` for types that stand in no line."""

    entry: Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The attempt must not go on; what to say in its place."""

    said: NotApplicable | BehindError


Place: TypeAlias = Entered | Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class InLine:
    """Finds an attempt its place."""

    line: Line
    store: Store
    clock: Clock

    def enter(self, operation: Operation, terms: Terms) -> Place:
        """Take the entity for this attempt, or say what comes first. Nothing was sent where nobody can say it."""
        unwanted = operation.cancel_reason is not None and operation.intent is Intent.EFFECT
        if not terms.policy.supersedes or unwanted:
            return Entered()
        try:
            return self._entered(operation, terms)
        except StoreError as error:
            return _behind(operation, f"its place in line is not known ({error})", None)

    def _entered(self, operation: Operation, terms: Terms) -> Place:
        over: OperationId | None = None
        for _ in range(TRIES):
            entry = latest.entry(operation, now=self.clock.now(), terms=terms, over=over)
            standing = self.line.enter(entry)
            if standing is None:
                return Entered(entry=entry)
            refused = self._refused(operation, standing)
            if refused is not None:
                return refused
            over = standing.operation_id
        return _behind(operation, "newer versions come and go", None)

    def leave(self, entered: Entered, landed: Operation, terms: Terms) -> None:
        """Let the next version go, at once or when this attempt's call can land no more."""
        if entered.entry is None:
            return
        open_end = landed.status is Status.AWAITING_CONFIRMATION
        busy_until = after(self.clock.now(), terms.settled_after) if open_end else None
        self.line.leave(entered.entry, busy_until=busy_until, behind=_behind_it(landed))

    def _refused(self, operation: Operation, standing: Latest) -> Refused | None:
        """Say what comes of what stands in the way; `None` if it is a newer version that came to nothing."""
        if standing.version <= operation.expected_version:
            wait = between(self.clock.now(), standing.busy_until or self.clock.now())
            return _behind(operation, f"version {standing.version} of the entity is being applied", wait)
        found = self.store.find([standing.operation_id]).get(standing.operation_id)
        if isinstance(found, Operation) and found.status is Status.CONFIRMED:
            words = f"version {standing.version} of the entity has been confirmed, by {standing.operation_id}"
            return Refused(said=NotApplicable(reason=words))
        if isinstance(found, Operation) and found.is_terminal:
            doubt = latest.newer_in_doubt(standing, operation.expected_version)
            return None if doubt is None else _behind(operation, f"version {doubt} of it may be there", None)
        return _behind(operation, f"version {standing.version} of the entity was begun and its end is not known", None)


def _behind_it(landed: Operation) -> Left:
    if landed.status is Status.CONFIRMED:
        return Left.EFFECT
    in_doubt = landed.uncertain or landed.status is Status.AWAITING_CONFIRMATION
    return Left.DOUBT if in_doubt else Left.NOTHING


def _behind(operation: Operation, words: str, wait: timedelta | None) -> Refused:
    return Refused(said=BehindError(f"version {operation.expected_version} waits: {words}", retry_after=wait))
