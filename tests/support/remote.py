"""An outside system with a script, and operation types that call it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from makegood.domain.observation import Absent, Found, Look, Observed
from makegood.domain.operation_type import Attempt, OperationType, Remotes
from makegood.domain.outcome import Done, Outcome
from makegood.domain.policy import Capability, Policy

Reply = Callable[[Attempt], Outcome]
Sight = Callable[[Look], Observed]


class Remote:
    """Logs every changing call by its key; says what its script says, and the truth once the script has ended."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()  #: by operation id
        self.effects: Counter[str] = Counter()  #: by operation id
        self.attempts: list[Attempt] = []
        self.script: list[Reply] = []
        self.looks: Counter[str] = Counter()  #: by operation id
        self.sights: list[Sight] = []  #: what the next looks see
        self.undone: Counter[str] = Counter()  #: by operation id

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

    def see(self, look: Look) -> Observed:
        """Take a look: what the script says, and the truth once it has ended."""
        self.looks[look.operation.operation_id] += 1
        return (self.sights.pop(0) if self.sights else self.truth)(look)

    def truth(self, look: Look) -> Observed:
        """Say what is there."""
        operation = look.operation
        count = self.effects[operation.operation_id]
        if not count:
            return Absent(asked="the scripted remote, by key")
        fields = operation.expected_fields
        return Found(version=operation.expected_version, fields=fields, remote_id="crm-9", count=count)

    def undo(self, attempt: Attempt) -> Outcome:
        """Take a call that undoes the effect."""
        self.attempts.append(attempt)
        return (self.script.pop(0) if self.script else self.take_back)(attempt)

    def take_back(self, attempt: Attempt) -> Done:
        """Undo the effect and say so."""
        self.effects[attempt.operation.operation_id] = 0
        self.undone[attempt.operation.operation_id] += 1
        return Done(remote_id="undo-9")


def seeing(observed: Observed) -> Sight:
    """Return a sight of this."""
    return lambda _: observed


def blind(error: BaseException) -> Sight:
    """Return a look that fails."""

    def sight(_: Look) -> Observed:
        raise error

    return sight


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
        acknowledged_with = "signing" if policy.capability is Capability.ACKNOWLEDGEMENT_ONLY else None

        def perform(self, attempt: Attempt) -> Outcome:
            return remote.answer(attempt)

    class Observing(Calling):
        def observe(self, look: Look) -> Observed:
            return remote.see(look)

        def compensate(self, attempt: Attempt) -> Outcome:
            return remote.undo(attempt)

    return Observing if Calling.policy.capability.can_ask else Calling
