"""Does an answer agree exactly where it means the same?"""

from decimal import Decimal

import pytest
from hypothesis import given
from makegood.domain import document
from makegood.domain.document import Document, Json
from makegood.domain.verdict import compare, compare_versions

from tests.domain.strategies import documents

AGREE: list[tuple[Json, Json]] = [
    (10, 10),
    (10, Decimal("10.00")),
    (10, "10.00"),
    (Decimal("0.1"), "1e-1"),
    (-1, "-1"),
    ("gold", "gold"),
    (None, None),
    (True, True),
    ([1, [2]], [1, ["2.0"]]),
    ({"a": 1, "b": {"c": []}}, {"b": {"c": [], "d": 1}, "a": 1, "e": None}),
]
DIFFER: list[tuple[Json, Json]] = [
    (10, 11),
    (10, "10.01"),
    (10, "ten"),
    (10, "010"),
    (10, " 10"),
    (10, "٣"),
    (1, True),
    (0, False),
    (0, None),
    (0, ""),
    ("10", 10),
    ("007", 7),
    ("gold", "Gold"),
    ("é", "e\u0301"),
    (None, "null"),
    ([1, 2], [2, 1]),
    ([1], [1, 2]),
    ([1], {"0": 1}),
    ({"a": 1}, {}),
    ({"a": None}, {}),
    (10, "1" * 5_000),
    (10, "1e99999999999"),
]


@pytest.mark.parametrize(("wanted", "found"), AGREE)
def test_what_means_the_same_agrees(wanted: Json, found: Json) -> None:
    assert compare({"x": wanted}, {"x": found, "more": 1}) == ()


@pytest.mark.parametrize(("wanted", "found"), DIFFER)
def test_what_means_another_thing_differs_and_is_shown_short(wanted: Json, found: Json) -> None:
    (difference,) = compare({"x": wanted}, {"x": found})
    assert difference.field == "x"
    assert difference.observed is not None
    assert len(difference.observed) <= 120


def test_a_field_that_the_answer_does_not_hold_is_a_difference_without_an_observed_value() -> None:
    (difference,) = compare({"x": 10}, {"y": 10})
    assert (difference.field, difference.expected, difference.observed) == ("x", "10", None)


def test_a_value_is_shown_whole_up_to_120_characters_and_cut_beyond() -> None:
    for length, shown in ((118, '"' + "x" * 118 + '"'), (119, '"' + "x" * 118 + "…")):
        (difference,) = compare({"x": "x" * length}, {"x": None})
        assert (difference.expected, difference.observed) == (shown, "null")


def test_versions_agree_only_if_they_are_the_same() -> None:
    assert compare_versions(7, 7) == ()
    (difference,) = compare_versions(7, 8)
    assert (difference.field, difference.expected, difference.observed) == ("version", "7", "8")


@given(documents)
def test_every_document_agrees_with_itself_however_it_is_written(content: Document) -> None:
    accepted = document.accept(content, what="fields")
    for text in (document.render(accepted), document.canonical(accepted)):
        assert compare(accepted, document.parse(text, what="fields")) == ()
