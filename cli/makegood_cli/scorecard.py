"""How often what was recommended is what people then decided, by type: what speaks for letting a type do more alone.

Only decisions under the type's policy as it is now are counted: what another version recommended says nothing of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from makegood.domain.choices import Step
from makegood.domain.review import Action
from makegood.ports import Unreadable

from makegood_cli.modes import NEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from makegood.domain.choices import Mode
    from makegood.domain.evidence import Decision
    from makegood.domain.operation import Operation
    from makegood.ports import Page

#: What a person does who follows a recommendation.
FOLLOWING = {
    Step.CONFIRM.value: Action.CONFIRM.value,
    Step.REQUEUE.value: Action.RETRY.value,
    Step.COMPENSATE.value: Action.COMPENSATE.value,
    Step.CLOSE.value: Action.CLOSE.value,
}
NAMED = 5  #: operations that are named where people decided otherwise
LEAST = 3  #: fewer agreements say nothing; see `meaning`


@dataclass(slots=True)
class Followed:
    """How often one recommended step was what people decided."""

    agreed: int = 0
    otherwise: int = 0
    otherwise_ids: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Score:
    """One type's decisions."""

    steps: defaultdict[str, Followed] = field(default_factory=lambda: defaultdict(Followed))  #: by recommended step
    unrecommended: Counter[str] = field(default_factory=Counter)  #: by action
    of_other_versions: int = 0  #: decisions under another version of the policy, or nobody knows which

    def add(self, operation: Operation, decision: Decision, version: int | None) -> None:
        """Count one decision. `version` is the policy's; `None` where this release does not know the type."""
        if version is not None and decision.policy_version != version:
            self.of_other_versions += 1
            return
        if decision.recommended is None:
            self.unrecommended[decision.action] += 1
            return
        followed = self.steps[decision.recommended]
        if FOLLOWING.get(decision.recommended) == decision.action:
            followed.agreed += 1
            return
        followed.otherwise += 1
        if len(followed.otherwise_ids) < NAMED:
            followed.otherwise_ids.append(operation.operation_id)


@dataclass(slots=True)
class Card:
    """All types' decisions, and what reading them cost."""

    scores: defaultdict[str, Score] = field(default_factory=lambda: defaultdict(Score))  #: by type
    pages: int = 0
    units: Decimal | None = Decimal()  #: read units as the table reports them; `None` if it does not
    operations: int = 0  #: that people decided upon
    unreadable: list[str] = field(default_factory=list)


def card(pages: Iterable[Page], versions: Mapping[str, int]) -> Card:
    """Count every decision of the rows that carry any. `versions` are those of the types' policies, by name."""
    counted = Card()
    for page in pages:
        counted.pages += 1
        counted.units = None if counted.units is None or page.units is None else counted.units + page.units
        for row in page.rows:
            if isinstance(row, Unreadable):
                counted.unreadable.append(row.operation_id)
                continue
            counted.operations += 1
            for decision in row.decisions:
                counted.scores[row.operation_type].add(row, decision, versions.get(row.operation_type))
    return counted


def meaning(score: Score, mode: Mode | None) -> str:
    """Say what the counts mean for raising a type's mode.

    After n agreements and no disagreement, fewer than 3/n of all are to be expected otherwise, with 95 % confidence
    (the rule of three: Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249, 1983).
    """
    if mode is None:
        return "this release does not know the type, so nothing is said of its mode"
    if mode not in NEXT:
        return "its mode is correct: it does all that its policy allows already, and asks people about the rest"
    wanted, steps = NEXT[mode]
    agreed, otherwise, named = _sum(score.steps[step.value] for step in steps if step.value in score.steps)
    words = " or ".join(step.value for step in steps)
    if otherwise:
        return (
            f"not yet {wanted}: {otherwise} of {agreed + otherwise} recommendations to {words} were decided "
            f"otherwise; look why, such as at {', '.join(named[:NAMED])}"
        )
    if agreed < LEAST:
        return f"not yet {wanted}: people decided upon {agreed} recommendations to {words}, too few to say anything"
    return (
        f"{wanted} is supported: it would have done what people decided, {agreed} times of {agreed}. "
        f"Fewer than {-(-300 // agreed)} in 100 are to be expected otherwise (95 % confidence); "
        f"more decisions lower that. Its policy's mode and version are where to raise it"
    )


def _sum(followed: Iterator[Followed]) -> tuple[int, int, list[str]]:
    every = list(followed)
    named = [name for each in every for name in each.otherwise_ids]
    return sum(each.agreed for each in every), sum(each.otherwise for each in every), named
