"""Work on one delivered hint: claim → perform or compensate → settle → send the next hint if a short retry follows."""

from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from makegood.domain.guards import key_is_fresh
from makegood.domain.history import Actor, Role
from makegood.domain.instant import Instant, after, between
from makegood.domain.limits import SQS_DELAY_LIMIT, Limits
from makegood.domain.moving import Hand
from makegood.domain.operation import CLAIMABLE, Intent, Operation, OperationId, Status, idempotency_key_for
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import NotApplicable, TransientError
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason
from makegood.domain.registry import Registry
from makegood.domain.scrub import error_line
from makegood.domain.settle import Said, settle
from makegood.flows.in_line import Entered, InLine, Refused
from makegood.flows.result import Move, move
from makegood.ports import (
    Applied,
    Claim,
    Claimed,
    Clock,
    Entropy,
    Found,
    Line,
    Message,
    Moved,
    NotClaimed,
    Queue,
    Store,
    Unreadable,
)

WORKER = Actor(role=Role.WORKER)
_BUSY = {
    Status.PROCESSING: Reason.LEASE_RUNNING,
    Status.AWAITING_CONFIRMATION: Reason.AWAITING,
    Status.MANUAL_REVIEW: Reason.IN_REVIEW,
}
_COMES_AGAIN = frozenset({Reason.TOO_EARLY, Reason.UNKNOWN_TYPE, Reason.MOVED})
SETTLE_TRIES = 3  #: a claim of ours can be moved under us only by a request to cancel


class NotReadyError(TransientError):
    """The operation type could not be built, so perform never ran: this attempt certainly had no effect."""


