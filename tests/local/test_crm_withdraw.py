"""Does the CRM take back one version once, and does a read say what was applied under a key?"""

from __future__ import annotations

import http.client
import sqlite3
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import crm_process
from makegood_cli.local.crm_faults import Fault
from makegood_cli.local.crm_records import Kind
from makegood_cli.local.places import Places

from tests.local_crm import LocalCrm

if TYPE_CHECKING:
    from pathlib import Path


def test_a_read_by_key_says_how_often_the_key_was_applied(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=customer, version=7)
    shown = {"id": customer, "version": 7, "fields": {"plan": "gold"}}
    assert crm.look(customer, key=customer).body == shown | {"applied": 1}
    assert crm.look(customer, key="another").body == shown | {"applied": 0}
    crm.client.set_fault(Fault(kind="forget_keys", key=customer))
    crm.put(customer, key=customer, version=7)
    assert crm.look(customer, key=customer).body["applied"] == 2


def test_an_unknown_customer_is_named_by_a_code_of_its_own(crm: LocalCrm) -> None:
    heard = crm.look("nobody", key="k")
    assert (heard.status, heard.body["code"]) == (404, "unknown_customer")
    assert crm.ask("GET", "/customers").body["code"] == "no_such_path"


@pytest.mark.parametrize("kind", ["lag", "accept"])
def test_what_reads_do_not_see_yet_is_not_counted_yet(crm: LocalCrm, kind: str) -> None:
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-old", version=6)
    crm.client.set_fault(Fault(kind=kind, key=customer, seconds=60))
    crm.put(customer, key=customer, version=7)
    heard = crm.look(customer, key=customer)
    assert (heard.body["version"], heard.body["applied"]) == (6, 0)


