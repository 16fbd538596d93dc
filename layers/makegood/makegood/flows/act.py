"""Carry out a sweep's plan: re-check and touch each row in one conditional write, then dispatch in batches of ten."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import assert_never

from makegood.domain import transitions
from makegood.domain.decide import Action, Dispatch, Escalate, Leave, Observe, Release
from makegood.domain.history import Actor, Role
from makegood.domain.instant import Instant
from makegood.domain.moving import Hand
from makegood.domain.operation import Operation, QueueName
from makegood.domain.reason import Reason
from makegood.domain.registry import Registry
from makegood.flows.submit import message_for
from makegood.flows.tally import Planned, Tally
from makegood.ports import Applied, Clock, Entropy, Moved, Queue, Sent, Store

RECONCILER = Actor(role=Role.RECONCILER)
BATCH = 10  #: messages that one SendMessageBatch takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Acts:
    """The acting half of a sweep."""

    store: Store
    queue: Queue
    clock: Clock
    entropy: Entropy
    registry: Registry
    due_until: Instant | None
    until: Instant  #: begin nothing after this
    actor: Actor = RECONCILER

    def carry_out(self, planned: Sequence[Planned], tally: Tally) -> None:
        """Act on each planned row; what one row does wrong never stops the others.

        A request goes to one queue, so the rows of each are gathered apart and every request but the last is full.
        """
        touched: defaultdict[QueueName, list[Operation]] = defaultdict(list)
        for position, item in enumerate(planned):
            if self.clock.now() >= self.until:
                tally.remaining += len(planned) - position
                break
            after = self.land(item.operation, partial(self._after, item.operation, item.action), tally)
            if after is None or not isinstance(item.action, Dispatch):
                continue
            batch = touched[self._queue_of(after)]
            batch.append(after)
            if len(batch) == BATCH:
                self.dispatch(batch, tally)
                batch.clear()
        self.dispatch([*chain(*touched.values())], tally)

    def land(self, operation: Operation, moved: Callable[[], Operation], tally: Tally) -> Operation | None:
        """Write a move and count it; `None` if it did not land, for whatever reason."""
        try:
            match self.store.apply(operation, moved()):
                case Applied(landed):
                    tally.landed(landed)
                    return landed
                case Moved():
                    tally.skip(Reason.MOVED)
        except Exception as error:  # noqa: BLE001 - one bad row is counted and named, and never stops the others
            tally.failed(operation.operation_id, error)
        return None

    def _after(self, operation: Operation, action: Action) -> Operation:
        hand = self.hand(operation)
        match action:
            case Dispatch(reason=reason):
                return transitions.touch(operation, hand, reason=reason, due_until=self.due_until)
            case Release():
                return transitions.release(operation, hand)
            case Escalate(reason=reason):
                return transitions.escalate(operation, hand, reason=reason)
            case Leave() | Observe():  # a look comes last and has a flow of its own
                return operation
            case _:
                assert_never(action)

    def hand(self, operation: Operation) -> Hand:
        """Return the reconciler's hand for one move."""
        terms = self.registry.terms[operation.operation_type]
        return Hand(now=self.clock.now(), actor=self.actor, write_id=self.entropy.token(), terms=terms)

    def dispatch(self, rows: Sequence[Operation], tally: Tally) -> None:
        """Send the hints of rows whose next attempt a queue can wait for; the others are a later sweep's to send."""
        now, terms = self.clock.now(), self.registry.terms
        hints = ((row, message_for(row, terms[row.operation_type], now)) for row in rows)
        messages = [(row, message) for row, message in hints if message is not None]
        if not messages:
            return
        for (row, _), sent in zip(messages, self.queue.send([message for _, message in messages]), strict=True):
            tally.answered(sent)
            if sent == Sent.REFUSED:
                self.land(row, partial(self._after, row, Escalate(reason=Reason.UNSENDABLE)), tally)

    def _queue_of(self, operation: Operation) -> QueueName:
        return operation.queue or self.registry.terms[operation.operation_type].policy.queue
