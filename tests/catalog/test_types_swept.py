"""Do the team's types, worked on and swept against their remote, end where the world says they should?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from catalog import ChargeInvoice, SyncCustomer
from makegood.domain.evidence import VerdictKind
from makegood.domain.operation import Intent, OperationId, Status, idempotency_key_for
from makegood_cli.local.crm_faults import Fault
from makegood_cli.local.crm_misreadings import MISREADINGS, misreading

from tests.case import case
from tests.catalog.calling import Remote
from tests.support.deployment import Deployment
from tests.support.rows import HOUR, LIMITS, OPERATOR

if TYPE_CHECKING:
    from makegood import Operation, OperationType, Remotes

    from tests.local_crm import LocalCrm


def at(kind: type[OperationType], url: str) -> type[OperationType]:
    """Return the type as a deployment at this address builds it."""

    def build(self: OperationType, _: Remotes) -> None:
        kind.__init__(self, Remote(address=url))

    return type(kind.__name__, (kind,), {"__init__": build})


class House:
    """A Makegood in memory, with the types of the catalog at a real remote, and one operation."""

    def __init__(self, crm: LocalCrm, operation_type: str = "sync_customer", **facts: Any) -> None:
        self.crm, self.customer = crm, crm.stranger()
        self.name = f"{operation_type}-{self.customer}"
        self.house = Deployment(at(SyncCustomer, crm.url), at(ChargeInvoice, crm.url))
        self.key = idempotency_key_for(OperationId(self.name), Intent.EFFECT)
        self.facts = {"operation_type": operation_type, "entity": f"customer/{self.customer}", **facts}

    def work(self, fault: Fault | None = None) -> Operation:
        """Promise it and let a worker attempt it once, under a fault."""
        if fault is not None:
            self.crm.client.set_fault(fault)
        self.house.submitted(self.name, **self.facts)
        self.house.delivered()
        return self.row

    def sweep(self, times: int = 1) -> Operation:
        """Let time pass, sweep, and deliver what the sweep sent; again and again."""
        for _ in range(times):
            self.house.clock.advance(HOUR)
            self.house.swept()
            self.house.delivered()
        return self.row

    @property
    def row(self) -> Operation:
        """Return the operation as it stands."""
        return self.house.row(self.name)

    @property
    def effects(self) -> int:
        """Count what was applied under the effect's key."""
        return self.crm.client.applications()[self.key]


@pytest.mark.parametrize("kind", ["close_after", "error", "accept"])
def test_what_was_applied_and_not_heard_is_confirmed_by_a_look_and_sent_once(crm: LocalCrm, kind: str) -> None:
    house = House(crm)
    house.work(Fault(kind=kind))
    row = house.sweep()
    assert (row.status, house.effects, len(crm.client.log(key=house.key))) == (Status.CONFIRMED, 1, 1)
    assert row.evidence is not None
    assert (row.evidence.remote_id, row.evidence.version) == (house.customer, 7)


def test_what_was_not_applied_is_seen_absent_and_sent_again_under_the_same_key(crm: LocalCrm) -> None:
    house = House(crm)
    assert house.work(Fault(kind="close_before", count=1)).status is Status.AWAITING_CONFIRMATION
    row = house.sweep(2)
    assert (row.status, house.effects, row.attempt) == (Status.CONFIRMED, 1, 2)
    assert {call.key for call in crm.client.log(key=house.key)} == {house.key}


def test_what_somebody_else_changed_meanwhile_is_a_persons_and_is_not_overwritten(crm: LocalCrm) -> None:
    house = House(crm)
    house.work(Fault(kind="close_after"))
    crm.client.change_elsewhere(house.customer, version=8, fields={"plan": "silver"})
    row = house.sweep(3)
    assert (row.status, house.effects) == (Status.MANUAL_REVIEW, 1)
    assert row.verdict is not None
    assert row.verdict.kind is VerdictKind.DIVERGENT
    assert [(d.field, d.expected, d.observed) for d in row.verdict.differences] == [
        ("version", "7", "8"),
        ("plan", '"gold"', '"silver"'),
    ]
    shown = crm.client.customer(house.customer)
    assert shown is not None
    assert (shown.version, shown.fields) == (8, {"plan": "silver"})


@case("F051")
@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("name", MISREADINGS)
def test_a_look_that_cannot_tell_never_sends_and_reaches_a_person_only_after_the_limit(
    crm: LocalCrm, name: str, *, applied: bool
) -> None:
    house = House(crm)
    house.work(Fault(kind="error", applied=applied))
    crm.client.set_fault(misreading(name))
    row = house.sweep(3)
    assert (row.status, len(crm.client.log(key=house.key))) == (Status.AWAITING_CONFIRMATION, 1)
    assert row.due_at is not None
    house.house.clock.advance(LIMITS.outage_limit)
    row = house.sweep()
    assert (row.status, len(crm.client.log(key=house.key))) == (Status.MANUAL_REVIEW, 1)
    assert row.verdict is not None
    assert row.verdict.kind is VerdictKind.AMBIGUOUS


@case("F052")
def test_a_read_that_lags_costs_no_second_effect(crm: LocalCrm) -> None:
    house = House(crm)
    house.work(Fault(kind="close_after", count=1))
    crm.client.set_fault(Fault(kind="behind", count=1))
    row = house.sweep(3)
    assert (row.status, house.effects) == (Status.CONFIRMED, 1)


def test_what_was_cancelled_and_is_there_is_taken_back_and_that_is_proven(crm: LocalCrm) -> None:
    house = House(crm)
    crm.put(house.customer, key=f"{house.customer}-old", version=6)
    house.work(Fault(kind="close_after", count=1))
    house.house.cancel(OperationId(house.name), reason="the customer left", actor=OPERATOR)
    crm.client.set_fault(Fault(kind="close_after", count=1))
    row = house.sweep(3)
    assert (row.status, row.intent) == (Status.COMPENSATED, Intent.COMPENSATION)
    shown = crm.client.customer(house.customer)
    assert shown is not None
    assert shown.version == 6
    assert crm.client.applications()[row.idempotency_key] == 1


@pytest.mark.parametrize("kind", ["close_after", "close_before", "error", "hang_after"])
def test_a_charge_of_unknown_end_is_called_once_and_is_a_persons(crm: LocalCrm, kind: str) -> None:
    facts = {"entity": f"invoice/{crm.stranger()}", "expected_fields": {"amount": 10, "currency": "EUR"}}
    house = House(crm, "charge_invoice", **facts)
    assert house.work(Fault(kind=kind)).status is Status.AWAITING_CONFIRMATION
    row = house.sweep(5)
    assert (row.status, len(crm.client.log(key=house.key))) == (Status.MANUAL_REVIEW, 1)
    assert house.effects == int(kind != "close_before")


def test_while_the_remote_is_down_nobody_reaches_a_person_and_then_all_is_done(crm: LocalCrm) -> None:
    house = House(crm)
    house.work(Fault(kind="down", seconds=9))
    assert house.sweep(12).status is Status.RETRY_SCHEDULED
    crm.client.lift("down")
    row = house.sweep(2)
    assert (row.status, house.effects) == (Status.CONFIRMED, 1)
