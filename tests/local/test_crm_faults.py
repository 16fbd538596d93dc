"""Does each fault of the CRM do what its table says, to whom it should, as often as it should?"""

from __future__ import annotations

import http.client
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import crm as documented
from makegood_cli.local.crm_client import CrmError
from makegood_cli.local.crm_faults import KINDS, Fault, FaultError, as_document, fault_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.local_crm import LocalCrm

BROKEN = (TimeoutError, http.client.RemoteDisconnected)


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another process does in its own time."""
    deadline = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_in_progress_turns_away_as_often_as_said_and_leaves_the_key_alone(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="in_progress", key=customer, count=3))
    heard = [crm.put(customer, key=customer) for _ in range(4)]
    assert [(answer.status, answer.body.get("code")) for answer in heard] == [(409, "in_progress")] * 3 + [(200, None)]
    assert crm.client.applications()[customer] == 1


@pytest.mark.parametrize(("kind", "status"), [("throttle", 429), ("unavailable", 503)])
def test_a_call_turned_away_names_the_seconds_to_wait(crm: LocalCrm, kind: str, status: int) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind=kind, key=customer, seconds=7))
    heard = crm.put(customer, key=customer)
    assert (heard.status, heard.headers["Retry-After"]) == (status, "7")
    assert crm.client.applications()[customer] == 0


@pytest.mark.parametrize("kind", ["throttle", "unavailable"])
def test_a_call_turned_away_can_name_a_date_or_nothing(crm: LocalCrm, kind: str) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind=kind, key=customer, seconds=60, as_date=True))
    heard = crm.put(customer, key=customer)
    asked = parsedate_to_datetime(heard.headers["Retry-After"]) - parsedate_to_datetime(heard.headers["Date"])
    assert 59 <= asked.total_seconds() <= 61
    crm.client.set_fault(Fault(kind=kind, key=customer))
    assert "Retry-After" not in crm.put(customer, key=customer).headers


def test_forgotten_keys_make_a_double_effect_that_the_log_shows(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="forget_keys", key=customer))
    assert [crm.put(customer, key=customer).status for _ in range(2)] == [200, 200]
    assert crm.client.applications()[customer] == 2
    assert [call.applied for call in crm.client.log(key=customer)] == [True, True]
    assert len(crm.client.effects(customer)) == 2


def test_a_call_closed_before_is_not_applied_and_its_key_is_free(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="close_before", key=customer, count=1))
    with pytest.raises(BROKEN):
        crm.put(customer, key=customer)
    assert crm.client.applications()[customer] == 0
    (logged,) = crm.client.log(key=customer)
    assert (logged.status, logged.faults) == (None, ("close_before",))
    assert crm.put(customer, key=customer).status == 200


def test_a_call_hung_before_is_applied_though_the_caller_has_left(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="hang_before", key=customer, seconds=1))
    with pytest.raises(TimeoutError):
        crm.put(customer, key=customer, seconds=0.1)
    assert crm.client.applications()[customer] == 0
    until(lambda: crm.client.applications()[customer] == 1)


def test_a_swallowed_call_gets_no_answer_and_is_never_applied_and_its_key_is_free(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="swallow", key=customer, seconds=0.3, count=1))
    with pytest.raises(TimeoutError):
        crm.put(customer, key=customer, seconds=0.1)
    (logged,) = crm.client.log(key=customer)
    assert (logged.status, logged.applied, logged.faults) == (None, False, ("swallow",))
    assert crm.put(customer, key=customer).status == 200
    assert crm.client.applications()[customer] == 1


def test_a_refusal_says_why_and_can_repeat_what_it_was_told(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="refuse", key=customer, message="no such plan", echo=True, count=1))
    heard = crm.put(customer, key=customer, Authorization="Bearer abc")
    assert (heard.status, heard.body["code"]) == (422, "refused")
    assert str(heard.body["message"]).startswith("no such plan; ")
    assert "Authorization: Bearer abc" in str(heard.body["message"])
    assert crm.client.applications()[customer] == 0
    assert crm.put(customer, key=customer).status == 200


@pytest.mark.parametrize("applied", [True, False])
def test_an_error_is_replayed_for_ever_whether_the_effect_is_there_or_not(crm: LocalCrm, *, applied: bool) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="error", key=customer, applied=applied, count=1))
    assert [crm.put(customer, key=customer).status for _ in range(3)] == [500, 500, 500]
    assert [call.replayed for call in crm.client.log(key=customer)] == [False, True, True]
    assert crm.client.applications()[customer] == int(applied)
    assert len(crm.client.effects(customer)) == int(applied)


@pytest.mark.parametrize(("kind", "status"), [("lag", 200), ("accept", 202)])
def test_reads_see_a_lagging_change_later_but_the_log_at_once(crm: LocalCrm, kind: str, status: int) -> None:
    customer = crm.stranger()
    crm.put(customer, key=f"{customer}-old", version=1)
    crm.client.set_fault(Fault(kind=kind, key=customer, seconds=1.5))
    assert crm.put(customer, key=customer, version=2).status == status
    old = crm.client.customer(customer)
    assert old is not None
    assert old.version == 1
    assert crm.client.effects(customer) == []
    assert crm.client.applications()[customer] == 1
    until(lambda: bool(crm.client.effects(customer)))
    new = crm.client.customer(customer)
    assert new is not None
    assert new.version == 2


@pytest.mark.parametrize(("kind", "seconds"), [("close_after", None), ("hang_after", 2.0)])
def test_a_lost_answer_leaves_the_effect_and_is_given_again(crm: LocalCrm, kind: str, seconds: float | None) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind=kind, key=customer, count=1, seconds=seconds))
    with pytest.raises(BROKEN):
        crm.put(customer, key=customer, seconds=0.2)
    assert crm.client.applications()[customer] == 1
    assert crm.put(customer, key=customer).body["version"] == 1
    first, second = crm.client.log(key=customer)
    assert (first.status, first.faults) == (200, (kind,))
    assert (second.replayed, second.faults) == (True, ())


def test_a_garbled_answer_is_not_what_is_recorded(crm: LocalCrm) -> None:
    customer = crm.stranger()
    garbled = Fault(kind="garble", key=customer, status=418, headers={"X-Odd": "yes"}, body='{"odd": true}', count=1)
    crm.client.set_fault(garbled)
    heard = crm.put(customer, key=customer)
    assert (heard.status, heard.body, heard.headers["X-Odd"]) == (418, {"odd": True}, "yes")
    assert crm.put(customer, key=customer).status == 200
    assert crm.client.applications()[customer] == 1


def test_one_call_can_be_hit_at_every_stage(crm: LocalCrm) -> None:
    customer = crm.stranger()
    for kind in ("forget_keys", "lag", "close_after"):
        crm.client.set_fault(Fault(kind=kind, key=customer, count=1))
    with pytest.raises(BROKEN):
        crm.put(customer, key=customer)
    assert crm.client.log(key=customer)[0].faults == ("forget_keys", "lag", "close_after")


def test_a_fault_strikes_only_whom_it_matches(crm: LocalCrm) -> None:
    hit, spared = f"x-{crm.stranger()}", crm.stranger()
    crm.client.set_fault(Fault(kind="refuse", entity="customer/x-*"))
    assert [crm.put(customer, key=customer).status for customer in (hit, spared)] == [422, 200]
    assert crm.client.hits() == {"refuse": 1}


def test_a_lifted_fault_strikes_no_more(crm: LocalCrm) -> None:
    customer = crm.stranger()
    crm.client.set_fault(Fault(kind="refuse"), name="a/b é")
    assert crm.put(customer, key=customer).status == 422
    crm.client.lift("a/b é")
    assert crm.put(customer, key=customer).status == 200
    assert crm.client.hits() == {}


def test_a_fault_by_chance_strikes_the_same_calls_in_every_run(crm: LocalCrm) -> None:
    keys = [f"{crm.stranger()}-{seed}" for seed in range(40)]
    fault = Fault(kind="refuse", probability=0.3, seed=7)

    def statuses() -> list[int]:
        crm.client.set_fault(fault)
        with ThreadPoolExecutor(8) as pool:  # in whatever order
            return list(pool.map(lambda key: crm.put(key, key=key).status, keys))

    assert statuses() == [422 if fault.strikes(key, 1) else 200 for key in keys]


def test_chance_keeps_its_share_and_differs_by_call_and_by_seed() -> None:
    fault, other = Fault(kind="refuse", probability=0.2, seed=1), Fault(kind="refuse", probability=0.2, seed=2)
    draws = [[f.strikes(f"key-{n}", nth) for n in range(2000)] for f in (fault, other) for nth in (1, 2)]
    assert all(0.17 < sum(drawn) / 2000 < 0.23 for drawn in draws)
    assert all(left != right for left, right in pairwise(draws))


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({"kind": "explode"}, "known are: down, in_progress"),
        ({"kind": "refuse", "seconds": 3}, "does not take seconds; it takes count"),
        ({"kind": "lag", "seconds": 601}, "0 to 600"),
        ({"kind": "lag", "seconds": "3"}, "not a number"),
        ({"kind": "lag", "count": 0}, "from 1"),
        ({"kind": "lag", "count": True}, "not a whole number"),
        ({"kind": "lag", "probability": 1.5}, "from 0 to 1"),
        ({"kind": "error", "applied": "no"}, "not true or false"),
        ({"kind": "garble", "headers": []}, "not an object"),
    ],
)
def test_an_impossible_fault_is_refused_with_what_is_wanted(
    crm: LocalCrm, asked: dict[str, object], wanted: str
) -> None:
    with pytest.raises(FaultError, match=wanted):
        fault_of(asked)
    heard = crm.ask("PUT", "/faults/bad", asked)
    assert heard.status == 400
    assert wanted in str(heard.body["message"])
    assert crm.client.hits() == {}


def test_a_fault_that_the_server_refuses_is_an_error_of_the_client(crm: LocalCrm) -> None:
    with pytest.raises(CrmError, match="does not take message"):
        crm.client.set_fault(Fault(kind="lag", message="odd"))


def test_a_fault_survives_being_written_down() -> None:
    for fault in (Fault(kind="lag", seconds=0.5, probability=0.25), Fault(kind="garble", headers={"A": "b"}, body="x")):
        assert fault_of(as_document(fault)) == fault


def test_the_faults_that_are_on_can_be_asked_for(crm: LocalCrm) -> None:
    fault = Fault(kind="swallow", entity="customer/c-of-nobody", seconds=2.5, count=1)
    crm.client.set_fault(fault, name="one")
    assert crm.client.faults() == {"one": fault}


def test_the_documentation_lists_every_kind_with_its_stage() -> None:
    lines = (line.split() for line in (documented.__doc__ or "").splitlines())
    listed = {words[0]: words[1] for words in lines if words and words[0] in KINDS}
    assert listed == {kind: str(stage) for kind, (stage, _) in KINDS.items()}
