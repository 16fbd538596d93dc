"""An outside system with a script, and operation types that call it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from makegood.domain.operation_type import Attempt, OperationType, Remotes
from makegood.domain.outcome import Done, Outcome
from makegood.domain.policy import Policy

Reply = Callable[[Attempt], Outcome]


class Remote:
    """Logs every changing call by its key; says what its script says, and the truth once the script has ended."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()  #: by operation id
        self.effects: Counter[str] = Counter()  #: by operation id
        self.attempts: list[Attempt] = []
        self.script: list[Reply] = []

    def answer(self, attempt: Attempt) -> Outcome:
        """Take a call."""
        self.calls[attempt.operation.operation_id] += 1
        self.attempts.append(attempt)
        reply = self.script.pop(0) if self.script else self.apply
        return reply(attempt)

    def apply(self, attempt: Attempt) -> Done:
        """Make the effect and say so."""
        operation = attempt.operation
        self.effects[operation.operation_id] += 1
        return Done(remote_id="crm-9", version=operation.expected_version, fields=operation.expected_fields)


def raising(error: BaseException) -> Reply:
    """Return a reply that raises before anything was applied."""

    def reply(_: Attempt) -> Outcome:
        raise error

    return reply


def saying(outcome: Outcome) -> Reply:
    """Return a reply that says this."""
    return lambda _: outcome


class Nowhere(Remotes):
    """Remotes for types that need none."""

    def url(self, name: str) -> str:
        """Refuse."""
        raise NotImplementedError(name)

    def secret(self, name: str) -> str | None:
        """Know none."""
        raise NotImplementedError(name)


def calling(remote: Remote, type_name: str = "sync", **said: Any) -> type[OperationType]:
    """Return an operation type that calls this remote, under a policy that says this."""

    class Calling(OperationType):
        name = type_name
        policy = Policy(**said)
        destination = "the scripted remote"

        def perform(self, attempt: Attempt) -> Outcome:
            return remote.answer(attempt)

    return Calling
