"""A catalog for the crash tests: operation types that call an outside system with a script, over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood import Attempt, Capability, Look, Mode, OperationType, Policy, Step

if TYPE_CHECKING:
    from makegood import Observed
    from makegood.domain.outcome import Outcome

    from tests.crash.remote import Remote

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


class Acknowledged(Sync):
    """The same, at a remote that says by itself what it did."""

    name = "acknowledged"
    acknowledged_with = "crm"
    policy = Policy(idempotent=True, capability=Capability.ACKNOWLEDGEMENT_ONLY, mode=Mode.CONFIRM)


class Watched(Sync):
    """The same, at a remote that can be looked at, and that takes back what is wanted no more."""

    name = "watched"
    policy = Policy(
        idempotent=True,
        capability=Capability.BY_KEY,
        mode=Mode.CORRECT,
        on_missing=Step.REQUEUE,
        on_cancelled=Step.COMPENSATE,
    )

    def observe(self, look: Look) -> Observed:
        """Look at the remote."""
        return remotes[-1].see(look)

    def compensate(self, attempt: Attempt) -> Outcome:
        """Ask the remote to take it back."""
        return remotes[-1].undo(attempt)


class Reported(Watched):
    """The same, while everything is still left to people."""

    name = "reported"
    policy = Policy(idempotent=True, capability=Capability.BY_KEY, on_missing=Step.REQUEUE)


class Reverted(Watched):
    """The same, where an effect that is not as promised is taken back."""

    name = "reverted"
    policy = Policy(idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, on_divergent=Step.COMPENSATE)


class Fragile(Watched):
    """The same, where one look without an answer means that the remote is down."""

    name = "fragile"
    policy = Policy(
        idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, on_missing=Step.REQUEUE, unknowns=1
    )


class Ordered(Watched):
    """The same, where a newer version takes the place of older ones."""

    name = "ordered"
    policy = Policy(
        idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, on_missing=Step.REQUEUE, supersedes=True
    )


OPERATION_TYPES = (Sync, Charge, Patient, Acknowledged, Watched, Reported, Reverted, Fragile, Ordered)
