"""Rows as they never were but might be: each attribute drawn by itself, as far as a row may not contradict itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from makegood.domain.evidence import Closure, Decision, Difference, Evidence, Verdict, VerdictKind
from makegood.domain.instant import EARLIEST, LATEST
from makegood.domain.operation import (
    REVIEW_SHARD,
    TERMINAL,
    VERSION_LIMIT,
    Intent,
    Operation,
    OperationId,
    QueueName,
    Status,
)

from tests.domain.strategies import documents, unicode_texts

times = st.integers(EARLIEST, LATEST)
counts = st.integers(0, 10**9)
maybe_texts = st.none() | unicode_texts
ids = st.text("abcXYZ019._:-", min_size=1, max_size=128).map(OperationId)
evidences = st.builds(
    Evidence,
    at=times,
    remote_id=maybe_texts,
    version=st.none() | st.integers(0, VERSION_LIMIT),
    fields=documents,
    summary=maybe_texts,
    reference=maybe_texts,
)
differences = st.builds(Difference, field=unicode_texts, expected=unicode_texts, observed=maybe_texts)
verdicts = st.builds(
    Verdict,
    kind=st.sampled_from(VerdictKind),
    at=times,
    asked=unicode_texts,
    answered=maybe_texts,
    compared=st.lists(unicode_texts, max_size=3).map(tuple),
    differences=st.lists(differences, max_size=3).map(tuple),
    policy_version=st.integers(1, 10**9),
    recommendation=maybe_texts,
)
decisions = st.builds(
    Decision,
    at=times,
    by=unicode_texts,
    seen_revision=counts,
    action=unicode_texts,
    reason=unicode_texts,
    stated=maybe_texts,
    verdict=maybe_texts,
    recommended=maybe_texts,
    outcome=maybe_texts,
)


def _coherent(row: Operation, due_at: Any, lease: Any) -> Operation:  # noqa: ANN401 - instants
    """Let a row not contradict itself: a claim only while processing, a place in the index only while open."""
    claimed, ended = row.status is Status.PROCESSING, row.status in TERMINAL
    return replace(
        row,
        claim_token=(row.claim_token or "t") if claimed else None,
        lease_ends_at=lease if claimed else row.lease_ends_at,
        due_at=None if ended else due_at,
        due_shard=None if ended else row.due_shard or REVIEW_SHARD,
    )


drawn = st.builds(
    Operation,
    operation_id=ids,
    operation_type=unicode_texts,
    entity=unicode_texts,
    expected_version=st.integers(0, VERSION_LIMIT),
    expected_fields=documents,
    payload=documents,
    fingerprint=unicode_texts,
    queue=st.none() | st.sampled_from(QueueName),
    idempotency_key=unicode_texts,
    status=st.sampled_from(Status),
    intent=st.sampled_from(Intent),
    attempt=counts,
    dispatches=counts,
    observations=counts,
    absences=counts,
    revision=st.integers(1, 10**12),
    write_id=unicode_texts,
    claim_token=maybe_texts,
    claimed_at=st.none() | times,
    lease_ends_at=st.none() | times,
    first_claimed_at=st.none() | times,
    attempt_ended_at=st.none() | times,
    uncertain=st.booleans(),
    created_at=times,
    updated_at=times,
    not_before=st.none() | times,
    deadline_at=st.none() | times,
    due_shard=st.none() | st.sampled_from(["open#00", "open#31", REVIEW_SHARD]),
    expires_at=st.none() | counts,
    remote_id=maybe_texts,
    evidence=st.none() | evidences,
    verdict=st.none() | verdicts,
    cancel_reason=maybe_texts,
    last_error=maybe_texts,
    closure=st.none() | st.builds(Closure, reason=unicode_texts, by=unicode_texts),
    decisions=st.lists(decisions, max_size=3).map(tuple),
    history=st.lists(unicode_texts, max_size=5).map(tuple),
)
operations = st.builds(_coherent, drawn, times, times)
