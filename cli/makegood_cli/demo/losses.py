"""Losing work for real: a queue purged, a worker killed in its call, calls that never get an answer."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from makegood_cli.demo.waiting import until
from makegood_cli.local import workers
from makegood_cli.local.crm_faults import LONGEST_WAIT_SECONDS, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from makegood_cli.demo.stage import Stage

PATIENCE_SECONDS = 20.0


@contextmanager
def paused(stage: Stage, queue: str) -> Iterator[None]:
    """Keep the worker from taking messages of a queue, by its event source mapping."""
    functions, mapping = stage.clients.of("lambda"), _mapping(stage, queue)
    functions.update_event_source_mapping(UUID=mapping, Enabled=False)
    until(lambda: functions.get_event_source_mapping(UUID=mapping)["State"] == "Disabled", seconds=PATIENCE_SECONDS)
    try:
        yield
    finally:
        functions.update_event_source_mapping(UUID=mapping, Enabled=True)


def depth(stage: Stage, queue: str) -> int:
    """Count the messages of a queue that wait to be taken."""
    name = "ApproximateNumberOfMessages"
    answer = stage.clients.of("sqs").get_queue_attributes(QueueUrl=stage.where.queues[queue], AttributeNames=[name])
    return int(answer["Attributes"][name])


def purge(stage: Stage, queue: str, *, when: int) -> int:
    """Purge a queue once so many messages are in it; return how many were."""
    until(lambda: depth(stage, queue) >= when, seconds=PATIENCE_SECONDS)
    lost = depth(stage, queue)
    stage.clients.of("sqs").purge_queue(QueueUrl=stage.where.queues[queue])
    return lost


def kill_in_the_middle(stage: Stage, entities: Sequence[str]) -> int:
    """Kill the worker once the CRM has a call for each of these entities; return how many processes that were."""

    def all_called() -> bool:
        return set(entities) <= {call.entity for call in stage.crm.log()}

    until(all_called, seconds=PATIENCE_SECONDS, every=0.05)
    return workers.kill(stage.places, stage.outputs["WorkerFunctionName"])


def silence(stage: Stage, entities: Sequence[str], *, name: str) -> None:
    """Let the CRM never answer calls for these entities: it has applied every other one of them, and holds the rest."""
    for number, entity in enumerate(entities):
        kind = "hang_after" if number % 2 else "hang_before"
        stage.crm.set_fault(Fault(kind=kind, entity=entity, seconds=LONGEST_WAIT_SECONDS), name=f"{name}-{number}")


def forget_keys(stage: Stage) -> None:
    """Let the CRM forget every idempotency key at once, so that any second call would be a second effect."""
    stage.crm.set_fault(Fault(kind="forget_keys"))


def _mapping(stage: Stage, queue: str) -> str:
    """Return the id of the worker's event source mapping for a queue."""
    name = stage.where.queues[queue].rpartition("/")[2]
    function = stage.outputs["WorkerFunctionName"]
    found = stage.clients.of("lambda").list_event_source_mappings(FunctionName=function)["EventSourceMappings"]
    return next(str(each["UUID"]) for each in found if each["EventSourceArn"].rpartition(":")[2] == name)
