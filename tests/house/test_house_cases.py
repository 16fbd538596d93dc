"""Does every field case in scope have a test, and does the page say which?"""

from __future__ import annotations

import pytest

from tests.case import case
from tests.cases import page, scope
from tests.cases.emulators import GAPS, Gap
from tests.house.docs_reading import ROOT, named_tests, names_in

KNOWN = {**scope.IN_SCOPE, **scope.EXCUSED, **scope.LATER}


@pytest.mark.parametrize("number", scope.IN_SCOPE)
def test_a_case_in_scope_has_a_test_that_carries_its_number(number: str) -> None:
    assert page.marked()[number], f"{number} ({scope.IN_SCOPE[number]}) is shown by no test"


def test_a_number_is_in_one_list_only() -> None:
    assert len(KNOWN) == len(scope.IN_SCOPE) + len(scope.EXCUSED) + len(scope.LATER)


def test_no_test_carries_a_number_that_nobody_knows() -> None:
    assert set(page.marked()) <= set(KNOWN)


def test_few_are_excused_and_each_has_its_reason_on_a_page() -> None:
    assert len(scope.EXCUSED) <= scope.MOST_EXCUSED
    for number, excused in scope.EXCUSED.items():
        place = excused.why.split()[-1]
        assert f"**{number}**" in (ROOT / place).read_text()


def test_the_page_is_written_from_the_tests() -> None:
    text = page.PAGE.read_text()
    assert page.written(text) == text, "run `make docs` and commit what it changes"


@case("F107")
@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.behaviour)
def test_what_no_emulator_vouches_for_has_a_test_of_its_own(gap: Gap) -> None:
    named = [pair for test in gap.tests for pair in named_tests(test)]
    assert len(named) == len(gap.tests) > 0
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []
