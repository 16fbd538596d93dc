"""Is every promise on its page once, and does whatever is called kept have a place and a test that shows it?"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import pytest
from makegood_cli.app import app
from typer.testing import CliRunner

from tests.house.docs_reading import ROOT, code, named_tests, rows, text

PAGE = "features.md"
NUMBERS = [*map(str, range(1, 90)), *(f"N{number}" for number in range(1, 18))]
STATES = ("here", "part", "later")


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One row of the page."""

    number: str
    words: str
    state: str
    where: str
    tests: str
    since: str

    def __str__(self) -> str:
        """Name the case for the test report."""
        return self.number


def promises() -> list[Promise]:
    """Read the page."""
    found = [cells for part in text(PAGE).split("\n## ")[1:] for cells in rows(part)]
    names = ("number", "words", "state", "where", "tests", "since")
    return [Promise(**dict(zip(names, cells, strict=True))) for cells in found]


def test_every_number_is_there_once_and_in_order() -> None:
    assert [promise.number for promise in promises()] == NUMBERS


def test_the_page_counts_its_rows_rightly() -> None:
    counts = Counter(promise.state for promise in promises())
    assert f"Of {len(NUMBERS)} rows, {counts['here']} are here, {counts['part']} in part, {counts['later']} later." in (
        text(PAGE)
    )


@pytest.mark.parametrize("promise", promises(), ids=str)
def test_a_row_says_how_far_where_and_since_when(promise: Promise) -> None:
    assert promise.state in STATES
    assert promise.words
    files = [word for word in code(promise.where) if "/" in word or "." in word]
    assert all((ROOT / file).is_file() for file in files)
    assert files or promise.state == "later"
    assert ";" in promise.where or promise.state != "part", "say what is missing"


@pytest.mark.parametrize("promise", promises(), ids=str)
def test_what_is_here_has_a_test_and_a_release(promise: Promise) -> None:
    tests = list(named_tests(promise.tests))
    assert tests or promise.state != "here"
    assert not tests or promise.state != "later"
    assert promise.since == "–" if promise.state == "later" else re.fullmatch(r"\d+\.\d+\.\d+", promise.since)


def test_no_row_was_kept_before_the_release_that_there_is() -> None:
    told = CliRunner().invoke(app, ["--version"]).output.split()[-1]
    newest = max(tuple(map(int, each.since.split("."))) for each in promises() if each.state != "later")
    assert newest <= tuple(map(int, told.split(".")))
