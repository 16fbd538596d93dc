"""Is an effect undone as carefully as it was made: under its own key, in counted attempts, proven before it ends?"""

from collections.abc import Mapping
from typing import Any, NoReturn

import pytest
from makegood.domain.observation import Absent, Found, Observed, Unknown
from makegood.domain.operation import Intent, Status, idempotency_key_for
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import (
    Accepted,
    Done,
    NotApplicable,
    OutageError,
    Outcome,
    RejectedError,
    TransientError,
    UncertainError,
)
from makegood.domain.policy import Mode, Step
from makegood.domain.review import Action
from makegood.flows.review import Taken

from tests.flows.test_observe import CORRECT
from tests.flows.test_review import decided
from tests.support.deployment import Deployment
from tests.support.remote import Reply, raising, saying, seeing
from tests.support.rows import HOUR, LIMITS, SETTLED

UNDOES: dict[str, Any] = {**CORRECT, "on_divergent": Step.COMPENSATE}
THERE, CHANGED = Found(version=7, fields={"plan": "gold"}), Found(version=8, fields={"plan": "gold"})
A, M, R = Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW, Status.RETRY_SCHEDULED


def to_undo(**policy: Any) -> Deployment:
    """Return a deployment whose one operation had an effect that somebody changed, and whose policy undoes it."""
    house = Deployment(**{**UNDOES, **policy})
    house.submitted()
    house.remote.script = [applied_and_lost(house)]
    house.worked()
    house.queue.take()
    house.remote.sights = [seeing(CHANGED)]
    house.clock.advance(SETTLED)
    house.swept()
    house.queue.take()
    assert (house.row().status, house.row().intent) == (Status.PENDING, Intent.COMPENSATION)
    return house


def applied_and_lost(house: Deployment) -> Reply:
    def call(attempt: Attempt) -> NoReturn:
        house.remote.apply(attempt)
        raise UncertainError("timed out")

    return call


def test_an_undoing_goes_through_the_worker_under_its_own_key_and_with_attempts_of_its_own() -> None:
    house = to_undo()
    house.worked()
    row, attempt = house.row(), house.remote.attempts[-1]
    assert (row.status, row.attempt, row.remote_id) == (Status.COMPENSATED, 1, "undo-9")
    assert (attempt.number, attempt.idempotency_key) == (1, idempotency_key_for(row.operation_id, Intent.COMPENSATION))
    assert attempt.effect_key == idempotency_key_for(row.operation_id, Intent.EFFECT) != attempt.idempotency_key
    assert house.remote.effects["op-1"] == 0


SAYS: Mapping[str, tuple[Reply, Status, bool]] = {
    "that it is undone": (saying(Done(remote_id="undo-9")), Status.COMPENSATED, False),
    "that the effect is still there": (saying(Done(remote_id="x", version=7, fields={"plan": "gold"})), A, True),
    "nothing that proves it": (saying(Done(remote_id="")), A, True),
    "that it was taken": (saying(Accepted(remote_id="undo-9")), A, True),
    "that it does not apply": (saying(NotApplicable(reason="no refund for this")), M, False),
    "that it is refused for good": (raising(RejectedError("too late")), M, False),
    "that it certainly was not undone": (raising(TransientError("busy")), R, False),
    "that nobody takes calls": (raising(OutageError("refused")), R, False),
    "nothing in time": (raising(UncertainError("timed out")), A, True),
    "what no type should raise": (raising(KeyError("id")), A, True),
    "nonsense": (saying("undone"), A, True),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", SAYS)
def test_what_an_attempt_to_undo_says_leads_where_it_should(what: str) -> None:
    reply, status, uncertain = SAYS[what]
    house = to_undo()
    house.remote.script = [reply]
    house.worked()
    row = house.row()
    assert (row.status, row.intent, row.uncertain) == (status, Intent.COMPENSATION, uncertain)


def test_an_outage_gives_the_attempt_to_undo_back() -> None:
    house = to_undo()
    house.remote.script = [raising(OutageError("refused"))]
    house.worked()
    assert house.row().attempt == 0


LOOKS: Mapping[str, tuple[Observed, Mapping[str, Any], Status]] = {
    "it is gone": (Absent(), {}, Status.COMPENSATED),
    "it is marked as deleted": (Found(version=7, deleted=True), {}, Status.COMPENSATED),
    "it is still there": (THERE, {}, R),
    "it is still there, changed": (CHANGED, {}, R),
    "nobody can say": (Unknown(why="503"), {}, A),
    "it is there without a version": (Found(), {}, M),
}


@pytest.mark.parametrize("look", LOOKS)
def test_an_undoing_without_an_answer_is_observed_like_any_attempt(look: str) -> None:
    sight, policy, status = LOOKS[look]
    house = to_undo(**policy)
    house.remote.script = [raising(UncertainError("timed out"))]
    house.worked()
    house.remote.sights = [seeing(sight)]
    house.clock.advance(SETTLED)
    house.swept()
    assert (house.row().status, house.row().intent) == (status, Intent.COMPENSATION)
    assert house.remote.looks["op-1"] == 2


def test_an_undoing_that_did_not_take_is_tried_again_under_the_same_key_until_it_is_proven() -> None:
    house = to_undo()
    house.remote.script = [raising(UncertainError("timed out"))]
    house.worked()
    house.clock.advance(SETTLED)
    house.swept()
    house.clock.advance(HOUR)
    house.worked()
    first, second = house.remote.attempts[-2:]
    assert (house.row().status, first.idempotency_key) == (Status.COMPENSATED, second.idempotency_key)


def test_a_worker_that_dies_while_it_undoes_is_observed_and_never_believed() -> None:
    house = to_undo()
    house.change("op-1", status=Status.PROCESSING, claim_token="gone", attempt=1, lease_ends_at=house.clock.now())  # noqa: S106
    house.clock.advance(LIMITS.stale_after)
    house.swept()
    assert (house.row().status, house.row().uncertain) == (A, True)


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.CONFIRM])
def test_a_mode_below_correct_undoes_nothing_by_itself_and_a_person_may(mode: Mode) -> None:
    house = Deployment(**{**UNDOES, "mode": mode})
    house.submitted()
    house.remote.script = [applied_and_lost(house)]
    house.worked()
    house.queue.take()
    house.remote.sights = [seeing(CHANGED), seeing(CHANGED)]
    house.clock.advance(SETTLED)
    record = house.swept().record
    assert (house.row().status, record.would) == (M, {"would_compensate": 1})
    assert isinstance(decided(house, Action.COMPENSATE), Taken)
    house.delivered()
    assert house.row().status is Status.COMPENSATED


def test_a_type_whose_undoing_is_not_idempotent_is_never_told_twice_without_a_person() -> None:
    house = to_undo(idempotent=False, on_missing=Step.REVIEW)
    house.remote.script = [raising(UncertainError("timed out"))]
    house.worked()
    house.remote.sights = [seeing(THERE)]
    house.clock.advance(SETTLED)
    house.swept()
    assert house.row().status is M
    assert len(house.remote.attempts) == 2


def test_what_compensate_does_to_its_copy_changes_no_promise() -> None:
    house = to_undo()

    def meddles(attempt: Attempt) -> Outcome:
        attempt.operation.expected_fields.clear()  # type: ignore[attr-defined]
        return Done(remote_id="undo-9", version=7, fields={"plan": "gold"})

    house.remote.script = [meddles]
    house.worked()
    assert (house.row().status, house.row().expected_fields) == (A, {"plan": "gold"})
