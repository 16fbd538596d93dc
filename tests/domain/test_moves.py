"""Does every move of the table keep the books: revision, write id, times, history, claim and index?"""

from collections.abc import Iterator

import pytest
from makegood.domain import history, transitions
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Role, Verb
from makegood.domain.operation import REVIEW_SHARD, Intent, Operation, Status
from makegood.domain.reason import Reason

from tests.case import case
from tests.domain.design_table import LINES, Case, permitted_case
from tests.support.rows import LIMITS, MINUTE, NOW, SECOND, ago, ahead, decision, hand, operation, verdict

NEVER_CHANGES = (
    "operation_id",
    "format",
    "operation_type",
    "entity",
    "expected_version",
    "expected_fields",
    "payload",
    "payload_bytes",
    "fingerprint",
    "queue",
    "created_at",
    "deadline_at",
)


def every_move() -> Iterator[tuple[Verb, Status, Role]]:
    for line in LINES:
        for status in sorted(line.sources):
            yield from ((line.verb, status, role) for role in sorted(line.owners))


EVERY_MOVE = pytest.mark.parametrize(("verb", "status", "role"), list(every_move()))


@EVERY_MOVE
def test_every_move_raises_the_revision_and_leaves_a_fresh_write_id(verb: Verb, status: Status, role: Role) -> None:
    case = permitted_case(verb, status, role).with_row(revision=41)
    after = case.moved(verb)
    assert (after.revision, after.write_id, after.updated_at) == (42, "write-new", NOW)
    assert [getattr(after, name) for name in NEVER_CHANGES] == [getattr(case.row, name) for name in NEVER_CHANGES]


@case("F085")
@EVERY_MOVE
def test_updated_at_never_moves_back_however_wrong_a_clock_is(verb: Verb, status: Status, role: Role) -> None:
    case = permitted_case(verb, status, role).with_row(updated_at=ahead(5 * MINUTE))
    assert case.moved(verb).updated_at == ahead(5 * MINUTE)


@EVERY_MOVE
def test_every_move_appends_one_history_entry_that_tells_it(verb: Verb, status: Status, role: Role) -> None:
    case = permitted_case(verb, status, role)
    after = case.moved(verb)
    assert after.history[:-1] == case.row.history
    entry = history.last(after.history)
    assert (entry.at, entry.verb, entry.source, entry.target) == (NOW, verb, status, after.status)
    assert entry.actor == str(case.hand.actor)
    assert entry.reason in {reason.value for reason in Reason}


@EVERY_MOVE
def test_leaving_processing_takes_the_claim_along_and_nothing_else_does(verb: Verb, status: Status, role: Role) -> None:
    case = permitted_case(verb, status, role)
    after = case.moved(verb)
    claim = (after.claim_token, after.claimed_at, after.lease_ends_at)
    if after.status is Status.PROCESSING:
        assert None not in claim
    else:
        assert claim == (None, None, None)
    if status is Status.PROCESSING and after.status is not status:
        assert after.attempt_ended_at == NOW
    elif verb is not Verb.COMPENSATE:
        assert after.attempt_ended_at == case.row.attempt_ended_at


@case("F073", "F088")
@EVERY_MOVE
def test_open_rows_stay_in_the_index_and_terminal_rows_leave_it_with_an_expiry_in_seconds(
    verb: Verb, status: Status, role: Role
) -> None:
    after = permitted_case(verb, status, role).moved(verb)
    if after.is_terminal:
        assert (after.due_shard, after.due_at, after.not_before) == (None, None, None)
        assert after.expires_at == ahead(LIMITS.retention) // 1000
        assert NOW // 1000 < after.expires_at < 10**11, "DynamoDB wants seconds; milliseconds would never expire"
    else:
        assert after.expires_at is None
        assert after.due_at is not None
        assert (after.due_shard == REVIEW_SHARD) == (after.status is Status.MANUAL_REVIEW)


@EVERY_MOVE
def test_the_next_look_is_never_later_than_the_deadline(verb: Verb, status: Status, role: Role) -> None:
    after = permitted_case(verb, status, role).with_row(deadline_at=ahead(SECOND)).moved(verb)
    assert after.due_at is None or after.deadline_at is None or after.due_at <= ahead(SECOND)
    assert (after.deadline_at is None) is (verb is Verb.COMPENSATE), "an undoing has no deadline of the effect's"


@pytest.mark.parametrize("status", [Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW])
def test_a_row_that_carries_a_persons_decision_is_kept_for_ever(status: Status) -> None:
    case = permitted_case(Verb.CLOSE, status, Role.OPERATOR)
    by_hand = transitions.close(case.row, case.hand, reason=Reason.DECIDED, words="agreed", decision=decision())
    earlier = case.with_row(decisions=(decision(),)).moved(Verb.CLOSE)
    assert (by_hand.expires_at, earlier.expires_at) == (None, None)


