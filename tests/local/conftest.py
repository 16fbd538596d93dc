"""A template that is deployed once for all tests of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import local_engine
from tests.local import deployed as deployments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.local.deployed import Deployed
    from tests.local_engine import LocalEngine


@pytest.fixture(scope="module")
def own_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """Run an engine that no other file resets."""
    yield from local_engine.started_under(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def deployed(own_engine: LocalEngine, tmp_path_factory: pytest.TempPathFactory) -> Deployed:
    """Deploy the project's template with stand-ins for its functions."""
    return deployments.deploy(own_engine.clients, tmp_path_factory.mktemp("project"), own_engine.places.state)
