"""Fixtures: the clients of each world, and a line at the end of the run for what was counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from moto import mock_aws
from moto.core.models import botocore_stubber

from tests.contract.conftest import (  # noqa: F401 - fixtures
    clients_of_double,
    clients_of_engine,
    engine_clients,
)
from tests.crash import explore
from tests.double.table import TableDouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients


@pytest.fixture
def double_clients(clients_of_double: AwsClients) -> Iterator[AwsClients]:  # noqa: F811 - that is how pytest asks
    """Return clients whose table is the double, empty."""
    double = TableDouble()
    with double.instead_of(clients_of_double.of("dynamodb")), explore.at_once_by(double):
        yield clients_of_double


@pytest.fixture
def moto_clients(clients_of_double: AwsClients) -> Iterator[AwsClients]:  # noqa: F811 - that is how pytest asks
    """Return clients whose table is moto's; the queues are the broker's, with a clock that a test sets."""
    sqs: Any = clients_of_double.of("sqs")
    sqs.meta.events.unregister("before-send", botocore_stubber)
    with mock_aws():
        yield clients_of_double
    sqs.meta.events.register("before-send", botocore_stubber)
