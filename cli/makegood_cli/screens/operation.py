"""One operation in full: what it is, how it stands, and every step that led there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain import document
from makegood.domain.history import Foreign, LeftOut, read
from makegood.domain.instant import between, iso
from makegood.domain.operation import Intent, idempotency_key_for

from makegood_cli.reasons import words
from makegood_cli.screens import outcome
from makegood_cli.screens.sheet import Column, Sheet, faint, pairs, said, stacked, state
from makegood_cli.words import counted, duration, moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.document import Document
    from makegood.domain.history import Entry
    from makegood.domain.instant import Instant
    from makegood.domain.operation import Operation
    from makegood.domain.policy import Terms
    from rich.console import Console
    from rich.text import Text

DOCUMENT_LIMIT = 600  #: characters of a document that a screen shows

Pair = tuple[str, "Text | str"]


def show(console: Console, operation: Operation, terms: Terms | None, now: Instant) -> None:
    """Print an operation. `terms` are missing where this release does not know its type."""
    console.print(said(operation.operation_id, "bold"), soft_wrap=True)
    console.print()
    pairs(console, *_what(operation), *_how(operation, terms, now), *_outcome(operation, now))
    console.print()
    _timeline(operation).print(console)


def _what(operation: Operation) -> Iterator[Pair]:
    yield "status", state(operation.status.value)
    yield "type", operation.operation_type
    yield "entity", operation.entity
    undoing = operation.intent is Intent.COMPENSATION
    yield "intent", said("compensation: its attempts undo the effect", "yellow") if undoing else "effect"
    yield "expected version", str(operation.expected_version)
    yield "expected fields", _document(operation.expected_fields)
    yield "payload", _document(operation.payload)


def _how(operation: Operation, terms: Terms | None, now: Instant) -> Iterator[Pair]:
    limits = (f" of {terms.max_attempts}", f" of {terms.max_dispatches}") if terms else ("", "")
    yield "attempts", f"{operation.attempt}{limits[0]}"
    yield "sent by sweeps", f"{operation.dispatches}{limits[1]} since it could last be claimed"
    if operation.queue is not None:
        yield "queue", operation.queue.value
    instants = (
        ("created", operation.created_at),
        ("updated", operation.updated_at),
        ("claimed", operation.claimed_at),
        ("lease ends", operation.lease_ends_at),
        ("attempt ended", operation.attempt_ended_at),
        ("not before", operation.not_before),
        ("deadline", operation.deadline_at),
        ("due", operation.due_at),
    )
    yield from ((name, moment(instant, now)) for name, instant in instants if instant is not None)
    if operation.uncertain:
        yield "uncertain", said("an attempt may have been applied without a certain answer", "yellow")


def _outcome(operation: Operation, now: Instant) -> Iterator[Pair]:
    yield from _known(operation, now)
    yield from _said(operation, now)


def _known(operation: Operation, now: Instant) -> Iterator[Pair]:
    yield "idempotency key", operation.idempotency_key
    if operation.intent is Intent.COMPENSATION:
        yield "effect's key", idempotency_key_for(operation.operation_id, Intent.EFFECT)
    if operation.remote_id is not None:
        yield "remote id", operation.remote_id
    if operation.evidence is not None:
        yield "evidence", outcome.evidence(operation.evidence, now)
    if operation.observations or operation.absences:
        absent = f"; seen absent {operation.absences} in a row" if operation.absences else ""
        yield "looks", f"{operation.observations} gave no verdict{absent}"
    if operation.verdict is not None:
        yield "verdict", outcome.verdict(operation.verdict, now)


def _said(operation: Operation, now: Instant) -> Iterator[Pair]:
    if operation.last_error is not None:
        yield "last error", said(operation.last_error, "red")
    if operation.cancel_reason is not None:
        yield "cancel asked", operation.cancel_reason
    if operation.closure is not None:
        yield "closed", f"{operation.closure.reason} (by {operation.closure.by})"
    for decision in operation.decisions:
        yield "decision", outcome.decision(decision, now)


def _document(given: Document) -> str:
    text = document.render(given)
    if len(text) <= DOCUMENT_LIMIT:
        return text
    return f"{text[:DOCUMENT_LIMIT]}… ({document.byte_length(text):,} bytes; --json has it whole)"


def _timeline(operation: Operation) -> Sheet:
    sheet = Sheet((Column(name="WHEN"), Column(name="STEP", folds=True)))
    before: Instant | None = None
    for entry in read(operation.history):
        if isinstance(entry, LeftOut):
            sheet.add(faint("…"), faint(f"{counted(entry.count, 'step')} in between are no longer kept"))
            continue
        if isinstance(entry, Foreign):
            sheet.add(faint("?"), stacked(said(entry.packed), faint("another release wrote this")))
            continue
        sheet.add(_when(entry, before), _step(entry))
        before = entry.at
    return sheet


def _when(entry: Entry, before: Instant | None) -> Text:
    since = "" if before is None else f"  after {duration(between(before, entry.at))}"
    return stacked(iso(entry.at), faint(since))


def _step(entry: Entry) -> Text:
    source = entry.source.value if entry.source else "–"
    move = said(f"{entry.verb.value}: {source} → ") + state(entry.target.value)
    return stacked(move, faint(f"{entry.actor}: {words(entry.reason)}"))
