"""Operations that are already under way when a test begins. Each came there by the real moves, at times gone by."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from makegood.domain import promise as promises
from makegood.domain import transitions
from makegood.domain.evidence import Verdict, VerdictKind
from makegood.domain.history import Actor, Role
from makegood.domain.instant import Instant, after
from makegood.domain.moving import Hand
from makegood.domain.operation import Operation
from makegood.domain.policy import Terms
from makegood.domain.promise import Promise
from makegood.domain.reason import Reason
from makegood.testing.in_memory import InMemoryMakegood

MOMENT = timedelta(seconds=1)
LOST = "the connection was lost"


@dataclass(frozen=True, slots=True)
class Given:
    """Puts operations into a Makegood as if they had been promised some time ago. No message of theirs is queued.

    Each takes the promise, and `attempts`: how many attempts it has behind it that certainly had no effect; fewer than
    its `max_attempts`.
    """

    makegood: InMemoryMakegood

    def fresh(self, promise: Promise, *, attempts: int = 0) -> Operation:
        """Promised a moment ago."""
        return self._waiting(promise, attempts, ago=MOMENT)

    def stale(self, promise: Promise, *, attempts: int = 0, ago: timedelta | None = None) -> Operation:
        """Promised, its message lost, and due: a sweep finds it. `ago` is how long; just due if it is not given."""
        return self._waiting(promise, attempts, ago=ago or self._due(promise))

    def claimed(self, promise: Promise, *, attempts: int = 0, ago: timedelta | None = None) -> Operation:
        """Held by a worker since a moment ago, promised however long ago."""
        operation = self._waiting(promise, attempts, ago=ago or self._due(promise))
        return self._keep(self._claimed(operation, self._past(MOMENT)))

    def dead_claim(self, promise: Promise, *, attempts: int = 0) -> Operation:
        """Held by a worker that died: its lease is over by more than the skew margin, and nobody knows the effect."""
        terms = self._terms(promise)
        since = terms.limits.lease + terms.limits.skew_margin + MOMENT
        operation = self._waiting(promise, attempts, ago=max(self._due(promise), 2 * since))
        return self._keep(self._claimed(operation, self._past(since)))

    def awaiting(self, promise: Promise, *, attempts: int = 0, error: str = "TimeoutError: no answer") -> Operation:
        """Awaiting confirmation after an attempt that may have been applied; the window is over, a look is due."""
        terms = self._terms(promise)
        since = max(terms.settled_after, terms.confirmation_window) + MOMENT
        operation = self._waiting(promise, attempts, ago=max(self._due(promise), 2 * since))
        return self._keep(self._uncertain(operation, self._past(since), error))

    def in_review(self, promise: Promise, *, attempts: int = 0, error: str = "RejectedError: refused") -> Operation:
        """In front of a person since a moment ago, because the remote refused it."""
        operation = self._waiting(promise, attempts, ago=self._due(promise))
        claimed = self._claimed(operation, self._past(2 * MOMENT))
        hand = self._hand(claimed, Role.WORKER, self._past(MOMENT))
        return self._keep(transitions.escalate(claimed, hand, reason=Reason.REJECTED, error=error))

    def in_doubt(self, promise: Promise, *, attempts: int = 0) -> Operation:
        """In front of a person since a moment ago, because it may have been applied and nobody can say."""
        operation = self.awaiting(promise, attempts=attempts)
        hand = self._hand(operation, Role.RECONCILER, self._past(MOMENT))
        verdict = Verdict(kind=VerdictKind.AMBIGUOUS, at=hand.now, asked="observe", answered="no answer")
        return self._keep(transitions.escalate(operation, hand, reason=Reason.UNKNOWN_TOO_LONG, verdict=verdict))

    def _waiting(self, promise: Promise, attempts: int, *, ago: timedelta) -> Operation:
        """Promise it in the past; attempts that certainly had no effect follow at once."""
        terms, at = self._terms(promise), self._past(ago)
        if attempts >= terms.max_attempts:
            most = terms.max_attempts
            raise ValueError(
                f"attempts={attempts}: it has {most}, and the last that fails leads to in_review, not here"
            )
        operation = promises.submit(promise, now=at, write_id=self.makegood.entropy.token(), terms=terms)
        for _ in range(attempts):
            claimed = self._claimed(operation, at)
            hand = self._hand(claimed, Role.WORKER, at)
            operation = transitions.schedule_retry(claimed, hand, wait=timedelta(), error=f"TransientError: {LOST}")
        return self._keep(operation)

    def _claimed(self, operation: Operation, at: Instant) -> Operation:
        return transitions.claim(operation, self._hand(operation, Role.WORKER, at), token=self.makegood.entropy.token())

    def _uncertain(self, operation: Operation, at: Instant, error: str) -> Operation:
        claimed = self._claimed(operation, at)
        hand = self._hand(claimed, Role.WORKER, at)
        return transitions.await_proof(claimed, hand, reason=Reason.UNCERTAIN, error=error)

    def _hand(self, operation: Operation, role: Role, at: Instant) -> Hand:
        terms = self.makegood.registry.terms_of(operation.operation_type)
        return Hand(now=at, actor=Actor(role=role), write_id=self.makegood.entropy.token(), terms=terms)

    def _keep(self, operation: Operation) -> Operation:
        self.makegood.memory.store.rows[operation.operation_id] = operation
        return operation

    def _due(self, promise: Promise) -> timedelta:
        terms = self._terms(promise)
        return max(terms.stale_after, terms.limits.retry_grace) + MOMENT

    def _past(self, ago: timedelta) -> Instant:
        return after(self.makegood.clock.now(), -ago)

    def _terms(self, promise: Promise) -> Terms:
        return self.makegood.registry.terms_of(promise.operation_type)


def numbered(promise: Promise, number: int) -> dict[str, Any]:
    """Return what tells the n-th of many like this promise apart: an entity and an id of its own."""
    return {"entity": f"{promise.entity}-{number}", "operation_id": f"{promise.operation_type}-{number}"}
