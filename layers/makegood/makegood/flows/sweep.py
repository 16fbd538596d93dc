"""One run of the reconciler: take the lease → survey → refuse above the cap, or act within the drain rate → tell."""

from collections.abc import Iterator
from dataclasses import dataclass

from makegood.domain.decide import Observe
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant, after
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.registry import Registry
from makegood.domain.run import Control, RunOutcome, RunRecord
from makegood.flows.act import Acts
from makegood.flows.observe import Observations
from makegood.flows.order import SweepOrder
from makegood.flows.result import Move
from makegood.flows.survey import Survey, Surveyor
from makegood.flows.tally import Planned, Tally
from makegood.ports import Clock, Entropy, Ledger, Lookout, Queue, Store

SURVEY_SHARE = 0.5  #: of the time there is; the rest is for acting


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a run did, in counts and one by one."""

    record: RunRecord
    moves: tuple[Move, ...] = ()
    plan: tuple[Planned, ...] = ()  #: of a dry run: what would be done, oldest first
    unknown_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What this run took over: the lease, and what the run before was asking about when it died."""

    token: str
    suspects: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The reconciler's flow."""

    store: Store
    ledger: Ledger
    queue: Queue
    clock: Clock
    entropy: Entropy
    registry: Registry
    limits: Limits
    sweep_limits: SweepLimits
    lookout: Lookout
    only_watching: bool = False  #: the deployment has its sweeps write nothing to operations and send nothing

    def __call__(self, order: SweepOrder) -> Swept:
        """Sweep once.

        Raises:
            InvalidInput: the order asks for something that no run may do; nothing was done.
            StoreError: the index or the control row could not be read; nothing was done.
        """
        self.check(order)
        started_at = self.clock.now()
        token = self.entropy.token()
        control = self._enter(order, started_at, token)
        if control is None:
            return Swept(record=_overlapped(order, started_at, self.clock.now()))
        try:
            swept = self._run(order, started_at, control, token)
            self.ledger.finish(token=token, record=swept.record)
        except Exception:
            self._leave(order, token)
            raise
        return swept

    def _enter(self, order: SweepOrder, now: Instant, token: str) -> Control | None:
        if order.dry_run:
            return self.ledger.control()
        until = after(max(order.until, now), self.limits.skew_margin)
        return self.ledger.take_lease(now=now, token=token, until=until)

    def _leave(self, order: SweepOrder, token: str) -> None:
        if not order.dry_run:
            self.ledger.give_back(token=token)

    def _run(self, order: SweepOrder, started_at: Instant, control: Control, token: str) -> Swept:
        tally, given = Tally(), control.acknowledged(started_at)
        shards = control.shards_to_ask(self.limits.shards)
        survey = self._surveyor(order, started_at, control, shards).survey(started_at, tally)
        plan = tuple(survey.planned)
        if survey.halted_why is None and order.dry_run:
            tally.foresee(survey.planned)
        elif survey.halted_why is None:
            self._carry_out(order, survey, tally, Turn(token=token, suspects=frozenset(control.asking)))
        record = RunRecord(
            run_id=order.run_id,
            started_at=started_at,
            ended_at=self.clock.now(),
            outcome=self._outcome(survey),
            dry_run=order.dry_run,
            partial=order.is_partial or survey.is_partial,
            shards=shards,
            halted_why=survey.halted_why,
            halted_types=survey.halted_types,
            acknowledged_by=given.by if given else None,
            **tally.counts(),
        )
        return Swept(
            record=record,
            moves=tuple(tally.moves),
            plan=plan if order.dry_run else (),
            unknown_types=tuple(tally.unknown_types),
        )

    def _carry_out(self, order: SweepOrder, survey: Survey, tally: Tally, turn: Turn) -> None:
        """Act on the rows that are plain, then look at the others: a look may take its time, or the run's life."""
        acts = self._acts(order, survey)
        looks = [item for item in survey.planned if isinstance(item.action, Observe)]
        plain = [item for item in survey.planned if not isinstance(item.action, Observe)]
        if self.only_watching:
            tally.foresee_withheld(plain)
        else:
            acts.carry_out(plain, tally)
        observations = Observations(
            acts=acts,
            lookout=self.lookout,
            ledger=self.ledger,
            clock=self.clock,
            registry=self.registry,
            token=turn.token,
            until=order.until,
            suspects=turn.suspects,
            only_watching=self.only_watching,
        )
        observations.carry_out(looks, tally)

    def _outcome(self, survey: Survey) -> RunOutcome:
        if survey.halted_why is not None:
            return RunOutcome.HALTED
        return RunOutcome.OBSERVED if self.only_watching else RunOutcome.COMPLETED

    def _surveyor(self, order: SweepOrder, now: Instant, control: Control, shards: int) -> Surveyor:
        given = control.acknowledged(now)
        rate = given.drain_rate if given else self.sweep_limits.drain_rate
        return Surveyor(
            store=self.store,
            clock=self.clock,
            registry=self.registry,
            limits=self.limits,
            shards=shards,
            halt_cap=None if given else self.sweep_limits.halt_cap,
            halted=control.halted_since is not None,
            room=rate if order.limit is None else min(rate, order.limit),
            untouched_for=order.untouched_for,
            operation_types=order.operation_types,
            until=Instant(now + int((order.until - now) * SURVEY_SHARE)),
        )

    def _acts(self, order: SweepOrder, survey: Survey) -> Acts:
        return Acts(
            store=self.store,
            queue=self.queue,
            clock=self.clock,
            entropy=self.entropy,
            registry=self.registry,
            due_until=survey.horizon if order.untouched_for is not None else None,
            until=order.until,
        )

    def check(self, order: SweepOrder) -> None:
        """Refuse what no run may do; nothing is read or written.

        Raises:
            InvalidInput: saying what was asked and what is wanted.
        """
        for problem in _problems(order, self.limits, self.registry):
            raise InvalidInput(problem)


def _problems(order: SweepOrder, limits: Limits, registry: Registry) -> Iterator[str]:
    if order.limit is not None and order.limit < 1:
        yield f"limit {order.limit}: at least 1 is wanted; to see without acting, ask for a dry run"
    asked = order.untouched_for
    if asked is not None and asked < limits.visibility:
        yield (
            f"minutes: {asked.total_seconds():g} s is below the queue's visibility time-out "
            f"({limits.visibility.total_seconds():g} s); messages still on their way would be sent again"
        )
    unknown = sorted((order.operation_types or frozenset()) - set(registry.terms))
    if unknown:
        known = ", ".join(sorted(registry.terms)) or "none"
        yield f"operation types {', '.join(unknown)} are not known here; known are: {known}"


def _overlapped(order: SweepOrder, started_at: Instant, ended_at: Instant) -> RunRecord:
    return RunRecord(
        run_id=order.run_id,
        started_at=started_at,
        ended_at=ended_at,
        outcome=RunOutcome.OVERLAPPED,
        dry_run=order.dry_run,
    )
