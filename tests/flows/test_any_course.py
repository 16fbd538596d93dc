"""Whatever course events take: is nothing sent out of doubt, is an end for ever, do history and row agree?"""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from makegood.domain import history
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Entry, Verb
from makegood.domain.observation import Absent, Found, Look, Observed, Unknown
from makegood.domain.operation import Intent, Operation, OperationId, Status
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import Accepted, Done, NotApplicable, OutageError, Outcome, RejectedError, TransientError
from makegood.domain.policy import Capability, Mode, Step
from makegood.domain.review import FITS, Action, Wish

from tests.support.deployment import Deployment, Killed
from tests.support.rows import HOUR, LIMITS, MINUTE, OPERATOR, PRODUCER, SETTLED

NAMES = ("op-1", "op-2", "op-3", "op-4")
LANDING: list[Callable[[Deployment, Attempt], Outcome]] = [
    lambda house, attempt: house.remote.apply(attempt),
    lambda house, attempt: _then(house.remote.apply(attempt), TimeoutError()),
    lambda house, attempt: _then(house.remote.apply(attempt), Killed()),
    lambda house, attempt: _then(house.remote.apply(attempt), Accepted()),
]
MISSING: list[Outcome | BaseException] = [
    TimeoutError("timed out"),
    TransientError("busy"),
    OutageError("refused"),
    RejectedError("no such plan"),
    TimeoutError("timed out"),
    Killed(),
    NotApplicable(reason="cancelled there"),
    Accepted(),
    Done(remote_id="crm-9", version=8, fields={"plan": "free"}),
]
SIGHTS: list[Observed | Exception | None] = [
    None,
    Absent(),
    Found(version=8, fields={"plan": "free"}),
    Found(version=7, fields={"plan": "gold"}, count=2),
    Found(),
    Unknown(why="503"),
    RuntimeError("no route"),
    None,
]
WAITS = [SETTLED, LIMITS.stale_after, MINUTE, 2 * HOUR, 25 * HOUR]
POLICIES: list[dict[str, Any]] = [
    {},
    {"on_divergent": Step.COMPENSATE, "on_cancelled": Step.COMPENSATE},
    {"mode": Mode.CONFIRM},
    {"mode": Mode.OBSERVE},
    {"idempotent": False, "on_missing": Step.REVIEW},
    {"capability": Capability.NOT_OBSERVABLE, "on_missing": Step.REVIEW},
    {"absences": 2, "supersedes": True},
]


def _then(_: Outcome | BaseException, instead: Outcome | BaseException) -> Outcome:
    if isinstance(instead, BaseException):
        raise instead
    return instead


