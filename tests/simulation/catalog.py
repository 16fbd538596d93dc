"""Operation types for schedules: every sort of effect, each against the simulated remote."""

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from makegood.domain.choices import Capability, Mode, Step
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.observation import Look, Observed
from makegood.domain.operation import Operation, QueueName
from makegood.domain.operation_type import Attempt, OperationType, Remotes
from makegood.domain.outcome import Outcome
from makegood.domain.policy import Policy
from makegood.domain.registry import Registry

if TYPE_CHECKING:
    from tests.simulation.remote import Remote

LIMITS = Limits(shards=2, max_attempts=4, max_dispatches=3, outage_limit=timedelta(hours=2))
SECRET = "the remote's own"  # noqa: S105
SWEEP_LIMITS = SweepLimits(halt_cap=2, drain_rate=4)


class Outside(Remotes):
    """Where the types find the remote of the schedule that runs."""

    remote: "Remote"

    def url(self, name: str) -> str:
        """Refuse: nothing here has an address."""
        raise NotImplementedError(name)

    def secret(self, name: str) -> str | None:
        """Return what acknowledgements are signed with."""
        return SECRET if name == "signing" else None


OUTSIDE = Outside()


class Plain(OperationType):
    """An effect that nobody can look at."""

    name = "charge"
    policy = Policy()
    destination = "the simulated remote"

    def perform(self, attempt: Attempt) -> Outcome:
        """Make the effect, and spoil what it was given."""
        _spoil(attempt.operation)
        return OUTSIDE.remote.perform(attempt)


class Observable(Plain):
    """An effect that can be looked at and undone."""

    def observe(self, look: Look) -> Observed:
        """Look at it, and spoil what it was given."""
        _spoil(look.operation)
        return OUTSIDE.remote.look(look)

    def compensate(self, attempt: Attempt) -> Outcome:
        """Undo it."""
        return OUTSIDE.remote.perform(attempt)


def _spoil(operation: Operation) -> None:
    """Write into the fields that a type gets, as careless code may."""
    cast("dict[str, str]", operation.expected_fields)["plan"] = "spoilt"


def _type(type_name: str, **said: Any) -> type[OperationType]:
    policy = Policy(**said)
    parent = Observable if policy.capability.can_ask else Plain
    return type(type_name.title(), (parent,), {"name": type_name, "policy": policy, "acknowledged_with": "signing"})


_SEEN: dict[str, Any] = {
    "idempotent": True,
    "capability": Capability.BY_KEY,
    "on_missing": Step.REQUEUE,
    "on_cancelled": Step.COMPENSATE,
}
TYPES: tuple[type[OperationType], ...] = (
    _type("sync", **_SEEN, mode=Mode.CORRECT, unknowns=1, queue=QueueName.LOW),
    _type(
        "steady",
        **_SEEN,
        mode=Mode.CORRECT,
        absences=2,
        confirmation_window=timedelta(),
        on_divergent=Step.COMPENSATE,
        key_lifetime=timedelta(minutes=40),
        deadline=timedelta(hours=3),
    ),
    _type("hasty", **_SEEN, mode=Mode.CORRECT, key_lifetime=timedelta(minutes=12)),
    _type("proving", **_SEEN, mode=Mode.CONFIRM),
    _type("reporting", **_SEEN, mode=Mode.OBSERVE),
    _type("charge", queue=QueueName.HIGH),
    _type("awaited", capability=Capability.ACKNOWLEDGEMENT_ONLY, mode=Mode.CORRECT),
    _type(
        "refundable",
        capability=Capability.BY_BUSINESS_KEY,
        mode=Mode.CORRECT,
        on_divergent=Step.COMPENSATE,
        on_cancelled=Step.COMPENSATE,
    ),
    _type("profile", **_SEEN, mode=Mode.CORRECT, on_divergent=Step.COMPENSATE, supersedes=True),
)
REGISTRY = Registry(TYPES, limits=LIMITS, remotes=OUTSIDE)
WIDE = replace(LIMITS, shards=5)  #: of a deployment that was rolled back since
WIDE_REGISTRY = Registry(TYPES, limits=WIDE, remotes=OUTSIDE)
