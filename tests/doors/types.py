"""A catalog for the doors: one operation type that says what a test tells it to, and remembers that it was asked."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from makegood import Attempt, Done, OperationType, Policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.outcome import Outcome

calls: list[Attempt] = []
_answer: list[Callable[[Attempt], Outcome]] = []
_lock = Lock()


def agree(attempt: Attempt) -> Outcome:
    """Answer as a remote that did what was asked."""
    operation = attempt.operation
    return Done(remote_id="r-1", version=operation.expected_version, fields=operation.expected_fields)


def answer(with_: Callable[[Attempt], Outcome]) -> None:
    """Let the next attempts be answered like this, and forget the calls."""
    calls.clear()
    _answer[:] = [with_]


class Probe(OperationType):
    """An effect that exists in a list."""

    name = "probe"
    destination = "a list"
    policy = Policy(idempotent=True)

    def perform(self, attempt: Attempt) -> Outcome:
        """Remember the call and say what the test wants."""
        with _lock:
            calls.append(attempt)
        return _answer[0](attempt)


class Capped(Probe):
    """The same, with a halt cap of its own."""

    name = "capped"
    policy = Policy(idempotent=True, halt_cap=2)


class Stubborn(Probe):
    """The same, tried as often as anybody likes."""

    name = "stubborn"
    policy = Policy(idempotent=True, max_attempts=3000)


OPERATION_TYPES = (Probe, Capped, Stubborn)
