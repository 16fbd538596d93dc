"""Does each fault of a caller's read do what its table says, and never touch what was applied?"""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local.crm_faults import Fault
from makegood_cli.local.crm_misreadings import MISREADINGS, misreading

if TYPE_CHECKING:
    from tests.local_crm import LocalCrm


def applied(crm: LocalCrm) -> str:
    """Apply version 7 over version 6 of a new customer, under a key that is named like it."""
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-old", version=6)
    crm.put(customer, key=customer, version=7)
    return customer


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_misreading_is_answered_as_it_is_written_and_the_audit_still_sees_the_truth(crm: LocalCrm, name: str) -> None:
    customer = applied(crm)
    crm.client.set_fault(misreading(name, key=customer))
    connection = http.client.HTTPConnection(crm.url.removeprefix("http://"), timeout=5)
    connection.request("GET", f"/customers/{customer}?key={customer}")
    answer = connection.getresponse()
    wanted = MISREADINGS[name]
    assert answer.status == wanted["status"]
    if "Content-Length" not in wanted.get("headers", {}):
        assert answer.read().decode() == wanted.get("body", "")
    else:
        with pytest.raises(http.client.IncompleteRead):
            answer.read()
    connection.close()
    assert crm.client.customer(customer) is not None
    assert crm.look(customer, key="another").body["version"] == 7
    assert [read.fault for read in crm.client.reads(key=customer)] == ["misread"]


def test_a_read_can_flicker_between_not_yet_and_there(crm: LocalCrm) -> None:
    customer = applied(crm)

    def seen() -> object:
        heard = crm.look(customer, key=customer).body
        return heard["version"], heard["applied"]

    crm.client.set_fault(Fault(kind="behind", key=customer, count=2))
    assert [seen() for _ in range(3)] == [(6, 0), (6, 0), (7, 1)]
    crm.client.set_fault(Fault(kind="behind", key=customer, count=1))
    assert [seen() for _ in range(2)] == [(6, 0), (7, 1)]


def test_a_read_that_is_behind_finds_no_customer_where_the_key_made_it(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=customer)
    crm.client.set_fault(Fault(kind="behind", key=customer))
    assert crm.look(customer, key=customer).body["code"] == "unknown_customer"


def test_a_tombstone_is_the_customer_marked_as_deleted(crm: LocalCrm) -> None:
    customer = applied(crm)
    crm.client.set_fault(Fault(kind="tombstone", entity=f"customer/{customer}"))
    heard = crm.look(customer, key=customer)
    assert (heard.status, heard.body["deleted"], heard.body["version"]) == (200, True, 7)


def test_a_read_that_hangs_is_answered_late(crm: LocalCrm) -> None:
    customer = applied(crm)
    crm.client.set_fault(Fault(kind="hang_read", key=customer, seconds=0.5))
    with pytest.raises(TimeoutError):
        crm.look(customer, key=customer, seconds=0.1)
    assert crm.look(customer, key=customer).body["applied"] == 1


def test_a_read_can_be_dropped(crm: LocalCrm) -> None:
    customer = applied(crm)
    crm.client.set_fault(Fault(kind="drop_read", key=customer))
    with pytest.raises(http.client.RemoteDisconnected):
        crm.look(customer, key=customer)
    assert [(read.status, read.fault) for read in crm.client.reads(key=customer)] == [(None, "drop_read")]


def test_when_it_is_down_calls_and_reads_alike_are_turned_away_at_the_gate(crm: LocalCrm) -> None:
    customer = applied(crm)
    crm.client.set_fault(Fault(kind="down", seconds=30))
    heard = [
        crm.put(customer, key=f"{customer}-8", version=8),
        crm.withdraw(customer, key=f"{customer}-back", version=7),
        crm.charge(customer, key=f"{customer}-paid"),
        crm.look(customer, key=customer),
    ]
    assert {(answer.status, answer.headers["Retry-After"]) for answer in heard} == {(503, "30")}
    made = crm.client.applications()
    assert [made[f"{customer}-{call}"] for call in ("8", "back", "paid")] == [0, 0, 0]
    crm.client.lift("down")
    assert crm.look(customer, key=customer).body["version"] == 7


def test_when_it_is_down_without_a_word_connections_are_closed(crm: LocalCrm) -> None:
    customer = applied(crm)
    crm.client.set_fault(Fault(kind="down", key=f"{customer}*"))
    for call in (crm.look, crm.put, crm.charge):
        with pytest.raises(http.client.RemoteDisconnected):
            call(customer, key=customer)
    assert crm.client.is_healthy()
    assert crm.client.applications()[customer] == 1
    assert crm.put(crm.stranger(), key="spared").status == 200
