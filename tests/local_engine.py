"""The embedded engine for tests: one per test process, reset between tests in some 3 ms.

A test takes the fixture `engine: LocalEngine`, calls `engine.deploy_data()` for the template's table and queues, and
`engine.clients.of("dynamodb")` for a client.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from makegood_cli.local import amendments, cloudformation, engine, template
from makegood_cli.local.clients import OPERATOR, Clients, Credentials
from makegood_cli.local.places import CHECKOUT, Places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATA = frozenset({"AWS::DynamoDB::Table", "AWS::SQS::Queue"})
STACK = "makegood-test"
REQUIRED = {"CrmUrl": "http://127.0.0.1"}  # the one parameter without a default


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEngine:
    """A running engine that belongs to this test process."""

    places: Places
    running: engine.Engine
    clients: Clients  #: as the operator, who may do anything

    @property
    def endpoint_url(self) -> str:
        """Where every service answers."""
        return self.running.endpoint_url

    @property
    def region(self) -> str:
        """The region that the clients sign for."""
        return self.clients.region

    @property
    def credentials(self) -> Credentials:
        """The operator's key."""
        return OPERATOR

    def reset(self) -> None:
        """Forget everything."""
        engine.reset(self.running)

    def deploy_data(self, name: str = STACK) -> dict[str, str]:
        """Create the template's own table and queues; return each one's physical id by its logical id.

        A table's physical id is its name, a queue's is its URL.
        """
        wanted = template.only(template.load(CHECKOUT / "template.yaml"), DATA)
        cloudformation.apply(self.clients, name, wanted, REQUIRED)
        physical_ids = cloudformation.physical_ids(self.clients, name)
        amendments.apply(self.clients, wanted, physical_ids, REQUIRED)
        return physical_ids


def started_under(state: Path) -> Iterator[LocalEngine]:
    """Run an engine with its state in that folder, for as long as the generator lives."""
    places = Places(state=state)
    running = engine.start(places, persist=False)
    try:
        yield LocalEngine(places=places, running=running, clients=Clients(endpoint_url=running.endpoint_url))
    finally:
        engine.stop(places)
