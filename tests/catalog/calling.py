"""A sync_customer that calls a CRM, and what the house makes of what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from catalog import SyncCustomer
from makegood import Attempt, Operation
from makegood.domain.history import Role
from makegood.domain.moving import Hand
from makegood.domain.operation import OperationId, Status
from makegood.domain.settle import settle

from tests.support import rows

if TYPE_CHECKING:
    from datetime import timedelta

    from makegood.domain.settle import Said

TERMS = SyncCustomer.policy.under(rows.LIMITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """One remote, whatever its name."""

    address: str
    credential: str | None = None

    def url(self, _: str) -> str:
        """Return its address."""
        return self.address

    def secret(self, _: str) -> str | None:
        """Return its credential."""
        return self.credential


def claimed(customer: str, **facts: Any) -> Operation:
    """Return an operation on a customer, named like it, that a worker has just claimed."""
    usual = {"operation_id": OperationId(f"op-{customer}"), "entity": f"customer/{customer}"}
    return rows.operation(Status.PROCESSING, **{**usual, **facts})


def attempt_of(operation: Operation, *, time_limit: timedelta = TERMS.limits.perform_deadline) -> Attempt:
    """Return what `perform` would get for an operation that has just been claimed."""
    return Attempt(
        operation=operation,
        idempotency_key=operation.idempotency_key,
        number=operation.attempt,
        deadline_at=rows.ahead(time_limit),
        time_limit=time_limit,
    )


def said(
    url: str,
    operation: Operation,
    *,
    credential: str | None = None,
    time_limit: timedelta = TERMS.limits.perform_deadline,
) -> Said:
    """Perform an operation once, as a worker would; return what was returned or raised."""
    try:
        return SyncCustomer(Remote(address=url, credential=credential)).perform(
            attempt_of(operation, time_limit=time_limit)
        )
    except Exception as error:  # noqa: BLE001 - as the worker does
        return error


def settled(operation: Operation, what: Said) -> Operation:
    """Settle an attempt by what it said."""
    hand = Hand(now=rows.NOW, actor=rows.ACTORS[Role.WORKER], write_id="write-new", terms=TERMS)
    return settle(operation, what, hand, fraction=0.5)
