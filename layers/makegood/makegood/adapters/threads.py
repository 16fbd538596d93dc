"""Looks taken side by side, each in a thread that nobody waits for longer than its limit: the `Lookout` of `ports`."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from threading import Thread

from makegood.domain.observation import NOTHING, Observed, Unknown
from makegood.domain.scrub import error_line
from makegood.ports import Question


class ThreadedLookout:
    """Asks the outside world. An answer that comes too late is dropped; its thread ends when its call does."""

    def __init__(self, start: Callable[[Thread], None] = Thread.start) -> None:
        self._start = start

    def ask(self, questions: Sequence[Question]) -> Sequence[Observed]:
        """Ask all at once and return the answers in order."""
        begun_at = time.monotonic()  # noqa: TID251 - a stopwatch, not a time of day
        return [_awaited(future, question, begun_at) for question, future in [(q, self._begun(q)) for q in questions]]

    def _begun(self, question: Question) -> Future[Observed]:
        future: Future[Observed] = Future()
        try:
            self._start(Thread(target=lambda: future.set_result(_certainly(question)), daemon=True))
        except RuntimeError as error:  # the machine has no thread left, so nobody was asked
            future.set_result(Unknown(why=error_line(error), asked=NOTHING))
        return future


def answer_of(question: Question) -> Observed:
    """Take one look here and now. Whatever a team's code raises, nobody can say what is there."""
    try:
        return question.operation_type.observe(question.look)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an error is no answer
        return Unknown(why=error_line(error))


def _certainly(question: Question) -> Observed:
    """Answer whatever happens: what leaves a thread is printed whole, secrets and all, and leaves no answer behind."""
    try:
        return answer_of(question)
    except BaseException as error:  # noqa: BLE001 - in a thread of its own it stops nobody else, a cancelled task for one
        return Unknown(why=error_line(error))


def _awaited(future: Future[Observed], question: Question, begun_at: float) -> Observed:
    limit = question.look.time_limit.total_seconds()
    left = begun_at + limit - time.monotonic()  # noqa: TID251 - the same stopwatch
    try:
        return future.result(timeout=max(left, 0))
    except TooLate:
        return Unknown(why=f"no answer within {limit:g} s")