def test_a_withdrawn_version_gives_way_to_the_one_before(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-6", version=6)
    crm.put(customer, key=f"{customer}-7", version=7)
    heard = crm.withdraw(customer, key=f"{customer}-back", version=7)
    told = {"id": customer, "version": 6, "fields": {"plan": "gold"}}
    assert (heard.status, heard.body) == (200, told | {"withdrawn": 7})
    assert crm.look(customer, key=f"{customer}-7").body == told | {"applied": 0}
    (made,) = crm.client.effects(f"{customer}-7")
    (undone,) = crm.client.effects(f"{customer}-back")
    assert (made.kind, made.withdrawn) == (Kind.CHANGE, True)
    assert (undone.kind, undone.version, undone.withdrawn) == (Kind.WITHDRAW, 7, False)
    assert crm.client.applications()[f"{customer}-back"] == 1


def test_a_customer_with_no_version_before_is_gone_and_can_come_again(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=customer, version=7)
    heard = crm.withdraw(customer, key=f"{customer}-back", version=7)
    assert heard.body == {"id": customer, "version": None, "fields": {}, "withdrawn": 7}
    assert crm.look(customer, key=customer).body["code"] == "unknown_customer"
    assert crm.client.customer(customer) is None
    assert crm.put(customer, key=f"{customer}-again", version=7).status == 200
    assert crm.look(customer, key=f"{customer}-again").body["applied"] == 1


def test_a_withdrawal_sent_again_is_answered_as_the_first_and_done_once(crm: LocalCrm) -> None:
    customer = crm.stranger()
    for version in (5, 6, 7):
        crm.put(customer, key=f"{customer}-{version}", version=version)
    first, again = (crm.withdraw(customer, key=f"{customer}-back", version=7) for _ in range(2))
    assert again.body == first.body
    assert crm.look(customer, key=f"{customer}-6").body["version"] == 6
    assert crm.client.applications()[f"{customer}-back"] == 1
    assert crm.withdraw(customer, key=f"{customer}-back", version=6).body["code"] == "key_reused"


def test_a_version_that_does_not_stand_is_not_withdrawn(crm: LocalCrm) -> None:
    customer = crm.stranger()
    assert crm.withdraw(customer, key=customer, version=7).body["code"] == "unknown_customer"
    crm.put(customer, key=f"{customer}-7", version=7)
    crm.client.change_elsewhere(customer, version=8, fields={"plan": "silver"})
    heard = crm.withdraw(customer, key=customer, version=7)
    assert (heard.status, heard.body["code"], heard.body["current_version"]) == (409, "not_current", 8)
    assert crm.client.applications()[customer] == 0
    assert crm.look(customer, key=f"{customer}-7").body["applied"] == 1


@pytest.mark.parametrize("version", ["x", "-1", "²"])
def test_a_version_that_is_no_number_is_refused(crm: LocalCrm, version: str) -> None:
    path = f"/customers/452/versions/{version.replace('²', '%C2%B2')}"
    assert crm.ask("DELETE", path, None, {"Idempotency-Key": "k"}).body["code"] == "bad_number"


def test_the_faults_of_a_change_hit_a_withdrawal_too(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-7", version=7)
    crm.client.set_fault(Fault(kind="close_after", key=customer, count=1))
    with pytest.raises(http.client.RemoteDisconnected):
        crm.withdraw(customer, key=customer, version=7)
    assert crm.withdraw(customer, key=customer, version=7).body["withdrawn"] == 7
    assert crm.client.applications()[customer] == 1
    assert {call.kind for call in crm.client.log(key=customer)} == {Kind.WITHDRAW}


def test_reads_see_a_lagging_withdrawal_later(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=customer, version=7)
    crm.client.set_fault(Fault(kind="lag", key=f"{customer}-back", seconds=60))
    assert crm.withdraw(customer, key=f"{customer}-back", version=7).body["version"] is None
    assert crm.look(customer, key=customer).body["applied"] == 1
    assert crm.put(customer, key=f"{customer}-low", version=1).status == 200


def test_what_somebody_else_changes_has_no_key_and_is_in_no_log_of_calls(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=customer, version=7)
    crm.client.change_elsewhere(customer, version=7, fields={"plan": "silver"})
    heard = crm.look(customer, key=customer)
    assert (heard.body["version"], heard.body["fields"], heard.body["applied"]) == (7, {"plan": "silver"}, 1)
    assert [effect.version for effect in crm.client.elsewhere() if effect.entity == f"customer/{customer}"] == [7]
    assert [call.kind for call in crm.client.log() if call.entity == f"customer/{customer}"] == [Kind.CHANGE]
    assert crm.put(customer, key=f"{customer}-old", version=6).body["code"] == "stale_version"


def test_reads_by_callers_are_logged_and_others_are_not(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.look(customer, key=customer)
    crm.client.customer(customer)
    (read,) = crm.client.reads(key=customer)
    assert (read.entity, read.status, read.fault) == (f"customer/{customer}", 404, "")


def test_the_state_of_an_earlier_release_is_taken_over(tmp_path: Path) -> None:
    places = Places(state=tmp_path)
    (tmp_path / "crm").mkdir()
    with sqlite3.connect(tmp_path / "crm" / "crm.sqlite3") as db:
        db.executescript("""
            CREATE TABLE calls (number INTEGER PRIMARY KEY, received_at INTEGER NOT NULL, key TEXT NOT NULL,
                operation_id TEXT, entity TEXT NOT NULL, version INTEGER NOT NULL, status INTEGER, code TEXT,
                applied INTEGER NOT NULL DEFAULT 0, replayed INTEGER NOT NULL DEFAULT 0,
                faults TEXT NOT NULL DEFAULT '');
            CREATE TABLE effects (position INTEGER PRIMARY KEY, number INTEGER NOT NULL, key TEXT NOT NULL,
                operation_id TEXT, entity TEXT NOT NULL, version INTEGER NOT NULL, fields TEXT NOT NULL,
                applied_at INTEGER NOT NULL, visible_at INTEGER NOT NULL);
            INSERT INTO calls VALUES (1, 0, 'k', NULL, 'customer/452', 7, 200, NULL, 1, 0, '');
            INSERT INTO effects VALUES (1, 1, 'k', NULL, 'customer/452', 7, '{}', 0, 0);
        """)
    db.close()
    try:
        crm = LocalCrm(crm_process.start(places))
        assert crm.look("452", key="k").body["applied"] == 1
        assert [call.kind for call in crm.client.log()] == [Kind.CHANGE]
    finally:
        crm_process.stop(places)


def test_what_somebody_else_wrote_at_the_same_version_is_not_withdrawn(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-theirs", version=7)
    heard = crm.ask(
        "DELETE",
        f"/customers/{customer}/versions/7?of={customer}-ours",
        headers={"Idempotency-Key": f"{customer}-back"},
    )
    assert (heard.status, heard.body["code"]) == (409, "not_current")
    assert crm.look(customer, key=f"{customer}-theirs").body["applied"] == 1
