"""Every operation a system promised is either proven done or in front of a person.

What a team needs to write an operation type is here; the rest of the house has rooms of its own.
"""

from makegood.domain import document
from makegood.domain.answers import observed
from makegood.domain.backoff import Backoff
from makegood.domain.errors import InvalidInput
from makegood.domain.observation import Absent, Found, Look, Observed, Unknown
from makegood.domain.operation import Intent, Operation, QueueName
from makegood.domain.operation_type import Attempt, OperationType, Remotes
from makegood.domain.outcome import (
    Accepted,
    Done,
    NotApplicable,
    OutageError,
    Outcome,
    RejectedError,
    TransientError,
    UncertainError,
)
from makegood.domain.policy import Capability, Mode, Policy, Step
from makegood.domain.promise import Promise
from makegood.domain.scrub import scrubbed

__all__ = [
    "Absent",
    "Accepted",
    "Attempt",
    "Backoff",
    "Capability",
    "Done",
    "Found",
    "Intent",
    "InvalidInput",
    "Look",
    "Mode",
    "NotApplicable",
    "Observed",
    "Operation",
    "OperationType",
    "OutageError",
    "Outcome",
    "Policy",
    "Promise",
    "QueueName",
    "RejectedError",
    "Remotes",
    "Step",
    "TransientError",
    "UncertainError",
    "Unknown",
    "document",
    "observed",
    "scrubbed",
]
