"""Is what a row says of its outcome good enough for somebody who was not there?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import catalog
from makegood.domain import history
from makegood.domain.evidence import Difference, VerdictKind

if TYPE_CHECKING:
    from makegood.domain.evidence import Evidence, Verdict
    from makegood.domain.operation import Operation

    from tests.outcomes.world import World

COMPARED = ("version", "email", "plan", "tier")


def verdict_of(world: World, row: Operation, kind: VerdictKind, *differences: Difference) -> Verdict:
    """Return a row's verdict, if it says what was asked, what was compared, what differs, by which policy, and when."""
    verdict = row.verdict
    assert verdict is not None
    assert (verdict.kind, verdict.differences) == (kind, differences)
    assert verdict.asked == f"GET /customers/{world.customer} by the idempotency key"
    assert verdict.policy_version == catalog.SyncCustomer.policy.version
    assert verdict.at == history.last(row.history).at == row.updated_at
    assert verdict.compared == (() if kind is VerdictKind.MISSING else COMPARED)
    return verdict


def evidence_of(world: World, row: Operation, *, version: int, summary: str) -> Evidence:
    """Return a row's evidence, if it says whose it is, at which version, in which words, and when."""
    evidence = row.evidence
    assert evidence is not None
    assert (evidence.remote_id, evidence.version, evidence.summary) == (world.customer, version, summary)
    assert evidence.at == history.last(row.history).at
    return evidence


def verbs(row: Operation) -> list[str]:
    """Return what happened to a row, oldest first."""
    return [entry.verb.value for entry in history.read(row.history) if isinstance(entry, history.Entry)]
