"""What a run counts as it goes."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from makegood.domain.decide import Action, Anomaly, Dispatch, Escalate, Observe, Release
from makegood.domain.history import Verb
from makegood.domain.operation import Operation
from makegood.domain.reason import Reason
from makegood.domain.scrub import error_line
from makegood.flows.result import Move, move
from makegood.ports import Sent

ERRORS_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A due row and what is to be done with it."""

    operation: Operation
    action: Action


@dataclass(slots=True)
class Tally:
    """The counts of one run, growing."""

    scanned: int = 0
    anomalies: Counter[Anomaly] = field(default_factory=Counter)
    acted: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    would: Counter[str] = field(default_factory=Counter)
    not_asked: dict[str, str] = field(default_factory=dict)
    sent: int = 0
    send_failures: int = 0
    send_trouble: str | None = None  #: what the queue said of the first failure
    remaining: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    error_count: int = 0
    moves: list[Move] = field(default_factory=list)
    unknown_types: set[str] = field(default_factory=set)

    def landed(self, operation: Operation) -> None:
        """Count a transition that landed."""
        done = move(operation)
        self.moves.append(done)
        self.acted[done.verb.value] += 1

    def withheld(self, verb: str, landed: Operation | None = None) -> None:
        """Count a step that the policy wanted and that was not taken; the move that landed instead tells of it."""
        self.would[f"would_{verb}"] += 1
        if landed is not None:
            self.moves[-1] = replace(self.moves[-1], would=f"would_{verb}")

    def answered(self, sent: Sent) -> None:
        """Count what a queue said of one message."""
        if sent == Sent.SENT:
            self.sent += 1
            return
        self.send_failures += 1
        self.send_trouble = self.send_trouble or sent.why

    def skip(self, reason: Reason) -> None:
        """Count a row that was left alone."""
        self.skipped[reason] += 1

    def failed(self, operation_id: str, error: BaseException) -> None:
        """Count and name a row that could not be handled."""
        self.named(operation_id, error_line(error))

    def named(self, operation_id: str, words: str) -> None:
        """Count a row that could not be handled; the first 20 are named."""
        self.error_count += 1
        if len(self.errors) < ERRORS_NAMED:
            self.errors[operation_id] = words

    def foresee(self, planned: list[Planned]) -> None:
        """Count what a dry run would do. What a look would lead to nobody knows before it is taken."""
        for item in planned:
            self.acted[VERBS[type(item.action)]] += 1

    def foresee_withheld(self, planned: list[Planned]) -> None:
        """Count what a deployment whose sweeps only watch keeps from being done."""
        for item in planned:
            self.withheld(VERBS[type(item.action)])

    def counts(self) -> dict[str, Any]:
        """Return the counts by the names of a run record."""
        return {
            "scanned": self.scanned,
            "anomalies": {kind.value: count for kind, count in self.anomalies.items()},
            "acted": dict(self.acted),
            "skipped": {str(reason): count for reason, count in self.skipped.items()},
            "verdicts": dict(self.verdicts),
            "would": dict(self.would),
            "not_asked": dict(self.not_asked),
            "sent": self.sent,
            "send_failures": self.send_failures,
            "send_trouble": self.send_trouble,
            "remaining": self.remaining,
            "errors": dict(self.errors),
            "error_count": self.error_count,
        }


VERBS: dict[type[Action], str] = {
    Dispatch: Verb.TOUCH.value,
    Release: Verb.RELEASE.value,
    Escalate: Verb.ESCALATE.value,
    Observe: "observe",
}
