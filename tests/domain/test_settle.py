"""Does each thing that perform may say lead where DESIGN section 6 says?"""

from datetime import timedelta
from typing import Any

import pytest
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import Closure, VerdictKind
from makegood.domain.history import Role, last
from makegood.domain.latest import BehindError
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.outcome import (
    Accepted,
    Done,
    NotApplicable,
    OutageError,
    RejectedError,
    TransientError,
    UncertainError,
)
from makegood.domain.reason import Reason
from makegood.domain.settle import Said, settle

from tests.case import case
from tests.support.rows import HOUR, LIMITS, MINUTE, NOW, SECOND, ahead, hand, operation

AWAITING = Status.AWAITING_CONFIRMATION


def done(**facts: Any) -> Done:
    return Done(**{"remote_id": "crm-9", "version": 7, "fields": {"plan": "gold"}, **facts})


def settled(said: object, fraction: float = 0.5, **facts: Any) -> Operation:
    row = operation(Status.PROCESSING, **facts)
    answer: Said = said  # type: ignore[assignment]
    return settle(row, answer, hand(Role.WORKER), fraction=fraction)


def where_and_why(row: Operation) -> tuple[Status, str]:
    return row.status, last(row.history).reason


CANCELLED = {"cancel_reason": "wanted no more"}
UNDO = {"intent": Intent.COMPENSATION}
UNCERTAIN = {"uncertain": True}
USED_UP = {"attempt": 8}

OUTCOMES: list[tuple[object, dict[str, Any], Status, Reason]] = [
    (done(), {}, Status.CONFIRMED, Reason.AGREED),
    (done(), UNCERTAIN, Status.CONFIRMED, Reason.AGREED),
    (done(), USED_UP, Status.CONFIRMED, Reason.AGREED),
    (done(version=8), {}, AWAITING, Reason.DISAGREED),
    (done(fields={"plan": "silver"}), {}, AWAITING, Reason.DISAGREED),
    (done(fields={}), {}, AWAITING, Reason.UNPROVEN),
    (done(version=None), {}, AWAITING, Reason.UNPROVEN),
    (done(), CANCELLED, AWAITING, Reason.CANCELLED),
    (done(version=8), CANCELLED, AWAITING, Reason.DISAGREED),
    (done(version=None, fields={}), UNDO, Status.COMPENSATED, Reason.AGREED),
    (done(version=6), UNDO, Status.COMPENSATED, Reason.AGREED),
    (done(), UNDO, AWAITING, Reason.DISAGREED),
    (Done(remote_id=""), UNDO, AWAITING, Reason.UNPROVEN),
    (OutageError("no connection"), {}, Status.RETRY_SCHEDULED, Reason.OUTAGE),
    (OutageError("no connection"), USED_UP, Status.RETRY_SCHEDULED, Reason.OUTAGE),
    (OutageError("no connection"), {"first_claimed_at": 1, "attempt": 8}, Status.MANUAL_REVIEW, Reason.ATTEMPTS_USED),
    (OutageError("no connection"), CANCELLED, Status.NOT_APPLICABLE, Reason.CANCELLED),
    (BehindError("version 8"), {}, Status.RETRY_SCHEDULED, Reason.BEHIND_ANOTHER),
    (Accepted(remote_id="crm-9"), {}, AWAITING, Reason.ACCEPTED),
    (Accepted(), CANCELLED, AWAITING, Reason.ACCEPTED),
    (NotApplicable(reason="superseded"), {}, Status.NOT_APPLICABLE, Reason.RULED_OUT),
    (NotApplicable(reason="superseded"), UNCERTAIN, AWAITING, Reason.RULED_OUT),
    (NotApplicable(reason="superseded"), UNDO, Status.MANUAL_REVIEW, Reason.RULED_OUT),
    (TransientError("503"), {}, Status.RETRY_SCHEDULED, Reason.TRANSIENT),
    (TransientError("503"), UNDO, Status.RETRY_SCHEDULED, Reason.TRANSIENT),
    (TransientError("503"), USED_UP, Status.MANUAL_REVIEW, Reason.ATTEMPTS_USED),
    (TransientError("503"), {"deadline_at": ahead(SECOND)}, Status.MANUAL_REVIEW, Reason.DEADLINE_PASSED),
    (TransientError("503"), CANCELLED, Status.NOT_APPLICABLE, Reason.CANCELLED),
    (TransientError("503"), CANCELLED | UNCERTAIN, Status.RETRY_SCHEDULED, Reason.TRANSIENT),
    (TransientError("503"), CANCELLED | UNDO, Status.RETRY_SCHEDULED, Reason.TRANSIENT),
    (RejectedError("422"), {}, Status.MANUAL_REVIEW, Reason.REJECTED),
    (RejectedError("422"), UNDO, Status.MANUAL_REVIEW, Reason.REJECTED),
    (RejectedError("422"), CANCELLED, Status.NOT_APPLICABLE, Reason.CANCELLED),
    (RejectedError("422"), CANCELLED | UNCERTAIN, Status.MANUAL_REVIEW, Reason.REJECTED),
    (UncertainError("time-out"), {}, AWAITING, Reason.UNCERTAIN),
    (UncertainError("time-out"), UNDO, AWAITING, Reason.UNCERTAIN),
    (TimeoutError("read"), {}, AWAITING, Reason.UNCERTAIN),
    (KeyError("id"), USED_UP, AWAITING, Reason.UNCERTAIN),
    (SystemExit(1), {}, AWAITING, Reason.UNCERTAIN),
    (None, {}, AWAITING, Reason.UNCERTAIN),
    (True, {}, AWAITING, Reason.UNCERTAIN),
    (Done, {}, AWAITING, Reason.UNCERTAIN),
]


