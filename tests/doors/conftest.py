"""Fixtures: the doors in a world of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from makegood import bootstrap
from makegood.adapters.memory import ManualClock
from makegood.domain.operation import QueueName

from tests.contract.conftest import (  # noqa: F401 - fixtures
    ENGINE,
    clients_of_engine,
    clients_of_moto,
    engine_clients,
    moto_clients,
)
from tests.contract.worlds import TABLE, dynamo
from tests.doors import types
from tests.doors.world import Doors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsAccess, AwsClients


@pytest.fixture(params=["moto", ENGINE])
def doors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doors]:
    """Return the doors, once over moto and once over the local engine."""
    yield from _doors(request.getfixturevalue(f"{request.param}_clients"), monkeypatch)


@pytest.fixture
def quick_doors(moto_clients: AwsClients, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doors]:  # noqa: F811
    """Return the doors over moto alone."""
    yield from _doors(moto_clients, monkeypatch)


@pytest.fixture
def engine_doors(engine_clients: AwsClients, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doors]:  # noqa: F811
    """Return the doors over the local engine alone, where many rows are quicker than in moto."""
    yield from _doors(engine_clients, monkeypatch)


def _doors(clients: AwsClients, monkeypatch: pytest.MonkeyPatch) -> Iterator[Doors]:
    clock = ManualClock()
    sqs: Any = clients.of("sqs")
    queues = {name: sqs.create_queue(QueueName=f"q-{name}")["QueueUrl"] for name in QueueName}
    environment = {"MAKEGOOD_STACK": "doors", "MAKEGOOD_TABLE": TABLE, "MAKEGOOD_CATALOG": types.__name__}
    environment |= {f"MAKEGOOD_QUEUE_{name.upper()}": url for name, url in queues.items()}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    # The composition root is where adapters are chosen: here a clock to set, and clients that lead to this world.
    monkeypatch.setattr(bootstrap, "SystemClock", lambda: clock)
    monkeypatch.setattr(bootstrap, "AwsClients", lambda access: _only(clients, access))
    for built in (bootstrap.worker, bootstrap.reconciler, bootstrap.producer):
        built.cache_clear()
    types.answer(types.agree)
    types.show(types.agreeing)
    with dynamo(clients) as table:
        yield Doors(table=table, clock=clock, queues=queues)
    for built in (bootstrap.worker, bootstrap.reconciler, bootstrap.producer):
        built.cache_clear()


def _only(clients: AwsClients, access: AwsAccess | None) -> AwsClients:
    assert access is None, "in Lambda the role and the region come from the environment"
    return clients
