"""Check what awaits confirmation against a result file: the same judgement, policy and moves as a look of the sweep."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from makegood.domain.evidence import VerdictKind
from makegood.domain.follow import follow
from makegood.domain.history import Actor, Role, Verb, last
from makegood.domain.instant import LATEST, Instant
from makegood.domain.judge import Again, Judgement, judge
from makegood.domain.limits import Limits
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import CLAIMABLE, Intent, Operation, OperationId, Status, open_shards
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason
from makegood.domain.registry import Registry
from makegood.domain.result_file import Line
from makegood.flows.act import Acts
from makegood.flows.tally import Tally
from makegood.ports import Clock, Entropy, Ledger, Queue, Store

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a file says of one operation, and what came of it."""

    operation: Operation  #: as it stood
    lines: tuple[int, ...]
    verdict: str | None  #: a verdict's kind; `None` if there is none yet
    reason: str
    verb: Verb  #: the move that follows
    would: Verb | None  #: what the policy wanted and the type's mode withheld
    landed: bool  #: `False` in a dry run, where it was held back, and where the row moved meanwhile
    held_back: bool = False  #: the file says nothing new of it, or as many were sent as a sweep would send


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What became of a whole file."""

    checked: tuple[Checked, ...]
    unmatched: tuple[int, ...]  #: lines that name nothing which awaits confirmation
    silent: int  #: operations awaiting confirmation that the file does not mention
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The flow of a deferred check. It reads what is open of the type, and writes one row for each that it judges."""

    store: Store
    ledger: Ledger
    queue: Queue
    clock: Clock
    entropy: Entropy
    registry: Registry
    limits: Limits
    drain_rate: int  #: so many operations a file may send again or undo; the next check goes on

    def __call__(self, operation_type: str, lines: Sequence[Line], *, dry_run: bool, by: str) -> Report:
        """Judge each awaiting operation of the type that the file mentions, and follow its policy.

        The moves are the reconciler's, under the name of the person who handed the file in. What brings no verdict
        and counts no further absence leaves its row untouched, so the same file may be checked any number of times.

        Raises:
            InvalidInput: this release does not know the type.
            StoreError: the store did not answer.
        """
        self.registry.terms_of(operation_type)
        awaiting = {row.operation_id: row for row in self._awaiting(operation_type)}
        said, unmatched = _matched(lines, awaiting)
        tally, checked, acts = Tally(), [], self._acts(Actor(role=Role.RECONCILER, name=by))
        for identifier, about in said.items():
            checked.append(self._checked(awaiting[identifier], about, tally, acts, dry_run=dry_run))
        return Report(checked=tuple(checked), unmatched=unmatched, silent=len(awaiting) - len(said), tally=tally)

    def _awaiting(self, operation_type: str) -> Iterator[Operation]:
        shards = self.ledger.control().shards_to_ask(self.limits.shards)
        for shard in open_shards(shards):
            keys = (key for key in self.store.due(shard, LATEST) if key.operation_type == operation_type)
            while chunk := [key.operation_id for key in islice(keys, READ_AT_ONCE)]:
                for row in self.store.find(chunk).values():
                    if isinstance(row, Operation) and row.status is Status.AWAITING_CONFIRMATION:
                        yield row

    def _checked(self, row: Operation, about: Sequence[Line], tally: Tally, acts: Acts, *, dry_run: bool) -> Checked:
        terms = self.registry.terms_of(row.operation_type)
        judged = _judged(row, about, self._said_at(about), terms)
        followed = follow(row, judged, acts.hand(row), fraction=self.entropy.fraction())
        over = followed.after.status in CLAIMABLE and self._is_used_up(tally)
        held_back = over or _says_nothing_new(row, followed.after)
        landed = None if dry_run or held_back else acts.land(row, lambda: followed.after, tally)
        if landed is not None and landed.status in CLAIMABLE:
            acts.dispatch([landed], tally)
        if dry_run and not held_back:
            tally.acted[last(followed.after.history).verb.value] += 1  # so that it holds back what the run would
        return Checked(
            operation=row,
            lines=tuple(line.number for line in about),
            verdict=None if isinstance(judged, Again) else judged.verdict.kind.value,
            reason=Reason.OVER_DRAIN_RATE if over else judged.reason,
            verb=last(followed.after.history).verb,
            would=followed.would,
            landed=landed is not None,
            held_back=held_back,
        )

    def _is_used_up(self, tally: Tally) -> bool:
        """Say whether as many have been sent as a sweep would send: a file can be wrong in bulk."""
        return tally.acted[Verb.REQUEUE.value] + tally.acted[Verb.COMPENSATE.value] >= self.drain_rate

    def _said_at(self, about: Sequence[Line]) -> Instant:
        """Return when the lines were said: the earliest time they name, and never one to come."""
        now = self.clock.now()
        return min((line.at for line in about if line.at is not None and line.at < now), default=now)

    def _acts(self, actor: Actor) -> Acts:
        return Acts(
            store=self.store,
            queue=self.queue,
            clock=self.clock,
            entropy=self.entropy,
            registry=self.registry,
            due_until=None,
            until=LATEST,
            actor=actor,
        )


def _matched(
    lines: Sequence[Line], awaiting: dict[OperationId, Operation]
) -> tuple[dict[OperationId, list[Line]], tuple[int, ...]]:
    by_remote_id: defaultdict[str, list[OperationId]] = defaultdict(list)
    for row in awaiting.values():
        if row.remote_id:
            by_remote_id[row.remote_id].append(row.operation_id)
    said: defaultdict[OperationId, list[Line]] = defaultdict(list)
    unmatched: list[int] = []
    for line in lines:
        named = [OperationId(line.operation_id)] if line.operation_id else by_remote_id.get(line.remote_id or "", [])
        found = [identifier for identifier in named if identifier in awaiting]
        for identifier in found:
            said[identifier].append(line)
        if not found:
            unmatched.append(line.number)
    return dict(said), tuple(unmatched)


def _judged(row: Operation, about: Sequence[Line], said_at: Instant, terms: Terms) -> Judgement:
    judged = judge(row, _observed(about), now=said_at, terms=terms)
    if _was_counted(row, said_at, judged):
        return Again(reason=Reason.SEEN_ABSENT, absences=row.absences)
    if isinstance(judged, Again) or not _was_before(row, said_at, judged.verdict.kind):
        return judged
    return Again(reason=Reason.NOT_SETTLED)


def _was_counted(row: Operation, said_at: Instant, judged: Judgement) -> bool:
    """Say whether an absence is no newer than the last that was counted: the same file, or one from before it."""
    absent = judged.reason in (Reason.SEEN_ABSENT, Reason.MISSING)
    return absent and row.absences > 0 and said_at <= row.updated_at


def _says_nothing_new(row: Operation, after: Operation) -> bool:
    return last(after.history).verb is Verb.OBSERVE_AGAIN and after.absences <= row.absences


def _was_before(row: Operation, said_at: Instant, kind: VerdictKind) -> bool:
    """Say whether what was said is older than what it is to judge: an attempt may have changed it since.

    What agrees with the promise is believed from the first attempt on; anything else from the end of the last one.
    """
    agrees = kind is VerdictKind.CORRECT and row.intent is Intent.EFFECT
    since = row.first_claimed_at if agrees else row.attempt_ended_at
    return since is not None and said_at < since


def _observed(about: Sequence[Line]) -> Found | Absent:
    """Take several lines about one operation as so many matches; one that finds it outweighs one that does not."""
    there = [line.observed for line in about if isinstance(line.observed, Found)]
    return replace(there[0], count=len(there)) if there else about[0].observed