@pytest.mark.parametrize(("said", "facts", "status", "reason"), OUTCOMES)
def test_what_perform_said_leads_where_the_design_says(
    said: object, facts: dict[str, Any], status: Status, reason: Reason
) -> None:
    after = settled(said, **facts)
    assert where_and_why(after) == (status, reason.value)
    assert after.claim_token is None


@pytest.mark.parametrize(("said", "facts", "status", "reason"), OUTCOMES)
def test_only_a_certain_answer_leaves_an_attempt_certain(
    said: object, facts: dict[str, Any], status: Status, reason: Reason
) -> None:
    after = settled(said, **facts)
    assert after.uncertain == (status is AWAITING or UNCERTAIN.items() <= facts.items()), reason


def test_confirmation_keeps_the_remotes_id_and_what_it_said() -> None:
    after = settled(done(summary="200 OK"), last_error="TransientError: 503")
    assert after.evidence is not None
    assert (after.remote_id, after.evidence.version, after.evidence.fields) == ("crm-9", 7, {"plan": "gold"})
    assert (after.evidence.summary, after.last_error) == ("200 OK", None)


def test_divergence_stores_a_verdict_that_lists_every_difference() -> None:
    after = settled(done(version=8, fields={"plan": "silver"}))
    assert after.verdict is not None
    assert after.verdict.kind is VerdictKind.DIVERGENT
    assert [(d.field, d.expected, d.observed) for d in after.verdict.differences] == [
        ("version", "7", "8"),
        ("plan", '"gold"', '"silver"'),
    ]
    assert after.verdict.compared == ("version", "plan")


def test_version_nought_is_a_version() -> None:
    assert settled(done(version=0), expected_version=0).status is Status.CONFIRMED


def test_an_observed_value_is_kept_whole_up_to_256_characters_and_cut_beyond() -> None:
    for length, kept in ((254, "x" * 254), (255, '"' + "x" * 254 + "…")):
        after = settled(done(fields={"plan": "x" * length}))
        assert after.evidence is not None
        assert after.evidence.fields["plan"] == kept
        assert len(kept) <= 256


def test_a_number_that_is_the_same_by_value_agrees_and_extra_fields_do_not_matter() -> None:
    expected = {"amount": 10, "address": {"city": "Vigo", "zip": "36201"}}
    answer = {"extra": 1, "address": {"zip": "36201", "city": "Vigo", "street": "x"}, "amount": 10.00}
    assert settled(done(fields=answer), expected_fields=expected).status is Status.CONFIRMED


def test_a_rule_that_closes_says_its_reason_and_by_whom() -> None:
    closed = settled(NotApplicable(reason="version 8 is confirmed"))
    assert closed.closure == Closure(reason="version 8 is confirmed", by="worker")


