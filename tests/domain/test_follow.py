"""Does a judgement lead where the policy, the mode and the table say, and an ambiguous one never to a send?"""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from makegood.domain import history
from makegood.domain.evidence import Verdict, VerdictKind
from makegood.domain.follow import Followed, follow
from makegood.domain.history import Role, Verb
from makegood.domain.judge import Again, Judged
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.policy import Capability, Mode, Step
from makegood.domain.reason import Reason

from tests.support.rows import HOUR, LIMITS, MINUTE, NOW, SECOND, SETTLED, ago, ahead, evidence, hand, operation

MS = SECOND / 1000
FREE: dict[str, Any] = {
    "capability": Capability.BY_KEY,
    "idempotent": True,
    "mode": Mode.CORRECT,
    "on_missing": Step.REQUEUE,
}
BOLD: dict[str, Any] = {**FREE, "on_divergent": Step.COMPENSATE, "on_cancelled": Step.COMPENSATE}
REVIEW, RETRY, PENDING = Status.MANUAL_REVIEW, Status.RETRY_SCHEDULED, Status.PENDING
CONFIRMED, COMPENSATED = Status.CONFIRMED, Status.COMPENSATED
K = VerdictKind
UNDOING: dict[str, Any] = {"intent": Intent.COMPENSATION}
CANCELLED: dict[str, Any] = {"cancel_reason": "wanted no more"}


def awaiting(**facts: Any) -> Operation:
    return operation(Status.AWAITING_CONFIRMATION, **facts)


def judged(kind: VerdictKind) -> Judged:
    found = evidence() if kind not in (K.MISSING, K.AMBIGUOUS) else None
    return Judged(verdict=Verdict(kind=kind, at=NOW, asked="the CRM"), reason=Reason.PROVEN, evidence=found)


def followed(kind: VerdictKind, row: Operation | None = None, **policy: Any) -> Followed:
    return follow(row or awaiting(), judged(kind), hand(Role.RECONCILER, **policy), fraction=0.5)


