"""A catalog for the crash tests: operation types that call an outside system with a script, over the wire."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from makegood import Accepted, Attempt, Done, NotApplicable, OperationType, Policy, RejectedError, TransientError

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.outcome import Outcome

    from tests.crash.wire import Wire

    Reply = Callable[[Attempt], Outcome]


class Remote:
    """Applies whatever it is asked to, each time: it knows no key, so a second send is a second effect."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.script: dict[str, list[Reply]] = {}  #: by operation id; what is not scripted is done
        self.effects: Counter[str] = Counter()  #: by operation id, whatever the key
        self.by_key: Counter[str] = Counter()

    def ask(self, attempt: Attempt) -> Outcome:
        """Take a call."""
        replies = self.script.get(attempt.operation.operation_id)
        reply = replies.pop(0) if replies else self.done
        return self._wire.call("perform", lambda: reply(attempt))

    def done(self, attempt: Attempt) -> Done:
        """Make the effect and prove it."""
        self._apply(attempt)
        operation = attempt.operation
        return Done(remote_id="r-1", version=operation.expected_version, fields=operation.expected_fields)

    def accepted(self, attempt: Attempt) -> Accepted:
        """Make the effect and do not prove it."""
        self._apply(attempt)
        return Accepted(remote_id="r-1")

    def times_out(self, attempt: Attempt) -> NoReturn:
        """Make the effect and never say so."""
        self._apply(attempt)
        raise TimeoutError("read timed out")

    def _apply(self, attempt: Attempt) -> None:
        self.effects[attempt.operation.operation_id] += 1
        self.by_key[attempt.idempotency_key] += 1


def transient(_: Attempt) -> NoReturn:
    """Say that nothing was done, and that another try may help."""
    raise TransientError("503")


def busy(_: Attempt) -> NoReturn:
    """Say so, and ask for more patience than a queue has."""
    raise TransientError("429", retry_after=timedelta(minutes=20))


def rejected(_: Attempt) -> NoReturn:
    """Refuse for good."""
    raise RejectedError("422")


def ruled_out(_: Attempt) -> NotApplicable:
    """Say that nothing is to be done."""
    return NotApplicable(reason="superseded by version 8")


remotes: list[Remote] = []  #: the one that answers at present


class Sync(OperationType):
    """An effect in the scripted remote."""

    name = "sync"
    destination = "the scripted remote"
    policy = Policy(idempotent=True, max_attempts=3)

    def perform(self, attempt: Attempt) -> Outcome:
        """Ask the remote."""
        return remotes[-1].ask(attempt)


class Charge(Sync):
    """The same, and a second send would be a second effect."""

    name = "charge"
    policy = Policy(max_attempts=3)


class Patient(Sync):
    """The same, with as many attempts as a deployment gives."""

    name = "patient"
    policy = Policy(idempotent=True)


OPERATION_TYPES = (Sync, Charge, Patient)
