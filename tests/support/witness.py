"""A remote that knows which call may follow which: it counts every call, every look and every write beside them.

It judges by what it was asked and by what it said, not by what the product believes of it.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from makegood.domain import history
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Verb
from makegood.domain.instant import Instant, after
from makegood.domain.observation import Absent, Found, Look, Observed
from makegood.domain.operation import Intent, Operation
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import Outcome, RejectedError, TransientError
from makegood.domain.policy import Mode, Step, Terms

from tests.support.remote import Remote

CERTAINLY_NOT = (TransientError, RejectedError)  #: what a call raises that had no effect


@dataclass(slots=True, kw_only=True)
class Doubt:
    """What may have been applied under one key, and what was certain since."""

    since: Instant
    decisions: int  #: how many there were when the call was sent
    absences: int = 0  #: looks since then that showed that it is not there, after the settle window
    cleared: bool = False  #: whether a look that was certain let it be sent again


class Rows(dict[str, Operation]):
    """Rows that tell of each change before it is made."""

    def __init__(self, told: Callable[[Operation, Operation], None]) -> None:
        super().__init__()
        self._told = told

    def __setitem__(self, name: str, row: Operation) -> None:
        """Tell, then change."""
        self._told(self[name], row)
        super().__setitem__(name, row)


class Witness(Remote):
    """The scripted remote, with a memory."""

    def __init__(self) -> None:
        super().__init__()
        self.now: Callable[[], Instant] = lambda: Instant(0)
        self.terms: Callable[[], Terms]
        self.broken: list[str] = []
        self.met: Counter[str] = Counter()  #: how often it came to what is watched here
        self.doubts: dict[str, Doubt] = {}  #: by key
        self.ambiguous: dict[str, int] = {}  #: by operation: how many decisions there were when it became so
        self.seen: dict[str, object] = {}  #: by operation: what the last look showed; `None` for one without an answer

    def answer(self, attempt: Attempt) -> Outcome:
        """Take a call that makes the effect."""
        return self._called(attempt, super().answer)

    def undo(self, attempt: Attempt) -> Outcome:
        """Take a call that undoes it."""
        return self._called(attempt, super().undo)

    def see(self, look: Look) -> Observed:
        """Take a look, and keep what it showed."""
        row = look.operation
        self.seen[row.operation_id] = None
        self.seen[row.operation_id] = observed = super().see(look)
        doubt = self.doubts.get(row.idempotency_key)
        if doubt is not None and self.now() >= after(doubt.since, self.terms().settle_window):
            doubt.absences += isinstance(observed, Absent)
        return observed

    def wrote(self, before: Operation, row: Operation) -> None:
        """Watch a write: what it takes for ambiguous, and what it allows to be sent."""
        name, verb = row.operation_id, history.last(row.history).verb
        fresh = row.verdict is not None and row.verdict is not before.verdict
        if fresh and row.verdict is not None and row.verdict.kind is VerdictKind.AMBIGUOUS:
            self.ambiguous[name] = len(before.decisions)
            self.met["ambiguous"] += 1
        if verb is Verb.REQUEUE:
            self._requires(self._may_go_again(row), f"{name} is put back, and no look was certain")
        if verb is Verb.COMPENSATE and len(row.decisions) == len(before.decisions):
            self.met["undone by policy"] += 1
            found = isinstance(self.seen.get(name), Found)
            self._requires(found and self._corrects(), f"{name} is to be undone, and no look has found it")

    def _may_go_again(self, row: Operation) -> bool:
        doubt, policy = self.doubts.get(row.idempotency_key), self.terms().policy
        if doubt is None or not (policy.idempotent and self._corrects()):
            return False
        doubt.cleared, seen = True, self.seen.get(row.operation_id)
        if row.intent is Intent.COMPENSATION:
            return isinstance(seen, Found)
        wanted = policy.on_missing is Step.REQUEUE and doubt.absences >= policy.absences
        return wanted and isinstance(seen, Absent)

    def _corrects(self) -> bool:
        return self.terms().policy.mode is Mode.CORRECT and self.terms().policy.capability.can_ask

    def _called(self, attempt: Attempt, answer: Callable[[Attempt], Outcome]) -> Outcome:
        row, key = attempt.operation, attempt.idempotency_key
        decisions, doubt = len(row.decisions), self.doubts.get(key)
        decided = decisions > self.ambiguous.get(row.operation_id, -1)
        self._requires(decided, f"{row.operation_id} is sent although its outcome is ambiguous and nobody has decided")
        sure = doubt is None or doubt.cleared or decisions > doubt.decisions
        self._requires(sure, f"{row.operation_id} is sent although it may have been applied, and nobody has decided")
        self.met["calls"] += 1
        if doubt is not None:
            self.met["sent by requeue" if doubt.cleared else "sent by decision"] += 1
        self.doubts[key] = Doubt(since=self.now(), decisions=decisions)
        try:
            return answer(attempt)
        except CERTAINLY_NOT:
            self._had_no_effect(key, doubt)
            raise

    def _had_no_effect(self, key: str, earlier: Doubt | None) -> None:
        """Go back to the doubt of the call before, after which this one was allowed, and so is another."""
        del self.doubts[key]
        if earlier is not None:
            earlier.cleared = True
            self.doubts[key] = earlier

    def _requires(self, holds: bool, words: str) -> None:  # noqa: FBT001 - what must hold
        """Keep what does not hold: an error raised here would only be one more answer to a worker."""
        if not holds:
            self.broken.append(words)
