"""The bench that these tests type at."""

import pytest

from tests.cli.bench import Bench


@pytest.fixture
def bench() -> Bench:
    """Return a stack in memory and the command."""
    return Bench()
