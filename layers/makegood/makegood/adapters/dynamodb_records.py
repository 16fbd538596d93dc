"""Run records and the control row ↔ items, field by field."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from makegood.adapters.dynamodb_attributes import Item
from makegood.adapters.dynamodb_models import ControlRow, RunRow
from makegood.adapters.dynamodb_rows import require_types
from makegood.domain.document import Document
from makegood.domain.instant import Instant, after, epoch_seconds, iso
from makegood.domain.run import Acknowledgement, Control, RunOutcome, RunRecord

CONTROL, SWEEP = "#control", "sweep"
SWEEPS = "#sweeps"
KEPT_FOR = timedelta(days=30)


def run_item(record: RunRecord) -> Item:
    """Write a run's record. Its key sorts by start; the run's id keeps two runs of one millisecond apart."""
    return RunRow(
        pk=SWEEPS,
        sk=f"{iso(record.started_at)}#{record.run_id}",
        outcome=record.outcome.value,
        record=_document(record),
        expires_at=epoch_seconds(after(record.ended_at, KEPT_FOR)),
    ).serialize()


def run_record(item: Item) -> RunRecord:
    """Read a run's record.

    Raises:
        UnreadableRow, InvalidInput, ValueError, LookupError, TypeError: it is not one.
    """
    require_types(RunRow, item)
    read: Mapping[str, Any] = RunRow.from_raw_data(dict(item)).record
    return RunRecord(
        run_id=read["run_id"],
        started_at=Instant(read["started_at"]),
        ended_at=Instant(read["ended_at"]),
        outcome=RunOutcome(read["outcome"]),
        dry_run=read["dry_run"],
        partial=read.get("partial", False),
        shards=read.get("shards", 0),
        scanned=read["scanned"],
        anomalies=read["anomalies"],
        acted=read["acted"],
        skipped=read["skipped"],
        verdicts=read.get("verdicts", {}),
        would=read.get("would", {}),
        not_asked=read.get("not_asked", {}),
        sent=read["sent"],
        send_failures=read["send_failures"],
        send_trouble=read.get("send_trouble"),
        errors=read["errors"],
        error_count=read["error_count"],
        remaining=read["remaining"],
        halted_why=read["halted_why"],
        halted_types=read["halted_types"],
        acknowledged_by=read["acknowledged_by"],
    )


def _document(record: RunRecord) -> Document:
    return {
        "run_id": record.run_id,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "outcome": record.outcome.value,
        "dry_run": record.dry_run,
        "partial": record.partial,
        "shards": record.shards,
        "scanned": record.scanned,
        "anomalies": record.anomalies,
        "acted": record.acted,
        "skipped": record.skipped,
        "verdicts": record.verdicts,
        "would": record.would,
        "not_asked": record.not_asked,
        "sent": record.sent,
        "send_failures": record.send_failures,
        "send_trouble": record.send_trouble,
        "errors": record.errors,
        "error_count": record.error_count,
        "remaining": record.remaining,
        "halted_why": record.halted_why,
        "halted_types": record.halted_types,
        "acknowledged_by": record.acknowledged_by,
    }


def control(item: Item) -> Control:
    """Read the control row; an empty item is a table that no sweep has seen.

    Raises:
        UnreadableRow, InvalidInput, ValueError, LookupError, TypeError: it is not one.
    """
    if not item:
        return Control()
    require_types(ControlRow, item)
    row = ControlRow.from_raw_data(dict(item))
    return Control(
        lease_ends_at=row.lease_ends_at,
        halted_since=row.halted_since,
        halted_why=row.halted_why,
        acknowledgement=_acknowledgement(row.acknowledgement) if row.acknowledgement else None,
        asking=row.asking or (),
        shards=row.shards or 0,
    )


def acknowledgement_document(given: Acknowledgement) -> Document:
    """Write an acknowledgement."""
    return {
        "by": given.by,
        "at": given.at,
        "until": given.until,
        "drain_rate": given.drain_rate,
        "reason": given.reason,
    }


def _acknowledgement(read: Mapping[str, Any]) -> Acknowledgement:
    return Acknowledgement(
        by=read["by"],
        at=Instant(read["at"]),
        until=Instant(read["until"]),
        drain_rate=read["drain_rate"],
        reason=read["reason"],
    )
