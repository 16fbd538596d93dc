"""What each move rests on: times, looks, modes and counts, measured apart from the guards that the table names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from makegood.domain.choices import Mode
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Role, Verb
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Operation

from tests.simulation.catalog import LIMITS, REGISTRY
from tests.simulation.engine import MILLISECOND

if TYPE_CHECKING:
    from makegood.domain.policy import Terms

    from tests.simulation.engine import Process
    from tests.simulation.world import World

PROMISED = {"plan": "gold"}
MARGIN = LIMITS.skew_margin // MILLISECOND
A_PERSON = "a person"  #: whom a verdict names that rests on what a person states
_BY_MODE = {
    Verb.CONFIRM_BY_PROOF: (Mode.CONFIRM, Mode.CORRECT),
    Verb.COMPENSATED_BY_PROOF: (Mode.CONFIRM, Mode.CORRECT),
    Verb.REQUEUE: (Mode.CORRECT,),
    Verb.COMPENSATE: (Mode.CORRECT,),
}


class Grounds:
    """Measures what moves rest on."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.absent: Counter[str] = Counter()  #: how often in a row an operation was seen absent, once that counts

    def fails(self, number: int, words: str) -> None:
        """Remember what does not hold."""
        self.world.check.fails(number, words)

    def of(self, before: Operation, after: Operation, verb: Verb, process: Process) -> None:
        """Check one move of a row that was there."""
        terms, name = REGISTRY.terms[after.operation_type], after.operation_id
        if check := _CHECKS.get(verb):
            check(self, before, after, terms)
        if process.role == Role.RECONCILER and verb in _BY_MODE:
            self._by_a_look(before, after, verb, process)
        if after.dispatches > terms.max_dispatches or after.attempt > terms.max_attempts:
            self.fails(1, f"{name} has {after.attempt} attempts and {after.dispatches} dispatches, more than it may")
        if after.expected_fields != PROMISED:
            self.fails(7, f"{name} does not expect any more what was promised")
        self._count_absences(before, after, verb, process)

    def claim(self, before: Operation, after: Operation, terms: Terms) -> None:
        """Check that a claim counts its attempt, comes in its time and within the key's life."""
        now = after.claimed_at or 0
        if after.attempt != before.attempt + 1 or (before.not_before or 0) > now:
            self.fails(7, f"{before.operation_id} is claimed too early or its attempt is not counted")
        self._sent_in_time(before, now, terms)

    def requeue(self, before: Operation, after: Operation, terms: Terms) -> None:
        """Check that what is sent again may be."""
        if not terms.policy.idempotent:
            self.fails(2, f"{before.operation_id} is sent again, and its type is not idempotent")
        self._sent_in_time(before, after.updated_at, terms)
        self.settled(before, after, terms)

    def release(self, before: Operation, after: Operation, _: Terms) -> None:
        """Check that a claim is believed until its lease is over by the margin."""
        if after.updated_at <= (before.lease_ends_at or 0) + MARGIN:
            self.fails(4, f"{before.operation_id} is released while its lease may run")

    def touch(self, before: Operation, after: Operation, _: Terms) -> None:
        """Check that a touch comes before the deadline by its own clock, and that the row is not due any more."""
        engine, deadline_at = self.world.engine, before.deadline_at
        now = min(after.updated_at, engine.now + engine.process.skew)  # a row keeps the later time of another's clock
        if deadline_at is not None and deadline_at <= now:
            self.fails(1, f"{before.operation_id} is sent after its deadline")
        clocks_agree = self.world.kind.skew <= MARGIN
        if clocks_agree and (after.due_at or 0) <= (before.due_at or 0) and after.due_at != deadline_at:
            self.fails(8, f"{before.operation_id} is touched and stays due")

    def settled(self, before: Operation, after: Operation, terms: Terms) -> None:
        """Check that no call of the last attempt may still land, as the mover's clock measures it."""
        ended_at = before.attempt_ended_at
        if ended_at is None or after.updated_at < ended_at + terms.settle_window // MILLISECOND:
            self.fails(10, f"{before.operation_id} is moved on while its call may still land")

    def compensate(self, before: Operation, after: Operation, terms: Terms) -> None:
        """Check that a policy undoes an effect that is settled, and once."""
        self.settled(before, after, terms)
        if before.intent is Intent.COMPENSATION:
            self.fails(10, f"the undoing of {before.operation_id} is undone")

    def decided(self, before: Operation, after: Operation, process: Process) -> None:
        """Check that a person decided on the row that they had looked at."""
        decision = after.decisions[-1]
        if decision.seen_revision != before.revision:
            self.fails(
                9, f"{before.operation_id} is decided at revision {before.revision}; seen {decision.seen_revision}"
            )
        seen = process.asked[after.operation_id][0] if after.operation_id in process.asked else None
        told = isinstance(seen, Found) and seen.version is not None and seen.count == 1 and not seen.deleted
        if told and after.verdict is not before.verdict and after.verdict and after.verdict.asked == A_PERSON:
            self.fails(10, f"a person's word on {before.operation_id} is taken against what was seen: {seen}")

    def announces(self, identifiers: Sequence[str], process: Process) -> None:
        """Check that a sweep does not ask what killed the run before it, nor a remote that does not answer."""
        if process.suspects == tuple(identifiers):
            self.fails(1, f"{process.name} asks for {identifiers[0]} again, which killed the run before")
        for name in {self.world.store.rows[identifier].operation_type for identifier in identifiers}:
            if process.unknown[name] >= REGISTRY.terms[name].policy.unknowns:
                self.fails(8, f"{process.name} goes on asking a remote that does not answer")

    def _by_a_look(self, before: Operation, after: Operation, verb: Verb, process: Process) -> None:
        name, undoing = after.operation_id, before.intent is Intent.COMPENSATION
        policy = REGISTRY.terms[after.operation_type].policy
        seen = process.asked[name][0] if name in process.asked else None
        if seen is None or isinstance(seen, Unknown):
            self.fails(3, f"{process.name} does {verb} to {name} and has seen nothing")
        wants_it = undoing if verb is Verb.REQUEUE else verb is not Verb.COMPENSATED_BY_PROOF
        if _shows(seen, before) != wants_it:
            self.fails(3, f"{process.name} does {verb} to {name} having seen {seen}")
        if verb is Verb.CONFIRM_BY_PROOF and isinstance(seen, Found) and seen.count != 1:
            self.fails(10, f"{name} is confirmed although it is there {seen.count} times")
        if policy.mode not in _BY_MODE[verb]:
            self.fails(3, f"{process.name} does {verb} to {name}, whose mode is {policy.mode}")

    def _sent_in_time(self, row: Operation, now: int, terms: Terms) -> None:
        lifetime, reserve = terms.policy.key_lifetime // MILLISECOND, terms.key_reserve // MILLISECOND
        if (
            self.world.kind.skew <= MARGIN
            and row.uncertain
            and now - (row.first_claimed_at or now) >= lifetime - reserve
        ):
            self.fails(2, f"{row.operation_id} is sent although the remote may forget its key")

    def _count_absences(self, before: Operation, after: Operation, verb: Verb, process: Process) -> None:
        name, terms = after.operation_id, REGISTRY.terms[after.operation_type]
        seen, _, at = process.asked.get(name, (None, 0, 0))
        settled_at = (before.attempt_ended_at or 0) + terms.settle_window // MILLISECOND
        counts = seen is not None and not _shows(seen, before) and at >= settled_at
        verdict = after.verdict if after.verdict is not before.verdict else None
        missing = verdict is not None and verdict.kind is VerdictKind.MISSING and verdict.asked != A_PERSON
        if missing and (not counts or self.absent[name] + 1 < terms.policy.absences):
            self.fails(10, f"{name} is taken for missing, seen {seen} after {self.absent[name]} absences")
        if verb is Verb.OBSERVE_AGAIN:
            self.absent[name] = self.absent[name] + 1 if counts else 0
        elif before.is_claimed or (seen is not None and not counts and verb is not Verb.REQUEST_CANCEL):
            self.absent[name] = 0  # a wish to cancel rests on no look


def _shows(seen: object, row: Operation) -> bool:
    """Say whether a look showed the effect, or more of it than was promised."""
    if not isinstance(seen, Found):
        return not isinstance(seen, Absent)
    older = seen.version is not None and seen.version < row.expected_version and row.intent is Intent.EFFECT
    return not (seen.deleted or older)


Check: TypeAlias = Callable[[Grounds, Operation, Operation, "Terms"], None]
_CHECKS: Mapping[Verb, Check] = {
    Verb.CLAIM: Grounds.claim,
    Verb.REQUEUE: Grounds.requeue,
    Verb.RELEASE: Grounds.release,
    Verb.TOUCH: Grounds.touch,
    Verb.COMPENSATE: Grounds.compensate,
}
