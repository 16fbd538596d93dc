"""Does a cancellation end what had no effect, and is it remembered, never forgotten, by what may have had one?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from makegood.domain.errors import InvalidInput, NotFoundError, StoreError
from makegood.domain.observation import Absent, Found, Observed
from makegood.domain.operation import Intent, OperationId, Status
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import Done, OutageError, Outcome, RejectedError, TransientError, UncertainError
from makegood.domain.policy import Mode, Step
from makegood.domain.reason import Reason
from makegood.flows.cancel import Cancelled, Refused

from tests.case import case
from tests.flows.test_observe import CORRECT
from tests.support.deployment import Deployment
from tests.support.faults import BrokenRows, InterruptedStore, PassingStore
from tests.support.remote import Reply, raising, saying, seeing
from tests.support.rows import HOUR, MINUTE, OPERATOR, PRODUCER, SETTLED, operation

P, W, A = Status.PENDING, Status.PROCESSING, Status.AWAITING_CONFIRMATION
R, M = Status.RETRY_SCHEDULED, Status.MANUAL_REVIEW
UNDOES: dict[str, Any] = {**CORRECT, "on_cancelled": Step.COMPENSATE}
THERE = Found(version=7, fields={"plan": "gold"}, remote_id="crm-9")


def wished(house: Deployment, **said: Any) -> Cancelled | Refused:
    usual = {"reason": "wanted no more", "actor": PRODUCER}
    return house.cancel(OperationId("op-1"), **{**usual, **said})


def standing(status: Status, **facts: Any) -> Deployment:
    house = Deployment(**CORRECT)
    house.store.rows["op-1"] = operation(status, **facts)
    return house


STANDS: Mapping[str, tuple[Status, Mapping[str, Any], Status]] = {
    "never tried": (P, {}, Status.NOT_APPLICABLE),
    "certainly without effect": (R, {}, Status.NOT_APPLICABLE),
    "to be tried again, after a call that may have landed": (R, {"uncertain": True}, R),
    "claimed": (W, {}, W),
    "observed": (A, {}, A),
    "in review": (M, {}, M),
}


@pytest.mark.parametrize("stand", STANDS)
def test_a_cancellation_ends_what_had_no_effect_and_is_remembered_by_the_rest(stand: str) -> None:
    status, facts, after = STANDS[stand]
    house = standing(status, **facts)
    done = wished(house)
    assert isinstance(done, Cancelled)
    row = house.row()
    assert (row.status, row.cancel_reason, row.claim_token) == (after, "wanted no more", operation(status).claim_token)
    assert (row.closure is not None) is row.is_terminal


@pytest.mark.parametrize("status", [Status.CONFIRMED, Status.COMPENSATED, Status.NOT_APPLICABLE])
def test_what_has_ended_is_not_cancelled_any_more(status: Status) -> None:
    house = standing(status)
    before = house.picture()
    done = wished(house)
    assert isinstance(done, Refused)
    assert (done.why, house.picture()) == (f"it is {status}, and that is for ever", before)


@pytest.mark.parametrize("status", [P, W, A, R, M])
def test_what_is_being_undone_is_not_cancelled(status: Status) -> None:
    house = standing(status, intent=Intent.COMPENSATION)
    before = house.picture()
    done = wished(house)
    assert isinstance(done, Refused)
    assert (done.why, house.picture()) == ("its effect is being undone already", before)


@pytest.mark.parametrize("stand", STANDS)
def test_asking_twice_changes_nothing_and_is_no_refusal(stand: str) -> None:
    status, facts, _ = STANDS[stand]
    house = standing(status, **facts)
    wished(house)
    before = house.picture()
    again = wished(house, reason="another word", actor=OPERATOR)
    assert isinstance(again, Cancelled)
    assert (again.move, house.picture()) == (None, before)


def test_a_cancellation_needs_a_reason_and_an_operation_that_can_be_read() -> None:
    house = standing(P)
    with pytest.raises(InvalidInput, match="say it in words"):
        wished(house, reason=" ")
    with pytest.raises(StoreError, match="cannot be understood"):
        replace(house.cancel, store=BrokenRows(house.store, unreadable=["op-1"]))(
            OperationId("op-1"), reason="no more", actor=PRODUCER
        )
    house.store.rows.clear()
    with pytest.raises(NotFoundError):
        wished(house)


def test_a_cancellation_that_races_with_a_claim_is_remembered_by_the_claimed_row() -> None:
    house = Deployment(**CORRECT)
    house.submitted()
    claims: Any = lambda: house.change("op-1", status=W, claim_token="claim-1", attempt=1)  # noqa: E731, S106
    house.cancel = replace(house.cancel, store=InterruptedStore(house.store, claims))
    assert isinstance(wished(house), Cancelled)
    assert (house.row().status, house.row().cancel_reason) == (W, "wanted no more")


def test_a_row_that_moves_again_and_again_is_an_error_and_not_a_silent_loss() -> None:
    house = Deployment(**CORRECT)
    house.submitted()

    class Busy(PassingStore):
        def apply(self, before: Any, after: Any) -> Any:  # noqa: ANN401 - as the port says
            house.change("op-1")
            return super().apply(before, after)

    house.cancel = replace(house.cancel, store=Busy(house.store))
    with pytest.raises(StoreError, match="moved 5 times"):
        wished(house)


def meanwhile(house: Deployment, reply: Reply) -> Reply:
    """Return a reply during which the cancellation comes."""

    def call(attempt: Attempt) -> Outcome:
        assert isinstance(wished(house), Cancelled)
        return reply(attempt)

    return call


MET: Mapping[str, tuple[Reply, Status]] = {
    "that it is done": (saying(Done(remote_id="crm-9", version=7, fields={"plan": "gold"})), A),
    "that it certainly was not applied": (raising(TransientError()), Status.NOT_APPLICABLE),
    "that nobody takes calls": (raising(OutageError()), Status.NOT_APPLICABLE),
    "that it is refused for good": (raising(RejectedError()), Status.NOT_APPLICABLE),
    "nothing": (raising(UncertainError()), A),
}


@case("F131")
@pytest.mark.parametrize("answer", MET)
def test_a_worker_whose_call_answers_meets_the_wish_that_came_meanwhile(answer: str) -> None:
    reply, status = MET[answer]
    house = Deployment(**CORRECT)
    house.submitted()
    house.remote.script = [meanwhile(house, reply)]
    house.worked()
    assert (house.row().status, house.row().cancel_reason) == (status, "wanted no more")
    assert (house.row().verdict, house.row().claim_token) == (None, None)


LOOKED_AT: Mapping[str, tuple[Observed, Mapping[str, Any], Status]] = {
    "proven, and the policy undoes it": (THERE, UNDOES, P),
    "proven, and left to a person": (THERE, CORRECT, M),
    "proven, and only proof may be recorded": (THERE, {**UNDOES, "mode": Mode.CONFIRM}, M),
    "there otherwise, which somebody else may have written": (Found(version=8), UNDOES, M),
    "there otherwise, and the policy undoes that, too": (
        Found(version=8),
        {**UNDOES, "on_divergent": Step.COMPENSATE},
        P,
    ),
    "missing, which a late call could still change": (Absent(), UNDOES, M),
}


@case("F131")
@pytest.mark.parametrize("look", LOOKED_AT)
def test_what_was_cancelled_while_nobody_knew_is_settled_by_a_look_and_never_confirmed(look: str) -> None:
    sight, policy, status = LOOKED_AT[look]
    house = Deployment(**policy)
    house.submitted()
    house.remote.script = [meanwhile(house, raising(UncertainError()))]
    house.worked()
    house.remote.sights = [seeing(sight)]
    house.clock.advance(SETTLED)
    house.swept()
    assert house.row().status is status


def test_what_was_cancelled_and_applied_is_undone_to_the_end_by_a_policy_that_says_so() -> None:
    house = Deployment(**UNDOES)
    house.submitted()
    house.remote.script = [meanwhile(house, house.remote.apply)]
    house.worked()
    house.clock.advance(SETTLED)
    house.swept()
    house.delivered()
    row = house.row()
    assert (row.status, row.cancel_reason) == (Status.COMPENSATED, "wanted no more")
    assert (house.remote.effects["op-1"], house.remote.undone["op-1"]) == (0, 1)
    first, second = house.remote.attempts
    assert first.idempotency_key != second.idempotency_key
    assert second.effect_key == first.idempotency_key


def test_what_waits_for_another_try_and_was_cancelled_is_looked_at_and_not_called_again() -> None:
    house = Deployment(**CORRECT)
    house.submitted()
    house.remote.script = [raising(UncertainError())]
    house.worked()
    house.clock.advance(SETTLED)
    house.swept()
    assert house.row().status is R
    wished(house)
    house.clock.advance(HOUR)
    worked = house.worked()
    assert (worked.called, house.remote.calls["op-1"], house.row().status) == (False, 1, A)
    assert worked.moves[-1].reason == Reason.RULED_OUT
    house.clock.advance(SETTLED + MINUTE)
    house.swept()
    assert house.row().status is M
