"""What a team writes: one class for each kind of effect."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Protocol

from makegood.domain.instant import Instant
from makegood.domain.operation import Operation
from makegood.domain.outcome import Outcome
from makegood.domain.policy import Policy


class Remotes(Protocol):
    """Where the outside systems are. Addresses and secrets are the deployment's, never an operation's."""

    def url(self, name: str) -> str:
        """Return a remote's base address.

        Raises:
            SettingsError: naming the variable that is missing.
        """
        ...

    def secret(self, name: str) -> str | None:
        """Return a remote's credential, or `None` where the deployment names no secret."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What `perform` gets to work with."""

    operation: Operation
    idempotency_key: str  #: goes to the remote unchanged, at every attempt
    number: int  #: 1 is the first
    deadline_at: Instant  #: after this nobody waits for an answer
    time_limit: timedelta  #: how long that is from the start of perform


class OperationType(ABC):
    """One kind of effect: how it is made, and the policy it is kept by."""

    name: ClassVar[str]
    policy: ClassVar[Policy]
    destination: ClassVar[str]  #: the outside system, for people, such as "the CRM"

    def __init__(self, remotes: Remotes) -> None:
        self.remotes = remotes

    @abstractmethod
    def perform(self, attempt: Attempt) -> Outcome:
        """Make the effect once, and say what is known of it.

        Raises:
            TransientError: it certainly was not applied.
            RejectedError: the remote refused for good.
            UncertainError: it may have been applied. Every other exception means the same.
        """
