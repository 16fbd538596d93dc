"""Does the payment side take money at every call, say so truly, and give nobody a way to look it up?"""

from __future__ import annotations

import http.client
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from makegood_cli.local.crm_faults import Fault
from makegood_cli.local.crm_records import Kind

if TYPE_CHECKING:
    from tests.local_crm import LocalCrm

BROKEN = (TimeoutError, http.client.RemoteDisconnected)


def test_a_charge_is_answered_with_amount_currency_and_the_invoice_s_version(crm: LocalCrm) -> None:
    invoice = crm.stranger()
    heard = crm.charge(invoice, key=invoice, version=3, amount=Decimal("12.5"))
    assert heard.status == 201
    assert str(heard.body["id"]).startswith("ch-")
    told = {"invoice": invoice, "version": 3, "amount": "12.50", "currency": "EUR", "status": "succeeded"}
    assert {name: heard.body[name] for name in told} == told


def test_the_same_key_again_is_another_charge(crm: LocalCrm) -> None:
    invoice = crm.stranger()
    first, second = (crm.charge(invoice, key=invoice) for _ in range(2))
    assert first.body["id"] != second.body["id"]
    assert crm.client.applications()[invoice] == 2
    charges = crm.client.effects(invoice)
    assert [(charge.kind, charge.entity) for charge in charges] == [(Kind.CHARGE, f"invoice/{invoice}")] * 2
    assert charges[0].fields == {"amount": 10, "currency": "EUR"}


@pytest.mark.parametrize("path", ["/charges", "/charges?key=k", "/charges/ch-1", "/charges?invoice=1"])
def test_a_charge_cannot_be_looked_up(crm: LocalCrm, path: str) -> None:
    crm.charge("1", key="k")
    assert crm.ask("GET", path).status == 404


@pytest.mark.parametrize(
    "told",
    [
        {"amount": 0},
        {"amount": -1},
        {"amount": Decimal("1.001")},
        {"amount": "ten"},
        {"amount": True},
        {"amount": "NaN"},
        {"amount": None},
        {"amount": 10**13},
        {"currency": 978},
        {"version": "1"},
        {"version": True},
        {"note": "more"},
    ],
)
def test_a_charge_of_another_shape_is_refused_and_not_logged(crm: LocalCrm, told: dict[str, Any]) -> None:
    key = crm.stranger()
    heard = crm.charge("1", key=key, **told)
    assert (heard.status, heard.body["code"]) == (400, "bad_body")
    assert crm.client.log(key=key) == []


@pytest.mark.parametrize("amount", ["10.00", 10, Decimal("10.0")])
def test_an_amount_is_one_however_it_is_written(crm: LocalCrm, amount: object) -> None:
    assert crm.charge("1", key=crm.stranger(), amount=amount).body["amount"] == "10.00"


@pytest.mark.parametrize(("kind", "taken"), [("close_before", 0), ("close_after", 1), ("hang_after", 1)])
def test_silence_does_not_say_whether_money_was_taken(crm: LocalCrm, kind: str, taken: int) -> None:
    invoice = crm.stranger()
    crm.client.set_fault(Fault(kind=kind, entity=f"invoice/{invoice}"))
    with pytest.raises(BROKEN):
        crm.charge(invoice, key=invoice, seconds=0.3)
    assert len(crm.client.effects(invoice)) == taken
    assert crm.client.applications()[invoice] == taken


@pytest.mark.parametrize("applied", [True, False])
def test_an_error_is_not_remembered_for_a_charge(crm: LocalCrm, *, applied: bool) -> None:
    invoice = crm.stranger()
    crm.client.set_fault(Fault(kind="error", key=invoice, applied=applied, count=1))
    assert [crm.charge(invoice, key=invoice).status for _ in range(2)] == [500, 201]
    assert crm.client.applications()[invoice] == 1 + int(applied)


def test_a_declined_charge_takes_nothing(crm: LocalCrm) -> None:
    invoice = crm.stranger()
    crm.client.set_fault(Fault(kind="refuse", key=invoice, message="the card was declined"))
    heard = crm.charge(invoice, key=invoice)
    assert (heard.status, heard.body) == (402, {"code": "declined", "message": "the card was declined"})
    assert crm.client.effects(invoice) == []


@pytest.mark.parametrize(("kind", "status"), [("throttle", 429), ("unavailable", 503), ("accept", 202)])
def test_a_charge_can_be_turned_away_or_taken_for_later(crm: LocalCrm, kind: str, status: int) -> None:
    invoice = crm.stranger()
    crm.client.set_fault(Fault(kind=kind, key=invoice, seconds=1))
    assert crm.charge(invoice, key=invoice).status == status
    assert crm.client.applications()[invoice] == int(kind == "accept")


def test_a_charge_leaves_the_key_of_a_customer_s_call_alone(crm: LocalCrm) -> None:
    shared = crm.stranger()
    crm.put(shared, key=shared, version=7)
    crm.client.set_fault(Fault(kind="refuse", entity="invoice/*"))
    crm.charge(shared, key=shared)
    assert crm.put(shared, key=shared, version=7).status == 200
    assert [call.replayed for call in crm.client.log(key=shared)] == [False, False, True]
