"""Bugs, planted one at a time into the tables, the guards and the store, to see that the small world finds them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from makegood.adapters.memory import MemoryStore
from makegood.domain import decide, follow, moving, policy, table, transitions
from makegood.domain.history import Verb
from makegood.domain.operation import Operation, Status
from makegood.domain.policy import Terms
from makegood.domain.table import Guard
from makegood.domain.transitions import schedule_retry

from tests.world.house import House
from tests.world.kinds import Kind
from tests.world.odd_stores import AsksNoToken, KnowsNoWrite, TakesAnyClaim, TakesAnyWrite

IDEMPOTENT = Kind(name="idempotent, observable", idempotent=True, observable=True)
SINGLE = Kind(name="not idempotent, observable", idempotent=False, observable=True)
BLIND = Kind(name="idempotent, not observable", idempotent=True, observable=False)
UNSEEN = Kind(name="not idempotent, not observable", idempotent=False, observable=False)
UNDONE = Kind(name="cancelled and undone", idempotent=True, observable=True, undoing=True, careless=True)
LATE = Kind(name="calls land late", idempotent=True, observable=True, lands_late=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """A bug, where it is looked for, and what it breaks."""

    says: str
    kind: Kind
    breaks: str | None  #: what is broken first; `None`: a course goes round for ever
    depth: int  #: of the first moment that shows it; where only a whole course does, so deep is enough to begin it
    bend: Callable[[pytest.MonkeyPatch], None] = lambda _: None
    store: type[MemoryStore] = MemoryStore
    terms: Callable[[Terms], Terms] | None = None

    @property
    def line(self) -> str:
        """Return its line on the page of proof."""
        if self.breaks is None:
            return f"| {self.says} | {self.kind.name} | invariant 1: a course goes round for ever | – |"
        return f"| {self.says} | {self.kind.name} | {self.breaks} | {self.depth} |"

    def house(self) -> House:
        """Return the house that has it."""
        return House(self.kind, self.store(), self.terms)


def without(guard: Guard, *verbs: Verb) -> Callable[[pytest.MonkeyPatch], None]:
    """Take a guard out of every line of these verbs."""

    def bend(patch: pytest.MonkeyPatch) -> None:
        lines = (
            replace(row, guards=tuple(each for each in row.guards if each is not guard)) if row.verb in verbs else row
            for row in table.TABLE
        )
        patch.setattr(table, "TABLE", tuple(lines))

    return bend


def leaving(change: Callable[[Operation, str, Any], Iterator[tuple[str, Any]]]) -> Callable[[pytest.MonkeyPatch], None]:
    """Change what leaving a status takes with it."""
    left = moving._left

    def bent(operation: Operation, target: Status, hand: moving.Hand, changes: Mapping[str, Any]) -> Any:  # noqa: ANN401
        for name, value in left(operation, target, hand, dict(changes)):
            yield from change(operation, name, value)

    return lambda patch: patch.setattr(moving, "_left", bent)


def _keeps_the_claim(_: Operation, name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    if name not in ("claim_token", "claimed_at", "lease_ends_at"):
        yield name, value


def _ended_when_claimed(operation: Operation, name: str, value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    yield name, operation.first_claimed_at if name == "attempt_ended_at" else value


def _no_fallback(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(follow, "ImpossibleTransition", ZeroDivisionError)


def _retries_anything(patch: pytest.MonkeyPatch) -> None:
    def bent(operation: Operation, *_: Any, **__: Any) -> Operation:
        hand = _[0]
        return schedule_retry(operation, hand, wait=timedelta(), error="anything")

    patch.setattr(transitions, "await_proof", bent)


def _ambiguous_is_requeued(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(policy.Policy, "step", lambda *_: policy.Step.REQUEUE)
    without(Guard.VERDICT_RESEND, Verb.REQUEUE)(patch)


def _sends_for_ever(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(decide, "_given_up", lambda *_: None)


def _no_settle_window(terms: Terms) -> Terms:
    return replace(terms, settle_window=timedelta())


PLANTS = (
    Plant(
        says="a claim is told from another's by the status",
        kind=UNSEEN,
        store=TakesAnyClaim,
        breaks="invariant 2: sent again after a call that may have been applied",
        depth=5,
    ),
    Plant(
        says="a write is told from another's by status and revision",
        kind=UNSEEN,
        store=TakesAnyWrite,
        breaks="invariant 4: another's write is taken for its own",
        depth=3,
    ),
    Plant(
        says="a write of our own is not known again",
        kind=UNSEEN,
        store=KnowsNoWrite,
        breaks="invariant 4: a repeated write of its own is taken for another's",
        depth=1,
    ),
    Plant(
        says="a write names the status alone",
        kind=UNSEEN,
        store=AsksNoToken,
        breaks="invariant 4: a write that saw an older row changes the row",
        depth=3,
    ),
    Plant(
        says="leaving processing keeps the claim",
        kind=UNSEEN,
        bend=leaving(_keeps_the_claim),
        breaks="invariant 4: it is not_applicable, and its claim does not fit that",
        depth=3,
    ),
    Plant(
        says="there is no settle window",
        kind=SINGLE,
        terms=_no_settle_window,
        breaks="invariant 10: not applicable, and the effect is there",
        depth=7,
    ),
    Plant(
        says="the settle window counts from the claim",
        kind=SINGLE,
        bend=leaving(_ended_when_claimed),
        breaks="invariant 10: not applicable, and the effect is there",
        depth=9,
    ),
    Plant(
        says="a claim does not ask the key's age",
        kind=LATE,
        bend=without(Guard.KEY_FRESH, Verb.CLAIM),
        breaks="invariant 2: the effect took place twice",
        depth=17,
    ),
    Plant(
        says="what is not permitted does not fall back to review",
        kind=IDEMPOTENT,
        bend=_no_fallback,
        breaks=None,
        depth=5,
    ),
    Plant(
        says="a confirmation does not ask the intent",
        kind=UNDONE,
        bend=without(Guard.FOR_EFFECT, Verb.CONFIRM, Verb.CONFIRM_BY_PROOF),
        breaks="invariant 10: confirmed without evidence of its effect",
        depth=14,
    ),
    Plant(
        says="a confirmation by a look does not ask whether it was cancelled",
        kind=UNDONE,
        bend=without(Guard.NOT_CANCELLED, Verb.CONFIRM_BY_PROOF),
        breaks="invariant 10: cancelled, and confirmed by itself",
        depth=8,
    ),
    Plant(
        says="anything that perform raises is retried",
        kind=UNSEEN,
        bend=_retries_anything,
        breaks="invariant 2: sent again after a call that may have been applied",
        depth=6,
    ),
    Plant(
        says="ambiguity leads to a requeue",
        kind=BLIND,
        bend=_ambiguous_is_requeued,
        breaks="invariant 3: claim leads from an ambiguous outcome to processing",
        depth=10,
    ),
    Plant(
        says="a close by a sweep does not ask whether it may have been applied",
        kind=UNDONE,
        bend=without(Guard.CERTAIN, Verb.CLOSE),
        breaks="invariant 10: not applicable, and the effect is there",
        depth=7,
    ),
    Plant(
        says="hints are sent again and again",
        kind=UNSEEN,
        bend=_sends_for_ever,
        breaks=None,
        depth=5,
    ),
)
