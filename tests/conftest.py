"""Fixtures that several folders of tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import local_crm, local_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.local_crm import LocalCrm
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


@pytest.fixture(scope="session")
def running_crm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCrm]:
    """Start the CRM when the first test of this process asks for it, and stop it after the last."""
    yield from local_crm.started_under(tmp_path_factory.mktemp("crm"))


@pytest.fixture
def crm(running_crm: LocalCrm) -> LocalCrm:
    """Return the CRM, with no fault switched on. Customers and keys of earlier tests are still there."""
    running_crm.client.clear()
    return running_crm
