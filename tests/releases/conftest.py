"""Fixtures: a table at which stacks of different releases and settings stand one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.conftest import clients_of_double, double_clients  # noqa: F401 - fixtures
from tests.crash.house import house

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

    from tests.crash.house import House


@pytest.fixture
def home(double_clients: AwsClients) -> Iterator[House]:  # noqa: F811 - that is how pytest asks
    """Return a stack with the default numbers."""
    with house(double_clients, SHARDS=4) as built:
        yield built