ENDS: Mapping[str, tuple[VerdictKind, Mapping[str, Any], Mapping[str, Any], Status, Step | None]] = {
    "proven": (K.CORRECT, {}, FREE, CONFIRMED, None),
    "proven, and only observing": (K.CORRECT, {}, {**FREE, "mode": Mode.OBSERVE}, REVIEW, Step.CONFIRM),
    "proven, and proof may be recorded": (K.CORRECT, {}, {**FREE, "mode": Mode.CONFIRM}, CONFIRMED, None),
    "proven, and left to a person": (K.CORRECT, {}, {**FREE, "on_correct": Step.REVIEW}, REVIEW, None),
    "proven, and cancelled": (K.CORRECT, CANCELLED, FREE, REVIEW, None),
    "proven, cancelled, to be undone": (K.CORRECT, CANCELLED, BOLD, PENDING, None),
    "missing": (K.MISSING, {}, FREE, RETRY, None),
    "missing, and only proof may be recorded": (K.MISSING, {}, {**FREE, "mode": Mode.CONFIRM}, REVIEW, Step.REQUEUE),
    "missing, all attempts used": (K.MISSING, {"attempt": LIMITS.max_attempts}, FREE, REVIEW, Step.REQUEUE),
    "missing, key too old": (K.MISSING, {"first_claimed_at": ago(24 * HOUR)}, FREE, REVIEW, Step.REQUEUE),
    "missing, past its deadline": (K.MISSING, {"deadline_at": NOW}, FREE, REVIEW, Step.REQUEUE),
    "missing, and cancelled": (K.MISSING, CANCELLED, FREE, REVIEW, Step.CLOSE),
    "divergent": (K.DIVERGENT, {}, FREE, REVIEW, None),
    "divergent, to be undone": (K.DIVERGENT, {}, BOLD, PENDING, None),
    "divergent, only proof may be recorded": (K.DIVERGENT, {}, {**BOLD, "mode": Mode.CONFIRM}, REVIEW, Step.COMPENSATE),
    "divergent, and cancelled": (K.DIVERGENT, CANCELLED, {**BOLD, "on_divergent": Step.REVIEW}, REVIEW, None),
    "divergent, cancelled, both to be undone": (K.DIVERGENT, CANCELLED, BOLD, PENDING, None),
    "divergent, to be undone though late": (K.DIVERGENT, {"deadline_at": NOW}, BOLD, PENDING, None),
    "overtaken by a newer version": (K.NOT_APPLICABLE, {}, FREE, REVIEW, Step.CLOSE),
    "ambiguous": (K.AMBIGUOUS, {}, BOLD, REVIEW, None),
    "ambiguous, and cancelled": (K.AMBIGUOUS, CANCELLED, BOLD, REVIEW, None),
    "undone and gone": (K.MISSING, UNDOING, FREE, COMPENSATED, None),
    "undone and gone, only observing": (K.MISSING, UNDOING, {**FREE, "mode": Mode.OBSERVE}, REVIEW, Step.CONFIRM),
    "undone and still there": (K.CORRECT, UNDOING, FREE, RETRY, None),
    "undone, still there, cancelled before": (K.DIVERGENT, {**UNDOING, **CANCELLED}, FREE, RETRY, None),
    "undone, still there, not idempotent": (K.CORRECT, UNDOING, {"mode": Mode.CORRECT}, REVIEW, None),
    "undone, and nobody can say": (K.AMBIGUOUS, UNDOING, BOLD, REVIEW, None),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_verdict_leads_where_policy_mode_and_table_say(end: str) -> None:
    kind, facts, policy, status, recommendation = ENDS[end]
    after = followed(kind, awaiting(**facts), **policy).after
    assert after.status is status
    assert after.verdict is not None
    assert (after.verdict.kind, after.verdict.recommendation) == (kind, recommendation)


WITHHELD: Mapping[str, tuple[VerdictKind, Mapping[str, Any], Mode, Verb | None]] = {
    "proof, while observing": (K.CORRECT, {}, Mode.OBSERVE, Verb.CONFIRM_BY_PROOF),
    "proof of an undoing, while observing": (K.MISSING, UNDOING, Mode.OBSERVE, Verb.COMPENSATED_BY_PROOF),
    "another send": (K.MISSING, {}, Mode.CONFIRM, Verb.REQUEUE),
    "another undoing": (K.CORRECT, UNDOING, Mode.CONFIRM, Verb.REQUEUE),
    "an undoing": (K.DIVERGENT, {}, Mode.CONFIRM, Verb.COMPENSATE),
    "an undoing of what was cancelled": (K.CORRECT, CANCELLED, Mode.OBSERVE, Verb.COMPENSATE),
    "nothing, where all is allowed": (K.CORRECT, {}, Mode.CORRECT, None),
    "nothing, where review is the step": (K.AMBIGUOUS, {}, Mode.OBSERVE, None),
}


@pytest.mark.parametrize("what", WITHHELD)
def test_what_a_mode_withholds_is_told(what: str) -> None:
    kind, facts, mode, would = WITHHELD[what]
    told = followed(kind, awaiting(**facts), **{**BOLD, "mode": mode})
    assert told.would is would
    if would:
        assert history.last(told.after.history).reason == Reason.ONLY_OBSERVING


def test_what_the_table_does_not_permit_goes_to_review_with_what_is_missing() -> None:
    told = followed(K.MISSING, awaiting(attempt=LIMITS.max_attempts), **FREE)
    assert told.would is None, "it would not have been done"
    assert history.last(told.after.history).reason == Reason.NOT_PERMITTED
    assert told.after.last_error == "it lacks: attempts left"


@pytest.mark.parametrize(("kind", "facts"), [(K.DIVERGENT, {}), (K.CORRECT, CANCELLED), (K.CORRECT, UNDOING)])
def test_what_needs_only_a_little_time_waits_for_it_and_not_for_a_person(
    kind: VerdictKind, facts: Mapping[str, Any]
) -> None:
    early = awaiting(attempt_ended_at=ago(SETTLED - MS), **facts)
    after = followed(kind, early, **BOLD).after
    assert (after.status, history.last(after.history).reason) == (early.status, Reason.NOT_SETTLED)
    settled = followed(kind, awaiting(attempt_ended_at=ago(SETTLED), **facts), **BOLD).after
    assert settled.status is not early.status


def test_no_verdict_is_another_look_later_and_later_and_never_at_once() -> None:
    policy = hand(Role.RECONCILER, **FREE)
    waits = []
    for turn in range(12):
        again = Again(reason=Reason.STILL_UNKNOWN)
        after = follow(awaiting(observations=turn), again, policy, fraction=0.0 if turn % 2 else 0.999).after
        assert (after.status, after.observations) == (Status.AWAITING_CONFIRMATION, turn + 1)
        assert after.due_at is not None
        waits.append(after.due_at - NOW)
    assert min(waits) >= MINUTE // MS
    assert max(waits) <= 31 * MINUTE // MS


@pytest.mark.parametrize("reason", [Reason.STILL_UNKNOWN, Reason.NOT_SETTLED, Reason.NOT_ASKED, Reason.SEEN_ABSENT])
def test_a_row_without_a_verdict_at_its_deadline_is_a_persons(reason: Reason) -> None:
    after = follow(awaiting(deadline_at=NOW), Again(reason=reason), hand(Role.RECONCILER, **FREE), fraction=0.5).after
    assert (after.status, history.last(after.history).reason) == (REVIEW, Reason.DEADLINE_PASSED)


def test_absences_are_counted_in_the_row_and_anything_else_starts_them_anew() -> None:
    policy = hand(Role.RECONCILER, **FREE)
    first = follow(awaiting(), Again(reason=Reason.SEEN_ABSENT, absences=1), policy, fraction=0.5).after
    assert first.absences == 1
    assert follow(first, Again(reason=Reason.STILL_UNKNOWN), policy, fraction=0.5).after.absences == 0


POLICIES: list[dict[str, Any]] = [
    BOLD,
    {**BOLD, "idempotent": False, "on_missing": Step.REVIEW},
    {**BOLD, "mode": Mode.CONFIRM},
    {**BOLD, "mode": Mode.OBSERVE},
    {"mode": Mode.CORRECT},
]
LONG_AGO = ago(HOUR)
worlds = st.builds(
    awaiting,
    intent=st.sampled_from(Intent),
    cancel_reason=st.sampled_from([None, "wanted no more"]),
    attempt=st.sampled_from([1, LIMITS.max_attempts]),
    uncertain=st.booleans(),
    deadline_at=st.sampled_from([None, NOW, ahead(HOUR)]),
    first_claimed_at=st.sampled_from([LONG_AGO, None, ago(25 * HOUR)]),
    attempt_ended_at=st.sampled_from([LONG_AGO, None, NOW, ahead(HOUR)]),
)


@settings(max_examples=500)
@given(worlds, st.sampled_from(POLICIES), st.sampled_from(VerdictKind))
def test_nothing_raises_and_nothing_is_sent_that_may_not_be(
    row: Operation, policy: dict[str, Any], kind: VerdictKind
) -> None:
    told = followed(kind, row, **policy)
    after = told.after
    assert after.revision == row.revision + 1
    if kind is K.AMBIGUOUS:
        assert after.status is REVIEW, "ambiguity is a person's to decide"
    if after.status is RETRY:
        assert policy.get("idempotent")
        assert policy["mode"] is Mode.CORRECT
    if after.status is PENDING:
        assert (after.intent, row.intent) == (Intent.COMPENSATION, Intent.EFFECT)
    if after.status is CONFIRMED:
        assert (kind, row.intent, row.cancel_reason) == (K.CORRECT, Intent.EFFECT, None)
    if after.status is COMPENSATED:
        assert (kind, row.intent) == (K.MISSING, Intent.COMPENSATION)
    if after.status is Status.NOT_APPLICABLE:
        assert not row.uncertain
