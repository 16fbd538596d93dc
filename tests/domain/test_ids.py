"""Do names stay apart, and reveal nothing that they should not?"""

import json
import re
from typing import Any

import pytest
from makegood.domain import hint, promise
from makegood.domain.errors import InvalidInput
from makegood.domain.operation import (
    REVIEW_SHARD,
    VERSION_LIMIT,
    Intent,
    OperationId,
    entity_name,
    idempotency_key_for,
    open_shards,
    operation_id,
    operation_type_name,
    shard_of,
    version_number,
)
from makegood.domain.promise import Promise

from tests.case import case
from tests.support.rows import NOW, terms

ODD = ["a", "A", "a.b", "a:b", "a-b", "a_b", "..", "7", "x" * 128, "op-1:2026.09.21"]
REFUSED = [
    "",
    " a",
    "a ",
    "a|b",
    "a,b",
    "a/b",
    "a#b",
    "a\n",
    "a\x00",
    "a\uffff",
    "caf\u00e9",
    "cafe\u0301",
    "\U0001f600",
    '"><x',
    "<img src=x onerror=alert(1)>",
    "٣",
    "x" * 129,
    "x" * 2_049,
    ("jösé.péréz@example.com/" * 20)[:300],
    None,
    7,
    b"a",
    10**5_000,
]


@pytest.mark.parametrize("text", ODD)
def test_a_plain_id_is_taken_as_it_is(text: str) -> None:
    assert operation_id(text) == text


@case("F074")
@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_an_odd_id_is_refused_at_the_door_in_one_short_ascii_line(text: str) -> None:
    with pytest.raises(InvalidInput, match="1 to 128 characters out of A-Z a-z 0-9") as refused:
        operation_id(text)
    words = str(refused.value)
    assert words.isascii()
    assert words.isprintable()
    assert len(words) < 400


@pytest.mark.parametrize(
    "name", ["", "Sync", "sync-customer", "1sync", "_sync", "s" * 65, "sync\n", "sync customer", None, "s\u0131nc"]
)
def test_an_operation_type_that_could_not_be_a_dimension_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="operation type"):
        operation_type_name(name)


@pytest.mark.parametrize("name", ["", " customer/1", "customer/1 ", "a\nb", "a\x07", "\ud800", "é" * 129, None, 452])
def test_an_entity_that_nobody_could_read_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="entity"):
        entity_name(name)


@pytest.mark.parametrize("name", ["customer/452", "A#B", "a|b", "Zoë 😀", "é" * 128, '"><x'])
def test_an_entity_may_be_any_printable_text(name: str) -> None:
    assert entity_name(name) == name


@pytest.mark.parametrize("number", [-1, VERSION_LIMIT + 1, 10**5_000, True, 7.0, "7", None], ids=range(7))
def test_a_version_that_is_no_whole_number_is_refused(number: int) -> None:
    with pytest.raises(InvalidInput, match="expected version"):
        version_number(number)


def submitted(entity: str = "customer/452", **facts: Any) -> str:
    usual = {"operation_type": "sync", "entity": entity, "expected_version": 7}
    return promise.submit(Promise(**{**usual, **facts}), now=NOW, write_id="w", terms=terms()).operation_id


def test_the_same_intent_twice_has_one_id_however_it_is_written() -> None:
    one = submitted(expected_fields={"a": 1, "b": [2]}, payload={"x": 10})
    same = submitted(expected_fields={"b": [2.0], "a": 1}, payload={"x": 10.00})
    assert one == same == operation_id(one)


def test_every_part_of_the_intent_makes_another_id() -> None:
    ids = {
        submitted(),
        submitted("customer/453"),
        submitted(expected_fields={"a": 1}),
        submitted(payload={"a": 1}),
        submitted(expected_version=8),
        submitted(operation_type="sink"),
    }
    assert len(ids) == 6


@pytest.mark.parametrize(("one", "another"), [("A#B", "A"), ("a|b", "a,b"), ("é", "e\u0301"), ("1", "1.0")])
def test_entities_that_look_alike_are_two_operations(one: str, another: str) -> None:
    assert submitted(one) != submitted(another)


@case("F076")
def test_the_key_for_the_remote_is_short_ascii_and_stable_and_reveals_nothing() -> None:
    entity = ("jösé.péréz@example.com/" * 20)[:150]
    identifier = OperationId(submitted(entity))
    key = idempotency_key_for(identifier, Intent.EFFECT)
    assert re.fullmatch(r"mg-[0-9a-f]{24}", key)
    assert key == idempotency_key_for(identifier, Intent.EFFECT)
    assert not [part for part in ("example", "jos", "sync", "452", identifier) if part in key]


def test_a_compensation_has_a_key_of_its_own() -> None:
    keys = {idempotency_key_for(OperationId("op-1"), intent) for intent in Intent}
    assert len(keys) == len(Intent)


def test_ids_that_differ_in_case_or_a_dot_have_keys_of_their_own() -> None:
    assert len({idempotency_key_for(OperationId(name), Intent.EFFECT) for name in ODD}) == len(ODD)


def test_operations_spread_evenly_over_the_shards_and_never_land_in_review() -> None:
    shards = [shard_of(OperationId(f"op-{number}"), 4) for number in range(2_000)]
    assert set(shards) == set(open_shards(4)) == {"open#00", "open#01", "open#02", "open#03"}
    assert min(shards.count(shard) for shard in open_shards(4)) > 400
    assert REVIEW_SHARD not in open_shards(100)


def test_a_hint_names_the_operation_and_says_nothing_else() -> None:
    assert json.loads(hint.render(OperationId("op-1"))) == {"operation_id": "op-1", "format": 1}


@pytest.mark.parametrize(
    "body",
    [
        '{"operation_id": "op-1", "format": 1}',
        '{"operation_id": "op-1"}',
        '{"operation_id": "op-1", "format": 99, "more": {"than": "we know"}}',
    ],
)
def test_a_hint_of_an_older_or_newer_release_is_understood(body: str) -> None:
    assert hint.parse(body) == "op-1"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "op-1",
        "[]",
        "null",
        '"op-1"',
        "{}",
        '{"operation_id": null}',
        '{"operation_id": 7}',
        '{"operation_id": "a/b"}',
        '{"operation_id": "\\ud800"}',
        '{"operation_id": ' + "7" * 5_000 + "}",
        "[" * 100_000,
    ],
    ids=range(12),
)
def test_a_message_that_names_no_operation_is_refused_and_never_breaks_the_batch(body: str) -> None:
    with pytest.raises(InvalidInput):
        hint.parse(body)
