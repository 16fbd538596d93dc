"""A catalog for the doors: operation types that say and see what a test tells them to, and remember that they did."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from makegood import Attempt, Done, OperationType, Policy
from makegood.domain.observation import Found, Look
from makegood.domain.policy import Capability, Mode, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.observation import Observed
    from makegood.domain.outcome import Outcome

calls: list[Attempt] = []
looks: list[Look] = []
_answer: list[Callable[[Attempt], Outcome]] = []
_sight: list[Callable[[Look], Observed]] = []
_lock = Lock()


def agree(attempt: Attempt) -> Outcome:
    """Answer as a remote that did what was asked."""
    operation = attempt.operation
    return Done(remote_id="r-1", version=operation.expected_version, fields=operation.expected_fields)


def agreeing(look: Look) -> Observed:
    """See what a remote shows that did what was asked."""
    operation = look.operation
    return Found(version=operation.expected_version, fields=operation.expected_fields, remote_id="r-1", asked="by key")


def show(with_: Callable[[Look], Observed]) -> None:
    """Let the next looks see this, and forget those that were taken."""
    looks.clear()
    _sight[:] = [with_]


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


class Seen(Probe):
    """The same, and it can be asked whether the effect is there; its policy acts on the answer."""

    name = "seen"
    policy = Policy(
        idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, on_missing=Step.REQUEUE, supersedes=True
    )

    def observe(self, look: Look) -> Observed:
        """Remember the look and see what the test shows."""
        with _lock:
            looks.append(look)
        return _sight[0](look)


class Pilot(Seen):
    """The same as a new type begins: what its policy would do is only said."""

    name = "pilot"
    policy = Policy(idempotent=True, capability=Capability.BY_KEY, on_missing=Step.REQUEUE)


OPERATION_TYPES = (Probe, Capped, Stubborn, Seen, Pilot)
