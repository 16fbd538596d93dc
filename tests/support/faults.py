"""What goes wrong around the flows, as wrappers of the ports: each passes everything on but its one fault."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta

from makegood.adapters.memory import ManualClock
from makegood.domain.errors import StoreError
from makegood.domain.instant import Instant
from makegood.domain.operation import Operation, OperationId
from makegood.ports import (
    Added,
    Applied,
    Claim,
    Claimed,
    DueKey,
    Message,
    Moved,
    NotClaimed,
    Present,
    Queue,
    Sent,
    Store,
    Unreadable,
)


class PassingStore(Store):
    """Passes everything on."""

    def __init__(self, store: Store) -> None:
        self.inner = store

    def add(self, operation: Operation) -> Added | Present:
        """Pass on."""
        return self.inner.add(operation)

    def claim(self, claim: Claim) -> Claimed | NotClaimed:
        """Pass on."""
        return self.inner.claim(claim)

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Pass on."""
        return self.inner.apply(before, after)

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Operation | Unreadable]:
        """Pass on."""
        return self.inner.find(identifiers)

    def with_payload(self, operation: Operation) -> Operation:
        """Pass on."""
        return self.inner.with_payload(operation)

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """Pass on."""
        return self.inner.due(shard, until)


class InterruptedStore(PassingStore):
    """Lets somebody in between what a flow has read and the first thing it writes."""

    def __init__(self, store: Store, somebody: Callable[[], object]) -> None:
        super().__init__(store)
        self._somebody: Callable[[], object] | None = somebody

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Let somebody in, once, then pass on."""
        somebody, self._somebody = self._somebody, None
        if somebody:
            somebody()
        return super().apply(before, after)


class LaggingIndex(PassingStore):
    """Goes on listing what was due when it was made."""

    def __init__(self, store: Store, shards: Sequence[str], until: Instant) -> None:
        super().__init__(store)
        self._keys = {shard: list(store.due(shard, until)) for shard in shards}

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """List what was due then."""
        return (key for key in self._keys[shard] if key.due_at <= until)


class BrokenIndex(PassingStore):
    """Fails while the index is read, after some keys."""

    def __init__(self, store: Store, *, after: int) -> None:
        super().__init__(store)
        self._left = after

    def due(self, shard: str, until: Instant) -> Iterator[DueKey]:
        """List a few keys, then fail."""
        for key in self.inner.due(shard, until):
            if not self._left:
                break
            self._left -= 1
            yield key
        raise StoreError("Query: AccessDenied on index/due")


class BrokenRows(PassingStore):
    """Fails to write these rows; cannot read those."""

    def __init__(
        self, store: Store, *, unwritable: Sequence[str] = (), unreadable: Sequence[str] = (), newer: bool = False
    ) -> None:
        super().__init__(store)
        self._unwritable, self._unreadable, self._newer = unwritable, unreadable, newer

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Fail for some rows."""
        if before.operation_id in self._unwritable:
            raise StoreError("UpdateItem: throttled beyond patience")
        return super().apply(before, after)

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Operation | Unreadable]:
        """Say of some rows that they cannot be understood."""
        return {name: self._seen(name, row) for name, row in super().find(identifiers).items()}

    def claim(self, claim: Claim) -> Claimed | NotClaimed:
        """Claim no row that cannot be understood."""
        if claim.operation_id in self._unreadable:
            return NotClaimed(self._bad(claim.operation_id))
        return super().claim(claim)

    def add(self, operation: Operation) -> Added | Present:
        """Add nothing over a row that cannot be understood."""
        if operation.operation_id in self._unreadable:
            return Present(self._bad(operation.operation_id))
        return super().add(operation)

    def _seen(self, name: str, row: Operation | Unreadable) -> Operation | Unreadable:
        return self._bad(name) if name in self._unreadable else row

    def _bad(self, name: str) -> Unreadable:
        return Unreadable(name, "created_at is a text", newer_format=self._newer)


class LostReplies(PassingStore):
    """Lands a write and then says that the store did not answer."""

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Write, then lose the reply."""
        super().apply(before, after)
        raise StoreError("UpdateItem: no answer")


class SlowStore(PassingStore):
    """Takes its time for every write, and for every read of rows."""

    def __init__(self, store: Store, clock: ManualClock, *, write: timedelta, read: timedelta = timedelta()) -> None:
        super().__init__(store)
        self._clock, self._write, self._read = clock, write, read

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Pass on, slowly."""
        self._clock.advance(self._write)
        return super().apply(before, after)

    def find(self, identifiers: Sequence[OperationId]) -> Mapping[OperationId, Operation | Unreadable]:
        """Pass on, slowly."""
        self._clock.advance(self._read)
        return super().find(identifiers)


class FailingQueue(Queue):
    """Takes some messages, then none: what is not taken has failed, or is refused for what it holds."""

    def __init__(
        self, queue: Queue, *, after: int = 0, refusing: Sequence[str] = (), failing: Sequence[str] = ()
    ) -> None:
        self._queue, self._left, self._refusing, self._failing = queue, after, refusing, failing

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Answer each message by itself."""
        return tuple(self._answer(message) for message in messages)

    def _answer(self, message: Message) -> Sent:
        if message.operation_id in self._refusing:
            return Sent.REFUSED
        if message.operation_id in self._failing:
            return Sent.FAILED
        if not self._left:
            return Sent("failed", "AccessDenied: said no")
        self._left -= 1
        return self._queue.send([message])[0]
