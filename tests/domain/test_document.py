"""Is a JSON object taken exactly, or refused by name, and does equal mean the same text?"""

import json
from contextlib import suppress
from decimal import Decimal
from enum import Enum, StrEnum
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain import document
from makegood.domain.document import Document
from makegood.domain.errors import InvalidInput

from tests.case import case
from tests.domain.strategies import documents, texts, values

KEPT = [
    '{"a":0.1}',
    '{"a":30.40}',
    '{"a":1e-7}',
    '{"a":1.10}',
    '{"a":-0.0}',
    '{"a":9007199254740993}',
    '{"a":' + "9" * 38 + "}",
    '{"a":0.' + "9" * 38 + "}",
    '{"a":1e125}',
    '{"a":9.9e125}',
    '{"a":1e-130}',
    '{"a":1' + "0" * 125 + "}",
    '{"a":"\\ud83d\\ude00 \\u2028 \\u0000 \\uffff"}',
    '{"":[],"b":{},"c":[null,true,false]}',
]
REFUSED = {
    "not JSON": ("{", "payload: Expecting"),
    "empty": ("", "payload: Expecting"),
    "not an object": ("[1]", "payload: a JSON object is wanted, not a value of type list"),
    "null": ("null", "a JSON object is wanted"),
    "NaN": ('{"a":NaN}', "NaN is not a JSON number"),
    "nested NaN": ('{"a":[{"b":NaN}]}', "NaN is not a JSON number"),
    "Infinity": ('{"a":Infinity}', "Infinity is not a JSON number"),
    "-Infinity": ('{"a":-Infinity}', "-Infinity is not a JSON number"),
    "1e309": ('{"a":{"b":1e309}}', "payload.a.b: a number outside 1E-130 to 9.9E+125"),
    "1e126": ('{"a":1e126}', "payload.a: a number outside"),
    "1e-131": ('{"a":1e-131}', "payload.a: a number outside"),
    "an exponent of millions": ('{"a":1e999999999}', "payload.a: a number"),
    "an exponent that no decimal has": ('{"a":1e99999999999999999999}', "a number outside 1E-130 to 9.9E"),
    "a negative exponent that no decimal has": ('{"a":1e-99999999999999999999}', "a number outside 1E-130 to 9.9E"),
    "39 digits": ('{"a":' + "9" * 39 + "}", "payload.a: a number with more than 38 significant digits"),
    "39 digits after the point": ('{"a":0.' + "9" * 39 + "}", "more than 38 significant digits"),
    "5,000 digits": ('{"a":' + "9" * 5_000 + "}", "a number of 5000 characters; at most 38 significant digits"),
    "a key twice": ('{"a":1,"b":{"c":1,"c":2}}', "the key 'c' is given twice"),
    "a key twice, once escaped": ('{"a":1,"\\u0061":2}', "the key 'a' is given twice"),
    "half a surrogate pair": ('{"a":"\\ud83d"}', "half of a surrogate pair"),
    "half a surrogate pair in a key": ('{"\\ud83d":1}', "half of a surrogate pair"),
    "a long key twice": ('{"' + "k" * 9_000 + '":1,"' + "k" * 9_000 + '":2}', "is given twice"),
    "something wrong below a long key": ('{"' + "k" * 9_000 + '":{"' + "k" * 9_000 + '":NaN}}', "NaN is not"),
    "a number too long below a long key": ('{"' + "k" * 9_000 + '\\n":1e200}', "a number outside"),
    "nested a hundred thousand times": ("[" * 100_000, "payload: nested deeper than 32 levels"),
}


@pytest.mark.parametrize("text", KEPT)
def test_a_document_is_kept_to_the_last_digit(text: str) -> None:
    accepted = document.parse(text, what="payload")
    assert accepted == json.loads(text, parse_float=Decimal, parse_int=int)
    assert document.parse(document.render(accepted), what="payload") == accepted


@case("F066", "F069")
@pytest.mark.parametrize("name", REFUSED)
def test_what_no_store_could_hold_is_refused_and_named(name: str) -> None:
    text, words = REFUSED[name]
    with pytest.raises(InvalidInput) as refused:
        document.parse(text, what="payload")
    assert words in str(refused.value)
    assert str(refused.value).startswith("payload")
    assert len(str(refused.value)) < 300


def nested(levels: int, opening: str, closing: str, innermost: str) -> str:
    return '{"a":' + opening * (levels - 1) + innermost + closing * (levels - 1) + "}"


@pytest.mark.parametrize("innermost", ["1", '""'])
@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]")])
def test_32_levels_are_taken_and_33_are_not(opening: str, closing: str, innermost: str) -> None:
    assert document.parse(nested(32, opening, closing, innermost), what="payload")
    with pytest.raises(InvalidInput, match="nested deeper than 32 levels"):
        document.parse(nested(33, opening, closing, innermost), what="payload")


