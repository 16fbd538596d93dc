"""The observing half of a sweep: ask the outside world about each row, judge what it says, follow the policy.

Looks are taken side by side, each within its own time. While a type has not answered in this run no more looks are out
for it than may fail in a row; when so many have failed, the remote is down, and the rest of its rows are put off.

A look can kill the run that takes it. Before each round the control row says who is being asked; the next run asks
those last and one by one, and a lone one that killed its run is not asked in the next.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import timedelta

from makegood.domain.follow import Followed, follow
from makegood.domain.history import last
from makegood.domain.instant import Instant, after
from makegood.domain.judge import Again, Judged, Judgement, judge, unasked
from makegood.domain.observation import NOTHING, Look, Observed, Unknown
from makegood.domain.operation import CLAIMABLE, Intent, Operation, idempotency_key_for
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason
from makegood.domain.registry import Registry
from makegood.domain.scrub import error_line, scrubbed
from makegood.flows.act import Acts
from makegood.flows.tally import Planned, Tally
from makegood.ports import Clock, Ledger, Lookout, Question

SIDE_BY_SIDE = 8  #: looks that are out at once


@dataclass(slots=True)
class _Answers:
    """How one type has answered in this run."""

    in_a_row: int = 0  #: looks without an answer since the last answer
    ever: bool = False  #: whether it has answered at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Observations:
    """Takes the looks of one run."""

    acts: Acts
    lookout: Lookout
    ledger: Ledger
    clock: Clock
    registry: Registry
    token: str  #: of the sweep's lease
    until: Instant  #: begin nothing that could end after this
    suspects: frozenset[str] = frozenset()  #: what the run before was asking about when it died
    only_watching: bool = False  #: the deployment has its sweeps only watch: ask and judge, write nothing
    answers: dict[str, _Answers] = field(default_factory=dict)

    def carry_out(self, planned: Sequence[Planned], tally: Tally) -> None:
        """Look at each planned row; what one row does wrong never stops the others."""
        waiting = deque(self._in_order([item.operation for item in planned]))
        while waiting:
            together = self._next(waiting)
            if after(self.clock.now(), self._longest(together)) > self.until or not self._announced(together):
                tally.remaining += len(together) + len(waiting)
                return
            self._look(together, tally)

    def _in_order(self, rows: Sequence[Operation]) -> Iterator[Operation]:
        yield from (row for row in rows if row.operation_id not in self.suspects)
        yield from (row for row in rows if row.operation_id in self.suspects)

    def _next(self, waiting: deque[Operation]) -> list[Operation]:
        """Take what may be asked at once: a suspect alone, and of no type more than may fail in a row."""
        together: list[Operation] = []
        out: Counter[str] = Counter()
        passed: list[Operation] = []
        while waiting and len(together) < SIDE_BY_SIDE:
            row = waiting.popleft()
            if row.operation_id in self.suspects and together:
                passed.append(row)
                break
            if out[row.operation_type] >= self._room(row):
                passed.append(row)
                continue
            out[row.operation_type] += 1
            together.append(row)
            if row.operation_id in self.suspects:
                break
        waiting.extendleft(reversed(passed))
        return together

    def _room(self, row: Operation) -> int:
        answers = self._of(row)
        if self._why_not(row) is not None or (answers.ever and not answers.in_a_row):
            return SIDE_BY_SIDE
        return max(1, self._terms(row).policy.unknowns - answers.in_a_row)

    def _longest(self, rows: Sequence[Operation]) -> timedelta:
        return max(self._terms(row).policy.observe_timeout for row in rows)

    def _announced(self, rows: Sequence[Operation]) -> bool:
        asked = [row.operation_id for row in rows if self._why_not(row) is None]
        return not asked or self.ledger.asking(token=self.token, identifiers=asked)

    def _look(self, rows: Sequence[Operation], tally: Tally) -> None:
        asked, asked_at = [row for row in rows if self._why_not(row) is None], self.clock.now()
        told = dict(zip((row.operation_id for row in asked), self._ask(asked), strict=True))
        to_send: list[Operation] = []
        for row in rows:
            try:
                landed = self._follow(row, self._judged(row, told.get(row.operation_id), asked_at, tally), tally)
            except Exception as error:  # noqa: BLE001 - one bad row is counted and named, and never stops the others
                tally.failed(row.operation_id, error)
                continue
            if landed is not None and landed.status in CLAIMABLE:
                to_send.append(landed)
        self.acts.dispatch(to_send, tally)

    def _ask(self, rows: Sequence[Operation]) -> Sequence[Observed]:
        questions: dict[str, Question | Unknown] = {row.operation_id: self._question(row) for row in rows}
        ready = {key: question for key, question in questions.items() if isinstance(question, Question)}
        told = dict(zip(ready, self.lookout.ask(list(ready.values())), strict=True)) if ready else {}
        return [told[key] if isinstance(question, Question) else question for key, question in questions.items()]

    def _question(self, row: Operation) -> Question | Unknown:
        try:
            return question_for(self.acts.store.with_payload(row), self.registry)
        except Exception as error:  # noqa: BLE001 - whatever a team's constructor raises, nobody was asked
            return Unknown(why=error_line(error), asked=NOTHING)

    def _why_not(self, row: Operation) -> Reason | None:
        """Say why a row's outside system is not asked now; `None` if it is."""
        policy = self._terms(row).policy
        if not policy.capability.can_ask:
            return Reason.NOT_OBSERVABLE
        if row.operation_id in self.suspects and len(self.suspects) == 1:
            return Reason.KILLED_A_RUN
        return Reason.NOT_ASKED if self._of(row).in_a_row >= policy.unknowns else None

    def _judged(self, row: Operation, told: Observed | None, asked_at: Instant, tally: Tally) -> Judgement:
        """Judge by the time of the question: an absence that is told a little later was seen no later for that."""
        terms = self._terms(row)
        if told is not None:
            self._remember(row, told, tally)
            return judge(row, told, now=asked_at, terms=terms)
        why_not = self._why_not(row) or Reason.NOT_ASKED
        if why_not is Reason.NOT_OBSERVABLE:
            return unasked(row, now=asked_at, terms=terms)
        why, _, _ = why_not.words.partition(";")  # at the outage limit it is not asked again
        judged = judge(row, Unknown(why=why, asked=NOTHING), now=asked_at, terms=terms)
        return replace(judged, reason=why_not) if isinstance(judged, Again) else judged

    def _remember(self, row: Operation, told: Observed, tally: Tally) -> None:
        answers, limit = self._of(row), self._terms(row).policy.unknowns
        if not isinstance(told, Unknown):
            answers.ever, answers.in_a_row = True, 0
            tally.not_asked.pop(row.operation_type, None)
            return
        answers.in_a_row += 1
        if answers.in_a_row >= limit:
            tally.not_asked[row.operation_type] = f"{limit} looks in a row without an answer: {scrubbed(told.why)}"

    def _follow(self, row: Operation, judgement: Judgement, tally: Tally) -> Operation | None:
        hand, fraction = self.acts.hand(row), self.acts.entropy.fraction()
        if isinstance(judgement, Judged):
            tally.verdicts[judgement.verdict.kind.value] += 1
        followed: Followed = follow(row, judgement, hand, fraction=fraction)
        if self.only_watching:
            tally.withheld(followed.would or last(followed.after.history).verb)
            return None
        landed = self.acts.land(row, lambda: followed.after, tally)
        if landed is not None and followed.would is not None:
            tally.withheld(followed.would, landed)
        return landed

    def _of(self, row: Operation) -> _Answers:
        return self.answers.setdefault(row.operation_type, _Answers())

    def _terms(self, row: Operation) -> Terms:
        return self.registry.terms[row.operation_type]


def question_for(operation: Operation, registry: Registry) -> Question:
    """Put the question that a type's `observe` answers.

    Raises:
        Exception: whatever the type's constructor raises.
    """
    look = Look(
        # a copy of its own: the answer is compared with what was promised, whatever observe does to its fields
        operation=replace(operation, expected_fields=deepcopy(operation.expected_fields)),
        effect_key=idempotency_key_for(operation.operation_id, Intent.EFFECT),
        time_limit=registry.terms[operation.operation_type].policy.observe_timeout,
    )
    return Question(operation_type=registry.build(operation.operation_type), look=look)
