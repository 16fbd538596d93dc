"""Is money taken at most once by a program, and is every doubt about it a person's?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from catalog import OPERATION_TYPES, ChargeInvoice
from makegood import (
    Accepted,
    Capability,
    Done,
    Mode,
    OutageError,
    QueueName,
    RejectedError,
    UncertainError,
)
from makegood.domain.limits import Limits
from makegood.domain.operation import Operation, Status
from makegood_cli.local.crm_faults import Fault

from tests.case import case
from tests.catalog.calling import claimed, said, settled
from tests.catalog.scripted import scripted

if TYPE_CHECKING:
    from makegood.domain.settle import Said

    from tests.local_crm import LocalCrm

CONFIRMED, AWAITING, REVIEW = Status.CONFIRMED, Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW
RETRY = Status.RETRY_SCHEDULED
GOOD = '{"id": "ch-1", "invoice": "ID", "version": 7, "amount": "10.00", "currency": "EUR", "status": "succeeded"}'


def invoice(crm: LocalCrm, **facts: Any) -> Operation:
    """Return an operation that charges a new invoice and has just been claimed."""
    name = crm.stranger()
    usual = {"entity": f"invoice/{name}", "expected_fields": {"amount": 10, "currency": "EUR"}}
    return claimed(name, **{**usual, **facts})


def charged(url: str, operation: Operation, **how: Any) -> Said:
    """Charge once, as a worker would."""
    return said(url, operation, ChargeInvoice, **how)


def landed(operation: Operation, what: Said) -> Operation:
    """Settle a charge."""
    return settled(operation, what, ChargeInvoice)


def test_a_charge_is_confirmed_by_its_answer_alone(crm: LocalCrm) -> None:
    operation = invoice(crm)
    done = charged(crm.url, operation)
    assert isinstance(done, Done)
    assert done.remote_id.startswith("ch-")
    assert (done.version, done.fields, done.summary) == (7, {"amount": "10.00", "currency": "EUR"}, "POST 201")
    at_the_end = landed(operation, done)
    assert at_the_end.status is CONFIRMED
    assert at_the_end.evidence is not None
    assert (at_the_end.remote_id, at_the_end.evidence.version) == (done.remote_id, 7)
    (effect,) = crm.client.effects(operation.idempotency_key)
    assert (effect.entity, effect.fields) == (operation.entity, {"amount": 10, "currency": "EUR"})


@case("F056")
@pytest.mark.parametrize("amount", [10, "10", "10.0", Decimal("10.00")])
def test_an_amount_is_compared_by_its_value_however_it_is_written(crm: LocalCrm, amount: int | str | Decimal) -> None:
    operation = invoice(crm, expected_fields={"currency": "EUR", "amount": amount})
    assert landed(operation, charged(crm.url, operation)).status is CONFIRMED


@case("F056")
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (GOOD.replace("10.00", "100.00"), "amount"),
        (GOOD.replace("EUR", "USD"), "currency"),
        (GOOD.replace("7", "6"), "version"),
    ],
)
def test_another_amount_currency_or_version_is_divergent_and_names_it(crm: LocalCrm, wrong: str, field: str) -> None:
    operation = invoice(crm)
    body = wrong.replace("ID", operation.entity.removeprefix("invoice/"))
    crm.client.set_fault(Fault(kind="garble", status=201, body=body))
    at_the_end = landed(operation, charged(crm.url, operation))
    assert at_the_end.status is AWAITING
    assert at_the_end.verdict is not None
    assert [difference.field for difference in at_the_end.verdict.differences] == [field]


ANSWERS = {
    "no amount": (Fault(kind="garble", status=201, body=GOOD.replace('"amount": "10.00", ', "")), Done, AWAITING),
    "no version": (Fault(kind="garble", status=201, body=GOOD.replace('"version": 7, ', "")), Done, AWAITING),
    "still pending": (Fault(kind="garble", status=201, body=GOOD.replace("succeeded", "pending")), Done, AWAITING),
    "another invoice": (Fault(kind="garble", status=201, body=GOOD.replace("ID", "none")), UncertainError, AWAITING),
    "no id": (Fault(kind="garble", status=201, body=GOOD.replace('"ch-1"', '""')), UncertainError, AWAITING),
    "html with 200": (Fault(kind="garble", body="<html>Thank you</html>"), UncertainError, AWAITING),
    "empty 201": (Fault(kind="garble", status=201), UncertainError, AWAITING),
    "202": (Fault(kind="accept"), Accepted, AWAITING),
    "202, empty": (Fault(kind="garble", status=202), Accepted, AWAITING),
    "302": (Fault(kind="garble", status=302, headers={"Location": "/pay"}), UncertainError, AWAITING),
    "402": (Fault(kind="refuse", message="declined"), RejectedError, REVIEW),
    "401": (Fault(kind="garble", status=401), RejectedError, REVIEW),
    "404": (Fault(kind="garble", status=404), RejectedError, REVIEW),
    "409": (Fault(kind="in_progress"), RejectedError, REVIEW),
    "429": (Fault(kind="throttle"), OutageError, RETRY),
    "503 with a time": (Fault(kind="unavailable", seconds=5), OutageError, RETRY),
    "503 without a time": (Fault(kind="unavailable"), UncertainError, AWAITING),
    "500, taken": (Fault(kind="error"), UncertainError, AWAITING),
    "500, not taken": (Fault(kind="error", applied=False), UncertainError, AWAITING),
    "closed before": (Fault(kind="close_before"), UncertainError, AWAITING),
    "closed after": (Fault(kind="close_after"), UncertainError, AWAITING),
    "down": (Fault(kind="down"), UncertainError, AWAITING),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_means_what_the_table_says_and_is_one_call(crm: LocalCrm, name: str) -> None:
    fault, meaning, status = ANSWERS[name]
    operation = invoice(crm)
    crm.client.set_fault(replace(fault, body=fault.body.replace("ID", operation.entity.removeprefix("invoice/"))))
    what = charged(crm.url, operation)
    assert isinstance(what, meaning)
    assert landed(operation, what).status is status
    assert len(crm.client.log(key=operation.idempotency_key)) == 1


def test_a_charge_whose_amount_is_not_proven_keeps_its_id_for_the_person(crm: LocalCrm) -> None:
    operation = invoice(crm)
    body = GOOD.replace("ID", operation.entity.removeprefix("invoice/")).replace('"amount": "10.00", ', "")
    crm.client.set_fault(Fault(kind="garble", status=201, body=body))
    what = charged(crm.url, operation)
    assert isinstance(what, Done)
    assert what.version is None
    at_the_end = landed(operation, what)
    assert (at_the_end.status, at_the_end.remote_id) == (AWAITING, "ch-1")


def test_an_answer_that_does_not_come_is_one_call_and_a_doubt(crm: LocalCrm) -> None:
    operation = invoice(crm)
    crm.client.set_fault(Fault(kind="hang_after", seconds=30))
    assert isinstance(charged(crm.url, operation, time_limit=timedelta(seconds=0.2)), UncertainError)
    assert crm.client.applications()[operation.idempotency_key] == 1


def test_a_payment_system_that_cannot_be_reached_took_nothing(crm: LocalCrm) -> None:
    operation = invoice(crm)
    what = charged("http://127.0.0.1:1", operation)
    assert isinstance(what, OutageError)
    assert landed(operation, what).status is RETRY


@pytest.mark.parametrize(
    "facts",
    [
        {"entity": "invoice/"},
        {"entity": "customer/452"},
        {"expected_fields": {"amount": 10}},
        {"expected_fields": {"currency": "EUR"}},
        {"expected_fields": {"amount": 10, "currency": "EUR", "invoice": "another"}},
    ],
)
def test_a_promise_that_is_no_charge_is_refused_without_a_call(crm: LocalCrm, facts: dict[str, Any]) -> None:
    operation = invoice(crm, **facts)
    assert isinstance(charged(crm.url, operation), RejectedError)
    assert crm.client.log(key=operation.idempotency_key) == []


def test_the_payment_system_hears_invoice_version_amount_and_currency() -> None:
    operation = claimed("88", entity="invoice/88", expected_fields={"amount": Decimal("1.10"), "currency": "EUR"})
    with scripted(b"HTTP/1.1 402 No\r\n\r\n") as remote:
        charged(remote.url, operation, credential="topsecret1")
    lines = remote.request.split("\r\n")
    assert lines[0] == "POST /charges HTTP/1.1"
    assert lines[-1] == '{"invoice":"88","version":7,"amount":1.10,"currency":"EUR"}'
    wanted = {"Authorization: Bearer topsecret1", f"Idempotency-Key: {operation.idempotency_key}"}
    assert wanted | {f"X-Operation-Id: {operation.operation_id}"} <= set(lines)


def test_the_type_is_listed_and_as_careful_as_money_needs() -> None:
    assert ChargeInvoice in OPERATION_TYPES
    policy = ChargeInvoice.policy.under(Limits()).policy
    assert (policy.idempotent, policy.capability, policy.mode) == (False, Capability.NOT_OBSERVABLE, Mode.OBSERVE)
    assert (policy.queue, policy.client_tries, policy.numbers) == (QueueName.HIGH, 1, frozenset({"amount"}))
    assert not ChargeInvoice.source_of_truth
