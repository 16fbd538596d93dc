"""The first write of an operation: what a producer promises, checked at the door."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

from makegood.domain import document, history
from makegood.domain import operation as op
from makegood.domain.document import Document
from makegood.domain.errors import InvalidInput
from makegood.domain.history import Actor, Role, Verb
from makegood.domain.instant import EARLIEST, LATEST, Instant, after, earliest, iso
from makegood.domain.operation import Intent, Operation, QueueName, Status
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason

INLINE_LIMIT = 512  #: bytes of payload that stay in the row; above, every transition would pay for them
PAYLOAD_LIMIT = 256 * 1024  #: bytes; DynamoDB's item ends at 400 KB
LAST_START = after(LATEST, -timedelta(days=366))  #: what follows from a start is then still a date
FIELDS_LIMIT = 16 * 1024  #: bytes of expected fields; they stay in the row


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a producer asks for, as it was given."""

    operation_type: str
    entity: str
    expected_version: int
    expected_fields: Document = field(default_factory=dict)
    payload: Document = field(default_factory=dict)
    operation_id: str | None = None  #: derived from the intent if it is not given
    queue: QueueName | None = None
    not_before: Instant | None = None
    deadline_at: Instant | None = None  #: the policy's deadline if it is not given


def submit(promise: Promise, *, now: Instant, write_id: str, terms: Terms) -> Operation:
    """Make the row of a promise.

    Raises:
        InvalidInput: naming what cannot be accepted and what is wanted instead.
    """
    wanted = _checked(promise)
    size = document.byte_length(document.render(wanted.payload))
    fingerprint = _fingerprint(wanted)
    identifier = op.derived_id(fingerprint) if promise.operation_id is None else op.operation_id(promise.operation_id)
    deadline_at = _deadline(promise, now, terms)
    producer = Actor(role=Role.PRODUCER)
    entry = history.pack(at=now, verb=Verb.SUBMIT, target=Status.PENDING, actor=producer, reason=Reason.SUBMITTED)
    return Operation(
        operation_id=identifier,
        operation_type=wanted.operation_type,
        entity=wanted.entity,
        expected_version=wanted.expected_version,
        expected_fields=wanted.expected_fields,
        payload=wanted.payload,
        payload_bytes=size if size > INLINE_LIMIT else None,
        fingerprint=fingerprint,
        queue=None if wanted.queue is terms.policy.queue else wanted.queue,
        idempotency_key=op.idempotency_key_for(identifier, Intent.EFFECT),
        status=Status.PENDING,
        write_id=write_id,
        created_at=now,
        updated_at=now,
        not_before=promise.not_before,
        deadline_at=deadline_at,
        due_shard=op.shard_of(identifier, terms.limits.shards),
        due_at=_first_look(promise.not_before, deadline_at, now, terms),
        history=(entry,),
    )


def _checked(promise: Promise) -> Promise:
    return replace(
        promise,
        operation_type=op.operation_type_name(promise.operation_type),
        entity=op.entity_name(promise.entity),
        expected_version=op.version_number(promise.expected_version),
        expected_fields=_within(FIELDS_LIMIT, "expected_fields", promise.expected_fields),
        payload=_within(PAYLOAD_LIMIT, "payload", promise.payload),
        queue=_queue(promise.queue),
        not_before=_time("not_before", promise.not_before),
        deadline_at=_time("deadline_at", promise.deadline_at),
    )


def _fingerprint(wanted: Promise) -> str:
    return document.fingerprint(
        wanted.operation_type,
        wanted.entity,
        str(wanted.expected_version),
        document.canonical(wanted.expected_fields),
        document.canonical(wanted.payload),
    )


def _within(limit: int, what: str, given: Document) -> Document:
    value = document.accept(given, what=what)
    size = document.byte_length(document.render(value))
    if size > limit:
        raise InvalidInput(
            f"{what}: {size} bytes; at most {limit} are taken. Store it elsewhere and promise its address"
        )
    return value


def _time(what: str, given: Instant | None) -> Instant | None:
    if given is None or (isinstance(given, int) and not isinstance(given, bool) and EARLIEST <= given <= LAST_START):
        return given
    wanted = f"from {EARLIEST} ({iso(EARLIEST)}) to {LAST_START} ({iso(LAST_START)})"
    raise InvalidInput(f"{what}: epoch milliseconds are wanted, not seconds, {wanted}")


def _queue(given: QueueName | None) -> QueueName | None:
    try:
        return None if given is None else QueueName(given)
    except ValueError as error:
        raise InvalidInput(f"queue: one of {', '.join(QueueName)} is wanted") from error


def _deadline(promise: Promise, now: Instant, terms: Terms) -> Instant | None:
    by_policy = after(now, terms.policy.deadline) if terms.policy.deadline else None
    deadline_at = promise.deadline_at if promise.deadline_at is not None else by_policy
    if deadline_at is not None and deadline_at <= max(now, promise.not_before or now):
        raise InvalidInput(f"deadline {iso(deadline_at)}: it must lie after now and after not_before")
    return deadline_at


def _first_look(not_before: Instant | None, deadline_at: Instant | None, now: Instant, terms: Terms) -> Instant:
    stale = after(now, terms.stale_after)
    scheduled = after(not_before, terms.limits.retry_grace) if not_before else stale
    return earliest(max(stale, scheduled), deadline_at) or stale