@pytest.mark.parametrize("fraction", [0.0, 0.5, 0.999])
def test_a_retry_waits_within_the_bounds_of_its_attempt(fraction: float) -> None:
    after = settled(TransientError("503"), fraction, attempt=3)
    assert after.not_before == ahead(120 * SECOND * fraction)


def test_a_retry_waits_at_least_as_long_as_the_remote_asked() -> None:
    after = settled(TransientError("429", retry_after=10 * MINUTE), 0.0)
    assert after.not_before == ahead(10 * MINUTE)


def test_a_retry_after_of_thirty_years_is_cut_to_the_outage_limit() -> None:
    for asked in (timedelta(days=365 * 30), timedelta.max):
        after = settled(TransientError("429", retry_after=asked), 0.0)
        assert after.not_before == ahead(LIMITS.outage_limit)


@pytest.mark.parametrize(
    ("left", "status"), [(MINUTE, Status.MANUAL_REVIEW), (MINUTE + SECOND / 1000, Status.RETRY_SCHEDULED)]
)
def test_a_retry_that_could_only_begin_at_the_deadline_is_a_persons(left: timedelta, status: Status) -> None:
    after = settled(TransientError("429", retry_after=MINUTE), 0.0, deadline_at=ahead(left))
    assert after.status is status


def test_a_negative_retry_after_is_taken_as_none() -> None:
    assert settled(TransientError("429", retry_after=-HOUR), 0.0).not_before == NOW


def test_a_retry_after_that_is_no_duration_is_taken_as_none() -> None:
    error = TransientError("429", retry_after=30)  # type: ignore[arg-type]
    assert where_and_why(settled(error)) == (Status.RETRY_SCHEDULED, "transient")


@pytest.mark.parametrize(
    "version", [["7"], "7", 7.0, True, -1, 10**40, {"n": 7}, pytest.param(10**5000, id="5,001 digits")]
)
def test_a_version_that_is_no_whole_number_proves_nothing(version: object) -> None:
    expected = 1 if version is True else 7
    after = settled(done(version=version), expected_version=expected)
    assert where_and_why(after) == (AWAITING, "unproven")
    assert after.verdict is None
    assert "version" in (after.last_error or "")


@pytest.mark.parametrize("fields", [{"plan": float("nan")}, {"plan": {1: 2}}, ["plan"], None, {"plan": "\ud800"}])
def test_fields_that_are_no_json_object_prove_nothing_and_keep_the_remotes_id(fields: object) -> None:
    after = settled(done(fields=fields))
    assert where_and_why(after) == (AWAITING, "unproven")
    assert after.remote_id == "crm-9"
    assert (after.last_error or "").startswith(InvalidInput.__name__)


@pytest.mark.parametrize(
    "said",
    [NotApplicable(reason=None), Accepted(remote_id=9), done(summary={"status": 200}), done(remote_id=17)],  # type: ignore[arg-type]
)
def test_a_slip_in_a_types_answer_never_breaks_the_settling(said: Said) -> None:
    assert settled(said).status in {Status.NOT_APPLICABLE, AWAITING, Status.CONFIRMED}


def test_an_error_that_cannot_even_say_itself_is_uncertain_like_any_other() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise KeyError("detail")

    after = settled(MuteError())
    assert where_and_why(after) == (AWAITING, "uncertain")
    assert after.last_error == "MuteError"


@pytest.mark.parametrize("remote_id", ["4111111111111111", "1790000000000", "bob@example.com"])
def test_a_remotes_own_id_is_kept_as_it_is_even_if_it_looks_like_a_card(remote_id: str) -> None:
    after = settled(done(remote_id=remote_id))
    assert after.remote_id == remote_id


@case("F137")
def test_an_error_that_echoes_the_request_leaves_no_secret_in_the_row() -> None:
    echo = "403 for {'Authorization': 'Bearer s3cr3t-abc'} of bob@example.com with 4111 1111 1111 1111"
    for error in (TransientError(echo), RejectedError(echo), UncertainError(echo), KeyError(echo)):
        after = settled(error)
        assert after.last_error is not None
        assert not [part for part in ("s3cr3t", "bob@", "4111") if part in repr(after)]