@pytest.mark.parametrize("verb", [Verb.AWAIT, Verb.RELEASE])
def test_an_attempt_without_a_certain_answer_is_remembered(verb: Verb) -> None:
    role = Role.WORKER if verb is Verb.AWAIT else Role.RECONCILER
    assert permitted_case(verb, Status.PROCESSING, role).moved(verb).uncertain


@pytest.mark.parametrize(
    ("verb", "status", "role"),
    [
        (Verb.CLAIM, Status.RETRY_SCHEDULED, Role.WORKER),
        (Verb.SCHEDULE_RETRY, Status.PROCESSING, Role.WORKER),
        (Verb.ESCALATE, Status.RETRY_SCHEDULED, Role.RECONCILER),
        (Verb.TOUCH, Status.RETRY_SCHEDULED, Role.RECONCILER),
        (Verb.REQUEUE, Status.AWAITING_CONFIRMATION, Role.RECONCILER),
    ],
)
def test_uncertainty_is_not_forgotten_on_the_way(verb: Verb, status: Status, role: Role) -> None:
    after = permitted_case(verb, status, role).with_row(uncertain=True).moved(verb)
    assert after.uncertain
    assert after.first_claimed_at == operation(status).first_claimed_at


def test_a_claim_counts_the_attempt_takes_the_lease_and_drops_the_old_verdict() -> None:
    case = permitted_case(Verb.CLAIM, Status.RETRY_SCHEDULED, Role.WORKER)
    after = case.with_row(verdict=verdict(VerdictKind.MISSING)).moved(Verb.CLAIM)
    assert (after.attempt, after.claim_token, after.claimed_at) == (2, "claim-2", NOW)
    assert after.lease_ends_at == ahead(LIMITS.lease)
    assert after.verdict is None


def test_the_first_claim_of_an_intent_is_remembered_and_later_ones_do_not_move_it() -> None:
    first = permitted_case(Verb.CLAIM, Status.PENDING, Role.WORKER).moved(Verb.CLAIM)
    later = permitted_case(Verb.CLAIM, Status.RETRY_SCHEDULED, Role.WORKER).moved(Verb.CLAIM)
    assert (first.first_claimed_at, later.first_claimed_at) == (NOW, ago(5 * MINUTE))


def test_a_compensation_starts_afresh_under_a_key_of_its_own() -> None:
    case = permitted_case(Verb.COMPENSATE, Status.MANUAL_REVIEW, Role.OPERATOR)
    after = case.with_row(attempt=8, dispatches=5, uncertain=True, not_before=ahead(MINUTE)).moved(Verb.COMPENSATE)
    assert (after.status, after.intent) == (Status.PENDING, Intent.COMPENSATION)
    assert (after.attempt, after.dispatches, after.uncertain) == (0, 0, False)
    assert (after.first_claimed_at, after.attempt_ended_at, after.not_before) == (None, None, None)
    assert after.idempotency_key != case.row.idempotency_key


def test_a_persons_retry_restarts_the_attempts_and_leaves_the_review_shard() -> None:
    after = permitted_case(Verb.RETRY, Status.MANUAL_REVIEW, Role.OPERATOR).with_row(attempt=8).moved(Verb.RETRY)
    assert (after.attempt, after.due_shard, after.decisions) == (0, "open#00", (decision(),))


def test_a_cancel_of_something_under_way_is_a_wish_that_the_claim_survives() -> None:
    case = permitted_case(Verb.REQUEST_CANCEL, Status.PROCESSING, Role.PRODUCER)
    after = case.moved(Verb.REQUEST_CANCEL)
    assert (after.cancel_reason, after.claim_token, after.status) == ("wanted no more", "claim-1", Status.PROCESSING)
    assert after.closure is None


def test_a_cancel_of_something_never_tried_closes_it_with_who_and_why() -> None:
    after = permitted_case(Verb.REQUEST_CANCEL, Status.PENDING, Role.OPERATOR).moved(Verb.REQUEST_CANCEL)
    assert after.closure is not None
    assert (after.status, after.closure.by, after.closure.reason) == (
        Status.NOT_APPLICABLE,
        "operator alice",
        "wanted no more",
    )


def test_observing_again_never_restarts_the_settle_window() -> None:
    case: Case = permitted_case(Verb.OBSERVE_AGAIN, Status.AWAITING_CONFIRMATION, Role.RECONCILER)
    after: Operation = transitions.observe_again(case.row, hand(Role.RECONCILER), wait=MINUTE)
    assert after.attempt_ended_at == case.row.attempt_ended_at
    assert after.observations == case.row.observations + 1
