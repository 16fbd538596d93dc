"""Look before acting: read what is due, oldest first, judge each row, stop once a cap is known to be exceeded."""

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice

from makegood.domain.decide import Anomaly, Leave, anomaly, decide
from makegood.domain.instant import Instant, after
from makegood.domain.limits import Limits
from makegood.domain.operation import Operation, OperationId, open_shards
from makegood.domain.reason import Reason
from makegood.domain.registry import Registry
from makegood.flows.tally import Planned, Tally
from makegood.ports import Clock, DueKey, Found, Store, Unreadable

CHUNK = 100  #: rows read at once; the most that one BatchGetItem takes


@dataclass(slots=True, kw_only=True)
class Survey:
    """What was found: a plan, or the reason not to act."""

    horizon: Instant
    planned: list[Planned] = field(default_factory=list)
    by_type: Counter[str] = field(default_factory=Counter)  #: anomalies of each type
    halted_types: dict[str, str] = field(default_factory=dict)
    halted_why: str | None = None
    is_partial: bool = False  #: time was up before all that is due was counted: how high the pile is nobody knows


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyor:
    """Reads and judges; writes nothing."""

    store: Store
    clock: Clock
    registry: Registry
    limits: Limits
    shards: int  #: of the index, to be asked
    halt_cap: int | None  #: `None` where a person acknowledged the pile
    halted: bool  #: the last run that counted all was above the cap
    room: int  #: how many rows may be acted on
    untouched_for: timedelta | None
    operation_types: frozenset[str] | None
    until: Instant  #: stop reading by then

    def survey(self, now: Instant, tally: Tally) -> Survey:
        """Judge what is due at `now`."""
        survey = Survey(horizon=self._horizon(now))
        keys = self._keys(survey)
        while chunk := list(islice(keys, CHUNK)):
            rows = self.store.find([key.operation_id for key in chunk])
            for key in chunk:
                self._judge(key, rows.get(key.operation_id), now, survey, tally)
                if survey.halted_why is not None:
                    return _emptied(survey, tally)
            if self._enough(survey):
                tally.remaining += _counted(keys)
                break
            if self.clock.now() >= self.until:
                return self._cut(survey, _counted(keys), tally)
        return survey

    def _cut(self, survey: Survey, unread: int, tally: Tally) -> Survey:
        """End a count that time cut short: what was read is within the cap, and no halt ends before all is counted."""
        tally.remaining += unread
        survey.is_partial = unread > 0
        if survey.is_partial and self.halted and self.halt_cap is not None:
            survey.halted_why = "it was halted, and time was up before all that is due was counted"
            return _emptied(survey, tally)
        return survey

    def _horizon(self, now: Instant) -> Instant:
        if self.untouched_for is None:
            return now
        longest = max((terms.stale_after for terms in self.registry.terms.values()), default=self.limits.stale_after)
        return after(now, longest - self.untouched_for)

    def _keys(self, survey: Survey) -> Iterator[DueKey]:
        """Walk the due keys of all shards, oldest first, stepping over types that are halted or not asked for.

        A row is counted once: while it moves, a lagging index may list it at its old place and at its new one.
        """
        listed: set[OperationId] = set()
        shards = [self.store.due(shard, survey.horizon) for shard in open_shards(self.shards)]
        for key in heapq.merge(*shards, key=lambda key: key.due_at):
            asked = self.operation_types is None or key.operation_type in self.operation_types
            if asked and key.operation_type not in survey.halted_types and key.operation_id not in listed:
                listed.add(key.operation_id)
                yield key

    def _judge(self, key: DueKey, found: Found | None, now: Instant, survey: Survey, tally: Tally) -> None:
        if key.operation_type in survey.halted_types:
            tally.skip(Reason.TYPE_HALTED)
            return
        tally.scanned += 1
        match found:
            case None:
                tally.skip(Reason.GONE)
            case Unreadable():
                tally.skip(Reason.NEWER_FORMAT if found.newer_format else Reason.UNREADABLE)
                tally.named(found.operation_id, found.why)
            case Operation():
                self._judge_row(found, now, survey, tally)

    def _judge_row(self, operation: Operation, now: Instant, survey: Survey, tally: Tally) -> None:
        terms = self.registry.terms.get(operation.operation_type)
        if terms is None:
            tally.skip(Reason.UNKNOWN_TYPE)
            tally.unknown_types.add(operation.operation_type)
            return
        try:
            action = decide(operation, now=now, terms=terms, untouched_for=self.untouched_for)
        except Exception as error:  # noqa: BLE001 - one bad row is counted and named, and never stops the others
            tally.failed(operation.operation_id, error)
            return
        if isinstance(action, Leave):
            tally.skip(action.reason)
            return
        if kind := anomaly(operation, action):
            self._count(operation.operation_type, kind, terms.policy.halt_cap, survey, tally)
        self._plan(Planned(operation=operation, action=action), survey, tally)

    def _count(self, name: str, kind: Anomaly, type_cap: int | None, survey: Survey, tally: Tally) -> None:
        tally.anomalies[kind] += 1
        survey.by_type[name] += 1
        if self.halt_cap is None:
            return
        total = tally.anomalies.total()
        if total > self.halt_cap:
            survey.halted_why = f"more than {self.halt_cap} anomalies are due (counting stopped at {total})"
        if type_cap is not None and survey.by_type[name] > type_cap:
            survey.halted_types[name] = f"more than {type_cap} anomalies of this type are due"
            spared = [item for item in survey.planned if item.operation.operation_type != name]
            tally.skipped[Reason.TYPE_HALTED] += len(survey.planned) - len(spared)
            survey.planned[:] = spared

    def _plan(self, item: Planned, survey: Survey, tally: Tally) -> None:
        if item.operation.operation_type in survey.halted_types:
            tally.skip(Reason.TYPE_HALTED)
        elif len(survey.planned) < self.room:
            survey.planned.append(item)
        else:
            tally.remaining += 1

    def _enough(self, survey: Survey) -> bool:
        """With a person's acknowledgement nothing has to be counted beyond what may be acted on."""
        return self.halt_cap is None and len(survey.planned) >= self.room


def _counted(keys: Iterator[DueKey]) -> int:
    return sum(1 for _ in islice(keys, CHUNK))


def _emptied(survey: Survey, tally: Tally) -> Survey:
    tally.remaining += len(survey.planned)
    survey.planned.clear()
    return survey
