"""Fixtures: each promise is asked of every world that can answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from makegood.adapters.aws import AwsAccess, AwsClients
from moto import mock_aws

from tests.contract.worlds import Dynamo, Memory, World, dynamo
from tests.double.table import TableDouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.local_engine import LocalEngine

ENGINE = pytest.param("engine", marks=pytest.mark.xdist_group("engine"))


@pytest.fixture(scope="session")
def clients_of_moto() -> AwsClients:
    """Build the clients that moto answers, once: moto must have been imported before."""
    return AwsClients(AwsAccess(region="eu-west-1", access_key="testing", secret_key="testing"))  # noqa: S106 - nobody's


@pytest.fixture(scope="session")
def clients_of_engine(running_engine: LocalEngine) -> AwsClients:
    """Build the clients that the engine answers, once."""
    key = running_engine.credentials
    access = AwsAccess(
        region=running_engine.region,
        endpoint_url=running_engine.endpoint_url,
        access_key=key.access_key,
        secret_key=key.secret_key,
        connections=32,
    )
    return AwsClients(access)


@pytest.fixture
def moto_clients(clients_of_moto: AwsClients) -> Iterator[AwsClients]:
    """Return clients that lead into moto, emptied."""
    with mock_aws():
        yield clients_of_moto


@pytest.fixture
def engine_clients(engine: LocalEngine, clients_of_engine: AwsClients) -> AwsClients:
    """Return clients that lead to the local engine, emptied."""
    assert engine.endpoint_url
    return clients_of_engine


@pytest.fixture(scope="session")
def clients_of_double() -> AwsClients:
    """Build the clients in whose place a double answers, once."""
    return AwsClients(AwsAccess(region="eu-west-1", access_key="testing", secret_key="testing"))  # noqa: S106 - nobody's


@pytest.fixture
def double_clients(clients_of_double: AwsClients) -> Iterator[AwsClients]:
    """Return clients whose table is the double, empty."""
    with TableDouble().instead_of(clients_of_double.of("dynamodb")):
        yield clients_of_double


@pytest.fixture(params=["moto", ENGINE])
def aws_clients(request: pytest.FixtureRequest) -> AwsClients:
    """Return clients, once for moto and once for the engine."""
    clients: AwsClients = request.getfixturevalue(f"{request.param}_clients")
    return clients


@pytest.fixture(params=["double", "moto", ENGINE])
def table(request: pytest.FixtureRequest) -> Iterator[Dynamo]:
    """Return an empty table: the double, in moto, in the engine."""
    with dynamo(request.getfixturevalue(f"{request.param}_clients")) as created:
        yield created


@pytest.fixture(params=["memory", "double", "moto", ENGINE])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Return an empty store and ledger in each world."""
    if request.param == "memory":
        yield Memory()
        return
    with dynamo(request.getfixturevalue(f"{request.param}_clients")) as created:
        yield created
