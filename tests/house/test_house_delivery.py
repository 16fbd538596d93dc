"""Does the page on delivery name a source, a place of ours and a test for everything it says, and are they there?"""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.house.docs_reading import ROOT, between, code, named_tests, names_in, rows, text
from tests.house.template_reading import PARAMETERS, RESOURCES, TEMPLATE

PAGE = "delivery.md"
SEEN_ON = {"engine", "hook", "AWS"}
PLACE = re.compile(r"`((?:layers|functions)/[\w/]+\.py|template\.yaml)::(\w+)`")
GROUPS = ("The worker", "The queues")


def said() -> dict[int, list[str]]:
    """Return what the page says the broker does: words, source, where it was seen; by number."""
    parts = text(PAGE).split("\n## ")[1:]
    return {int(cells[0]): cells[1:] for part in parts for cells in rows(part) if cells[0].isdigit()}


def lived_with() -> dict[int, str]:
    """Return what follows each number: our places, then the tests."""
    return {int(number): words for number, words in re.findall(r"^- (\d+): (.+)$", text(PAGE), re.MULTILINE)}


@cache
def functions_in(path: str) -> frozenset[str]:
    """Return the functions that a file of ours holds; of the template, its resources."""
    if path == "template.yaml":
        return frozenset(RESOURCES)
    tree = ast.walk(ast.parse((ROOT / path).read_text()))
    return frozenset(node.name for node in tree if isinstance(node, ast.FunctionDef))


def test_every_number_is_there_once_in_each_list() -> None:
    assert list(said()) == list(lived_with()) == list(range(1, len(said()) + 1))


@pytest.mark.parametrize("number", said())
def test_what_the_broker_does_has_a_source_and_says_where_it_was_seen(number: int) -> None:
    _, source, seen = said()[number]
    assert source.startswith(("[", "the same"))
    assert set(seen.split(", ")) <= SEEN_ON


@pytest.mark.parametrize("number", lived_with())
def test_each_place_of_ours_and_each_test_exists(number: int) -> None:
    words = lived_with()[number]
    places, tests = PLACE.findall(words), list(named_tests(words))
    assert places
    assert tests
    assert [f"{path}::{name}" for path, name in places if name not in functions_in(path)] == []
    assert [f"{path}::{name}" for path, name in tests if name not in names_in(path)] == []


def test_what_the_engine_is_said_to_do_was_watched_there() -> None:
    for number, (_, _, seen) in said().items():
        if seen == "engine":
            watched = [path for path, _ in named_tests(lived_with()[number]) if path.startswith("tests/local/")]
            assert watched, number


def test_the_knobs_name_every_parameter_of_the_worker_and_the_queues_and_none_that_is_not_there() -> None:
    groups = TEMPLATE["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    wanted = {name for group in groups if group["Label"]["default"] in GROUPS for name in group["Parameters"]}
    here = {word for cells in rows(between(PAGE, "knobs")) for word in code(cells[-1]) if word[0].isupper()}
    assert wanted <= here <= set(PARAMETERS)


def test_the_numbers_beside_the_knobs_are_the_template_s() -> None:
    words = between(PAGE, "knobs")
    for name, number in re.findall(r"`([A-Z]\w+)` \((\d+)\)", words):
        assert PARAMETERS[name]["Default"] == int(number), name
