"""Does a claim that has passed on change nothing, and is a wish to cancel never lost?"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from makegood.adapters.memory import SeededEntropy
from makegood.domain import transitions
from makegood.domain.errors import StoreError
from makegood.domain.history import Role
from makegood.domain.operation import Operation, Status
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import Accepted, NotApplicable, Outcome, RejectedError, TransientError
from makegood.domain.reason import Reason
from makegood.flows.work import Fate, Worked
from makegood.ports import Applied

from tests.case import case
from tests.support.deployment import Deployment
from tests.support.faults import LostReplies
from tests.support.remote import Reply, raising, saying
from tests.support.rows import HOUR, SETTLED, hand, operation


@pytest.fixture
def house() -> Deployment:
    return Deployment()


def first(*steps: Callable[[], object], then: Reply) -> Reply:
    """Return a reply that comes after all this has happened elsewhere."""

    def reply(attempt: Attempt) -> Outcome:
        for step in steps:
            step()
        return then(attempt)

    return reply


def cancel(house: Deployment, name: str = "op-1") -> None:
    """Let the producer ask for the operation to be cancelled."""
    row = house.row(name)
    by = hand(Role.PRODUCER, now=house.clock.now(), write_id=house.entropy.token())
    assert isinstance(house.store.apply(row, transitions.request_cancel(row, by, words="wanted no more")), Applied)


@pytest.mark.parametrize("late", ["an error", "a success", "a rejection", "a rule"])
def test_a_worker_that_was_thought_dead_and_finishes_late_changes_nothing(house: Deployment, late: str) -> None:
    house.submitted()
    pictures: list[bytes] = []

    def another_attempt_confirms() -> None:
        house.clock.advance(HOUR)
        house.swept()
        house.change("op-1", status=Status.RETRY_SCHEDULED, due_at=house.clock.now())
        assert house.worked().reason == "agreed"
        pictures.append(house.picture())

    answers: dict[str, Reply] = {
        "an error": raising(TransientError("503")),
        "a success": house.remote.apply,
        "a rejection": raising(RejectedError("422")),
        "a rule": saying(NotApplicable(reason="superseded")),
    }
    house.remote.script = [first(another_attempt_confirms, then=answers[late])]
    worked = house.worked()
    assert (worked.fate, worked.reason, worked.called) == (Fate.DONE, Reason.LATE_WRITE, True)
    assert [move.verb for move in worked.moves] == ["claim"]
    assert [house.picture()] == pictures
    assert (house.row().status, house.row().attempt) == (Status.CONFIRMED, 2)


def test_a_late_answer_after_the_release_waits_for_the_proof_and_is_not_written(house: Deployment) -> None:
    house.submitted()

    def released() -> None:
        house.clock.advance(HOUR)
        assert house.swept().record.acted == {"release": 1}

    house.remote.script = [first(released, then=house.remote.apply)]
    assert house.worked().reason is Reason.LATE_WRITE
    assert (house.row().status, house.row().uncertain) == (Status.AWAITING_CONFIRMATION, True)


def test_a_row_that_is_deleted_in_the_middle_stays_deleted(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [first(house.store.rows.clear, then=house.remote.apply)]
    worked = house.worked()
    assert (worked.fate, worked.reason, house.store.rows) == (Fate.DONE, Reason.LATE_WRITE, {})


def test_a_lost_reply_to_the_settling_write_is_an_error_and_its_message_finds_the_row_settled(
    house: Deployment,
) -> None:
    house.submitted()
    with pytest.raises(StoreError):
        house.worked(flow=replace(house.work, store=LostReplies(house.store)))
    again = house.worked()
    assert (again.fate, again.reason, again.called) == (Fate.DONE, Reason.TERMINAL, False)
    assert (house.row().status, house.remote.calls["op-1"]) == (Status.CONFIRMED, 1)


def test_a_claim_of_ours_whose_reply_was_lost_is_recognised_by_its_write_id(house: Deployment) -> None:
    house.submitted()
    twice = replace(house.work, entropy=SeededEntropy(7))
    token_and_write = [twice.entropy.token(), twice.entropy.token()]
    row = house.row()
    by = hand(Role.WORKER, now=house.clock.now(), write_id=token_and_write[1])
    house.store.rows["op-1"] = transitions.claim(row, by, token=token_and_write[0])
    worked = house.worked(flow=replace(house.work, entropy=SeededEntropy(7)))
    assert (worked.called, house.row().status, house.row().attempt) == (True, Status.CONFIRMED, 1)


def test_a_claim_of_ours_that_was_cancelled_before_its_reply_came_means_no_call(house: Deployment) -> None:
    house.submitted()
    twice = replace(house.work, entropy=SeededEntropy(7))
    token_and_write = [twice.entropy.token(), twice.entropy.token()]
    by = hand(Role.WORKER, now=house.clock.now(), write_id=token_and_write[1])
    house.store.rows["op-1"] = transitions.claim(house.row(), by, token=token_and_write[0])
    cancel(house)
    house.worked(flow=replace(house.work, entropy=SeededEntropy(7)))
    assert (house.remote.calls, house.row().status) == ({}, Status.NOT_APPLICABLE)


@case("F131")
def test_a_cancel_before_the_message_comes_means_no_call(house: Deployment) -> None:
    house.submitted()
    cancel(house)
    assert house.row().status is Status.NOT_APPLICABLE
    (worked,) = house.delivered()
    assert (worked.fate, worked.reason, house.remote.calls) == (Fate.DONE, Reason.TERMINAL, {})


CANCELLED_MEANWHILE: list[tuple[str, Status, str]] = [
    ("done", Status.AWAITING_CONFIRMATION, "cancelled"),
    ("accepted", Status.AWAITING_CONFIRMATION, "accepted"),
    ("uncertain", Status.AWAITING_CONFIRMATION, "uncertain"),
    ("transient", Status.NOT_APPLICABLE, "cancelled"),
    ("rejected", Status.NOT_APPLICABLE, "cancelled"),
    ("ruled out", Status.NOT_APPLICABLE, "ruled_out"),
]


@case("F131")
@pytest.mark.parametrize(("answer", "status", "reason"), CANCELLED_MEANWHILE)
def test_a_cancel_that_comes_during_the_call_is_kept_and_never_ends_in_confirmed(
    house: Deployment, answer: str, status: Status, reason: str
) -> None:
    house.submitted()
    answers: dict[str, Reply] = {
        "done": house.remote.apply,
        "accepted": saying(Accepted(remote_id="crm-9")),
        "uncertain": raising(TimeoutError()),
        "transient": raising(TransientError("503")),
        "rejected": raising(RejectedError("422")),
        "ruled out": saying(NotApplicable(reason="superseded")),
    }
    house.remote.script = [first(lambda: cancel(house), then=answers[answer])]
    worked = house.worked()
    row = house.row()
    assert (row.status, worked.reason, row.cancel_reason) == (status, reason, "wanted no more")
    assert worked.moves[0].verb == "claim"


def test_what_was_applied_although_it_was_cancelled_keeps_its_evidence_and_reaches_a_person(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [first(lambda: cancel(house), then=house.remote.apply)]
    house.worked()
    assert house.row().evidence is not None
    house.clock.advance(SETTLED)
    house.swept()
    assert (house.row().status, house.row().cancel_reason) == (Status.MANUAL_REVIEW, "wanted no more")


def test_a_cancelled_operation_whose_attempt_may_have_been_applied_is_not_sent_again(house: Deployment) -> None:
    house.store.rows["op-1"] = operation(Status.RETRY_SCHEDULED, uncertain=True, cancel_reason="wanted no more")
    worked = house.worked()
    assert (worked.called, worked.reason, house.remote.calls) == (False, "ruled_out", {})
    assert (house.row().status, house.row().uncertain) == (Status.AWAITING_CONFIRMATION, True)


def test_several_writes_of_others_under_our_claim_do_not_lose_the_answer(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [first(lambda: cancel(house), lambda: cancel(house), then=house.remote.apply)]
    worked: Worked = house.worked()
    row: Operation = house.row()
    assert (worked.reason, row.status, row.revision) == ("cancelled", Status.AWAITING_CONFIRMATION, 5)
