"""Rows, claims and hands for the contract tests. Only the facts that matter are written; these supply the rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from makegood.domain import promise as promises
from makegood.domain import transitions
from makegood.domain.evidence import Closure, Decision, Evidence, Verdict, VerdictKind
from makegood.domain.history import Actor, Role
from makegood.domain.instant import Instant, after
from makegood.domain.limits import Limits
from makegood.domain.moving import Hand
from makegood.domain.operation import REVIEW_SHARD, Intent, Operation, QueueName, Status
from makegood.domain.policy import Policy
from makegood.domain.promise import Promise
from makegood.domain.reason import Reason
from makegood.ports import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from makegood.domain.policy import Terms

NOW = Instant(1_790_000_123_457)  #: as long as instants are; DynamoDB bills no zeros at the end
LATER = after(NOW, timedelta(hours=1))
LIMITS = Limits()
TYPE = "sync_customer"
TERMS = Policy(idempotent=True).under(LIMITS)
EVIDENCE = Evidence(at=LATER, remote_id="crm-452", version=7, fields={"email": "ada@example.org"}, summary="200 OK")
VERDICT = Verdict(kind=VerdictKind.CORRECT, at=LATER, asked="GET /customers/452", compared=("version", "email"))
DECISION = Decision(at=LATER, by="alice", seen_revision=4, action="confirm", reason="checked in the CRM")

_numbers = count(1)


def fresh(prefix: str = "w") -> str:
    """Return an id that no test has had before."""
    return f"{prefix}{next(_numbers):011d}"


def promised(**facts: Any) -> Operation:
    """Return a new row with an id of its own."""
    given = {
        "operation_type": TYPE,
        "entity": "customer/452",
        "expected_version": 7,
        "expected_fields": {"email": "ada@example.org"},
        "operation_id": fresh("op"),
        **facts,
    }
    return promises.submit(Promise(**given), now=NOW, write_id=fresh(), terms=TERMS)


def hand(now: Instant = LATER, role: Role = Role.WORKER, terms: Terms = TERMS) -> Hand:
    """Return a hand with a write id of its own; an operator's has a name."""
    name = "alice" if role is Role.OPERATOR else None
    return Hand(now=now, actor=Actor(role=role, name=name), write_id=fresh(), terms=terms)


def claim(operation: Operation, now: Instant = LATER, terms: Mapping[str, Terms] | None = None, **facts: Any) -> Claim:
    """Return a worker's wish for this operation."""
    given = {"token": fresh("t"), "write_id": fresh(), **facts}
    return Claim(operation_id=operation.operation_id, now=now, terms={TYPE: TERMS} if terms is None else terms, **given)


def claimed(operation: Operation | None = None) -> Operation:
    """Return a row that a worker holds."""
    return transitions.claim(operation or promised(), hand(), token=fresh("t"))


def in_status(status: Status) -> Operation:
    """Return a row that came to this status by permitted moves, as far as claims go, and is due."""
    return promised() if status is Status.PENDING else _ways()[status](claimed())


def _ways() -> Mapping[Status, Callable[[Operation], Operation]]:
    return {
        Status.PROCESSING: lambda row: row,
        Status.AWAITING_CONFIRMATION: lambda row: transitions.await_proof(row, hand(), reason=Reason.ACCEPTED),
        Status.RETRY_SCHEDULED: lambda row: transitions.schedule_retry(row, hand(), wait=timedelta(), error="503"),
        Status.MANUAL_REVIEW: lambda row: transitions.escalate(row, hand(), reason=Reason.REJECTED),
        Status.CONFIRMED: lambda row: transitions.confirm(row, hand(), evidence=EVIDENCE),
        Status.COMPENSATED: lambda row: transitions.compensated(
            replace(row, intent=Intent.COMPENSATION), hand(), evidence=EVIDENCE
        ),
        Status.NOT_APPLICABLE: lambda row: transitions.close(row, hand(), reason=Reason.RULED_OUT, words="superseded"),
    }


def full() -> Operation:
    """Return a row with every attribute that there is, whatever status could have it."""
    return replace(
        in_status(Status.AWAITING_CONFIRMATION),
        queue=QueueName.HIGH,
        attempt=3,
        dispatches=2,
        observations=4,
        absences=2,
        not_before=NOW,
        deadline_at=LATER,
        due_shard=REVIEW_SHARD,
        expires_at=1_800_000_000,
        remote_id="crm-452",
        evidence=replace(EVIDENCE, reference="s3://bucket/key"),
        verdict=replace(VERDICT, answered="200", recommendation="confirm"),
        cancel_reason="ordered twice",
        last_error="TransientError: 503",
        closure=Closure(reason="as told", by="operator alice"),
        decisions=(
            replace(DECISION, outcome="manual_review"),
            replace(
                DECISION,
                stated="seen by me",
                verdict="ambiguous",
                recommended="review",
                policy_version=3,
                outcome="confirmed",
            ),
        ),
    )
