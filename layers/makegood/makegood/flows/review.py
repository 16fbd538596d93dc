"""What people do: list what waits for them, look at one with all that matters, decide.

decide    read → refuse what does not fit or has moved → ask the outside world → move, with the decision in the
          same write → send the hint where it is to be tried again
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from makegood.domain import advice, review
from makegood.domain.errors import ImpossibleTransition, InvalidInput
from makegood.domain.history import Actor
from makegood.domain.instant import Instant, between
from makegood.domain.judge import Again, Judged, Judgement, judge, unasked
from makegood.domain.moving import Hand
from makegood.domain.observation import Unknown
from makegood.domain.operation import CLAIMABLE, REVIEW_SHARD, Intent, Operation, OperationId, Status
from makegood.domain.policy import Terms
from makegood.domain.registry import Registry, can_compensate
from makegood.domain.review import Action, Wish
from makegood.domain.scrub import scrubbed
from makegood.flows.cancel import Refused, found
from makegood.flows.observe import question_for
from makegood.flows.result import Move, move
from makegood.ports import Applied, Clock, Entropy, Lookout, Message, Moved, Queue, Sent, Store, Unreadable

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that matters of one operation to a person who must decide."""

    operation: Operation
    age: timedelta  #: since it was promised
    waiting: timedelta  #: since it came into review; nothing for one that is not there
    destination: str
    risk: str  #: of doubling its effect, in words
    recommended: Action | None
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A decision that stands."""

    operation: Operation
    move: Move
    answer: str | None  #: what the outside world said just now, where it gave no verdict
    dispatched: bool = False  #: whether its hint was sent; if not, a sweep sends it


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The flow of the desk and of the command."""

    store: Store
    queue: Queue
    clock: Clock
    entropy: Entropy
    registry: Registry
    lookout: Lookout

    def exceptions(self, limit: int) -> Iterator[Case | Unreadable]:
        """Walk what waits for people, oldest first, at most `limit`. A row that cannot be understood is named."""
        now = self.clock.now()
        keys = islice(self.store.due(REVIEW_SHARD, now), limit)
        while chunk := [key.operation_id for key in islice(keys, READ_AT_ONCE)]:
            rows = self.store.find(chunk)
            for identifier in chunk:
                match rows.get(identifier):
                    case Operation(status=Status.MANUAL_REVIEW) as row:
                        yield self._case(row, now)
                    case Unreadable() as odd:
                        yield odd
                    case _:
                        continue

    def case(self, identifier: OperationId) -> Case:
        """Look at one operation.

        Raises:
            NotFoundError: no operation has this id.
            StoreError: the store did not answer, or the row cannot be understood.
        """
        return self._case(found(self.store, identifier), self.clock.now())

    def decide(self, wish: Wish, *, actor: Actor) -> Taken | Refused:
        """Record and carry out a decision, or refuse it; a refusal changes nothing.

        Raises:
            InvalidInput: no reason is given, words are too long, or this release does not know the type.
            NotFoundError: no operation has this id.
            StoreError: the store did not answer.
        """
        wish = review.worded(wish)
        operation = found(self.store, wish.operation_id)
        terms = self.registry.terms_of(operation.operation_type)
        hand = Hand(now=self.clock.now(), actor=actor, write_id=self.entropy.token(), terms=terms)
        if why_not := self.why_not(operation, wish, hand):
            return Refused(why=why_not, operation=operation)
        judgement, answer = self._look(operation, terms)
        try:
            wanted = review.resolved(operation, wish, judgement, hand)
        except ImpossibleTransition as refused:
            seen = _seen_now(judgement, answer)
            why_not = f"{refused} (asked just now: {seen})" if seen else str(refused)
            return Refused(why=why_not, operation=operation, lacks=refused.lacks, judgement=judgement, seen=seen)
        match self.store.apply(operation, wanted):
            case Applied(landed):
                dispatched = self._dispatch(landed, terms)
                return Taken(operation=landed, move=move(landed), answer=answer, dispatched=dispatched)
            case Moved():
                return Refused(why="it moved while it was being decided; look at it again", operation=operation)

    def _case(self, operation: Operation, now: Instant) -> Case:
        terms = self.registry.terms.get(operation.operation_type)
        in_review = operation.status is Status.MANUAL_REVIEW and operation.due_at is not None
        recommended, words = advice.advised(operation, now=now, terms=terms) if terms else (None, _UNKNOWN)
        return Case(
            operation=operation,
            age=between(operation.created_at, now),
            waiting=between(operation.due_at or now, now) if in_review else timedelta(),
            destination=self.registry.class_of(operation.operation_type).destination if terms else "unknown",
            risk=advice.risk(operation, now=now, terms=terms) if terms else _UNKNOWN,
            recommended=recommended,
            advice=words,
        )

    def why_not(self, operation: Operation, wish: Wish, hand: Hand) -> str | None:
        """Say what speaks against a decision before anybody looks; `None` if nothing does."""
        able = can_compensate(self.registry.class_of(operation.operation_type))
        if wish.action is Action.COMPENSATE and not able:
            return "its type has no compensation"
        return (
            review.misfit(operation, wish)
            or review.too_old(operation, wish, hand)
            or review.too_soon(operation, wish, hand)
        )

    def _look(self, operation: Operation, terms: Terms) -> tuple[Judgement | None, str | None]:
        """Ask the outside world; nobody asks about an effect that was never tried, or can only be told by a person."""
        if operation.first_claimed_at is None and operation.intent is Intent.EFFECT:
            return None, None
        if not terms.policy.capability.can_ask:
            judged = unasked(operation, now=self.clock.now(), terms=terms) if operation.uncertain else None
            return judged, None
        try:
            question = question_for(self.store.with_payload(operation), self.registry)
        except InvalidInput:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a team's constructor raises, nobody was asked
            return None, f"it could not be asked: {type(error).__name__}"
        asked_at = self.clock.now()
        told = self.lookout.ask([question])[0]
        judged = judge(operation, told, now=asked_at, terms=terms)
        if isinstance(told, Unknown):
            return judged, scrubbed(told.why)
        return judged, judged.reason.words if isinstance(judged, Again) else None

    def _dispatch(self, operation: Operation, terms: Terms) -> bool:
        if operation.status not in CLAIMABLE:
            return False
        message = Message(operation_id=operation.operation_id, queue=operation.queue or terms.policy.queue)
        return self.queue.send([message])[0] == Sent.SENT


def _seen_now(judgement: Judgement | None, answer: str | None) -> str | None:
    if answer is None and isinstance(judgement, Judged):
        return f"{judgement.verdict.kind}, {judgement.verdict.answered}"
    return answer


_UNKNOWN = "this release does not know its operation type"
