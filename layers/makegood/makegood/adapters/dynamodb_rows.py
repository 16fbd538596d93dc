"""Operation ↔ item, field by field. A row that cannot be understood is named, and is nobody else's trouble."""

from collections.abc import Iterator
from dataclasses import replace

from pynamodb.models import Model

from makegood.adapters.dynamodb_attributes import AttributeValue, Item
from makegood.adapters.dynamodb_models import OPERATION, PAYLOAD, OperationRow, PayloadItem
from makegood.domain import operation as op
from makegood.domain.document import Document
from makegood.domain.errors import InvalidInput, UnreadableRow
from makegood.domain.operation import ROW_FORMAT, Operation, OperationId, Status
from makegood.domain.scrub import error_line
from makegood.ports import Found, Unreadable


def key(identifier: str, sort: str = OPERATION) -> Item:
    """Return the primary key of an operation's row, or of its payload's item."""
    return {"pk": {"S": identifier}, "sk": {"S": sort}}


def item_of(operation: Operation) -> Item:
    """Write an operation as an item. A large payload is not in it; see `payload_item_of`."""
    row = OperationRow(
        pk=operation.operation_id,
        sk=OPERATION,
        format=operation.format,
        operation_type=operation.operation_type,
        entity=operation.entity,
        expected_version=operation.expected_version,
        expected_fields=operation.expected_fields,
        payload=operation.payload if operation.payload_bytes is None else None,
        payload_bytes=operation.payload_bytes,
        fingerprint=operation.fingerprint,
        queue=operation.queue,
        idempotency_key=operation.idempotency_key,
    )
    _write_state(row, operation)
    _write_times(row, operation)
    _write_knowledge(row, operation)
    return row.serialize()


def _write_state(row: OperationRow, operation: Operation) -> None:
    row.status = operation.status
    row.intent = operation.intent
    row.attempt = operation.attempt
    row.dispatches = operation.dispatches
    row.observations = operation.observations
    row.absences = operation.absences
    row.revision = operation.revision
    row.write_id = operation.write_id
    row.claim_token = operation.claim_token
    row.uncertain = operation.uncertain


def _write_times(row: OperationRow, operation: Operation) -> None:
    row.claimed_at = operation.claimed_at
    row.lease_ends_at = operation.lease_ends_at
    row.first_claimed_at = operation.first_claimed_at
    row.attempt_ended_at = operation.attempt_ended_at
    row.created_at = operation.created_at
    row.updated_at = operation.updated_at
    row.not_before = operation.not_before
    row.deadline_at = operation.deadline_at
    row.due_shard = operation.due_shard
    row.due_at = operation.due_at
    row.expires_at = operation.expires_at


def _write_knowledge(row: OperationRow, operation: Operation) -> None:
    row.remote_id = operation.remote_id
    row.evidence = operation.evidence
    row.verdict = operation.verdict
    row.cancel_reason = operation.cancel_reason
    row.last_error = operation.last_error
    row.closure = operation.closure
    row.decisions = operation.decisions
    row.history = operation.history


def read(item: Item) -> Found:
    """Read a row, or say why it cannot be understood. Never raises."""
    identifier = str(item.get("pk", {}).get("S", ""))
    try:
        return _operation(item)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one row is that row's alone
        return Unreadable(identifier, _why(error), newer_format=_is_newer(item))


def payload_item_of(operation: Operation) -> Item:
    """Write the payload's own item."""
    return PayloadItem(
        pk=operation.operation_id, sk=PAYLOAD, payload=operation.payload, expires_at=operation.expires_at
    ).serialize()


def payload_of(item: Item) -> Document:
    """Read the payload's own item.

    Raises:
        UnreadableRow: saying what is wrong with it.
    """
    require_types(PayloadItem, item)
    try:
        return PayloadItem.from_raw_data(dict(item)).payload
    except InvalidInput as error:
        raise UnreadableRow(str(error)) from error


def require_types(model: type[Model], item: Item) -> None:
    """Check that an item holds what its model declares, each of the declared type.

    Raises:
        UnreadableRow: naming every attribute that is missing or of another type.
    """
    problems = list(_problems(model, item))
    if problems:
        raise UnreadableRow("; ".join(problems))


def _problems(model: type[Model], item: Item) -> Iterator[str]:
    for attribute in model.get_attributes().values():
        name, wanted = attribute.attr_name, attribute.attr_type
        found: AttributeValue | None = item.get(name)
        if found is None and not attribute.null:
            yield f"{name} is missing"
        elif found is not None and wanted not in found:
            yield f"{name} is of type {'/'.join(found)}, not {wanted}"


def _operation(item: Item) -> Operation:
    if _is_newer(item):
        raise UnreadableRow(
            f"format {item['format']['N']} is newer than the newest that this release reads, {ROW_FORMAT}"
        )
    require_types(OperationRow, item)
    row = OperationRow.from_raw_data(dict(item))
    return _coherent(_with_knowledge(_with_times(_promised(row), row), row))


def _promised(row: OperationRow) -> Operation:
    return Operation(
        operation_id=op.operation_id(row.pk),
        format=row.format,
        operation_type=row.operation_type,
        entity=row.entity,
        expected_version=row.expected_version,
        expected_fields=row.expected_fields,
        payload=row.payload or {},
        payload_bytes=row.payload_bytes,
        fingerprint=row.fingerprint,
        queue=row.queue,
        idempotency_key=row.idempotency_key,
        status=row.status,
        intent=row.intent,
        attempt=row.attempt or 0,
        dispatches=row.dispatches or 0,
        observations=row.observations or 0,
        absences=row.absences or 0,
        revision=row.revision,
        write_id=row.write_id,
        claim_token=row.claim_token,
        uncertain=bool(row.uncertain),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _with_times(operation: Operation, row: OperationRow) -> Operation:
    return replace(
        operation,
        claimed_at=row.claimed_at,
        lease_ends_at=row.lease_ends_at,
        first_claimed_at=row.first_claimed_at,
        attempt_ended_at=row.attempt_ended_at,
        not_before=row.not_before,
        deadline_at=row.deadline_at,
        due_shard=row.due_shard,
        due_at=row.due_at,
        expires_at=row.expires_at,
    )


def _with_knowledge(operation: Operation, row: OperationRow) -> Operation:
    return replace(
        operation,
        remote_id=row.remote_id,
        evidence=row.evidence,
        verdict=row.verdict,
        cancel_reason=row.cancel_reason,
        last_error=row.last_error,
        closure=row.closure,
        decisions=row.decisions or (),
        history=row.history,
    )


def _coherent(operation: Operation) -> Operation:
    """Refuse a row whose parts contradict each other; no move of ours leaves one."""
    if operation.is_claimed is not (operation.status is Status.PROCESSING):
        raise UnreadableRow(f"status {operation.status} {'with' if operation.is_claimed else 'without'} a claim token")
    if operation.is_claimed and operation.lease_ends_at is None:
        raise UnreadableRow("claimed without a lease")
    if not operation.is_terminal and (operation.due_at is None or operation.due_shard is None):
        raise UnreadableRow(f"status {operation.status} without due_at or due_shard, so no sweep would ever look")
    return operation


def _is_newer(item: Item) -> bool:
    found = item.get("format", {}).get("N", "")
    return found.isdigit() and int(found) > ROW_FORMAT


def _why(error: Exception) -> str:
    return error_line(error).removeprefix(f"{UnreadableRow.__name__}: ")


def identifier_of(item: Item) -> OperationId:
    """Return the id of a row or key, whatever else is in it."""
    return OperationId(str(item["pk"]["S"]))
