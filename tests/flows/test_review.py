"""Is a decision taken only where it fits, on a fresh look, by the row that the person saw, and otherwise refused?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from makegood.domain.evidence import VerdictKind
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Operation, OperationId, Status
from makegood.domain.policy import Capability
from makegood.domain.review import Action, Wish
from makegood.flows.cancel import Refused
from makegood.flows.review import Taken

from tests.case import case
from tests.flows.test_observe import CORRECT
from tests.support.deployment import Deployment
from tests.support.faults import FailingQueue, InterruptedStore
from tests.support.remote import blind, seeing
from tests.support.rows import LIMITS, NOW, OPERATOR, ago, operation, verdict

P, W, A = Status.PENDING, Status.PROCESSING, Status.AWAITING_CONFIRMATION
R, M = Status.RETRY_SCHEDULED, Status.MANUAL_REVIEW
THERE, OTHERWISE = Found(version=7, fields={"plan": "gold"}, remote_id="crm-9"), Found(version=8, remote_id="crm-9")
SAW = "asked them by phone"
UNDOING = {"intent": Intent.COMPENSATION}
DOWN = Unknown(why="503")


def standing(status: Status = M, *, sight: Any = None, policy: Mapping[str, Any] = CORRECT, **facts: Any) -> Deployment:  # noqa: ANN401 - what a look says, if it is taken
    """Return a deployment with one row in this status, and an outside world that shows this."""
    house = Deployment(**policy)
    house.store.rows["op-1"] = operation(status, **facts)
    if sight is not None:
        house.remote.sights = [seeing(sight)]
    return house


def decided(house: Deployment, action: Action, **said: Any) -> Taken | Refused:
    usual = {"reason": "the CRM was restored", "seen_revision": house.row().revision}
    return house.review.decide(
        Wish(**{**usual, "operation_id": OperationId("op-1"), "action": action, **said}), actor=OPERATOR
    )


def taken(house: Deployment, action: Action, **said: Any) -> Operation:
    done = decided(house, action, **said)
    assert isinstance(done, Taken), done.why
    return house.row()


def refused(house: Deployment, action: Action, **said: Any) -> str:
    before = house.picture()
    done = decided(house, action, **said)
    assert isinstance(done, Refused)
    assert (house.picture(), house.queued()) == (before, []), "a refusal changes nothing"
    return done.why


FITS: Mapping[Action, tuple[Any, Mapping[Status, Status]]] = {
    Action.RETRY: (Absent(), {M: R}),
    Action.CONFIRM: (THERE, {A: Status.CONFIRMED, M: Status.CONFIRMED}),
    Action.COMPENSATE: (OTHERWISE, {A: P, M: P}),
    Action.CLOSE: (Absent(), dict.fromkeys((P, R, A, M), Status.NOT_APPLICABLE)),
}


@case("F122")
@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("action", Action)
def test_a_decision_is_taken_in_the_statuses_it_fits_and_refused_in_the_others(action: Action, status: Status) -> None:
    sight, fits = FITS[action]
    house = standing(status, sight=sight)
    if status in fits:
        after = taken(house, action)
        assert (after.status, after.decisions[-1].action, after.decisions[-1].by) == (fits[status], action, "alice")
    else:
        words = "that is for ever" if status.is_terminal else f"it is {status}; {action} is for: "
        assert words in refused(house, action)
        assert house.remote.looks.total() == 0, "nobody is asked in vain"


@pytest.mark.parametrize("action", Action)
def test_a_row_that_moved_since_it_was_looked_at_refuses_every_decision(action: Action) -> None:
    house = standing(sight=FITS[action][0], revision=5)
    assert "it moved since it was looked at: revision 5 now, 4 then" in refused(house, action, seen_revision=4)


@pytest.mark.parametrize("action", Action)
def test_a_row_that_moves_while_it_is_decided_refuses_too(action: Action) -> None:
    house = standing(sight=FITS[action][0])
    store = InterruptedStore(house.store, lambda: house.change("op-1", cancel_reason="wanted no more"))
    house.review = replace(house.review, store=store)
    done = decided(house, action)
    assert isinstance(done, Refused)
    assert "it moved while it was being decided" in done.why
    assert (house.row().status, house.row().decisions, house.queued()) == (M, (), [])


Row = Mapping[str, Any]
WORDS: Sequence[tuple[Action, Any, Row, str | None, Status | None]] = [
    (Action.RETRY, Absent(), {"uncertain": True}, None, R),
    (Action.RETRY, DOWN, {"uncertain": True}, None, None),
    (Action.RETRY, DOWN, {"uncertain": True}, SAW, R),
    (Action.RETRY, DOWN, {"uncertain": False}, None, R),
    (Action.RETRY, THERE, {"uncertain": True}, SAW, None),
    (Action.RETRY, OTHERWISE, {"uncertain": True}, None, None),
    (Action.RETRY, OTHERWISE, {"uncertain": True}, SAW, R),
    (Action.RETRY, Absent(), {"uncertain": True, "first_claimed_at": ago(LIMITS.outage_limit)}, SAW, None),
    (Action.RETRY, Absent(), {"cancel_reason": "no more"}, SAW, None),
    (Action.CONFIRM, DOWN, {}, None, None),
    (Action.CONFIRM, DOWN, {}, SAW, Status.CONFIRMED),
    (Action.CONFIRM, Absent(), {}, SAW, None),
    (Action.CONFIRM, OTHERWISE, {}, SAW, None),
    (Action.CONFIRM, THERE, {"cancel_reason": "no more"}, None, Status.CONFIRMED),
    (Action.CONFIRM, Absent(), UNDOING, None, Status.COMPENSATED),
    (Action.CONFIRM, THERE, UNDOING, SAW, None),
    (Action.CONFIRM, DOWN, UNDOING, None, None),
    (Action.CONFIRM, DOWN, UNDOING, SAW, Status.COMPENSATED),
    (Action.COMPENSATE, THERE, {}, None, P),
    (Action.COMPENSATE, DOWN, {}, None, None),
    (Action.COMPENSATE, DOWN, {}, SAW, P),
    (Action.COMPENSATE, Absent(), {}, SAW, None),
    (Action.COMPENSATE, THERE, {"attempt_ended_at": NOW}, None, None),
    (Action.COMPENSATE, THERE, UNDOING, SAW, None),
    (Action.RETRY, THERE, {**UNDOING, "uncertain": True}, None, R),
    (Action.RETRY, Absent(), {**UNDOING, "uncertain": True}, SAW, None),
    (Action.CLOSE, DOWN, {"uncertain": True}, None, Status.NOT_APPLICABLE),
    (Action.CLOSE, OTHERWISE, {"uncertain": True}, None, Status.NOT_APPLICABLE),
    (Action.CLOSE, THERE, {"uncertain": True}, SAW, None),
]


@pytest.mark.parametrize(("action", "sight", "facts", "stated", "status"), WORDS)
def test_what_is_seen_decides_and_a_persons_word_counts_only_where_nothing_is(
    action: Action, sight: Any, facts: Row, stated: str | None, status: Status | None  # noqa: ANN401 - as above
) -> None:  # fmt: skip
    house = standing(sight=sight, **facts)
    if status is None:
        refused(house, action, stated=stated)
    else:
        assert taken(house, action, stated=stated).status is status


def test_an_absence_before_the_settle_window_is_over_is_no_ground_for_a_retry() -> None:
    house = standing(sight=Absent(), uncertain=True, attempt_ended_at=NOW)
    assert "(asked just now: " in refused(house, Action.RETRY)


@pytest.mark.parametrize("capability", [Capability.NOT_OBSERVABLE, Capability.ACKNOWLEDGEMENT_ONLY])
def test_where_nobody_can_ask_the_person_says_what_they_saw_whatever_the_call_itself_had_answered(
    capability: Capability,
) -> None:
    house = standing(policy={}, uncertain=True, verdict=verdict(VerdictKind.DIVERGENT))
    policy = replace(house.registry.terms["sync"].policy, capability=capability)
    house.registry.terms = {"sync": replace(house.registry.terms["sync"], policy=policy)}
    refused(house, Action.CONFIRM)
    refused(house, Action.RETRY)
    after = taken(house, Action.CONFIRM, stated=SAW, remote_id="crm-9")
    assert (after.status, after.remote_id) == (Status.CONFIRMED, "crm-9")
    assert after.verdict is not None
    assert (after.verdict.asked, after.verdict.answered) == ("a person", SAW)


def test_a_look_that_fails_is_said_in_the_refusal() -> None:
    house = standing(uncertain=True)
    house.remote.sights = [blind(RuntimeError("no route"))]
    assert "RuntimeError: no route" in refused(house, Action.RETRY)


def test_what_was_never_tried_is_decided_without_a_look() -> None:
    house = standing(first_claimed_at=None, attempt_ended_at=None, attempt=0)
    assert taken(house, Action.RETRY).status is R
    assert house.remote.looks.total() == 0


@pytest.mark.parametrize("action", [Action.RETRY, Action.COMPENSATE])
def test_the_hint_is_sent_at_once_and_a_queue_that_fails_leaves_it_to_the_sweep(action: Action) -> None:
    for failing in (False, True):
        house = standing(sight=FITS[action][0])
        if failing:
            house.review = replace(house.review, queue=FailingQueue(house.queue))
        done = decided(house, action)
        assert isinstance(done, Taken)
        assert (done.dispatched, house.queued()) == (not failing, [] if failing else ["op-1"])
        house.clock.advance(LIMITS.stale_after)
        assert house.swept().record.sent == 1


def test_a_decision_tells_afterwards_what_became_of_it() -> None:
    house = standing(
        sight=Absent(), uncertain=True, verdict=replace(verdict(VerdictKind.MISSING), recommendation="requeue")
    )
    made = taken(house, Action.RETRY).decisions[-1]
    assert (made.verdict, made.recommended, made.outcome, made.seen_revision) == ("missing", "requeue", None, 1)
    house.delivered()
    assert house.row().status is Status.CONFIRMED
    assert house.row().decisions[-1].outcome == "confirmed"
    assert house.row().expires_at is None, "what a person decided is kept"


def test_an_undoing_that_was_never_tried_is_looked_at_before_it_is_closed() -> None:
    house = standing(P, sight=THERE, intent=Intent.COMPENSATION)
    assert isinstance(decided(house, Action.CLOSE), Refused)
    assert (house.remote.looks["op-1"], house.row().status) == (1, P)
