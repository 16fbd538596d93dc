"""Does sync_customer say what is known of the effect, whatever the CRM answers, and nothing more?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from catalog import OPERATION_TYPES, SyncCustomer
from makegood import (
    Accepted,
    Capability,
    Done,
    Mode,
    NotApplicable,
    OutageError,
    RejectedError,
    Step,
    TransientError,
    UncertainError,
)
from makegood.domain.limits import Limits
from makegood.domain.operation import Status
from makegood_cli.local.crm_faults import Fault

from tests.case import case
from tests.catalog.calling import Remote, attempt_of, claimed, said, settled

if TYPE_CHECKING:
    from makegood.domain.settle import Said

    from tests.local_crm import LocalCrm

CONFIRMED, AWAITING, REVIEW = Status.CONFIRMED, Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW
RETRY, NOT_APPLICABLE = Status.RETRY_SCHEDULED, Status.NOT_APPLICABLE
FOREIGN = '{"id": "someone else", "version": 7, "fields": {"plan": "gold"}}'

ANSWERS = {
    "html with 200": (Fault(kind="garble", body="<html>Welcome</html>"), UncertainError, AWAITING),
    "empty 200": (Fault(kind="garble", body=""), UncertainError, AWAITING),
    "half an object": (Fault(kind="garble", body='{"id": "c1", "ver'), UncertainError, AWAITING),
    "half a body": (Fault(kind="garble", body="{", headers={"Content-Length": "9"}), UncertainError, AWAITING),
    "a list": (Fault(kind="garble", body="[]"), UncertainError, AWAITING),
    "another customer": (Fault(kind="garble", body=FOREIGN), UncertainError, AWAITING),
    "no fields": (Fault(kind="garble", body='{"id": "ID", "version": 7}'), UncertainError, AWAITING),
    "no version": (Fault(kind="garble", body='{"id": "ID", "fields": {}}'), UncertainError, AWAITING),
    "a truth for a version": (
        Fault(kind="garble", body='{"id": "ID", "version": true, "fields": {}}'),
        UncertainError,
        AWAITING,
    ),
    "twice the same key": (
        Fault(kind="garble", body='{"id": "ID", "id": "ID", "version": 7, "fields": {}}'),
        UncertainError,
        AWAITING,
    ),
    "a long body": (Fault(kind="garble", body="é" * 40_000), UncertainError, AWAITING),
    "204": (Fault(kind="garble", status=204), UncertainError, AWAITING),
    "a redirect": (Fault(kind="garble", status=302, headers={"Location": "/customers/1"}), UncertainError, AWAITING),
    "304": (Fault(kind="garble", status=304), UncertainError, AWAITING),
    "202": (Fault(kind="accept"), Accepted, AWAITING),
    "500, applied": (Fault(kind="error"), UncertainError, AWAITING),
    "500, not applied": (Fault(kind="error", applied=False), UncertainError, AWAITING),
    "502": (Fault(kind="garble", status=502), UncertainError, AWAITING),
    "503 without a time": (Fault(kind="unavailable"), UncertainError, AWAITING),
    "503 with a time": (Fault(kind="unavailable", seconds=5), OutageError, RETRY),
    "429": (Fault(kind="throttle", seconds=5), OutageError, RETRY),
    "429 without a time": (Fault(kind="throttle"), OutageError, RETRY),
    "409 in progress": (Fault(kind="in_progress"), UncertainError, AWAITING),
    "409 of unknown meaning": (Fault(kind="garble", status=409, body="?"), RejectedError, REVIEW),
    "401": (Fault(kind="garble", status=401), RejectedError, REVIEW),
    "403": (Fault(kind="garble", status=403), RejectedError, REVIEW),
    "404": (Fault(kind="garble", status=404), RejectedError, REVIEW),
    "422": (Fault(kind="refuse"), RejectedError, REVIEW),
    "422, a long page": (Fault(kind="garble", status=422, body="x" * 200_000), RejectedError, REVIEW),
    "closed before": (Fault(kind="close_before"), UncertainError, AWAITING),
    "closed after": (Fault(kind="close_after"), UncertainError, AWAITING),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_every_answer_means_what_the_table_says(crm: LocalCrm, answer: str) -> None:
    fault, meaning, status = ANSWERS[answer]
    customer = crm.stranger()
    crm.client.set_fault(replace(fault, body=fault.body.replace("ID", customer)))
    operation = claimed(customer)
    what = said(crm.url, operation)
    assert isinstance(what, meaning)
    assert settled(operation, what).status is status
    assert len(crm.client.log(key=operation.idempotency_key)) == 1


def test_a_good_answer_is_compared_and_confirmed(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    done = said(crm.url, operation)
    assert isinstance(done, Done)
    assert (done.remote_id, done.version, done.fields, done.summary) == (
        operation.entity.partition("/")[2],
        7,
        {"plan": "gold"},
        "PUT 200",
    )
    assert settled(operation, done).status is CONFIRMED


def test_the_crm_hears_key_operation_version_and_fields_to_the_digit(crm: LocalCrm) -> None:
    customer, exact = crm.stranger(), {"limit": Decimal("1.10"), "points": 10**37 + 1}
    operation = claimed(customer, expected_fields=exact)
    assert settled(operation, said(crm.url, operation)).status is CONFIRMED
    (effect,) = crm.client.effects(operation.idempotency_key)
    assert (effect.operation_id, effect.entity, effect.version) == (operation.operation_id, operation.entity, 7)
    assert str(effect.fields) == str(exact)


@case("F056")
def test_what_the_crm_has_otherwise_is_divergent_not_confirmed(crm: LocalCrm) -> None:
    customer = crm.stranger()
    body = f'{{"id": "{customer}", "version": 7, "fields": {{"plan": "silver"}}}}'
    crm.client.set_fault(Fault(kind="garble", body=body))
    landed = settled(claimed(customer), said(crm.url, claimed(customer)))
    assert landed.status is AWAITING
    assert landed.verdict is not None
    assert [difference.field for difference in landed.verdict.differences] == ["plan"]


def test_a_call_sent_again_is_answered_as_the_first_and_applied_once(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    crm.client.set_fault(Fault(kind="close_after", count=1))
    assert isinstance(said(crm.url, operation), UncertainError)
    assert settled(operation, said(crm.url, operation)).status is CONFIRMED
    assert crm.client.applications()[operation.idempotency_key] == 1


@case("F080")
def test_three_calls_in_progress_and_then_an_answer_are_one_call_and_never_a_failure(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    crm.client.set_fault(Fault(kind="in_progress", count=3))
    assert [settled(operation, said(crm.url, operation)).status for _ in range(3)] == [AWAITING] * 3
    assert settled(operation, said(crm.url, operation)).status is CONFIRMED
    assert {call.key for call in crm.client.log(key=operation.idempotency_key)} == {operation.idempotency_key}
    assert crm.client.applications()[operation.idempotency_key] == 1


@case("F077")
def test_a_key_that_was_used_for_something_else_goes_to_a_person(crm: LocalCrm) -> None:
    customer = crm.stranger()
    assert isinstance(said(crm.url, claimed(customer)), Done)
    changed = claimed(customer, expected_fields={"plan": "silver"})
    landed = settled(changed, said(crm.url, changed))
    assert (landed.status, landed.idempotency_key) == (REVIEW, changed.idempotency_key)
    assert "key_reused" in str(landed.last_error)


@case("F036")
def test_an_overtaken_change_does_not_apply_and_says_by_what(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-newer", version=9)
    what = said(crm.url, claimed(customer))
    assert what == NotApplicable(reason="the CRM has version 9, which is newer than 7")
    assert settled(claimed(customer), what).status is NOT_APPLICABLE
    assert settled(claimed(customer, uncertain=True), what).status is AWAITING


@pytest.mark.parametrize("current", ["7", "6", '"9"', "true", "null"])
def test_a_stale_version_that_is_not_newer_is_for_a_person(crm: LocalCrm, current: str) -> None:
    body = f'{{"code": "stale_version", "current_version": {current}}}'
    crm.client.set_fault(Fault(kind="garble", status=409, body=body))
    assert isinstance(said(crm.url, claimed(crm.stranger())), RejectedError)


@pytest.mark.parametrize("as_date", [False, True])
@pytest.mark.parametrize(("seconds", "wait"), [(0, 0), (7, 7), (600, 600)])
def test_the_wait_that_the_crm_asks_for_is_kept(crm: LocalCrm, seconds: int, wait: int, *, as_date: bool) -> None:
    crm.client.set_fault(Fault(kind="unavailable", seconds=seconds, as_date=as_date))
    what = said(crm.url, claimed(crm.stranger()))
    assert isinstance(what, OutageError)
    assert what.retry_after is not None
    assert abs(what.retry_after.total_seconds() - wait) <= 1


@pytest.mark.parametrize("entity", ["customer/", "customer/.", "customer/..", "customer", "invoice/452", "/452"])
def test_an_entity_that_is_no_customer_is_refused_without_a_call(crm: LocalCrm, entity: str) -> None:
    operation = claimed(crm.stranger(), entity=entity)
    what = said(crm.url, operation)
    assert isinstance(what, RejectedError)
    assert "customer/452" in str(what)
    assert crm.client.log(key=operation.idempotency_key) == []


@pytest.mark.parametrize("identifier", ["a/b", "a b", "../health", "é", "e\u0301", "%2F", "x?y#z", "a%20b;c"])
def test_an_odd_id_reaches_the_right_customer(crm: LocalCrm, identifier: str) -> None:
    customer = f"{crm.stranger()}{identifier}"
    operation = claimed(customer, operation_id=crm.stranger())
    assert settled(operation, said(crm.url, operation)).status is CONFIRMED
    assert [effect.entity for effect in crm.client.effects(operation.idempotency_key)] == [f"customer/{customer}"]


def test_an_answer_that_does_not_come_is_not_waited_for_any_longer(crm: LocalCrm) -> None:
    crm.client.set_fault(Fault(kind="hang_after", seconds=30))
    what = said(crm.url, claimed(crm.stranger()), time_limit=timedelta(seconds=0.2))
    assert isinstance(what, UncertainError)


def test_nothing_is_sent_when_no_time_is_left(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    what = said(crm.url, operation, time_limit=timedelta(0))
    assert isinstance(what, TransientError)
    assert crm.client.log(key=operation.idempotency_key) == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://no-such-host.invalid", "http://"])
def test_a_crm_that_cannot_be_reached_was_certainly_not_called(url: str) -> None:
    what: Said = said(url, claimed("452"))
    assert isinstance(what, OutageError)
    assert settled(claimed("452"), what).status is RETRY


def test_one_type_serves_many_threads(crm: LocalCrm) -> None:
    operations = [claimed(crm.stranger()) for _ in range(40)]
    shared = SyncCustomer(Remote(address=crm.url))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(shared.perform, map(attempt_of, operations)))
    pairs = zip(operations, answers, strict=True)
    assert {settled(operation, answer).status for operation, answer in pairs} == {CONFIRMED}
    applied = crm.client.applications()
    assert [applied[operation.idempotency_key] for operation in operations] == [1] * 40


def test_the_type_is_listed_and_safe_in_production_and_on_the_local_stack() -> None:
    assert SyncCustomer in OPERATION_TYPES
    assert SyncCustomer.policy.client_timeout * SyncCustomer.policy.client_tries < timedelta(seconds=3)
    policy = SyncCustomer.policy.under(Limits()).policy
    assert (policy.version, policy.idempotent, policy.capability, policy.mode) == (
        2,
        True,
        Capability.BY_KEY,
        Mode.CORRECT,
    )
    assert (policy.on_missing, policy.on_divergent, policy.on_cancelled) == (
        Step.REQUEUE,
        Step.REVIEW,
        Step.COMPENSATE,
    )