class Fate(StrEnum):
    """What happens to the message."""

    DONE = "done"  #: it has served; the queue may forget it
    HAND_BACK = "hand_back"  #: it comes again


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What became of one message."""

    operation_id: str
    operation_type: str | None = None
    fate: Fate
    reason: str  #: a reason's code
    moves: tuple[Move, ...] = ()
    called: bool = False  #: whether perform ran
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The worker's flow."""

    store: Store
    queue: Queue
    clock: Clock
    entropy: Entropy
    registry: Registry
    limits: Limits
    line: Line
    settle_reserve: timedelta = timedelta(milliseconds=500)  #: what an attempt leaves for the write after it

    def __call__(self, identifier: OperationId, *, until: Instant) -> Worked:
        """Work on one operation. `until` is when this invocation ends.

        Raises:
            StoreError: the store did not answer. The message comes again; a claim that landed is released by the sweep.
        """
        if between(self.clock.now(), until) < self.limits.perform_deadline + self.settle_reserve:
            return Worked(operation_id=identifier, fate=Fate.HAND_BACK, reason=Reason.OUT_OF_TIME)
        claim = Claim(
            operation_id=identifier,
            now=self.clock.now(),
            token=self.entropy.token(),
            write_id=self.entropy.token(),
            terms=self.registry.terms,
        )
        match self.store.claim(claim):
            case Claimed(operation):
                return self._attempt(operation, until)
            case NotClaimed(found):
                return not_claimed(identifier, found, claim.now, self.registry)

    def _attempt(self, operation: Operation, until: Instant) -> Worked:
        claimed = move(operation)
        terms = self.registry.terms[operation.operation_type]
        in_line = InLine(line=self.line, store=self.store, clock=self.clock)
        place = in_line.enter(operation, terms)
        said, called = (place.said, False) if isinstance(place, Refused) else self._perform(operation, until)
        landed = self._settle(operation, said, terms)
        if landed is None:
            return Worked(
                operation_id=operation.operation_id,
                operation_type=operation.operation_type,
                fate=Fate.DONE,
                reason=Reason.LATE_WRITE,
                moves=(claimed,),
                called=called,
            )
        if isinstance(place, Entered):
            in_line.leave(place, landed, terms)
        self._send_short_retry(landed, terms)
        settled = move(landed)
        return Worked(
            operation_id=operation.operation_id,
            operation_type=operation.operation_type,
            fate=Fate.DONE,
            reason=settled.reason,
            moves=(claimed, settled),
            called=called,
            error=landed.last_error,
        )

    def _perform(self, operation: Operation, until: Instant) -> tuple[Said, bool]:
        """Return what was said, and whether the type's code ran to say it."""
        if operation.cancel_reason is not None and operation.intent is Intent.EFFECT:
            return NotApplicable(reason=operation.cancel_reason), False
        now = self.clock.now()
        deadline_at = min(after(now, self.limits.perform_deadline), after(until, -self.settle_reserve))
        attempt = Attempt(
            # a copy of its own: the answer is compared with what was promised, whatever perform does to its fields
            operation=replace(operation, expected_fields=deepcopy(operation.expected_fields)),
            idempotency_key=operation.idempotency_key,
            effect_key=idempotency_key_for(operation.operation_id, Intent.EFFECT),
            number=operation.attempt,
            deadline_at=deadline_at,
            time_limit=between(now, deadline_at),
        )
        try:
            operation_type = self.registry.build(operation.operation_type)
        except Exception as error:  # noqa: BLE001 - whatever a team's constructor raises, nothing was sent
            return NotReadyError(error_line(error)), False
        try:
            undoing = operation.intent is Intent.COMPENSATION
            return (operation_type.compensate if undoing else operation_type.perform)(attempt), True
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a team's code raises, the effect may exist
            return error, True

    def _settle(self, operation: Operation, said: Said, terms: Terms) -> Operation | None:
        seen, fraction = operation, self.entropy.fraction()
        for _ in range(SETTLE_TRIES):
            hand = Hand(now=self.clock.now(), actor=WORKER, write_id=self.entropy.token(), terms=terms)
            match self.store.apply(seen, settle(seen, said, hand, fraction=fraction)):
                case Applied(landed):
                    return landed
                case Moved(Operation() as found) if found.claim_token == operation.claim_token:
                    seen = found
                case Moved():
                    return None
        return None

    def _send_short_retry(self, operation: Operation, terms: Terms) -> None:
        """Send the next hint if a queue can hold it that long; otherwise, or if it is not taken, the sweep sends it."""
        if operation.status is not Status.RETRY_SCHEDULED or operation.not_before is None:
            return
        delay = max(between(self.clock.now(), operation.not_before), timedelta())
        if delay <= SQS_DELAY_LIMIT:
            queue = operation.queue or terms.policy.queue
            self.queue.send([Message(operation_id=operation.operation_id, queue=queue, delay=delay)])


def not_claimed(identifier: OperationId, found: Found | None, now: Instant, registry: Registry) -> Worked:
    """Say what follows for a message whose operation could not be claimed, and why it could not."""
    if found is None:
        return Worked(operation_id=identifier, fate=Fate.DONE, reason=Reason.ORPHAN)
    if isinstance(found, Unreadable):
        reason = Reason.NEWER_FORMAT if found.newer_format else Reason.UNREADABLE
        return Worked(operation_id=identifier, fate=Fate.HAND_BACK, reason=reason, error=found.why)
    reason = why_not(found, now, registry)
    fate = Fate.HAND_BACK if reason in _COMES_AGAIN else Fate.DONE
    return Worked(operation_id=identifier, operation_type=found.operation_type, fate=fate, reason=reason)


def why_not(operation: Operation, now: Instant, registry: Registry) -> Reason:
    """Say why a worker may not claim an operation."""
    terms = registry.terms.get(operation.operation_type)
    if terms is None:
        return Reason.UNKNOWN_TYPE
    if operation.is_terminal:
        return Reason.TERMINAL
    if operation.status not in CLAIMABLE:
        return _BUSY[operation.status]
    if operation.not_before is not None and operation.not_before > now:
        return Reason.TOO_EARLY
    if operation.attempt >= terms.max_attempts:
        return Reason.ATTEMPTS_USED
    return Reason.MOVED if key_is_fresh(operation, now, terms) else Reason.KEY_TOO_OLD