class AnyCourse(RuleBasedStateMachine):
    """A deployment, and everything that can happen to it."""

    def __init__(self) -> None:
        super().__init__()
        self.house = Deployment()
        self.seen: dict[str, Operation] = {}

    @initialize(policy=st.sampled_from(POLICIES))
    def begins(self, policy: dict[str, Any]) -> None:
        """Open a deployment under one of these policies."""
        usual = {
            "capability": Capability.BY_KEY,
            "mode": Mode.CORRECT,
            "idempotent": True,
            "on_missing": Step.REQUEUE,
        }
        self.opens(Deployment(**{**usual, **policy}))

    def opens(self, house: Deployment) -> None:
        """Promise versions of two entities; the first calls have no answer, and some of them were applied."""
        self.house = house
        for number, name in enumerate(NAMES):
            self.house.submitted(name, entity=f"customer/{number % 2}", expected_version=7 + number // 2)
        self.house.queue.take()
        for name, answer in (("op-1", TimeoutError()), ("op-2", LANDING[1])):
            self.delivers_again(name, answer)

    @rule(answer=st.sampled_from([*LANDING, *MISSING]))
    def delivers(self, answer: Any) -> None:  # noqa: ANN401 - a reply, an outcome or an error
        """Deliver what is queued; the calls are answered so."""
        self.house.remote.script = [self._reply(answer)] * 4
        try:
            self.house.delivered()
        except Killed:
            self.house.queue.take()
        self.house.remote.script = []

    @rule(name=st.sampled_from(NAMES), answer=st.sampled_from([*LANDING, *MISSING]))
    def delivers_again(self, name: str, answer: Any) -> None:  # noqa: ANN401 - as above
        """Deliver a duplicate, whenever."""
        self.house.remote.script = [self._reply(answer)]
        with suppress(Killed):
            self.house.worked(name)
        self.house.remote.script = []

    @rule(sights=st.lists(st.tuples(st.sampled_from(WAITS), st.sampled_from(SIGHTS)), min_size=1, max_size=3))
    def sweeps(self, sights: list[tuple[timedelta, Observed | Exception | None]]) -> None:
        """Let time pass and sweep, again and again; the outside world shows this."""
        for wait, sight in sights:
            self.house.clock.advance(wait)
            self.house.remote.sights = [] if sight is None else [self._sight(sight)] * 8
            assert self.house.swept().record.errors == {}
            self.house.remote.sights = []

    @rule(name=st.sampled_from(NAMES))
    def somebody_cancels(self, name: str) -> None:
        """Ask for the cancellation of something that is under way."""
        if self.house.row(name).attempt:
            self.house.cancel(OperationId(name), reason="wanted no more", actor=PRODUCER)

    @rule(
        name=st.sampled_from(NAMES),
        action=st.sampled_from(Action),
        stated=st.sampled_from([None, "asked them by phone"]),
        sight=st.sampled_from(SIGHTS),
    )
    def somebody_decides(self, name: str, action: Action, stated: str | None, sight: Any) -> None:  # noqa: ANN401
        """Decide as a person."""
        self.house.remote.sights = [] if sight is None else [self._sight(sight)]
        row = self.house.row(name)
        if row.status not in FITS[action]:
            return
        wish = Wish(
            operation_id=row.operation_id, action=action, reason="agreed", seen_revision=row.revision, stated=stated
        )
        self.house.review.decide(wish, actor=OPERATOR)
        self.house.remote.sights = []

    @invariant()
    def nothing_is_sent_out_of_doubt(self) -> None:
        """Hold that an ambiguous operation is with people, and stays there until one of them has decided."""
        for name, row in self.house.store.rows.items():
            if row.verdict is not None and row.verdict.kind is VerdictKind.AMBIGUOUS and not row.decisions:
                assert row.status is Status.MANUAL_REVIEW, f"{name}: {row.status} out of doubt"
            before = self.seen.get(name, row)
            in_doubt = before.verdict is not None and before.verdict.kind is VerdictKind.AMBIGUOUS
            if in_doubt and before.status is Status.MANUAL_REVIEW and len(row.decisions) == len(before.decisions):
                assert row.status is Status.MANUAL_REVIEW, f"{name}: {row.status} and nobody decided"

    @invariant()
    def an_end_is_for_ever(self) -> None:
        """Hold that what has ended stays as it is, to the last field."""
        for name, before in self.seen.items():
            assert not before.is_terminal or self.house.row(name) == before

    @invariant()
    def history_and_row_agree(self) -> None:
        """Hold that every write has its entry, and that the newest entry tells the row's status."""
        for name, row in self.house.store.rows.items():
            entry = history.last(row.history)
            assert entry.target is row.status
            before = self.seen.get(name)
            if before is not None:
                assert (row == before) is (row.revision == before.revision)

    @invariant()
    def an_end_tells_the_truth_as_far_as_anybody_knows(self) -> None:
        """Hold that each end rests on what it needs."""
        for row in self.house.store.rows.values():
            by = {entry.verb for entry in history.read(row.history) if isinstance(entry, Entry)}
            if row.status is Status.CONFIRMED:
                assert row.intent is Intent.EFFECT
                assert row.evidence is not None
                assert row.cancel_reason is None or row.decisions
            if row.status is Status.COMPENSATED:
                assert row.intent is Intent.COMPENSATION
                assert by & {Verb.COMPENSATED, Verb.COMPENSATED_BY_PROOF}
            if row.status is Status.NOT_APPLICABLE and not row.decisions:
                assert not row.uncertain
            assert (row.due_at is None) is row.is_terminal

    @invariant()
    def a_type_that_is_not_idempotent_is_called_again_only_by_a_persons_word(self) -> None:
        """Hold that what may have been applied is not called again."""
        if self.house.registry.terms["sync"].policy.idempotent:
            return
        for name, row in self.house.store.rows.items():
            before = self.seen.get(name)
            if before is not None and before.uncertain and row.intent is before.intent and row.attempt > before.attempt:
                assert before.decisions or row.decisions, f"{name} was called again"

    def check_invariants(self, *arguments: Any, **named: Any) -> None:
        """Check them, then remember how the rows stand."""
        super().check_invariants(*arguments, **named)
        self.seen = dict(self.house.store.rows)

    def _reply(self, answer: Any) -> Callable[[Attempt], Outcome]:  # noqa: ANN401 - as above
        if callable(answer):
            return lambda attempt: answer(self.house, attempt)
        return lambda _: _then(answer, answer)

    def _sight(self, sight: Observed | Exception) -> Callable[[Look], Observed]:
        def look(_: Look) -> Observed:
            if isinstance(sight, Exception):
                raise sight
            return sight

        return look


TestAnyCourse = AnyCourse.TestCase
TestAnyCourse.settings = settings(
    max_examples=60, stateful_step_count=25, derandomize=True, deadline=None, database=None, print_blob=False
)
