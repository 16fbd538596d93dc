"""Promise work: write the row, then send the hint. If the send fails the row stands, and the sweep repairs it."""

from dataclasses import dataclass
from datetime import timedelta

from makegood.domain import promise as promises
from makegood.domain.errors import ConflictError, InvalidInput
from makegood.domain.instant import Instant, between
from makegood.domain.limits import SQS_DELAY_LIMIT
from makegood.domain.operation import Operation
from makegood.domain.policy import Terms
from makegood.domain.promise import Promise
from makegood.domain.registry import Registry
from makegood.ports import Added, Clock, Entropy, Message, Present, Queue, Sent, Store, Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A promise that stands."""

    operation: Operation
    created: bool  #: `False` if the same intent had been promised before
    dispatched: bool  #: `False` if no message was sent now; a sweep will see to it
    trouble: str | None = None  #: what the queue said, if it did not take the message


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """The producer's flow."""

    store: Store
    queue: Queue
    clock: Clock
    entropy: Entropy
    registry: Registry

    def __call__(self, promise: Promise) -> Submitted:
        """Write the promised operation and dispatch it.

        Raises:
            InvalidInput: what was given cannot be accepted; nothing was stored.
            ConflictError: the id is taken by another intent; nothing was stored.
            StoreError: the store did not answer; whether the row stands is unknown, and submitting again is safe.
        """
        operation = self.prepare(promise)
        match self.store.add(operation):
            case Added(added):
                sent = self._send(added)
                trouble = sent.why if sent else None
                return Submitted(operation=added, created=True, dispatched=sent == Sent.SENT, trouble=trouble)
            case Present(found):
                return Submitted(operation=_same_intent(operation, found), created=False, dispatched=False)

    def prepare(self, promise: Promise) -> Operation:
        """Make the row without writing it, for a caller's own transaction; `dispatch` it after the commit."""
        terms = self.registry.terms_of(promise.operation_type)
        return promises.submit(promise, now=self.clock.now(), write_id=self.entropy.token(), terms=terms)

    def dispatch(self, operation: Operation) -> bool:
        """Send the hint of a new row and say whether it was taken. What starts in over 900 s is left to the sweep."""
        return self._send(operation) == Sent.SENT

    def _send(self, operation: Operation) -> Sent | None:
        terms = self.registry.terms_of(operation.operation_type)
        message = message_for(operation, terms, self.clock.now())
        return self.queue.send([message])[0] if message is not None else None


def message_for(operation: Operation, terms: Terms, now: Instant) -> Message | None:
    """Return the message that names a row; `None` if its next attempt lies further off than a queue can hold it."""
    delay = max(between(now, operation.not_before or now), timedelta())
    if delay > SQS_DELAY_LIMIT:
        return None
    return Message(operation_id=operation.operation_id, queue=operation.queue or terms.policy.queue, delay=delay)


def _same_intent(wanted: Operation, found: Operation | Unreadable) -> Operation:
    if isinstance(found, Unreadable):
        raise InvalidInput(f"operation {wanted.operation_id} exists and its row cannot be read: {found.why}")
    if found.fingerprint != wanted.fingerprint:
        raise ConflictError(
            f"operation {wanted.operation_id} exists with another intent "
            f"({found.operation_type} {found.entity} version {found.expected_version}); give the new intent another id"
        )
    return found
