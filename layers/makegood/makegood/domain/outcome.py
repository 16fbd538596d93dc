"""What `perform` may say: it returns one of three values or raises one of three errors. All else is uncertain.

returned   Done            the effect is there
           Accepted        taken, not yet provable
           NotApplicable   cancelled or superseded by rule
raised     TransientError  certainly not applied; try again later
           OutageError     the same, because the remote as a whole takes no calls; it costs no attempt
           RejectedError   the remote refused for good
           UncertainError  may have been applied, as any other exception
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The effect is there; what the remote said of it is compared with what was expected."""

    remote_id: str
    version: int | None = None  #: `None` if the answer does not say; then it still has to be proven
    fields: Any = field(default_factory=dict)  #: a JSON object, as the remote answered
    summary: str | None = None  #: the answer in short; scrubbed and capped before it is stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The remote took it and will do it; proof must come later."""

    remote_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """A rule says that the effect is not wanted any more."""

    reason: str


Outcome: TypeAlias = Done | Accepted | NotApplicable


class OutcomeError(Exception):
    """The base of what `perform` raises on purpose."""


class TransientError(OutcomeError):
    """The attempt certainly had no effect; it may be tried again, not before `retry_after` if that is given."""

    def __init__(self, message: str = "", *, retry_after: timedelta | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OutageError(TransientError):
    """The remote as a whole took no call: no connection, or turned away at the door. Certainly not applied.

    It says nothing against this operation, so the attempt is not counted while the type's `outage_limit` lasts.
    """


class RejectedError(OutcomeError):
    """The remote refused for good; a person must look."""


class UncertainError(OutcomeError):
    """The attempt may have been applied; it is observed before anything else."""
