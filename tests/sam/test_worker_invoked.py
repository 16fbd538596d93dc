"""Does the built worker, in a container under its own role, do right by each real-shaped batch of `events/`?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.domain import history
from makegood.domain.history import Entry
from makegood.domain.operation import Status

from tests.sam.world import FIELDS

if TYPE_CHECKING:
    from tests.sam.invoking import Said, SamLocal
    from tests.sam.world import World

pytestmark = pytest.mark.timeout(1800)  # the first test pays for the build, the engine and the stack
NAMED, OTHER = "sync_customer:452:7", "sync_customer:453:1"  #: by the events
POISON = "2e1424d4-f796-459a-8184-9c92662be6da"  #: the message in the middle of the batch
A_MOMENT = timedelta(seconds=5)
DONE: dict[str, list[dict[str, str]]] = {"batchItemFailures": []}


def moves(said: Said) -> list[tuple[str, str, str]]:
    """Return each transition that was logged: the operation, the verb, and where it led."""
    return [(line["operation_id"], line["verb"], line["to"]) for line in said.of_event("transition")]


@pytest.mark.parametrize("event", ["sqs_good", "sqs_older_format", "sqs_newer_format"])
def test_a_hint_of_any_release_leads_to_one_effect_and_a_proven_end(
    sam_local: SamLocal, stack: World, event: str
) -> None:
    customer = stack.promise(NAMED, ago=A_MOMENT)
    said = sam_local.invoke("WorkerFunction", event)
    assert said.answer == DONE, said.text
    assert moves(said) == [(NAMED, "claim", "processing"), (NAMED, "confirm", "confirmed")]
    row = stack.row(NAMED)
    assert (row.status, row.attempt, row.claim_token, row.due_at) == (Status.CONFIRMED, 1, None, None)
    assert [entry.verb for entry in history.read(row.history) if isinstance(entry, Entry)] == [
        "submit",
        "claim",
        "confirm",
    ]
    seen = stack.crm.customer(customer)
    assert seen is not None
    assert (seen.version, seen.fields, stack.applied(NAMED)) == (7, FIELDS, 1)
    assert stack.messages() == []


def test_a_message_that_comes_twice_leads_to_one_call(sam_local: SamLocal, stack: World) -> None:
    stack.promise(NAMED, ago=A_MOMENT)
    said = sam_local.invoke("WorkerFunction", "sqs_duplicate")
    assert said.answer == DONE, said.text
    assert moves(said) == [(NAMED, "claim", "processing"), (NAMED, "confirm", "confirmed")]
    (spared,) = said.of_event("message")
    assert (spared["operation_id"], spared["fate"], "error" in spared) == (NAMED, "done", False)
    assert (stack.row(NAMED).status, stack.row(NAMED).attempt) == (Status.CONFIRMED, 1)
    assert stack.applied(NAMED) == 1


def test_a_poison_message_costs_itself_alone(sam_local: SamLocal, stack: World) -> None:
    stack.promise(NAMED, ago=A_MOMENT)
    stack.promise(OTHER, ago=A_MOMENT, version=1)
    said = sam_local.invoke("WorkerFunction", "sqs_poison")
    assert said.answer == {"batchItemFailures": [{"itemIdentifier": POISON}]}, said.text
    (bad,) = said.of_event("message")
    assert (bad["message_id"], bad["reason"], bad["level"]) == (POISON, "malformed", "ERROR")
    assert {name: stack.row(name).status for name in (NAMED, OTHER)} == dict.fromkeys((NAMED, OTHER), Status.CONFIRMED)
    assert (stack.applied(NAMED), stack.applied(OTHER)) == (1, 1)


def test_a_hint_at_nothing_is_done_with_and_no_row_appears(sam_local: SamLocal, stack: World) -> None:
    said = sam_local.invoke("WorkerFunction", "sqs_good")
    assert said.answer == DONE, said.text
    assert [line["operation_id"] for line in said.of_event("message")] == [NAMED]
    assert stack.rows() == b"[]"
