"""Is what no store, queue or reader could take refused at the door, and everything else kept to the last digit?"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from makegood import TransientError, document
from makegood.domain.errors import InvalidInput
from makegood.domain.operation import Operation, Status
from makegood.domain.promise import PAYLOAD_LIMIT

from tests.case import case
from tests.cases.scene import drained, promised, submitted
from tests.doors import types
from tests.doors.world import T, message

if TYPE_CHECKING:
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

#: what SQS takes (Amazon SQS API reference, "SendMessage"), said anew here, because moto and the engine take more
SENDABLE = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")
HARMLESS = ["\U0001f600", "\u2028", "é", "e\u0301", "\u0000", "\u0007", "\ufffe", "\uffff"]


def refused(doors: Doors, **facts: Any) -> str:
    """Promise what cannot be kept; return why not, once it is certain that nothing was stored or sent."""
    with pytest.raises(InvalidInput) as raised:
        submitted(**facts)
    assert (doors.table.count(), doors.waiting()) == (0, 0)
    said = str(raised.value)
    assert said.isascii()
    assert len(said) < 400
    return said


@case("F064")
@pytest.mark.parametrize("text", HARMLESS, ids=ascii)
def test_text_that_a_queue_would_refuse_is_carried_in_the_row_alone(doors: Doors, text: str) -> None:
    row = submitted(payload={f"key {text}": [text]}, expected_fields={"name": text}).operation
    [body] = doors.messages()
    assert SENDABLE.fullmatch(body)
    assert text not in body
    assert doors.failed(body) == []
    [attempt] = types.calls
    assert (attempt.operation.payload, attempt.operation.expected_fields) == ({f"key {text}": [text]}, {"name": text})
    assert doors.row(row).status is Status.CONFIRMED


@case("F064")
@pytest.mark.parametrize("text", [*HARMLESS, "\ud800", "a b", "a\n", ""], ids=ascii)
def test_an_id_that_a_queue_or_a_person_could_stumble_over_is_refused(quick_doors: Doors, text: str) -> None:
    assert "operation_id" in refused(quick_doors, operation_id=f"op{text}" if text else text)


@case("F064")
@pytest.mark.parametrize("text", ["\ud800", "\udfff x"], ids=ascii)
@pytest.mark.parametrize("place", ["payload", "expected_fields", "a key"])
def test_half_a_surrogate_pair_is_refused(quick_doors: Doors, text: str, place: str) -> None:
    facts = {"payload": {text: 1}} if place == "a key" else {place: {"name": [text]}}
    assert "surrogate" in refused(quick_doors, **facts)


@case("F066")
@pytest.mark.parametrize("nested", ['{{"x":{}}}', '{{"a":[1,{{"x":{}}}]}}'])
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e309", "-1e309", "1e-400"])
def test_what_is_no_number_is_refused_as_text_and_as_a_programs_value(
    quick_doors: Doors, number: str, nested: str
) -> None:
    text = nested.format(number)
    with pytest.raises(InvalidInput):
        document.parse(text, what="payload")
    given = json.loads(text)
    if "e-" not in number:  # Python itself makes 0 of it
        refused(quick_doors, payload=given)
        refused(quick_doors, expected_fields=given)


@case("F067")
@pytest.mark.parametrize("large", [False, True])
def test_floats_and_decimals_come_back_as_they_were_and_are_one_intent(doors: Doors, *, large: bool) -> None:
    given = {"floats": [0.1, 30.40, 1e-7], "exact": Decimal("1.10"), "bulk": "x" * (600 if large else 0)}
    first = submitted(operation_id=None, payload=given).operation
    doors.failed(*doors.messages())
    [attempt] = types.calls
    read = attempt.operation.payload
    assert read == {
        "floats": [Decimal("0.1"), Decimal("30.4"), Decimal("1e-07")],
        "exact": Decimal("1.10"),
        **_bulk(given),
    }
    assert str(read["exact"]) == "1.10"
    again = submitted(operation_id=None, payload=dict(read))
    assert (again.created, again.operation.operation_id, again.operation.fingerprint) == (
        False,
        first.operation_id,
        first.fingerprint,
    )


def _bulk(given: dict[str, Any]) -> dict[str, Any]:
    return {"bulk": given["bulk"]}


@case("F069")
def test_a_big_integer_is_exact_or_refused_and_never_cut(doors: Doors) -> None:
    refused(doors, payload={"n": 10**38 + 1})
    refused(doors, payload={"n": 10**4999 + 1})
    refused(doors, expected_version=10**4999)
    with pytest.raises(InvalidInput, match="5000 characters"):
        document.parse('{"n":' + "9" * 5000 + "}", what="payload")
    numbers = [2**53 + 1, -(2**63), int("9" * 38)]
    submitted(payload={"n": numbers}, expected_fields={"n": numbers}, expected_version=2**63 - 1)
    assert drained(doors) == []
    [attempt] = types.calls
    assert attempt.operation.payload == attempt.operation.expected_fields == {"n": numbers}
    assert attempt.operation.expected_version == 2**63 - 1


def shouting(_: Attempt) -> Outcome:
    """Fail with ten kilobytes of words."""
    raise TransientError("x" * 10_240)


@case("F071")
def test_a_row_with_the_largest_payload_still_moves_after_sixty_loud_failures(quick_doors: Doors) -> None:
    assert "at most 262144" in refused(quick_doors, payload={"text": "x" * 380 * 1024})
    room = PAYLOAD_LIMIT - len('{"text":""}')
    row = submitted(
        operation_type="stubborn", payload={"text": "x" * room}, expected_fields={"name": "y" * 16_000}
    ).operation
    types.answer(shouting)
    for number in range(60):
        quick_doors.clock.advance(4 * T)
        assert quick_doors.failed(message(row)) == [], number
    assert quick_doors.row(row).attempt == 60
    item = quick_doors.table.item(row.operation_id)
    assert len(json.dumps(item)) < 20_000
    types.answer(types.agree)
    quick_doors.clock.advance(4 * T)
    assert quick_doors.failed(message(row)) == []
    assert quick_doors.row(row).status is Status.CONFIRMED


PAIRS = [
    ({"operation_type": "probe", "entity": "A#/B"}, {"operation_type": "probe", "entity": "A/#B"}),
    *(({"entity": one}, {"entity": other}) for one, other in [("a|b", "a,b"), ("a/b", "a/ b"), ("..", ".")]),
    ({"entity": "é"}, {"entity": "e\u0301"}),
    ({"entity": '"><x'}, {"entity": "&quot;><x"}),
    ({"operation_id": ".."}, {"operation_id": "."}),
    ({"operation_id": "a:b"}, {"operation_id": "a_b"}),
    ({"operation_id": "A"}, {"operation_id": "a"}),
]


@case("F074")
@pytest.mark.parametrize(("one", "other"), PAIRS, ids=str)
def test_names_that_look_alike_are_two_operations_with_two_keys(
    quick_doors: Doors, one: dict[str, Any], other: dict[str, Any]
) -> None:
    rows = [submitted(**{"operation_id": None, **facts}).operation for facts in (one, other)]
    assert len({row.operation_id for row in rows}) == len({row.idempotency_key for row in rows}) == 2
    assert drained(quick_doors) == []
    assert [quick_doors.row(row).entity for row in rows] == [row.entity for row in rows]


@case("F074", "F076")
@pytest.mark.parametrize("text", [" a", "a ", "a\u00a0", "x" * 257, "é" * 129, "\t"], ids=ascii)
def test_an_entity_that_nobody_could_tell_from_another_is_refused(quick_doors: Doors, text: str) -> None:
    assert "entity" in refused(quick_doors, entity=text)


@case("F074", "F076")
@pytest.mark.parametrize("text", ["ada@example.org", "ü" * 300, "x" * 129, "x" * 2049])
def test_an_id_that_is_too_long_or_could_name_a_person_is_refused(quick_doors: Doors, text: str) -> None:
    assert "operation_id" in refused(quick_doors, operation_id=text)


@case("F076")
def test_the_key_for_the_remote_is_short_ascii_and_stable_and_reveals_nothing(quick_doors: Doors) -> None:
    [first] = promised(1, operation_id=None, entity="customer/ada@example.org")
    [again] = promised(1, operation_id=None, entity="customer/ada@example.org")
    quick_doors.messages()
    assert first.idempotency_key == again.idempotency_key
    assert re.fullmatch(r"mg-[0-9a-f]{24}", first.idempotency_key)
    assert isinstance(first, Operation)
    assert "ada" not in first.operation_id + first.idempotency_key
