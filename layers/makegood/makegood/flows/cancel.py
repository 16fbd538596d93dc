"""Ask for an operation's cancellation: it ends if it was never uncertainly tried, and remembers the wish otherwise."""

from dataclasses import dataclass

from makegood.domain import transitions
from makegood.domain.errors import ImpossibleTransition, NotFoundError, StoreError
from makegood.domain.history import Actor
from makegood.domain.judge import Judgement
from makegood.domain.moving import Hand
from makegood.domain.operation import Operation, OperationId, Status
from makegood.domain.registry import Registry
from makegood.domain.review import words
from makegood.flows.result import Move, move
from makegood.ports import Applied, Clock, Entropy, Moved, Store, Unreadable

TRIES = 5  #: a row that moves under every one of them is very busy


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The wish stands, or was granted. What is still open ends by its own answer, by observation, or by a person."""

    operation: Operation
    move: Move | None = None  #: `None` if the wish had been stated before


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nothing was changed, and why."""

    why: str
    operation: Operation
    lacks: tuple[str, ...] = ()  #: the table's guards that do not hold, where it is for them
    judgement: Judgement | None = None  #: what was seen just now; `None` where nobody looked, or nothing was seen
    seen: str | None = None  #: the same in words


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """The flow of a producer or an operator who wants an operation no more."""

    store: Store
    clock: Clock
    entropy: Entropy
    registry: Registry

    def __call__(self, identifier: OperationId, *, reason: str, actor: Actor) -> Cancelled | Refused:
        """Ask for the cancellation. Asking twice changes nothing.

        Raises:
            InvalidInput: no reason is given, or this release does not know the type.
            NotFoundError: no operation has this id.
            StoreError: the store did not answer, or the row moved again and again.
        """
        said = words(reason, what="reason")
        for _ in range(TRIES):
            operation = found(self.store, identifier)
            if operation.cancel_reason is not None and operation.status is not Status.CONFIRMED:
                return Cancelled(operation=operation)
            terms = self.registry.terms_of(operation.operation_type)
            hand = Hand(now=self.clock.now(), actor=actor, write_id=self.entropy.token(), terms=terms)
            try:
                wanted = transitions.request_cancel(operation, hand, words=said)
            except ImpossibleTransition:
                return Refused(why=_why_not(operation), operation=operation)
            match self.store.apply(operation, wanted):
                case Applied(landed):
                    return Cancelled(operation=landed, move=move(landed))
                case Moved():
                    continue
        raise StoreError(f"operation {identifier} moved {TRIES} times while its cancellation was written; ask again")


def found(store: Store, identifier: OperationId) -> Operation:
    """Read a row.

    Raises:
        NotFoundError: there is none.
        StoreError: it cannot be understood.
    """
    row = store.find([identifier]).get(identifier)
    if row is None:
        raise NotFoundError(f"no operation has the id {identifier}")
    if isinstance(row, Unreadable):
        raise StoreError(f"the row of operation {identifier} cannot be understood: {row.why}")
    return row


def _why_not(operation: Operation) -> str:
    if operation.is_terminal:
        return f"it is {operation.status}, and that is for ever"
    return "its effect is being undone already"
