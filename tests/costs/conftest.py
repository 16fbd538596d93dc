"""Fixtures: a stack with a meter on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.conftest import clients_of_double, clients_of_engine, engine_clients  # noqa: F401 - fixtures
from tests.costs.metered import beside, metered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

    from tests.costs.meter import Look
    from tests.costs.metered import Metered
    from tests.local_engine import LocalEngine


@pytest.fixture(scope="session")
def look(running_engine: LocalEngine) -> Look:
    """Return a way to read the engine's rows past the meter."""
    return beside(running_engine)


@pytest.fixture
def stack(engine_clients: AwsClients, look: Look) -> Iterator[Metered]:  # noqa: F811 - that is how pytest asks
    """Return a metered stack on the engine, whose own capacity figures are right for single items."""
    with metered(engine_clients, look) as built:
        yield built
