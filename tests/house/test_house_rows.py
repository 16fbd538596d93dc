"""Does the page on the rows say what the adapters store, and what a move does to the index?"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.adapters import dynamodb_models as models
from makegood.adapters import dynamodb_rows
from makegood.domain import transitions as moves
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Role
from makegood.domain.instant import after
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.reason import Reason

from tests.contract import builders as a
from tests.costs.billing import item_bytes
from tests.house.docs_reading import between, code, fenced, rows, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pynamodb.models import Model

PAGE = "data-model.md"
MODELS = (models.OperationRow, models.PayloadItem, models.LatestRow, models.ControlRow, models.RunRow)
Moved = tuple[Operation | None, Operation]


def described(model: type[Model]) -> dict[str, list[str]]:
    """Return what the page says of an item: type, form, when it is there, what it is, by attribute."""
    return {code(name)[0]: rest for name, *rest in rows(between(PAGE, f"attributes {model.__name__}"))}


@pytest.mark.parametrize("model", MODELS)
def test_the_page_lists_every_attribute_with_its_type_and_whether_it_is_always_there(model: type[Model]) -> None:
    declared = {each.attr_name: (each.attr_type, not each.null) for each in model.get_attributes().values()}
    said = {name: (kind, there == "always") for name, (kind, _, there, _) in described(model).items()}
    assert said == declared


@pytest.mark.parametrize("status", Status)
def test_what_is_there_in_one_status_only_is_there_then_and_at_no_other_time(status: Status) -> None:
    item = dynamodb_rows.item_of(a.in_status(status))
    for name, (_, _, there, _) in described(models.OperationRow).items():
        if there == "while processing":
            assert (name in item) is (status is Status.PROCESSING), name
        if there == "while open":
            assert (name in item) is not status.is_terminal, name
    assert ("expires_at" in item) is status.is_terminal


def test_the_example_is_a_row_as_we_read_and_write_it() -> None:
    example = json.loads(fenced(between(PAGE, "example"))[0])
    found = dynamodb_rows.read(example)
    assert isinstance(found, Operation)
    assert dynamodb_rows.item_of(found) == example
    assert f"{item_bytes(example)} bytes as DynamoDB bills it" in text(PAGE)


def _ways() -> Mapping[str, Callable[[], Moved]]:
    """Make each move of the page once: the row before (none for the first write) and after."""
    worker, sweep = a.hand(now=a.NOW), a.hand(role=Role.RECONCILER)
    new = a.promised()
    held = moves.claim(new, worker, token=a.fresh("t"))
    gone = a.hand(now=after(a.NOW, timedelta(days=1)), role=Role.RECONCILER)
    hour = timedelta(hours=1)
    return {
        "submit": lambda: (None, new),
        "claim": lambda: (new, held),
        "confirm": lambda: (held, moves.confirm(held, worker, evidence=a.EVIDENCE)),
        "close": lambda: (held, moves.close(held, worker, reason=Reason.RULED_OUT, words="superseded")),
        "await": lambda: (held, moves.await_proof(held, worker, reason=Reason.UNCERTAIN)),
        "schedule_retry": lambda: (held, moves.schedule_retry(held, worker, wait=timedelta(seconds=9), error="503")),
        "schedule_retry, a long wait": lambda: (held, moves.schedule_retry(held, worker, wait=hour, error="503")),
        "touch": lambda: (new, moves.touch(new, sweep, reason=Reason.LOST_DISPATCH)),
        "release": lambda: (held, moves.release(held, gone)),
        "escalate": lambda: (held, moves.escalate(held, worker, reason=Reason.REJECTED)),
    }


def _outside() -> Mapping[str, Callable[[], Moved]]:
    """Make each move that a look, a policy or a person brings about."""
    sweep, person, shard = a.hand(role=Role.RECONCILER), a.hand(role=Role.OPERATOR), "open#00"
    waits = moves.await_proof(a.claimed(), a.hand(now=a.NOW), reason=Reason.UNCERTAIN)
    asked = a.in_status(Status.MANUAL_REVIEW)
    there, gone = a.VERDICT, replace(a.VERDICT, kind=VerdictKind.MISSING)
    undoing = replace(waits, intent=Intent.COMPENSATION)
    minute = timedelta(minutes=1)
    return {
        "confirm_by_proof": lambda: (waits, moves.confirm_by_proof(waits, sweep, verdict=there, evidence=a.EVIDENCE)),
        "compensated_by_proof": lambda: (undoing, moves.compensated_by_proof(undoing, sweep, verdict=gone)),
        "requeue": lambda: (waits, moves.requeue(waits, sweep, verdict=gone, wait=minute)),
        "observe_again": lambda: (waits, moves.observe_again(waits, sweep, wait=minute)),
        "compensate": lambda: (waits, moves.compensate(waits, sweep, verdict=there, shard=shard)),
        "retry": lambda: (asked, moves.retry(asked, person, decision=a.DECISION, verdict=gone, shard=shard)),
        "request_cancel, never tried": lambda: _cancelled(a.promised()),
        "request_cancel, under way": lambda: _cancelled(waits),
    }


def _cancelled(row: Operation) -> Moved:
    return row, moves.request_cancel(row, a.hand(role=Role.OPERATOR), words="ordered twice")


def effect(before: Operation | None, row: Operation) -> tuple[str, int]:
    """Say what a move did to the index, and the write units that it costs."""
    was = None if before is None else (before.due_shard, before.due_at)
    now = (row.due_shard, row.due_at)
    if was is None:
        return "enters", 2
    if row.due_at is None:
        return "leaves", 2
    return ("stays", 1) if now == was else ("moves", 3)


def test_each_move_does_to_the_index_what_the_page_says() -> None:
    said = {name: (place, int(units)) for name, place, units, _ in rows(between(PAGE, "moves"))}
    ways = [*_ways().items(), *_outside().items()]
    assert said == {name: effect(*way()) for name, way in ways}
