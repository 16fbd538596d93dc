"""The team's types calling their remote, and what the house makes of what they say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from catalog import SyncCustomer
from makegood import Attempt, Intent, Look, Operation
from makegood.domain.history import Role
from makegood.domain.judge import judge
from makegood.domain.moving import Hand
from makegood.domain.operation import OperationId, Status, idempotency_key_for
from makegood.domain.settle import settle

from tests.support import rows

if TYPE_CHECKING:
    from makegood import Observed, OperationType
    from makegood.domain.judge import Judgement
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


def undoing(operation: Operation, **facts: Any) -> Operation:
    """Return the compensation of an operation, that a worker has just claimed."""
    key = idempotency_key_for(operation.operation_id, Intent.COMPENSATION)
    return replace(operation, intent=Intent.COMPENSATION, idempotency_key=key, **facts)


def effect_key(operation: Operation) -> str:
    """Return the key that an operation's effect is made under."""
    return idempotency_key_for(operation.operation_id, Intent.EFFECT)


def attempt_of(operation: Operation, *, time_limit: timedelta = TERMS.limits.perform_deadline) -> Attempt:
    """Return what `perform` would get for an operation that has just been claimed."""
    return Attempt(
        operation=operation,
        idempotency_key=operation.idempotency_key,
        effect_key=effect_key(operation),
        number=operation.attempt,
        deadline_at=rows.ahead(time_limit),
        time_limit=time_limit,
    )


def said(
    url: str,
    operation: Operation,
    kind: type[OperationType] = SyncCustomer,
    *,
    credential: str | None = None,
    time_limit: timedelta = TERMS.limits.perform_deadline,
) -> Said:
    """Perform or compensate an operation once, as a worker would; return what was returned or raised."""
    made = kind(Remote(address=url, credential=credential))
    call = made.compensate if operation.intent is Intent.COMPENSATION else made.perform
    try:
        return call(attempt_of(operation, time_limit=time_limit))
    except Exception as error:  # noqa: BLE001 - as the worker does
        return error


def settled(operation: Operation, what: Said, kind: type[OperationType] = SyncCustomer) -> Operation:
    """Settle an attempt by what it said."""
    terms = kind.policy.under(rows.LIMITS)
    hand = Hand(now=rows.NOW, actor=rows.ACTORS[Role.WORKER], write_id="write-new", terms=terms)
    return settle(operation, what, hand, fraction=0.5)


def seen(url: str, operation: Operation, *, credential: str | None = None, seconds: float = 2) -> Observed:
    """Look for an operation's effect once, as a sweep would."""
    look = Look(operation=operation, effect_key=effect_key(operation), time_limit=timedelta(seconds=seconds))
    return SyncCustomer(Remote(address=url, credential=credential)).observe(look)


def judged(operation: Operation, observed: Observed) -> Judgement:
    """Judge what was seen long after the settle window."""
    return judge(operation, observed, now=rows.ahead(rows.HOUR), terms=TERMS)
