"""Any course of moves over one row: every verb, any role, any parameters, any time; odd values wherever they fit."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

from makegood.domain import promise as promises
from makegood.domain import transitions
from makegood.domain.document import Document
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.evidence import Decision, Difference, Evidence, Verdict, VerdictKind
from makegood.domain.history import Actor, Role, Verb
from makegood.domain.instant import Instant, after
from makegood.domain.moving import Hand
from makegood.domain.operation import VERSION_LIMIT, Operation, Status, shard_of
from makegood.domain.policy import Terms
from makegood.domain.promise import Promise
from makegood.domain.reason import Reason
from makegood.domain.table import TABLE, Row

from tests.support.rows import HOUR, LIMITS, MINUTE, NOW, SECOND

TEXTS = ("seen by me", "x", "søren 東京 🧾", "a\u0301 b\u200dc", '"quoted" \\ {json}', "0", "long " * 40)
DOCUMENTS: tuple[Document, ...] = (
    {},
    {"plan": "gold"},
    {"": None, "é": "", "🧾": [], "nested": {"a": [{"b": {}}, [1, [Decimal("1.10")]]]}},
    {"most": 10**38 - 1, "least": -(10**38) + 1, "fine": Decimal("1E-130"), "huge": Decimal("9.9E+125")},
    {"zero": Decimal("-0.0"), "text": "0010", "yes": True, "no": False, "sum": Decimal("100.00")},
)
WAITS = (timedelta(), SECOND, MINUTE, 5 * MINUTE, HOUR, 30 * HOUR)
SELDOM = frozenset({Verb.REQUEUE, Verb.CONFIRM, Verb.COMPENSATED, Verb.SCHEDULE_RETRY})  #: permitted seldom
DECIDES = frozenset(
    {Verb.RETRY, Verb.CONFIRM_BY_PROOF, Verb.COMPENSATED_BY_PROOF, Verb.COMPENSATE, Verb.CLOSE}
)  #: what an operator does by a decision


@dataclass(slots=True)
class Chance:
    """Draws from what may stand somewhere."""

    random: Random
    now: Instant = NOW

    def text(self) -> str:
        """Draw words."""
        return self.random.choice(TEXTS)

    def some(self, value: Any) -> Any:  # noqa: ANN401 - of any kind
        """Draw the value, or nothing."""
        return value if self.random.random() < 0.6 else None

    def evidence(self, row: Operation) -> Evidence:
        """Draw evidence, more often than not such as agrees."""
        agrees = self.random.random() < 0.7
        return Evidence(
            at=self.now,
            remote_id=self.some(self.text()),
            version=row.expected_version if agrees else self.some(VERSION_LIMIT),
            fields=row.expected_fields if agrees else self.random.choice(DOCUMENTS),
            summary=self.some(self.text()),
            reference=self.some("s3://bucket/key"),
        )

    def verdict(self) -> Verdict:
        """Draw a verdict."""
        names = self.random.sample(TEXTS, self.random.randrange(3))
        return Verdict(
            kind=self.random.choice([VerdictKind.MISSING, VerdictKind.CORRECT, *VerdictKind]),
            at=self.now,
            asked=self.text(),
            answered=self.some(self.text()),
            compared=tuple(names),
            differences=tuple(Difference(field=n, expected=self.text(), observed=self.some("8")) for n in names),
            policy_version=self.random.randrange(1, 1_000),
            recommendation=self.some("requeue"),
        )

    def decision(self, row: Operation, action: str) -> Decision:
        """Draw what a person says."""
        return Decision(
            at=self.now,
            by=self.text(),
            seen_revision=row.revision,
            action=action,
            reason=self.text(),
            stated=self.some(self.text()),
            verdict=self.some("ambiguous"),
            recommended=self.some("review"),
        )


Move = Callable[[Operation, Hand, Chance], Operation]


def _by_hand(row: Operation, by: Hand, chance: Chance, action: str) -> dict[str, Any]:
    return {"decision": chance.decision(row, action)} if by.actor.role is Role.OPERATOR else {}


def _shard(row: Operation) -> str:
    return shard_of(row.operation_id, LIMITS.shards)


def _awaits(row: Operation, by: Hand, chance: Chance) -> Operation:
    return transitions.await_proof(
        row,
        by,
        reason=chance.random.choice([Reason.ACCEPTED, Reason.UNCERTAIN, Reason.DISAGREED, Reason.RULED_OUT]),
        remote_id=chance.some(chance.text()),
        evidence=chance.some(chance.evidence(row)),
        verdict=chance.some(chance.verdict()),
        error=chance.some(chance.text()),
    )


def _goes_back(row: Operation, by: Hand, chance: Chance) -> Operation:
    wait = chance.random.choice(WAITS)
    if chance.random.randrange(2):
        return transitions.put_off(row, by, wait=wait, error=chance.text(), reason=Reason.OUTAGE)
    return transitions.schedule_retry(row, by, wait=wait, error=chance.text())


def _escalates(row: Operation, by: Hand, chance: Chance) -> Operation:
    verdict, evidence = chance.some(chance.verdict()), chance.some(chance.evidence(row))
    reason = chance.random.choice([Reason.REJECTED, Reason.NOT_OBSERVABLE, Reason.DEADLINE_PASSED])
    return transitions.escalate(row, by, reason=reason, error=chance.some("odd"), verdict=verdict, evidence=evidence)


def _looks_again(row: Operation, by: Hand, chance: Chance) -> Operation:
    absences = chance.random.randrange(3)
    return transitions.observe_again(row, by, wait=MINUTE, reason=Reason.SEEN_ABSENT, absences=absences)


def _retried(row: Operation, by: Hand, chance: Chance) -> Operation:
    decision, verdict = chance.decision(row, "retry"), chance.some(chance.verdict())
    return transitions.retry(row, by, decision=decision, verdict=verdict, shard=_shard(row))


def _confirmed_by_proof(row: Operation, by: Hand, chance: Chance) -> Operation:
    verdict, evidence = chance.verdict(), chance.some(chance.evidence(row))
    more = _by_hand(row, by, chance, "confirm")
    return transitions.confirm_by_proof(row, by, verdict=verdict, evidence=evidence, **more)


MOVES: Mapping[Verb, Move] = {
    Verb.CLAIM: lambda row, by, _: transitions.claim(row, by, token=f"claim-{by.write_id}"),
    Verb.CONFIRM: lambda row, by, draw: transitions.confirm(row, by, evidence=draw.evidence(row)),
    Verb.COMPENSATED: lambda row, by, draw: transitions.compensated(row, by, evidence=draw.evidence(row)),
    Verb.AWAIT: _awaits,
    Verb.SCHEDULE_RETRY: _goes_back,
    Verb.ESCALATE: _escalates,
    Verb.CLOSE: lambda row, by, draw: transitions.close(
        row, by, reason=Reason.RULED_OUT, words=draw.text(), **_by_hand(row, by, draw, "close")
    ),
    Verb.TOUCH: lambda row, by, draw: transitions.touch(
        row, by, reason=Reason.LOST_DISPATCH, due_until=draw.some(after(by.now, 2 * HOUR))
    ),
    Verb.RELEASE: lambda row, by, _: transitions.release(row, by),
    Verb.CONFIRM_BY_PROOF: _confirmed_by_proof,
    Verb.COMPENSATED_BY_PROOF: lambda row, by, draw: transitions.compensated_by_proof(
        row, by, verdict=draw.verdict(), **_by_hand(row, by, draw, "confirm")
    ),
    Verb.REQUEUE: lambda row, by, draw: transitions.requeue(row, by, verdict=draw.verdict(), wait=MINUTE),
    Verb.OBSERVE_AGAIN: _looks_again,
    Verb.RETRY: _retried,
    Verb.COMPENSATE: lambda row, by, draw: transitions.compensate(
        row, by, verdict=draw.verdict(), shard=_shard(row), **_by_hand(row, by, draw, "compensate")
    ),
    Verb.REQUEST_CANCEL: lambda row, by, draw: transitions.request_cancel(row, by, words=draw.text()),
}


@dataclass(frozen=True, slots=True)
class Made:
    """One move that was made."""

    before: Operation
    verb: Verb
    hand: Hand
    row: Operation


@dataclass(slots=True)
class Course:
    """A row that is moved at random under some terms; what ends it comes late, so that courses are long."""

    terms: Terms
    chance: Chance
    written: int = field(default=0)

    def first(self) -> Operation:
        """Promise the work."""
        draw = self.chance.random
        promise = Promise(
            operation_type="sync",
            entity=draw.choice(["customer/452", "客户/東京", "c"]),
            expected_version=draw.choice([0, 7, VERSION_LIMIT]),
            expected_fields=draw.choice(DOCUMENTS),
            payload=draw.choice(DOCUMENTS),
            operation_id=f"op-{draw.randrange(10**6)}",
        )
        return promises.submit(promise, now=self.chance.now, write_id="write-0", terms=self.terms)

    def moves(self, row: Operation, tries: int) -> Iterator[Made]:
        """Try so many moves; yield each that the table permits."""
        for _ in range(tries):
            self.chance.now = after(self.chance.now, self.chance.random.choice([*WAITS, -MINUTE]))
            verb, role = self._any_move(row.status)
            self.written += 1
            actor = Actor(role=role, name=self.chance.text() if role is Role.OPERATOR else None)
            hand = Hand(now=self.chance.now, actor=actor, write_id=f"write-{self.written}", terms=self.terms)
            try:
                moved = MOVES[verb](row, hand, self.chance)
            except ImpossibleTransition:
                continue
            if moved is not row:
                yield Made(row, verb, hand, moved)
            row = moved

    def _any_move(self, status: Status) -> tuple[Verb, Role]:
        draw = self.chance.random
        fitting = [line for line in TABLE if status in line.sources]
        if not fitting or not draw.randrange(10):
            return draw.choice(list(MOVES)), draw.choice(list(Role))
        wish = draw.randrange(30) == 0
        ends = draw.randrange(5) == 0
        likely = [line for line in fitting if (line.verb is Verb.REQUEST_CANCEL) is wish and (ends or not _ends(line))]
        weights = [6 if line.verb in SELDOM else 1 for line in likely or fitting]
        (line,) = draw.choices(likely or fitting, weights)
        return line.verb, draw.choice(sorted(line.owners))


def _ends(line: Row) -> bool:
    return line.target is not None and line.target.is_terminal
