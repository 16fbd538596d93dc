"""Does the lookout ask all at once, answer in order, and take whatever goes wrong for no answer?"""

from __future__ import annotations

import time
from asyncio import CancelledError
from datetime import timedelta
from threading import Barrier, Event, Thread
from threading import enumerate as threads
from typing import TYPE_CHECKING

import pytest
from makegood.adapters.memory import InlineLookout
from makegood.adapters.threads import ThreadedLookout
from makegood.domain.observation import Absent, Found, Look, Observed, Unknown
from makegood.domain.operation import Status
from makegood.domain.operation_type import Attempt, OperationType
from makegood.domain.outcome import Outcome, RejectedError
from makegood.domain.policy import Policy
from makegood.flows.observe import SIDE_BY_SIDE
from makegood.ports import Lookout, Question

from tests.contract import builders as a

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENT = timedelta(seconds=20)  #: never used up by a test that holds
SHORT = timedelta(milliseconds=150)


class Seen(OperationType):
    """An operation type that sees what a test tells it to."""

    name = "seen"
    destination = "a test"
    policy = Policy()

    def __init__(self, sight: Callable[[], Observed]) -> None:
        self._sight = sight

    def perform(self, attempt: Attempt) -> Outcome:
        """Refuse: nothing is ever sent."""
        raise RejectedError(attempt.idempotency_key)

    def observe(self, look: Look) -> Observed:
        """See."""
        del look
        return self._sight()


def question(sight: Callable[[], Observed], limit: timedelta = PATIENT) -> Question:
    """Ask for one look."""
    row = a.in_status(Status.AWAITING_CONFIRMATION)
    return Question(operation_type=Seen(sight), look=Look(operation=row, effect_key="mg-1", time_limit=limit))


@pytest.fixture
def never() -> Iterator[Callable[[], Observed]]:
    """Return a sight that does not come until the test is over."""
    over = Event()

    def wait() -> Observed:
        over.wait(PATIENT.total_seconds())
        return Absent()

    yield wait
    over.set()


@pytest.fixture(params=[InlineLookout, ThreadedLookout])
def lookout(request: pytest.FixtureRequest) -> Lookout:
    """Return each lookout."""
    made: Lookout = request.param()
    return made


def test_nobody_is_asked_nothing(lookout: Lookout) -> None:
    assert list(lookout.ask([])) == []


def test_answers_come_in_the_order_of_the_questions(lookout: Lookout) -> None:
    answers = [Found(version=1), Absent(), Unknown(why="503"), Found(version=4)]
    assert list(lookout.ask([question(lambda one=one: one) for one in answers])) == answers  # type: ignore[misc]


def test_the_last_to_be_asked_may_be_the_first_to_answer() -> None:
    second_has_come = Event()

    def first() -> Observed:
        assert second_has_come.wait(PATIENT.total_seconds())
        return Found(version=1)

    def second() -> Observed:
        second_has_come.set()
        return Found(version=2)

    assert list(ThreadedLookout().ask([question(first), question(second)])) == [Found(version=1), Found(version=2)]


@pytest.mark.parametrize(
    "error", [ValueError("token=s3cr3t-s3cr3t-s3cr3t"), SystemExit(1), RecursionError("deep")], ids=repr
)
def test_what_is_raised_is_no_answer_and_costs_its_own_look_alone(lookout: Lookout, error: BaseException) -> None:
    def fail() -> Observed:
        raise error

    first, second = lookout.ask([question(fail), question(Absent)])
    assert isinstance(first, Unknown)
    assert type(error).__name__ in first.why
    assert "s3cr3t" not in first.why
    assert second == Absent()


def test_a_look_that_is_cancelled_is_no_answer_at_once_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> Observed:
        raise CancelledError("token=s3cr3t-s3cr3t-s3cr3t")

    began = time.monotonic()
    (answer,) = ThreadedLookout().ask([question(fail)])
    assert isinstance(answer, Unknown)
    assert "CancelledError" in answer.why
    assert time.monotonic() - began < PATIENT.total_seconds()
    assert "s3cr3t" not in "".join(capfd.readouterr())


def test_all_are_asked_side_by_side() -> None:
    together = Barrier(SIDE_BY_SIDE)

    def meet() -> Observed:
        together.wait(PATIENT.total_seconds())
        return Absent()

    assert list(ThreadedLookout().ask([question(meet)] * SIDE_BY_SIDE)) == [Absent()] * SIDE_BY_SIDE


def test_a_slow_look_costs_its_own_limit_and_takes_no_answer_from_the_others(never: Callable[[], Observed]) -> None:
    answers = ThreadedLookout().ask([question(Absent), question(never, SHORT), question(Absent, SHORT)])
    assert list(answers) == [Absent(), Unknown(why="no answer within 0.15 s"), Absent()]


def test_many_slow_looks_take_the_longest_limit_and_not_the_sum(never: Callable[[], Observed]) -> None:
    began = time.monotonic()
    answers = ThreadedLookout().ask([question(never, SHORT)] * SIDE_BY_SIDE)
    assert {type(answer) for answer in answers} == {Unknown}
    assert SHORT.total_seconds() <= time.monotonic() - began < SIDE_BY_SIDE * SHORT.total_seconds() / 2


def test_an_answer_that_comes_too_late_is_nobody_s() -> None:
    over = Event()

    def late() -> Observed:
        over.wait(PATIENT.total_seconds())
        return Found(version=1)

    lookout = ThreadedLookout()
    assert isinstance(lookout.ask([question(late, SHORT)])[0], Unknown)
    over.set()
    assert list(lookout.ask([question(Absent)])) == [Absent()]


def test_a_look_that_nobody_waits_for_any_more_keeps_no_process_alive(never: Callable[[], Observed]) -> None:
    before = set(threads())
    ThreadedLookout().ask([question(never, SHORT)])
    left = set(threads()) - before
    assert left
    assert all(thread.daemon for thread in left)


def test_a_machine_without_a_thread_left_gives_no_answer_and_ends_nothing() -> None:
    def full(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    (told,) = ThreadedLookout(start=full).ask([question(Absent)])
    assert told == Unknown(why="RuntimeError: can't start new thread", asked="nothing")
