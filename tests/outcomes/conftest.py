"""Fixtures: the doors and the shipped types, before the local stack's CRM."""

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
from tests.crash.wire import Wire
from tests.doors.world import Doors
from tests.outcomes import catalog
from tests.outcomes.world import NoSpread, World, restart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

    from tests.local_crm import LocalCrm


@pytest.fixture
def world(
    moto_clients: AwsClients,  # noqa: F811 - that is how pytest asks
    crm: LocalCrm,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    """Return a deployment over moto."""
    yield from _deployed(moto_clients, crm, monkeypatch)


@pytest.fixture
def engine_world(
    engine_clients: AwsClients,  # noqa: F811 - that is how pytest asks
    crm: LocalCrm,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    """Return a deployment over the local engine, where one of several writers wins; moto cannot vouch for that."""
    yield from _deployed(engine_clients, crm, monkeypatch)


@pytest.fixture(params=["moto", ENGINE])
def each_world(request: pytest.FixtureRequest, crm: LocalCrm, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return a deployment, once over moto and once over the local engine."""
    yield from _deployed(request.getfixturevalue(f"{request.param}_clients"), crm, monkeypatch)


def _deployed(clients: AwsClients, crm: LocalCrm, patch: pytest.MonkeyPatch) -> Iterator[World]:
    clock, wire, sqs = ManualClock(), Wire(), _sqs(clients)
    # a message that was not deleted comes again at once: no queue has a clock that a test could set
    at_once = {"VisibilityTimeout": "0"}
    queues = {name: sqs.create_queue(QueueName=f"q-{name}", Attributes=at_once)["QueueUrl"] for name in QueueName}
    environment = {"STACK": "outcomes", "TABLE": TABLE, "CATALOG": catalog.__name__}
    environment |= {"REMOTE_CRM_URL": crm.url, "REMOTE_PAYMENTS_URL": crm.url}
    environment |= {f"QUEUE_{name.upper()}": url for name, url in queues.items()}
    for name, value in environment.items():
        patch.setenv(f"MAKEGOOD_{name}", value)
    entropy = NoSpread()
    # The composition root chooses the adapters: here a clock to set, chance that puts nothing off, these clients.
    patch.setattr(bootstrap, "SystemClock", lambda: clock)
    patch.setattr(bootstrap, "SystemEntropy", lambda: entropy)
    patch.setattr(bootstrap, "AwsClients", lambda _: clients)
    catalog.before_a_call.clear()
    restart()
    with dynamo(clients) as table, wire.between(table.client, sqs):
        yield World(doors=Doors(table=table, clock=clock, queues=queues), crm=crm, wire=wire, customer=crm.stranger())
    restart()


def _sqs(clients: AwsClients) -> Any:  # noqa: ANN401 - botocore makes its classes at run time
    return clients.of("sqs")
