"""Is what is found compared field by field and version by version, by value and not by existence?"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.evidence import Difference
from makegood.domain.observation import Found
from makegood.domain.operation import Status
from makegood.domain.outcome import Done, UncertainError
from makegood.domain.policy import Capability, Step

from tests.case import case
from tests.cases.outside import POLICY_VERSION, applied_then, outside, reasons
from tests.contract.builders import fresh
from tests.doors.world import T, message
from tests.support.remote import saying, seeing

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

    from tests.doors.world import Doors

PROMISED = {"amount": 10, "currency": "EUR", "to": {"city": "León", "zip": "007"}, "tags": ["a", "b"], "paid": True}
SAME = (
    PROMISED,
    dict(reversed(PROMISED.items())),
    {**PROMISED, "to": dict(reversed(list({**PROMISED["to"], "street": "x"}.items())))},  # type: ignore[dict-item]
    {**PROMISED, "amount": "10.00"},
    {**PROMISED, "amount": Decimal("10.0")},
    {**PROMISED, "amount": "1e1"},
    {**PROMISED, "version": 99, "updated_at": "2026-09-21T14:13:20Z", "links": {"self": "/9"}},
)
OTHER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("amount", {**PROMISED, "amount": 11}),
    ("amount", {**PROMISED, "amount": "10.01"}),
    ("amount", {**PROMISED, "amount": "10,00"}),
    ("amount", {**PROMISED, "amount": "10 EUR"}),
    ("amount", {**PROMISED, "amount": None}),
    ("amount", {**PROMISED, "amount": True}),
    ("amount", {name: value for name, value in PROMISED.items() if name != "amount"}),
    ("paid", {**PROMISED, "paid": 1}),
    ("paid", {**PROMISED, "paid": "true"}),
    ("currency", {**PROMISED, "currency": "eur"}),
    ("currency", {**PROMISED, "currency": "EUR "}),
    ("to", {**PROMISED, "to": {"city": "León", "zip": 7}}),
    ("to", {**PROMISED, "to": {"city": "Leo\u0301n", "zip": "007"}}),
    ("to", {**PROMISED, "to": {"zip": "007"}}),
    ("tags", {**PROMISED, "tags": ["b", "a"]}),
    ("tags", {**PROMISED, "tags": "ab"}),
    ("amount", {}),
)
LOST = UncertainError("no answer within 10 s")


def found(doors: Doors, monkeypatch: pytest.MonkeyPatch, sight: Found, **policy: Any) -> Operation:
    """Promise a payment, lose the answer to its one call, and look at what is there."""
    world = outside(doors, monkeypatch, on_missing=Step.REQUEUE, **policy)
    row = world.promised(expected_fields=PROMISED)
    world.deliver(row, applied_then(world.remote, LOST))
    looked = world.look(row, seeing(sight))
    assert (world.calls(row), doors.messages()[1:]) == (1, [])
    return looked


@case("F056")
@pytest.mark.parametrize("fields", SAME)
def test_the_same_values_are_correct_however_they_are_written(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any]
) -> None:
    ended = found(quick_doors, monkeypatch, Found(version=7, fields=fields, remote_id="p-1"))
    assert ended.status is Status.CONFIRMED
    assert ended.verdict is not None
    assert (ended.verdict.kind.value, ended.verdict.policy_version) == ("correct", POLICY_VERSION)
    assert ended.verdict.compared == ("version", *PROMISED)
    assert ended.evidence is not None
    assert (ended.evidence.remote_id, ended.evidence.version) == ("p-1", 7)
    assert set(ended.evidence.fields) == set(PROMISED), "what was not promised is not kept"


@case("F056")
@pytest.mark.parametrize(("field", "fields"), OTHER)
def test_the_same_version_with_another_value_is_divergent_and_the_field_is_named(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, field: str, fields: dict[str, Any]
) -> None:
    looked = found(quick_doors, monkeypatch, Found(version=7, fields=fields, remote_id="p-1"))
    assert looked.status is Status.MANUAL_REVIEW
    assert looked.verdict is not None
    assert (looked.verdict.kind.value, looked.verdict.differences[0].field) == ("divergent", field)


@case("F056")
@pytest.mark.parametrize("version", [0, 6, 8, 2**53])
def test_the_same_values_at_another_version_are_divergent(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    looked = found(quick_doors, monkeypatch, Found(version=version, fields=PROMISED, remote_id="p-1"))
    assert looked.status is Status.MANUAL_REVIEW
    assert looked.verdict is not None
    assert looked.verdict.differences == (Difference(field="version", expected="7", observed=str(version)),)


@case("F056")
@pytest.mark.parametrize(("declared", "status"), [({"code"}, Status.CONFIRMED), ({}, Status.MANUAL_REVIEW)])
def test_a_text_is_a_number_only_where_its_type_says_so(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, declared: set[str], status: Status
) -> None:
    world = outside(quick_doors, monkeypatch, numbers=frozenset(declared))
    row = world.promised(expected_fields={"code": "10.00"})
    world.deliver(row, applied_then(world.remote, LOST))
    assert world.look(row, seeing(Found(version=7, fields={"code": 10}))).status is status


@case("F038")
@pytest.mark.parametrize("capability", [Capability.BY_KEY, Capability.BY_BUSINESS_KEY])
def test_what_is_there_without_a_version_is_ambiguous_and_never_newer_nor_older(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, capability: Capability
) -> None:
    sight = Found(version=None, fields=PROMISED, remote_id="p-1", asked="GET /payments/1", summary="200")
    looked = found(quick_doors, monkeypatch, sight, capability=capability, supersedes=True)
    assert (looked.status, reasons(looked)[-1]) == (Status.MANUAL_REVIEW, "no_version")
    assert looked.verdict is not None
    assert (looked.verdict.kind.value, looked.verdict.asked) == ("ambiguous", "GET /payments/1")


@case("F038")
def test_an_answer_of_the_call_itself_without_a_version_proves_nothing_and_is_asked_for(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.promised()
    waiting = world.deliver(row, saying(Done(remote_id="crm-9", version=None, fields={"plan": "gold"})))
    assert (waiting.status, waiting.verdict) == (Status.AWAITING_CONFIRMATION, None)
    ended = world.look(row, seeing(Found(version=7, fields={"plan": "gold"}, remote_id="crm-9")))
    assert (ended.status, world.calls(row)) == (Status.CONFIRMED, 1)


@case("F038")
@pytest.mark.parametrize("standing", [{}, {"version": {"NULL": True}}])
def test_an_entity_from_before_versions_existed_lets_nobody_through_and_stays_as_it_is(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, standing: dict[str, Any]
) -> None:
    world = outside(quick_doors, monkeypatch, supersedes=True)
    row = world.promised()
    item = {"pk": {"S": "entity#sync#customer/452"}, "sk": {"S": "latest"}, "operation_id": {"S": "old"}, **standing}
    quick_doors.table.place_item(item)
    waiting = world.deliver(row)
    assert (waiting.status, waiting.uncertain) == (Status.RETRY_SCHEDULED, False)
    assert "its place in line is not known" in str(waiting.last_error)
    assert (world.calls(row), quick_doors.table.item("entity#sync#customer/452", "latest")) == (0, item)


@case("F038")
@pytest.mark.parametrize("written", [None, {"S": "7"}, {"NULL": True}])
def test_a_row_without_its_version_is_not_touched_and_named(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, written: dict[str, Any] | None
) -> None:
    world = outside(quick_doors, monkeypatch)
    row = world.promised(operation_id=fresh("old"))
    item = quick_doors.table.item(row.operation_id)
    item.pop("expected_version")
    quick_doors.table.place_item(item | ({"expected_version": written} if written else {}))
    before = quick_doors.bytes()
    assert quick_doors.failed(message(row)) == ["m0"]
    quick_doors.clock.advance(T)
    answer = quick_doors.sweep()
    assert (answer["skipped"], list(answer["errors"])) == ({"unreadable": 1}, [row.operation_id])
    assert (quick_doors.bytes(), world.calls(row)) == (before, 0)


@case("F071", "F137")
def test_of_a_very_long_answer_a_little_is_kept_and_no_secret_of_it(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch)
    promised = {f"field {number}": "v" * 150 for number in range(90)}
    row = world.promised(expected_fields=promised)
    world.deliver(row, applied_then(world.remote, LOST))
    before = len(quick_doors.bytes())
    secrets = "Authorization: Bearer sk_live_4eC39HqLyjWDarjtT1zdp7dc, card 4242424242424242, ada@example.com"
    shown = dict.fromkeys(promised, "Z" * 20_000)
    sight = Found(version=7, fields=shown, remote_id="x" * 9_000, asked=f"GET {secrets}", summary=secrets + "s" * 9_000)
    assert world.look(row, seeing(sight)).status is Status.MANUAL_REVIEW
    written = quick_doors.bytes()
    assert len(written) < before + 20_000
    assert not [word for word in ("sk_live", "4242424242", "ada@example") if word.encode() in written]
