"""The decorator that gives a test the number of a field case.

    @case("F044")
    def test_…

tests/cases/scope.py lists the cases, docs/field-cases.md the tests of each; tests/house/test_house_cases.py holds both.
"""

from __future__ import annotations

import pytest


def case(*numbers: str) -> pytest.MarkDecorator:
    """Mark a test as one that shows these field cases."""
    return pytest.mark.case(*numbers)
