"""Does a row with all that was found out of it, and all that people decided, stay as small as its price supposes?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from makegood import Found
from makegood.adapters.dynamodb_rows import item_of
from makegood.domain import document, review, transitions
from makegood.domain.follow import follow
from makegood.domain.history import Role
from makegood.domain.instant import after
from makegood.domain.judge import Again, judge
from makegood.domain.operation import Status
from makegood.domain.policy import Capability, Mode, Policy, Step
from makegood.domain.promise import FIELDS_LIMIT
from makegood.domain.reason import Reason
from makegood.domain.review import WORDS_LIMIT, Action, Wish

from tests.contract import builders as a
from tests.costs.billing import WRITE_UNIT, item_bytes
from tests.costs.metered import ORDINARY

if TYPE_CHECKING:
    from makegood.domain.judge import Judgement
    from makegood.domain.moving import Hand
    from makegood.domain.operation import Operation

HOUR = timedelta(hours=1)
ITEM_LIMIT = 400 * 1024  #: bytes; DynamoDB developer guide, "Service, account, and table quotas"
TERMS = Policy(
    idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, on_missing=Step.REQUEUE, max_attempts=100
).under(a.LIMITS)
ASKED = "GET /customers/1001 by the idempotency key"
LONG = "x" * 10_000


def in_the_dark(row: Operation) -> Operation:
    """Let an attempt end without an answer."""
    now = row.updated_at
    held = transitions.claim(row, a.hand(now=max(row.not_before or now, now), terms=TERMS), token="t" * 12)
    return transitions.await_proof(
        held,
        a.hand(now=held.updated_at, terms=TERMS),
        reason=Reason.UNCERTAIN,
        error="UncertainError: the CRM did not answer to the end (ReadTimeoutError)",
    )


def seen(row: Operation, **facts: Any) -> Operation:
    """Look an hour later and find what was promised but for these facts; follow the policy."""
    usual = {"version": row.expected_version, "fields": row.expected_fields, "remote_id": "1001", "asked": ASKED}
    found = Found(**{**usual, "summary": "200, at version 7, applied 1", **facts})
    return _followed(row, judge(row, found, now=after(row.updated_at, HOUR), terms=TERMS))


def unanswered(row: Operation) -> Operation:
    """Look an hour later and get no answer."""
    return _followed(row, Again(reason=Reason.STILL_UNKNOWN))


def decided(row: Operation, **facts: Any) -> Operation:
    """Let a person decide as long-windedly as they may that it is to be tried again, and the attempt end in review."""
    words = "ü" * WORDS_LIMIT
    wish = Wish(
        operation_id=row.operation_id,
        action=Action.RETRY,
        reason=words,
        seen_revision=row.revision,
        stated=words,
        **facts,
    )
    again = review.resolved(row, wish, None, _hand(row, Role.OPERATOR))
    return seen(in_the_dark(again), version=8)


def _followed(row: Operation, judgement: Judgement) -> Operation:
    return follow(row, judgement, _hand(row, Role.RECONCILER), fraction=0.0).after


def _hand(row: Operation, role: Role) -> Hand:
    return a.hand(now=after(row.updated_at, HOUR), role=role, terms=TERMS)


def size(row: Operation) -> int:
    """Return the bytes that DynamoDB bills."""
    return item_bytes(item_of(row))


def test_an_ordinary_row_that_a_look_confirms_stays_within_one_unit() -> None:
    row = seen(in_the_dark(a.promised(**ORDINARY)))
    assert row.status is Status.CONFIRMED
    assert size(row) <= WRITE_UNIT, size(row)


def test_an_ordinary_row_with_a_difference_and_a_decision_stays_within_two_units() -> None:
    row = seen(in_the_dark(a.promised(**ORDINARY)), version=8)
    assert row.status is Status.MANUAL_REVIEW
    wish = Wish(
        operation_id=row.operation_id,
        action=Action.CLOSE,
        reason="changed by hand in the CRM, as agreed with the customer",
        seen_revision=row.revision,
    )
    closed = review.resolved(row, wish, None, _hand(row, Role.OPERATOR))
    assert max(size(row), size(closed)) <= 2 * WRITE_UNIT, (size(row), size(closed))


def test_a_hundred_looks_without_an_answer_stay_within_two_units() -> None:
    row = in_the_dark(a.promised(**ORDINARY))
    for _ in range(100):
        row = replace(unanswered(row), attempt_ended_at=row.attempt_ended_at)
    assert row.observations == 100
    assert size(row) <= 2 * WRITE_UNIT, size(row)


def test_the_widest_promise_with_everything_different_leaves_room_for_a_hundred_decisions() -> None:
    fields = {f"f{number:04}": "y" * 30 for number in range(FIELDS_LIMIT // 45)}
    assert 0.8 * FIELDS_LIMIT < document.byte_length(document.render(fields)) <= FIELDS_LIMIT
    row = in_the_dark(a.promised(**{**ORDINARY, "expected_fields": fields}))
    row = seen(row, fields=dict.fromkeys(fields, LONG), remote_id=LONG, summary=LONG, asked=LONG)
    assert row.status is Status.MANUAL_REVIEW
    widest = size(row)
    for _ in range(3):
        row = decided(row)
    assert len(row.decisions) == 3
    assert widest + 100 * (size(row) - widest) / 3 < ITEM_LIMIT
