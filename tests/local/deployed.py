"""The project's template on an engine, with stand-ins for its functions and empty layers."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from makegood_cli.local import cloudformation, deployment, profile
from makegood_cli.local.places import CHECKOUT, Places

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood_cli.local.clients import Clients

Answer = TypeVar("Answer")

STAND_INS = Path(__file__).parent / "stand_ins"
CRM_URL = "http://127.0.0.1:9"
PATIENCE_SECONDS = 75  #: longer than the minute that is the grain of the engine's schedules


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """A deployed template, and what a test does with it."""

    places: Places  #: whose root holds the stand-ins
    clients: Clients
    ids: dict[str, str]  #: physical ids by logical id
    outputs: dict[str, str]

    def order(self, do: str, **more: object) -> None:
        """Send the worker a message."""
        self.clients.of("sqs").send_message(QueueUrl=self.ids["QueueHigh"], MessageBody=json.dumps({"do": do, **more}))

    def call(self, function: str, event: dict[str, Any]) -> dict[str, Any]:
        """Invoke a function by its logical id; return the whole answer with `Payload` read."""
        answer: dict[str, Any] = self.clients.of("lambda").invoke(
            FunctionName=self.ids[function], Payload=json.dumps(event)
        )
        return answer | {"Payload": json.loads(answer["Payload"].read())}

    def row(self, operation_id: str) -> dict[str, Any] | None:
        """Return the row of that id, if it is there."""
        key = {"pk": {"S": operation_id}, "sk": {"S": "operation"}}
        row: dict[str, Any] | None = (
            self.clients.of("dynamodb").get_item(TableName=self.ids["OperationsTable"], Key=key).get("Item")
        )
        return row

    def lines(self, group: str) -> list[str]:
        """Return all that was logged to a log group."""
        events = self.clients.of("logs").filter_log_events(logGroupName=self.ids[group])["events"]
        return [event["message"] for event in events]


def deploy(clients: Clients, root: Path, state: Path) -> Deployed:
    """Deploy the template with stand-ins that are laid out under that root, and with the local profile."""
    places = lay_out(root, state)
    parameters = profile.parameters(crm_url=CRM_URL)
    name = profile.STACK_NAME
    outputs = deployment.deploy(clients, places, stack=name, parameters=parameters, progress=lambda _: None)
    return Deployed(places=places, clients=clients, ids=cloudformation.physical_ids(clients, name), outputs=outputs)


def lay_out(root: Path, state: Path) -> Places:
    """Lay out a project of the template, the stand-ins and layers that need nothing."""
    for name in ("worker", "reconciler"):
        folder = root / "functions" / name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(STAND_INS / f"{name}.py", folder / "app.py")
    for name in ("makegood", "catalog"):
        package = root / "layers" / name / name
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").touch()
    shutil.copy(CHECKOUT / "template.yaml", root)
    if not (root / ".venvs").exists():
        (root / ".venvs").symlink_to(CHECKOUT / ".venvs")
    return Places(root=root, state=state, cache=root / "cache")


def eventually(ask: Callable[[], Answer | None]) -> Answer:
    """Ask until there is an answer; fail when the patience is over."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if answer := ask():
            return answer
        time.sleep(0.05)
    raise AssertionError("it did not happen")
