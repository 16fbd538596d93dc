"""Every operation a system promised is either proven done or in front of a person.

What a team needs to write an operation type is here; the rest of the house has rooms of its own.
"""

from makegood.domain import document
from makegood.domain.backoff import Backoff
from makegood.domain.errors import InvalidInput
from makegood.domain.operation import Operation, QueueName
from makegood.domain.operation_type import Attempt, OperationType, Remotes
from makegood.domain.outcome import Accepted, Done, NotApplicable, RejectedError, TransientError, UncertainError
from makegood.domain.policy import Capability, Mode, Policy
from makegood.domain.promise import Promise
from makegood.domain.scrub import scrubbed

__all__ = [
    "Accepted",
    "Attempt",
    "Backoff",
    "Capability",
    "Done",
    "InvalidInput",
    "Mode",
    "NotApplicable",
    "Operation",
    "OperationType",
    "Policy",
    "Promise",
    "QueueName",
    "RejectedError",
    "Remotes",
    "TransientError",
    "UncertainError",
    "document",
    "scrubbed",
]
