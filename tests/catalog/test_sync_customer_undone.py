"""Is a customer's version taken back once, and is that proven before it counts?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from makegood import Absent, Accepted, Done, Found, OutageError, RejectedError, UncertainError
from makegood.domain.operation import Status
from makegood_cli.local.crm_faults import Fault

from tests.catalog.calling import claimed, effect_key, said, seen, settled, undoing
from tests.catalog.scripted import scripted

if TYPE_CHECKING:
    from makegood import Operation

    from tests.local_crm import LocalCrm

AWAITING, REVIEW, RETRY = Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW, Status.RETRY_SCHEDULED


def applied(crm: LocalCrm, *, over: int | None = None) -> Operation:
    """Return an operation whose version 7 the CRM has, over another version or nothing."""
    operation = claimed(crm.stranger())
    if over is not None:
        crm.put(operation.entity.removeprefix("customer/"), key=f"{operation.entity}-old", version=over)
    said(crm.url, operation)
    return operation


@pytest.mark.parametrize(("over", "fields"), [(None, {}), (6, {"plan": "gold"})])
def test_the_version_is_taken_back_once_and_what_stands_then_is_kept(
    crm: LocalCrm, over: int | None, fields: dict[str, str]
) -> None:
    operation = applied(crm, over=over)
    back = undoing(operation)
    done = said(crm.url, back)
    assert done == Done(
        remote_id=operation.entity.removeprefix("customer/"),
        version=over,
        fields=fields,
        summary="DELETE 200, withdrawn 7",
    )
    landed = settled(back, done)
    assert landed.status is Status.COMPENSATED
    assert landed.evidence is not None
    assert landed.evidence.summary == "DELETE 200, withdrawn 7"
    assert crm.client.applications()[back.idempotency_key] == 1
    assert isinstance(seen(crm.url, back), Absent)


ANSWERS = {
    "another version stands": (Fault(kind="none"), RejectedError, REVIEW),
    "empty 200": (Fault(kind="garble", body=""), UncertainError, AWAITING),
    "html with 200": (Fault(kind="garble", body="<html>"), UncertainError, AWAITING),
    "another version was withdrawn": (
        Fault(kind="garble", body='{"id": "ID", "version": null, "fields": {}, "withdrawn": 6}'),
        UncertainError,
        AWAITING,
    ),
    "it still stands": (
        Fault(kind="garble", body='{"id": "ID", "version": 7, "fields": {"plan": "gold"}, "withdrawn": 7}'),
        Done,
        AWAITING,
    ),
    "202": (Fault(kind="accept"), Accepted, AWAITING),
    "500": (Fault(kind="error"), UncertainError, AWAITING),
    "302": (Fault(kind="garble", status=302), UncertainError, AWAITING),
    "404 of a gateway": (Fault(kind="garble", status=404, body="{}"), RejectedError, REVIEW),
    "404 unknown": (Fault(kind="garble", status=404, body='{"code": "unknown_customer"}'), UncertainError, AWAITING),
    "409 in progress": (Fault(kind="in_progress"), UncertainError, AWAITING),
    "422": (Fault(kind="refuse"), RejectedError, REVIEW),
    "401": (Fault(kind="garble", status=401), RejectedError, REVIEW),
    "429": (Fault(kind="throttle", seconds=5), OutageError, RETRY),
    "503 with a time": (Fault(kind="down", seconds=5), OutageError, RETRY),
    "closed after": (Fault(kind="close_after"), UncertainError, AWAITING),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_to_a_withdrawal_means_what_the_table_says(crm: LocalCrm, name: str) -> None:
    fault, meaning, status = ANSWERS[name]
    operation = applied(crm)
    customer = operation.entity.removeprefix("customer/")
    if fault.kind == "none":
        crm.client.change_elsewhere(customer, version=8, fields={"plan": "silver"})
    else:
        crm.client.set_fault(replace(fault, body=fault.body.replace("ID", customer)))
    back = undoing(operation)
    what = said(crm.url, back)
    assert isinstance(what, meaning)
    assert settled(back, what).status is status


def test_what_somebody_else_wrote_is_not_taken_away(crm: LocalCrm) -> None:
    operation = applied(crm)
    customer = operation.entity.removeprefix("customer/")
    crm.client.change_elsewhere(customer, version=8, fields={"plan": "silver"})
    what = said(crm.url, undoing(operation))
    assert isinstance(what, RejectedError)
    assert "not_current" in str(what)
    shown = crm.client.customer(customer)
    assert shown is not None
    assert (shown.version, shown.fields) == (8, {"plan": "silver"})
    assert isinstance(seen(crm.url, undoing(operation)), Found)


def test_a_withdrawal_whose_answer_was_lost_is_proven_by_a_look_and_done_once(crm: LocalCrm) -> None:
    operation = applied(crm, over=6)
    back = undoing(operation)
    crm.client.set_fault(Fault(kind="close_after", key=back.idempotency_key, count=1))
    assert isinstance(said(crm.url, back), UncertainError)
    assert isinstance(seen(crm.url, back), Absent)
    assert isinstance(said(crm.url, back), Done)
    assert crm.client.applications()[back.idempotency_key] == 1


def test_a_withdrawal_that_never_landed_still_finds_the_effect(crm: LocalCrm) -> None:
    operation = applied(crm)
    back = undoing(operation)
    crm.client.set_fault(Fault(kind="close_before", key=back.idempotency_key))
    assert isinstance(said(crm.url, back), UncertainError)
    assert isinstance(seen(crm.url, back), Found)


def test_somebody_elses_write_of_the_same_version_is_no_proof_that_ours_is_gone(crm: LocalCrm) -> None:
    operation = applied(crm)
    said(crm.url, undoing(operation))
    crm.put(operation.entity.removeprefix("customer/"), key=f"{operation.entity}-another", version=7)
    assert isinstance(seen(crm.url, undoing(operation)), Found)


def test_what_somebody_else_wrote_at_the_same_version_is_not_taken_away(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    crm.put(operation.entity.removeprefix("customer/"), key=f"{operation.entity}-another", version=7)
    assert isinstance(said(crm.url, undoing(operation)), RejectedError)


def test_a_withdrawal_goes_out_under_a_key_of_its_own() -> None:
    back = undoing(claimed("4/5"))
    with scripted(b"HTTP/1.1 500 No\r\n\r\n") as remote:
        said(remote.url, back)
    lines = remote.request.split("\r\n")
    assert lines[0] == f"DELETE /customers/4%2F5/versions/7?of={effect_key(back)} HTTP/1.1"
    assert {f"Idempotency-Key: {back.idempotency_key}", f"X-Operation-Id: {back.operation_id}"} <= set(lines)
    assert back.idempotency_key != effect_key(back)
