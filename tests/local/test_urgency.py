"""Is an urgent operation done at once while thousands that can wait are in their own queue?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from makegood import Promise, QueueName
from makegood.domain import hint
from makegood.domain.operation import Operation, Status
from makegood_cli.local import stack as local_stack
from makegood_cli.local import workers
from makegood_cli.local.places import Places
from makegood_cli.local.profile import LOCAL
from makegood_cli.reach import reach
from makegood_cli.stacks import Choice

from tests.local.deployed import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood_cli.stacks import Depth, Stack

pytestmark = [
    pytest.mark.xdist_group("urgency"),
    pytest.mark.timeout(300),  # the first stack of a checkout installs the layers' packages
]
MANY = 5000
LOW_RUNS = int(LOCAL["MaximumConcurrencyLow"])
BATCH_SIZE = 5  #: the template's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Flooded:
    """A local stack, its low queue full."""

    places: Places
    stack: Stack
    local: local_stack.LocalStack

    def low(self) -> Depth:
        """Say how full the low queue is, and how many of its messages are being worked on."""
        return self.stack.depths()["low"]

    def running(self) -> int:
        """Say how many processes hold the worker, busy or not: one was started for each run at a time."""
        return len(workers.running(self.places, self.local.outputs["WorkerFunctionName"]))

    def switch_low(self, *, on: bool) -> None:
        """Let the low queue's mapping poll, or not."""
        functions = self.local.clients.of("lambda")
        [mapping] = [one for one in self._mappings() if "Low" in one["EventSourceArn"]]
        functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=on)

    def _mappings(self) -> list[dict[str, Any]]:
        name = self.local.outputs["WorkerFunctionName"]
        found: list[dict[str, Any]] = self.local.clients.of("lambda").list_event_source_mappings(FunctionName=name)[
            "EventSourceMappings"
        ]
        return found


@pytest.fixture
def flooded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flooded]:
    """Bring a local stack up with 5,000 messages in its low queue, each of which costs its worker one request."""
    places = Places(state=tmp_path_factory.mktemp("stack"))
    try:
        local = local_stack.up(places)
        stack = Flooded(places=places, stack=reach(Choice(), places), local=local)
        stack.switch_low(on=False)
        _rest(local)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda start: _send_ten(local, start), range(0, MANY, 10)))
        yield stack
    finally:
        local_stack.down(places)


def _rest(local: local_stack.LocalStack) -> None:
    """Let no sweep come in between."""
    scheduler = local.clients.of("scheduler")
    schedule = scheduler.get_schedule(Name=local.outputs["ScheduleName"])
    kept = ("Name", "GroupName", "ScheduleExpression", "FlexibleTimeWindow", "Target")
    scheduler.update_schedule(**{name: schedule[name] for name in kept if name in schedule}, State="DISABLED")


def _send_ten(local: local_stack.LocalStack, start: int) -> None:
    entries = [{"Id": str(n), "MessageBody": hint.render(f"low-{n}")} for n in range(start, start + 10)]
    answer = local.clients.of("sqs").send_message_batch(QueueUrl=local.outputs["QueueLowUrl"], Entries=entries)
    assert len(answer["Successful"]) == 10


def test_one_that_is_urgent_does_not_wait_behind_five_thousand_that_can(flooded: Flooded) -> None:
    assert flooded.low().waiting == MANY
    flooded.switch_low(on=True)
    eventually(lambda: flooded.low().waiting < MANY - 50 or None)
    assert 1 <= flooded.running() <= LOW_RUNS
    rooms = flooded.stack.rooms
    urgent = rooms.submit(
        Promise(operation_type="sync_customer", entity="customer/1", expected_version=1, queue=QueueName.HIGH)
    ).operation
    seen: list[Depth] = []

    def done() -> bool | None:
        seen.append(flooded.low())
        found = rooms.store.find([urgent.operation_id])[urgent.operation_id]
        assert isinstance(found, Operation)
        return found.status is Status.CONFIRMED or None

    eventually(done)
    left = flooded.low()
    assert left.waiting > MANY / 2, "it was done first: most of what can wait still waits"
    assert max(depth.in_flight for depth in seen) <= LOW_RUNS * BATCH_SIZE
    assert flooded.running() <= LOW_RUNS + 1, "the urgent one had a run of its own"
    assert eventually(lambda: flooded.low().waiting < left.waiting or None), "and the low queue is still worked on"
