"""Why a sweep picks or spares one operation now, and what comes after: the sweep's own rule, asked again in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from makegood.domain.advice import advised
from makegood.domain.decide import Action, Anomaly, Dispatch, Escalate, Leave, Observe, Release, anomaly, decide
from makegood.domain.instant import Instant
from makegood.domain.operation import Status
from makegood.domain.reason import Reason
from makegood.domain.run import RunOutcome
from makegood.flows.work import why_not
from makegood.ports import Unreadable

from makegood_cli.outlook import Prospect, prospects, settled_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from makegood.domain.operation import Operation
    from makegood.domain.policy import Terms
    from makegood.domain.registry import Registry
    from makegood.domain.run import Control, RunRecord
    from makegood.ports import Found

    from makegood_cli.stacks import Rooms

LOOKS = 5  #: how often the rule is asked again after it said "leave it until then"
RUNS_READ = 20  #: run records that are read to find the last that could act
CLAIMABLE = frozenset({Status.PENDING, Status.RETRY_SCHEDULED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the rule says from an instant on, if nothing moves the row before."""

    at: Instant
    action: Action
    anomaly: Anomaly | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What keeps every sweep from acting on the row, whatever the rule says."""

    words: str
    since: Instant | None = None  #: `None` if nobody knows
    what: str = "the sweep is halted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All there is to say about one row."""

    now: Instant
    steps: tuple[Step, ...]  #: the first holds now
    hold: Hold | None
    worker: Reason | None  #: why a worker may not claim it now; `None` if it may
    is_claimable: bool  #: whether a worker could be asked at all
    can_ask: bool = False  #: whether the outside system can be asked what is there
    prospects: tuple[Prospect, ...] = ()  #: what a look at its outcome could lead to
    advice: str | None = None  #: for the person that it waits for
    cancelled: str | None = None  #: what settles it, where its cancellation is asked for

    @property
    def rule(self) -> Action:
        """What the rule says now."""
        return self.steps[0].action

    @property
    def acts_now(self) -> bool:
        """Say whether the next sweep moves the row."""
        return not isinstance(self.rule, Leave) and self.hold is None


def explain(found: Found, *, now: Instant, rooms: Rooms, control: Control, runs: Sequence[RunRecord]) -> Explanation:
    """Say which rule holds for a row, until when, and what then."""
    registry = rooms.registry
    if isinstance(found, Unreadable):
        reason = Reason.NEWER_FORMAT if found.newer_format else Reason.UNREADABLE
        return _spared(reason, now)
    terms = registry.terms.get(found.operation_type)
    if terms is None:
        return _spared(Reason.UNKNOWN_TYPE, now)
    is_claimable = found.status in CLAIMABLE
    is_cancelled = found.cancel_reason is not None and not found.is_terminal
    return Explanation(
        now=now,
        steps=tuple(forecast(found, now=now, terms=terms)),
        hold=_watching(found, rooms) or _hold(found, control, runs, now),
        worker=_worker(found, now, registry) if is_claimable else None,
        is_claimable=is_claimable,
        can_ask=terms.policy.capability.can_ask,
        prospects=prospects(found, now=now, terms=terms),
        advice=advised(found, now=now, terms=terms)[1] if found.status is Status.MANUAL_REVIEW else None,
        cancelled=settled_by(found, terms.policy) if is_cancelled else None,
    )


def forecast(operation: Operation, *, now: Instant, terms: Terms) -> Iterator[Step]:
    """Ask the rule now, and again whenever time alone ends what it says."""
    at = now
    for _ in range(LOOKS):
        action = decide(operation, now=at, terms=terms)
        yield Step(at=at, action=action, anomaly=anomaly(operation, action))
        if not isinstance(action, Leave) or action.until is None:
            return
        at = Instant(action.until + 1)


def name_of(action: Action) -> str:
    """Name an action as a plan does."""
    return type(action).__name__.lower()


def promise_of(action: Action, *, can_ask: bool) -> str:
    """Say what a sweep does, after "the next sweep"; `can_ask` says whether the outside system can be asked."""
    match action:
        case Leave():
            return "leaves it alone"
        case Release():
            return "takes it from its worker; its effect is then unknown, so it awaits confirmation"
        case Escalate():
            return "puts it in front of a person"
        case Dispatch(reason=Reason.RETRY_DUE):
            return "touches it and sends its message"
        case Dispatch():
            return "touches it and sends its message again"
        case Observe():
            return f"looks at its outcome, {'asking what is there' if can_ask else 'which nobody can be asked about'}"
        case _:
            assert_never(action)


def last_run(runs: Sequence[RunRecord]) -> RunRecord | None:
    """Return the latest run that could act."""
    return next((run for run in runs if not run.dry_run and run.outcome is not RunOutcome.OVERLAPPED), None)


def _spared(reason: Reason, now: Instant) -> Explanation:
    step = Step(at=now, action=Leave(reason=reason))
    return Explanation(now=now, steps=(step,), hold=None, worker=reason, is_claimable=False)


def _watching(operation: Operation, rooms: Rooms) -> Hold | None:
    if operation.is_terminal or operation.status is Status.MANUAL_REVIEW or not rooms.settings.only_watching:
        return None
    return Hold(what="sweeps only watch here", words="the deployment's parameter Sweeps is observe")


def _hold(operation: Operation, control: Control, runs: Sequence[RunRecord], now: Instant) -> Hold | None:
    if operation.is_terminal or operation.status is Status.MANUAL_REVIEW or control.acknowledged(now):
        return None
    if control.halted_since is not None:
        return Hold(words=control.halted_why or "the sweep is halted", since=control.halted_since)
    run = last_run(runs)
    if run is not None and operation.operation_type in run.halted_types:
        return Hold(words=run.halted_types[operation.operation_type], since=run.started_at)
    return None


def _worker(operation: Operation, now: Instant, registry: Registry) -> Reason | None:
    """Ask the worker's own rule; it answers "moved" where nothing is in the way."""
    reason = why_not(operation, now, registry)
    return None if reason is Reason.MOVED else reason
