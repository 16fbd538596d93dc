"""Do the moves that an answer, a policy or a person brings about keep what must be kept and start anew what must?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from makegood.domain import advice, transitions
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.evidence import Decision, Verdict, VerdictKind
from makegood.domain.history import Role, Verb
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.outcome import Done, OutageError
from makegood.domain.reason import Reason
from makegood.domain.review import Action
from makegood.domain.settle import settle

from tests.domain.design_table import permitted_case
from tests.support.rows import (
    HOUR,
    LIMITS,
    MINUTE,
    NOW,
    SECOND,
    SETTLED,
    ago,
    ahead,
    decision,
    hand,
    operation,
    terms,
    verdict,
)

MS = SECOND / 1000
WORKER, SWEEP, PERSON = hand(Role.WORKER), hand(Role.RECONCILER), hand(Role.OPERATOR)


def in_review(**facts: Any) -> Operation:
    return operation(Status.MANUAL_REVIEW, **facts)


@pytest.mark.parametrize("verb", [Verb.AWAIT, Verb.RELEASE])
def test_looks_are_counted_anew_after_each_attempt(verb: Verb) -> None:
    role = Role.WORKER if verb is Verb.AWAIT else Role.RECONCILER
    after = permitted_case(verb, Status.PROCESSING, role).with_row(observations=7, absences=2).moved(verb)
    assert (after.observations, after.absences) == (0, 0)


def test_an_attempt_that_an_outage_turned_away_is_given_back() -> None:
    row = operation(Status.PROCESSING, attempt=8)
    after = settle(row, OutageError("refused"), WORKER, fraction=0.5)
    assert (after.status, after.attempt, after.last_error) == (Status.RETRY_SCHEDULED, 7, "OutageError: refused")
    assert after.uncertain is row.uncertain
    assert after.not_before is not None
    assert after.not_before > NOW


def test_an_outage_beyond_its_limit_costs_attempts_again_and_the_last_one_is_a_persons() -> None:
    row = operation(Status.PROCESSING, attempt=8, first_claimed_at=ago(LIMITS.outage_limit))
    assert settle(row, OutageError(), WORKER, fraction=0.5).status is Status.MANUAL_REVIEW
    row = operation(Status.PROCESSING, attempt=7, first_claimed_at=ago(LIMITS.outage_limit))
    assert settle(row, OutageError(), WORKER, fraction=0.5).attempt == 7


def test_the_longer_an_outage_lasts_the_longer_is_the_wait_up_to_the_ceiling() -> None:
    waits = []
    for lasting in (SECOND, 10 * MINUTE, HOUR, 5 * HOUR):
        row = operation(Status.PROCESSING, first_claimed_at=ago(lasting))
        after = settle(row, OutageError(), WORKER, fraction=0.5)
        waits.append((after.not_before or NOW) - NOW)
    assert waits == [15_000, 300_000, 1_800_000, 1_800_000]


def test_an_outage_that_outlasts_the_deadline_is_a_persons_and_what_was_cancelled_meanwhile_ends() -> None:
    late = operation(Status.PROCESSING, deadline_at=ahead(SECOND), first_claimed_at=ago(HOUR))
    assert settle(late, OutageError(), WORKER, fraction=0.5).status is Status.MANUAL_REVIEW
    cancelled = operation(Status.PROCESSING, cancel_reason="wanted no more")
    assert settle(cancelled, OutageError(), WORKER, fraction=0.5).status is Status.NOT_APPLICABLE


def outcomes(row: Operation) -> list[str | None]:
    return [each.outcome for each in row.decisions]


OPEN_DECISION = decision(action="retry")
ENDS: Mapping[str, tuple[Operation, Verb, str]] = {
    "confirmed": (operation(Status.PROCESSING), Verb.CONFIRM, "confirmed"),
    "confirmed by proof": (operation(Status.AWAITING_CONFIRMATION), Verb.CONFIRM_BY_PROOF, "confirmed"),
    "back in review": (operation(Status.AWAITING_CONFIRMATION), Verb.ESCALATE, "manual_review"),
    "closed": (operation(Status.RETRY_SCHEDULED), Verb.CLOSE, "not_applicable"),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_decisions_outcome_is_written_when_the_operation_ends_or_comes_back(end: str) -> None:
    row, verb, outcome = ENDS[end]
    role = Role.WORKER if row.status is Status.PROCESSING else Role.RECONCILER
    case = permitted_case(verb, row.status, role).with_row(decisions=(OPEN_DECISION,))
    assert outcomes(case.moved(verb)) == [outcome]


def test_an_outcome_once_written_stays() -> None:
    told = replace(OPEN_DECISION, outcome="manual_review")
    case = permitted_case(Verb.CLOSE, Status.MANUAL_REVIEW, Role.OPERATOR).with_row(decisions=(told,))
    assert outcomes(case.moved(Verb.CLOSE)) == ["manual_review"]


def test_every_decision_that_still_waits_for_its_outcome_gets_it() -> None:
    row = operation(Status.RETRY_SCHEDULED, decisions=(OPEN_DECISION,))
    closing = decision(action="close")
    after = transitions.close(row, PERSON, reason=Reason.DECIDED, words="agreed", decision=closing)
    assert outcomes(after) == ["not_applicable", "not_applicable"]


def test_a_retry_under_way_has_no_outcome_yet() -> None:
    after = transitions.retry(in_review(), PERSON, decision=decision(), shard="open#00")
    assert outcomes(after) == [None]


def test_a_persons_retry_of_an_undoing_is_allowed_where_the_effect_is_still_there() -> None:
    row = in_review(intent=Intent.COMPENSATION, uncertain=True)
    assert retried(row, VerdictKind.CORRECT).intent is Intent.COMPENSATION
    with pytest.raises(ImpossibleTransition):
        retried(row, VerdictKind.MISSING)


@pytest.mark.parametrize("stated", [None, "asked them by phone"])
def test_what_is_proven_is_never_tried_again_whatever_a_person_says(stated: str | None) -> None:
    with pytest.raises(ImpossibleTransition):
        retried(in_review(uncertain=True), VerdictKind.CORRECT, stated=stated)


def test_a_cancelled_operation_is_tried_again_only_to_undo_it() -> None:
    wish = {"cancel_reason": "wanted no more", "uncertain": True}
    with pytest.raises(ImpossibleTransition, match="not cancelled"):
        retried(in_review(**wish), VerdictKind.MISSING)
    assert retried(in_review(intent=Intent.COMPENSATION, **wish), VerdictKind.CORRECT).status == "retry_scheduled"


def retried(row: Operation, kind: VerdictKind, *, stated: str | None = None) -> Operation:
    return transitions.retry(row, PERSON, decision=decision(stated=stated), verdict=verdict(kind), shard="open#00")


def test_an_undoing_needs_an_attempt_that_ended_and_settled() -> None:
    for row in (in_review(attempt_ended_at=ended_at) for ended_at in (None, ago(SETTLED - MS))):
        with pytest.raises(ImpossibleTransition, match="the settle window is over"):
            transitions.compensate(row, PERSON, verdict=verdict(VerdictKind.CORRECT), shard="open#00")


def test_the_sweep_never_sends_again_beyond_the_keys_lifetime_or_where_the_type_is_not_idempotent() -> None:
    fresh = operation(Status.AWAITING_CONFIRMATION)
    old = replace(fresh, first_claimed_at=ago(24 * HOUR - 4 * MINUTE))
    able, unable = hand(Role.RECONCILER, idempotent=True), hand(Role.RECONCILER)
    assert requeued(fresh, able).status is Status.RETRY_SCHEDULED
    for row, by in ((old, able), (fresh, unable)):
        with pytest.raises(ImpossibleTransition):
            requeued(row, by)


def requeued(row: Operation, by: Hand) -> Operation:
    return transitions.requeue(row, by, verdict=verdict(VerdictKind.MISSING), wait=MINUTE)


def judged(kind: VerdictKind, **facts: Any) -> Verdict:
    return Verdict(kind=kind, at=NOW, asked="the CRM", **facts)


K, UNDOING = VerdictKind, {"intent": Intent.COMPENSATION}
OLD_KEY = {"uncertain": True, "first_claimed_at": ago(25 * HOUR)}
ADVICE: Sequence[tuple[Mapping[str, Any], Action | None]] = [
    ({"verdict": judged(K.CORRECT, recommendation="confirm")}, Action.CONFIRM),
    ({"verdict": judged(K.CORRECT)}, Action.CONFIRM),
    ({"verdict": judged(K.CORRECT), **UNDOING}, Action.RETRY),
    ({"verdict": judged(K.DIVERGENT), **UNDOING}, Action.RETRY),
    ({"verdict": judged(K.MISSING, recommendation="confirm"), **UNDOING}, Action.CONFIRM),
    ({"verdict": judged(K.MISSING, recommendation="requeue"), "uncertain": True}, Action.RETRY),
    ({"verdict": judged(K.MISSING, recommendation="requeue"), **OLD_KEY}, None),
    ({"verdict": judged(K.MISSING, recommendation="close"), "uncertain": True}, Action.CLOSE),
    ({"verdict": judged(K.MISSING), "uncertain": True}, Action.RETRY),
    ({"verdict": judged(K.MISSING), **OLD_KEY}, None),
    ({"verdict": judged(K.DIVERGENT, recommendation="compensate")}, Action.COMPENSATE),
    ({"verdict": judged(K.DIVERGENT)}, None),
    ({"verdict": judged(K.AMBIGUOUS)}, None),
    ({"verdict": judged(K.NOT_APPLICABLE)}, Action.CLOSE),
    ({}, Action.RETRY),
    ({"uncertain": True}, None),
    ({"cancel_reason": "wanted no more"}, Action.CLOSE),
    ({"cancel_reason": "wanted no more", "uncertain": True}, None),
    ({"cancel_reason": "wanted no more", "verdict": judged(K.CORRECT)}, None),
]


@pytest.mark.parametrize(("facts", "action"), ADVICE)
def test_what_is_advised_is_never_what_would_be_refused(facts: Mapping[str, Any], action: Action | None) -> None:
    row = in_review(**facts)
    advised, words = advice.advised(row, now=NOW, terms=terms())
    assert advised is action
    assert words
    if action is Action.RETRY and row.verdict:
        assert retried(row, row.verdict.kind).status is Status.RETRY_SCHEDULED


@pytest.mark.parametrize("kind", [None, K.AMBIGUOUS, K.CORRECT, K.DIVERGENT])
def test_what_is_wanted_no_more_and_may_be_there_is_to_be_undone_and_never_sent_again(kind: VerdictKind | None) -> None:
    verdict_then = judged(kind) if kind else None
    row = in_review(cancel_reason="wanted no more", uncertain=True, verdict=verdict_then)
    words = advice.advised(row, now=NOW, terms=terms())[1]
    assert "undone there" in words
    assert "retry" not in words


RISKS: Sequence[tuple[Mapping[str, Any], bool, str]] = [
    ({}, False, "none: no attempt may have been applied"),
    ({"uncertain": True}, False, "high: it may have been applied, and the remote would apply a repeated call again"),
    ({"uncertain": True}, True, "low: it may have been applied, but the remote applies a key once"),
    (OLD_KEY, True, "high: it may have been applied, and the remote may have forgotten its key"),
    ({"uncertain": True, **UNDOING}, False, "high: it may have been undone"),
]


@pytest.mark.parametrize(("facts", "idempotent", "words"), RISKS)
def test_the_risk_of_doubling_is_said_in_words(facts: Mapping[str, Any], idempotent: object, words: str) -> None:
    assert advice.risk(in_review(**facts), now=NOW, terms=terms(idempotent=idempotent)).startswith(words)


UNDONE: Sequence[tuple[Mapping[str, Any], Status]] = [
    ({"remote_id": "undo-9"}, Status.COMPENSATED),
    ({"remote_id": "undo-9", "version": 8, "fields": {"plan": "free"}}, Status.COMPENSATED),
    ({"remote_id": "undo-9", "version": 7, "fields": {"plan": "free"}}, Status.COMPENSATED),
    ({"remote_id": ""}, Status.AWAITING_CONFIRMATION),
    ({"remote_id": "undo-9", "version": 7, "fields": {"plan": "gold"}}, Status.AWAITING_CONFIRMATION),
    ({"remote_id": "undo-9", "version": 7}, Status.AWAITING_CONFIRMATION),
    ({"remote_id": "undo-9", "fields": {"plan": "gold"}}, Status.AWAITING_CONFIRMATION),
]


@pytest.mark.parametrize(("said", "status"), UNDONE)
def test_an_answer_that_still_shows_the_effect_or_names_nothing_proves_no_undoing(
    said: Mapping[str, Any], status: Status
) -> None:
    row = operation(Status.PROCESSING, intent=Intent.COMPENSATION)
    assert settle(row, Done(**said), WORKER, fraction=0.5).status is status


def test_a_decision_is_kept_as_it_was_made() -> None:
    made: Decision = decision(stated="asked them by phone")
    after = transitions.retry(in_review(), PERSON, decision=made, shard="open#00")
    assert after.decisions == (made,)
