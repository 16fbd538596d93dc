"""What a team writes: one class for each kind of effect."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Protocol

from makegood.domain.instant import Instant
from makegood.domain.observation import Look, Observed, Unknown
from makegood.domain.operation import Operation
from makegood.domain.outcome import Outcome, RejectedError
from makegood.domain.policy import Policy


class Remotes(Protocol):
    """Where the outside systems are. Addresses and secrets are the deployment's, never an operation's."""

    def url(self, name: str) -> str:
        """Return a remote's base address. Ask before anything is sent.

        Raises:
            TransientError: the deployment names none, so the attempt certainly had no effect.
        """
        ...

    def secret(self, name: str) -> str | None:
        """Return a remote's credential, or `None` where the deployment names no secret."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What `perform` and `compensate` get to work with."""

    operation: Operation
    idempotency_key: str  #: goes to the remote unchanged, at every attempt; a compensation has its own
    effect_key: str  #: the key that the effect was made under; `perform` finds the same in both
    number: int  #: 1 is the first
    deadline_at: Instant  #: after this nobody waits for an answer
    time_limit: timedelta  #: how long that is from the start


class OperationType(ABC):
    """One kind of effect: how it is made, observed and undone, and the policy it is kept by."""

    name: ClassVar[str]
    policy: ClassVar[Policy]
    destination: ClassVar[str]  #: the outside system, for people, such as "the CRM"
    effect: ClassVar[str] = ""  #: what it does there, for people, such as "a customer's fields at a version"
    source_of_truth: ClassVar[str] = ""  #: who is asked what really happened; empty means nobody
    proof: ClassVar[str] = ""  #: what counts as evidence, for people
    acknowledged_with: ClassVar[str | None] = (
        None  #: the secret that signs the remote's acknowledgements, if it sends any
    )

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

    def observe(self, look: Look) -> Observed:  # noqa: ARG002 - what it gets is for those that write it
        """Ask the outside system what it has, changing nothing there. An exception means `Unknown`.

        A type whose policy declares `by_key` or `by_business_key` writes this.
        """
        return Unknown(why="its type cannot be observed")

    def compensate(self, attempt: Attempt) -> Outcome:  # noqa: ARG002 - as above
        """Undo the effect once, under the compensation's own key; what is returned and raised means what it does above.

        `Done` carries the remote's answer as evidence. Where that answer still shows the effect, it proves nothing.
        """
        raise RejectedError("its type has no compensation")