@pytest.mark.parametrize("empty", ["[]", "{}"])
def test_an_empty_level_counts_like_any_other(empty: str) -> None:
    assert document.parse(nested(31, "[", "]", empty), what="payload")
    with pytest.raises(InvalidInput, match="nested deeper than 32 levels"):
        document.parse(nested(32, "[", "]", empty), what="payload")


@pytest.mark.parametrize(
    "value",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": Decimal("sNaN")},
        {"a": Decimal("-Infinity")},
        {"a": 10**5_000},
        {"a": -(10**39) + 1},
        {"a": b"bytes"},
        {"a": {1, 2}},
        {"a": object()},
        {1: "a"},
        {"a": {None: 1}},
        {"a": 1j},
        [("a", 1)],
        None,
        "{}",
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_programs_value_that_is_no_json_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^payload"):
        document.accept(value, what="payload")


def test_a_value_that_contains_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["a"] = loop
    with pytest.raises(InvalidInput, match="nested deeper"):
        document.accept(loop, what="payload")


def test_a_float_becomes_the_decimal_that_it_prints_as() -> None:
    accepted = document.accept({"a": 0.1, "b": 30.40, "c": 1e22, "d": True}, what="payload")
    assert accepted == {"a": Decimal("0.1"), "b": Decimal("30.4"), "c": Decimal("1E+22"), "d": True}
    assert document.render(accepted) == '{"a":0.1,"b":30.4,"c":1E+22,"d":true}'


def test_a_programs_own_kinds_of_number_and_text_are_taken_as_what_they_are() -> None:
    class Size(int, Enum):
        BIG = 3

    class Plan(StrEnum):
        GOLD = "gold"

    class Price(float):
        def __repr__(self) -> str:
            return "a price"

    accepted = document.accept({"size": Size.BIG, "plan": Plan.GOLD, "price": Price(0.5)}, what="payload")
    assert document.render(accepted) == '{"size":3,"plan":"gold","price":0.5}'


def test_many_keys_are_looked_through_once() -> None:
    text = "{" + ",".join(f'"{number}":0' for number in range(40_000)) + ',"39999":1}'
    with pytest.raises(InvalidInput, match="'39999' is given twice"):
        document.parse(text, what="payload")


def test_tuples_are_lists() -> None:
    assert document.accept({"a": (1, (2,))}, what="payload") == {"a": [1, [2]]}


SAME = [
    ('{"a":1,"b":2}', '{"b":2,"a":1}'),
    ('{"a":10}', '{"a":10.00}'),
    ('{"a":100}', '{"a":1e2}'),
    ('{"a":0}', '{"a":-0.0}'),
    ('{"a":0}', '{"a":0e99}'),
    ('{"a":{"x":1,"y":[0.10]}}', ' { "a" : {"y":[ 1e-1 ],"x":1.0} } '),
    ('{"a":"\\u00e9"}', '{"a":"é"}'),
]
OTHER = [
    ('{"a":1}', '{"a":"1"}'),
    ('{"a":1}', '{"a":true}'),
    ('{"a":0}', '{"a":false}'),
    ('{"a":0}', '{"a":null}'),
    ('{"a":null}', "{}"),
    ('{"a":[1,2]}', '{"a":[2,1]}'),
    ('{"a":[]}', '{"a":{}}'),
    ('{"a":"é"}', '{"a":"e\\u0301"}'),
    ('{"a":1,"b":2}', '{"a":1,"b":3}'),
    ('{"a":9007199254740992}', '{"a":9007199254740993}'),
]


def canonical(text: str) -> str:
    return document.canonical(document.parse(text, what="payload"))


@pytest.mark.parametrize(("one", "another"), SAME)
def test_equal_documents_have_one_fingerprint(one: str, another: str) -> None:
    assert canonical(one) == canonical(another)


@pytest.mark.parametrize(("one", "another"), OTHER)
def test_other_documents_have_other_fingerprints(one: str, another: str) -> None:
    assert canonical(one) != canonical(another)


@case("F074")
def test_no_choice_of_parts_has_the_fingerprint_of_another() -> None:
    pairs = [("a#", "b"), ("a", "#b"), ("a", "", "b"), ("a", "b", ""), ('a","b',), ("a", "b"), ("ab",)]
    assert len({document.fingerprint(*parts) for parts in pairs}) == len(pairs)


@given(documents)
def test_what_is_rendered_is_read_back_equal(content: Document) -> None:
    accepted = document.accept(content, what="payload")
    again = document.parse(document.render(accepted), what="payload")
    assert again == accepted
    assert document.canonical(again) == document.canonical(accepted)


@given(st.dictionaries(texts, values, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_keys_never_matters(content: dict[str, Any], chance: Random) -> None:
    shuffled = list(content.items())
    chance.shuffle(shuffled)
    try:
        accepted = document.accept(content, what="payload")
    except InvalidInput:
        with pytest.raises(InvalidInput):
            document.accept(dict(shuffled), what="payload")
    else:
        assert document.canonical(document.accept(dict(shuffled), what="p")) == document.canonical(accepted)


@given(texts)
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    with suppress(InvalidInput):
        assert document.parse(text, what="payload") is not None
