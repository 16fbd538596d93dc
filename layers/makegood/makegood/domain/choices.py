"""What a policy chooses among: how far a type may go by itself, how it can be observed, what a verdict leads to."""

from enum import StrEnum


class Mode(StrEnum):
    """How much outcome reconciliation may do by itself. New types only report."""

    OBSERVE = "observe"  #: every verdict goes to a person, with what would have been done as the recommendation
    CONFIRM = "confirm"  #: proof is recorded; the rest goes to a person
    CORRECT = "correct"  #: the policy's step is taken


class Capability(StrEnum):
    """How the effect can be observed in the outside system."""

    BY_KEY = "by_key"
    BY_BUSINESS_KEY = "by_business_key"
    ACKNOWLEDGEMENT_ONLY = "acknowledgement_only"
    NOT_OBSERVABLE = "not_observable"

    @property
    def can_ask(self) -> bool:
        """Say whether the outside system can be asked at all."""
        return self in (Capability.BY_KEY, Capability.BY_BUSINESS_KEY)


class Step(StrEnum):
    """What a verdict may lead to."""

    CONFIRM = "confirm"
    REQUEUE = "requeue"
    COMPENSATE = "compensate"
    CLOSE = "close"
    REVIEW = "review"
