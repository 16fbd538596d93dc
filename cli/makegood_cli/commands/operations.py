"""`show`, `list` and `why`: look at operations. None of them writes."""

import heapq
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer
from makegood.domain.errors import NotFoundError, StoreError
from makegood.domain.instant import Instant
from makegood.domain.operation import REVIEW_SHARD, Operation, OperationId, Status, open_shards
from makegood.domain.operation import operation_id as accepted
from makegood.ports import Found, Unreadable

from makegood_cli import console
from makegood_cli.commands.output import print_json, session_of
from makegood_cli.exits import Ended, ExitCode
from makegood_cli.explain import RUNS_READ, explain
from makegood_cli.json_operation import found_data, operation_data
from makegood_cli.json_why import why_data
from makegood_cli.options import AsJson, Types
from makegood_cli.screens import listing as listing_screen
from makegood_cli.screens import operation as operation_screen
from makegood_cli.screens import why as why_screen
from makegood_cli.stacks import Rooms

Id = Annotated[str, typer.Argument(metavar="ID", help="The operation's id.")]
Statuses = Annotated[
    list[Status] | None,
    typer.Option("--status", metavar="STATUS", help="Only this status; may be given more than once."),
]
END_OF_TIME = Instant(253_402_300_799_999)  #: 9999-12-31; nothing is due later
CHUNK = 100  #: rows read at once


def show(context: typer.Context, operation_id: Id, *, as_json: AsJson = False) -> None:
    """Show one operation: what it is, how it stands, and every step that led there.

    Each step of the time-line says when, how long since the step before, which verb
    moved it from where to where, who did, and the reason in words. It only reads.
    """
    rooms = session_of(context).stack().rooms
    found = _found(rooms, operation_id)
    if isinstance(found, Unreadable):
        raise Ended(ExitCode.FAULT, f"operation {found.operation_id} cannot be read: {found.why}")
    whole = _with_payload(rooms, found)
    if as_json:
        print_json(operation_data(whole))
        return
    terms = rooms.registry.terms.get(whole.operation_type)
    operation_screen.show(console.stdout(), whole, terms, rooms.clock.now())


def why(context: typer.Context, operation_id: Id, *, as_json: AsJson = False) -> None:
    """Say which rule of the sweep picks or spares one operation now, until when, and what then.

    It asks the sweep's own rule, with the numbers that run, and takes the halt, the
    type's cap and the acknowledgement into account. Of what awaits confirmation it says
    when it is looked at next and what each verdict would lead to. It asks nobody
    outside, and only reads.
    """
    rooms = session_of(context).stack().rooms
    found = _found(rooms, operation_id)
    now, control, runs = rooms.clock.now(), rooms.ledger.control(), rooms.ledger.runs(RUNS_READ)
    explanation = explain(found, now=now, rooms=rooms, control=control, runs=runs)
    if as_json:
        print_json(why_data(found, explanation, control))
        return
    why_screen.show(console.stdout(), found, explanation)
    why_screen.show_around(console.stdout(), explanation, control=control, runs=runs, sweep=rooms.settings.sweep)


def list_operations(
    context: typer.Context,
    *,
    status: Statuses = None,
    types: Types = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=100_000, help="Show at most so many.")] = 50,
    scan: Annotated[bool, typer.Option("--scan", help="Read the whole table, also what has ended. It costs.")] = False,
    as_json: AsJson = False,
) -> None:
    """List open operations, those that are due first.

    They come from the index, which holds open operations only; it may lag behind
    the table by a moment. What has ended is found by --scan alone, which reads
    every row there is: one read unit for each 4 KB, which is some 4 rows, so a
    million rows cost some 250,000 units. It only reads.

    Open: pending, processing, awaiting_confirmation, retry_scheduled, manual_review.
    Ended: confirmed, compensated, not_applicable.
    """
    rooms = session_of(context).stack().rooms
    ended = sorted(each.value for each in status or () if each.is_terminal)
    if ended and not scan:
        raise typer.BadParameter(
            f"{', '.join(ended)}: operations that have ended are not in the index; add --scan, which reads the whole "
            "table, one read unit for some 4 rows",
            param_hint="'--status'",
        )
    if scan:
        console.note("reading the whole table: one read unit for each 4 KB, which is some 4 rows")
    rows = rooms.store.scan() if scan else _open_rows(rooms, status, types)
    wanted = (row for row in rows if _is_wanted(row, status, types))
    found = list(islice(wanted, limit + 1))
    if as_json:
        print_json({"operations": [found_data(row) for row in found[:limit]], "more": len(found) > limit})
        return
    if not found:
        names = [each.value for each in status or ()]
        known = rooms.registry.terms
        console.note(listing_screen.nothing(scan=scan, statuses=names, types=types or (), known=known))
        return
    listing_screen.show(console.stdout(), found[:limit], rooms.clock.now())
    console.note(listing_screen.summary(min(len(found), limit), more=len(found) > limit, limit=limit))


def _found(rooms: Rooms, text: str) -> Found:
    identifier = accepted(text)
    found = rooms.store.find([identifier]).get(identifier)
    if found is None:
        raise NotFoundError(f"no operation has the id {identifier}")
    return found


def _with_payload(rooms: Rooms, operation: Operation) -> Operation:
    """Fetch a payload that lives in an item of its own; where it is gone, the rest is still worth seeing."""
    try:
        return rooms.store.with_payload(operation)
    except StoreError as error:
        console.note(str(error))
        return operation


def _open_rows(rooms: Rooms, status: list[Status] | None, types: list[str] | None) -> Iterator[Found]:
    """Walk the index across its shards, the earliest due first, and read the rows it names."""
    walks = [rooms.store.due(shard, END_OF_TIME) for shard in _shards(rooms, set(status or Status))]
    keys = (
        key.operation_id
        for key in heapq.merge(*walks, key=lambda key: key.due_at)
        if not types or key.operation_type in types
    )
    while chunk := list(islice(keys, CHUNK)):
        yield from _in_order(rooms, chunk)


def _shards(rooms: Rooms, wanted: set[Status]) -> Iterator[str]:
    """Name the parts of the index that hold what is wanted; review has one of its own."""
    if wanted != {Status.MANUAL_REVIEW}:
        yield from open_shards(rooms.ledger.control().shards_to_ask(rooms.settings.shared.limits.shards))
    if Status.MANUAL_REVIEW in wanted:
        yield REVIEW_SHARD


def _in_order(rooms: Rooms, identifiers: list[OperationId]) -> Iterator[Found]:
    rows = rooms.store.find(identifiers)
    yield from (rows[identifier] for identifier in identifiers if identifier in rows)


def _is_wanted(row: Found, status: list[Status] | None, types: list[str] | None) -> bool:
    if isinstance(row, Unreadable):
        return not status and not types
    return (not status or row.status in status) and (not types or row.operation_type in types)
