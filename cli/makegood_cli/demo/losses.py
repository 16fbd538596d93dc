"""Losing work for real: a queue purged, a worker killed, calls without an answer, a remote that is down."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from makegood_cli.demo.waiting import until
from makegood_cli.local import workers
from makegood_cli.local.crm_faults import LONGEST_WAIT_SECONDS, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from makegood.domain.promise import Promise

    from makegood_cli.demo.stage import Stage

PATIENCE_SECONDS = 40.0  #: a machine may be busy
RETRY_AFTER_SECONDS = 3.0
SWALLOWED, APPLIED, DOWN = "swallow", "hang_after", "down"  #: kinds of faults
KINDS = (SWALLOWED, APPLIED)
ELSEWHERE = "Reykjavík"  #: nobody in the file lives there


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


def until_called(stage: Stage, entities: Sequence[str]) -> None:
    """Wait until the CRM has a call for each of these entities, and has applied those whose answer alone gets lost."""
    silenced = [fault for fault in stage.crm.faults().values() if fault.entity in entities]
    applied = {fault.entity for fault in silenced if fault.kind == APPLIED}

    def all_called() -> bool:
        calls = stage.crm.log()
        done = {call.entity for call in calls if call.applied}
        return set(entities) <= {call.entity for call in calls} and applied <= done

    until(all_called, seconds=PATIENCE_SECONDS, every=0.05)


def kill(stage: Stage) -> int:
    """Kill the worker in whatever it does; return how many processes that were."""
    return workers.kill(stage.places, stage.outputs["WorkerFunctionName"])


def silence(stage: Stage, entities: Sequence[str], *, name: str, kinds: Sequence[str] = KINDS) -> None:
    """Let the CRM not answer the first call for each of these entities.

    In turn it takes no notice of one, now or later, and applies the next: from outside nobody can tell which.
    """
    for number, entity in enumerate(entities):
        kind = kinds[number % len(kinds)]
        fault = Fault(kind=kind, entity=entity, seconds=LONGEST_WAIT_SECONDS, count=1)
        stage.crm.set_fault(fault, name=f"{name}-{number}")


def change_elsewhere(stage: Stage, promise: Promise, *, versions_ahead: int) -> None:
    """Let somebody else change a customer: to the promised version or a newer one, with other fields."""
    fields = {**promise.expected_fields, "city": ELSEWHERE}
    name, version = promise.entity.partition("/")[2], promise.expected_version + versions_ahead
    stage.crm.change_elsewhere(name, version=version, fields=fields)


def close_the_crm(stage: Stage) -> None:
    """Let the CRM turn everybody away, calls and reads alike."""
    stage.crm.set_fault(Fault(kind=DOWN, seconds=RETRY_AFTER_SECONDS))


def open_the_crm(stage: Stage) -> None:
    """Let the CRM work again."""
    stage.crm.lift(DOWN)


def forget_keys(stage: Stage) -> None:
    """Let the CRM forget every idempotency key at once, so that any second call would be a second effect."""
    stage.crm.set_fault(Fault(kind="forget_keys"))


def _mapping(stage: Stage, queue: str) -> str:
    """Return the id of the worker's event source mapping for a queue."""
    name = stage.where.queues[queue].rpartition("/")[2]
    function = stage.outputs["WorkerFunctionName"]
    found = stage.clients.of("lambda").list_event_source_mappings(FunctionName=function)["EventSourceMappings"]
    return next(str(each["UUID"]) for each in found if each["EventSourceArn"].rpartition(":")[2] == name)
