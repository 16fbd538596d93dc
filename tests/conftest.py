"""Fixtures that several folders of tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import local_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.local_engine import LocalEngine


@pytest.fixture(scope="session")
def running_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """Start the embedded engine when the first test of this process asks for it, and stop it after the last."""
    yield from local_engine.started_under(tmp_path_factory.mktemp("engine"))


@pytest.fixture
def engine(running_engine: LocalEngine) -> LocalEngine:
    """Return the embedded engine, emptied."""
    running_engine.reset()
    return running_engine
