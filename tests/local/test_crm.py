"""Does the CRM apply one key once, and say truly what it did?"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local.crm_faults import Fault

if TYPE_CHECKING:
    from tests.local_crm import LocalCrm

CALLERS = 16


def test_a_change_is_answered_read_and_logged(crm: LocalCrm) -> None:
    customer = crm.stranger()
    heard = crm.put(customer, key=customer, version=7)
    assert (heard.status, heard.body) == (200, {"id": customer, "version": 7, "fields": {"plan": "gold"}})
    read = crm.client.customer(customer)
    assert read is not None
    assert (read.version, read.fields) == (7, {"plan": "gold"})
    (logged,) = crm.client.log(key=customer)
    assert (logged.entity, logged.version, logged.operation_id) == (f"customer/{customer}", 7, f"op-{customer}")
    assert (logged.status, logged.applied, logged.replayed, logged.faults) == (200, True, False, ())


def test_an_unknown_customer_is_nobody_and_an_unknown_key_has_no_effect(crm: LocalCrm) -> None:
    assert crm.client.customer("nobody") is None
    assert crm.client.effects("no such key") == []


def test_the_same_request_again_gets_the_recorded_answer_and_no_second_effect(crm: LocalCrm) -> None:
    customer = crm.stranger()
    first = crm.put(customer, key=customer)
    again = crm.put(customer, key=customer)
    assert (again.status, again.body) == (first.status, first.body)
    assert [call.replayed for call in crm.client.log(key=customer)] == [False, True]
    assert crm.client.applications()[customer] == 1


def test_a_key_that_was_used_for_another_request_is_refused(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=customer, version=1)
    heard = crm.put(customer, key=customer, version=2)
    assert (heard.status, heard.body["code"]) == (409, "key_reused")
    assert crm.client.applications()[customer] == 1


def test_an_older_version_is_refused_with_the_one_that_stands_and_its_key_stays_free(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-new", version=8)
    for version in (6, 7):
        heard = crm.put(customer, key=customer, version=version)
        assert (heard.status, heard.body["code"], heard.body["current_version"]) == (409, "stale_version", 8)
    assert crm.client.applications()[customer] == 0


def test_two_calls_at_once_with_one_key_have_one_effect(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="hang_before", key=customer, seconds=0.5, count=1))
    with ThreadPoolExecutor() as pool:
        first = pool.submit(crm.put, customer, key=customer)
        while not crm.client.log(key=customer):
            assert not first.done()
        second = crm.put(customer, key=customer)
        assert (second.status, second.body["code"]) == (409, "in_progress")
        assert first.result().status == 200
    assert crm.client.applications()[customer] == 1


def test_a_crowd_with_one_key_has_one_effect(crm: LocalCrm) -> None:
    customer, together = crm.stranger(), threading.Barrier(CALLERS)

    def call(_: int) -> int:
        together.wait()
        return crm.put(customer, key=customer).status

    with ThreadPoolExecutor(CALLERS) as pool:
        statuses = list(pool.map(call, range(CALLERS)))
    assert set(statuses) <= {200, 409}
    assert len(crm.client.log(key=customer)) == CALLERS
    assert crm.client.applications()[customer] == 1


def test_numbers_survive_to_the_digit(crm: LocalCrm) -> None:
    customer = crm.stranger()
    exact = {"a": Decimal("1.10"), "b": 10**37 + 1, "c": Decimal("1E+2")}
    crm.ask("PUT", f"/customers/{customer}", {"version": 1, "fields": exact}, {"Idempotency-Key": customer})
    read = crm.client.customer(customer)
    assert read is not None
    assert str(read.fields) == str(exact)


def test_a_quoted_id_is_one_customer(crm: LocalCrm) -> None:
    crm.put("a%2Fb%20%C3%A9", key="quoted")
    read = crm.client.customer("a/b é")
    assert read is not None
    assert [effect.entity for effect in crm.client.effects("quoted")] == ["customer/a/b é"]


@pytest.mark.parametrize("key", ["", "k" * 256, "é"])
def test_a_key_that_is_missing_long_or_not_ascii_is_refused(crm: LocalCrm, key: str) -> None:
    assert crm.put("452", key=key).body["code"] == "bad_key"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"version": 1},
        {"version": "1", "fields": {}},
        {"version": True, "fields": {}},
        {"version": 1, "fields": []},
        {"version": 1, "fields": {}, "more": 1},
    ],
)
def test_a_body_of_another_shape_is_refused_and_not_logged(crm: LocalCrm, body: dict[str, object]) -> None:
    heard = crm.ask("PUT", "/customers/452", body, {"Idempotency-Key": "shapeless"})
    assert (heard.status, heard.body["code"]) == (400, "bad_body")
    assert crm.client.log(key="shapeless") == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("GET", "/customers", 404), ("PUT", "/customers/", 404), ("DELETE", "/customers/1", 404)],
)
def test_a_path_that_is_not_there_is_answered(crm: LocalCrm, method: str, path: str, status: int) -> None:
    assert crm.ask(method, path).status == status


def test_a_request_without_end_is_refused_unread(crm: LocalCrm) -> None:
    heard = crm.ask("PUT", "/customers/452", None, {"Content-Length": "99999999"})
    assert heard.status == 413


def test_the_log_is_in_order_and_can_be_read_on_from_any_call(crm: LocalCrm) -> None:
    customer = crm.stranger()
    for _ in range(3):
        crm.put(customer, key=customer)
    numbers = [call.number for call in crm.client.log()]
    assert numbers == sorted(set(numbers))
    rest = crm.ask("GET", f"/log?after={numbers[-2]}").body["calls"]
    assert [call["number"] for call in rest] == numbers[-1:]  # type: ignore[union-attr, index, call-overload]


def test_a_log_behind_no_number_is_refused(crm: LocalCrm) -> None:
    assert crm.ask("GET", "/log?after=x").body["code"] == "bad_number"
