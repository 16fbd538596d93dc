"""What a schedule sets out to do: a pure function of its seed, written down before anything runs.

More than forty operations of the shipped types are promised within half a minute; each takes a course of its own
(courses.py), and over all of them come the blows that strike whatever is there: queues that stand still or are purged,
workers that are killed or freeze, a remote that is down, sweeps at any moment, people who look in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from makegood_cli.local.crm_faults import Fault

ENDS_AT = 36.0  #: seconds; a message whose worker died early has come again by then (visibility: 25 s)
FIRST, LAST = 0.5, 14.0  #: between these operations are promised
FIELDS = {"email": "ada.lovelace@example.org", "plan": "gold"}


class What(StrEnum):
    """What can happen at an instant of a schedule."""

    PROMISE = "is promised"
    PROMISE_UNSENT = "is promised, and its send fails"
    PROMISE_LOST = "is promised, and its message is lost on the way"
    PROMISE_AGAIN = "is promised a second time"
    DOUBLE = "gets a second message"
    LATE_MESSAGE = "gets a message that comes late"
    FORGED = "gets a message though nobody promised it"
    GARBAGE = "a message that names nothing"
    PEEKED = "is received again and again by a curious hand, until it is a dead letter"
    PAUSE = "stands still"
    PURGE = "is purged"
    KILL = "the workers are killed in the call for"
    FREEZE = "the workers freeze in the call for"
    DOWN = "the remote goes down"
    UP = "the remote is back"
    ELSEWHERE = "somebody else changes the customer of"
    CANCEL = "is wanted no more"
    SWEEP = "a sweep"
    SWEEP_TWICE = "two sweeps at once"
    SWEEP_PART = "a sweep of a part, by hand"
    DRY_RUN = "a dry run"
    VISIT = "a person looks in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing that happens."""

    at: float  #: seconds from the beginning
    what: What
    whom: str = ""  #: an operation, a queue, a pattern of entities
    number: float = 0.0  #: seconds, versions ahead, or the seed of a person's draws; as the act takes it
    text: str = ""  #: a body, a kind of fault

    def __str__(self) -> str:
        """Tell it in a line."""
        more = " ".join(filter(None, (f"{self.number:g}" if self.number else "", self.text[:40])))
        return f"{self.at:5.1f} s  {self.whom} {self.what.value}{f' ({more})' if more else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """An operation that is to be promised."""

    name: str  #: its id
    operation_type: str
    entity: str
    version: int
    fields: Mapping[str, Any]
    queue: str | None = None
    starts_in: float | None = None  #: seconds from its promise to `not_before`
    ends_in: float | None = None  #: seconds from its promise to its deadline


@dataclass(slots=True)
class Plan:
    """All that was drawn from a seed."""

    seed: int
    chance: random.Random
    operations: dict[str, Ordered] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)  #: by name; on from the beginning, each for one entity
    acts: list[Act] = field(default_factory=list)

    @property
    def mark(self) -> str:
        """What all names of this schedule begin with."""
        return f"s{self.seed}-"

    def when(self) -> float:
        """Draw when an operation is promised."""
        return self.chance.uniform(FIRST, LAST)

    def order(self, kind: str = "customer", *, of: Ordered | None = None, **more: Any) -> Ordered:
        """Write an operation down: for a customer or an invoice of its own, or another version for the same one."""
        number = f"{self.mark}{len(self.operations) + 1:02d}"
        usual: dict[str, Any] = {"operation_type": "sync_customer", "version": 7, "entity": f"customer/{number}"}
        usual |= {"fields": {**FIELDS, "tier": number}, "queue": self.chance.choice((None, "high", "low"))}
        if kind == "invoice":
            usual |= {"operation_type": "charge_invoice", "entity": f"invoice/{number}", "queue": None}
            usual["fields"] = {"amount": 10 + len(self.operations), "currency": "EUR"}
        if of is not None:
            usual["entity"] = of.entity
        ordered = Ordered(**{"name": number, **usual, **more})
        self.operations[ordered.name] = ordered
        return ordered

    def does(self, at: float, what: What, whom: str = "", **more: Any) -> None:
        """Write down that something happens."""
        self.acts.append(Act(at=round(at, 1), what=what, whom=whom, **more))

    def suffers(self, ordered: Ordered, fault: Fault) -> None:
        """Write down that the remote does something to the calls, or reads, for an operation."""
        self.faults[f"{ordered.name}-{fault.kind}"] = fault

    def story(self) -> str:
        """Tell the whole plan: what is wrong from the beginning, then what happens in its order."""
        wrong = [f"  {name}: {_told(fault)}" for name, fault in sorted(self.faults.items())]
        told = [f"  {act}" for act in sorted(self.acts, key=lambda act: act.at)]
        return "\n".join((f"schedule {self.seed}", *wrong, *told, f"again: make schedules SEED={self.seed} N=1"))


def _told(fault: Fault) -> str:
    often = "always" if fault.count is None else f"{fault.count} times"
    more = "" if fault.seconds is None else f", {fault.seconds:g} s"
    return f"{fault.kind}{' without effect' if not fault.applied else ''}, {often}{more}"
