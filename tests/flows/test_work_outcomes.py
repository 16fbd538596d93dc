"""Does what perform said decide what happens next, and when?"""

from dataclasses import replace
from datetime import timedelta

import pytest
from makegood.domain.backoff import Backoff
from makegood.domain.operation import QueueName, Status
from makegood.domain.operation_type import Attempt, OperationType, Remotes
from makegood.domain.outcome import NotApplicable, Outcome, RejectedError, TransientError, UncertainError
from makegood.domain.policy import Policy
from makegood.flows.work import Fate

from tests.support.deployment import Deployment, Killed
from tests.support.faults import FailingQueue
from tests.support.remote import Reply, calling, raising, saying
from tests.support.rows import HOUR, LIMITS, MINUTE, SECOND

MS = SECOND / 1000


@pytest.fixture
def house() -> Deployment:
    return Deployment()


@pytest.mark.parametrize("error", [SystemExit(1), TimeoutError("read"), KeyError("id"), UncertainError("reset")])
def test_whatever_perform_raises_the_effect_may_exist_and_nothing_is_sent_again(
    house: Deployment, error: BaseException
) -> None:
    house.submitted()
    house.remote.script = [raising(error)]
    worked = house.worked()
    assert (worked.fate, worked.reason, worked.called) == (Fate.DONE, "uncertain", True)
    assert (house.row().status, house.row().uncertain) == (Status.AWAITING_CONFIRMATION, True)
    assert (worked.error or "").startswith(type(error).__name__)
    assert house.queue.take() != []
    assert [house.worked().called, house.swept().record.sent] == [False, 0]


def test_a_run_that_dies_in_the_call_has_counted_its_attempt(house: Deployment) -> None:
    row = house.claimed()
    assert (row.status, row.attempt, row.claim_token is None) == (Status.PROCESSING, 1, False)


def test_a_type_that_cannot_be_built_certainly_had_no_effect_and_is_tried_again() -> None:
    class Unready(OperationType):
        name = "sync"
        policy = Policy()
        destination = "nowhere"

        def __init__(self, remotes: Remotes) -> None:
            super().__init__(remotes)
            self.url = remotes.url("crm")

        def perform(self, attempt: Attempt) -> Outcome:
            raise AssertionError(attempt)

    house = Deployment(Unready)
    house.submitted()
    (worked,) = house.delivered()
    assert (house.row().status, house.row().uncertain, worked.called) == (Status.RETRY_SCHEDULED, False, False)
    assert "NotImplementedError" in (house.row().last_error or "")


def test_a_short_retry_is_a_new_message_that_the_queue_holds_back(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [raising(TransientError("503", retry_after=MINUTE))]
    (worked,) = house.delivered()
    assert (worked.fate, worked.reason) == (Fate.DONE, "transient")
    row, (message,) = house.row(), house.queue.messages
    assert row.not_before is not None
    assert message.delay == timedelta(milliseconds=row.not_before - house.clock.now())
    house.clock.advance(message.delay)
    assert house.delivered()[0].called
    assert (house.row().status, house.row().attempt) == (Status.CONFIRMED, 2)


def test_a_retry_of_exactly_900_seconds_is_still_the_queues() -> None:
    house = Deployment(backoff=Backoff(first=timedelta()))
    house.submitted()
    house.remote.script = [raising(TransientError("503", retry_after=timedelta(seconds=900)))]
    house.delivered()
    assert [message.delay for message in house.queue.messages] == [timedelta(seconds=900)]


def test_a_retry_goes_out_on_the_queue_that_its_promise_chose(house: Deployment) -> None:
    house.submitted(queue=QueueName.HIGH)
    house.remote.script = [raising(TransientError("503"))]
    house.delivered()
    assert [message.queue for message in house.queue.messages] == [QueueName.HIGH]


def test_work_that_was_promised_for_later_leaves_no_message_once_it_has_ended(house: Deployment) -> None:
    house.submitted(not_before=house.clock.now() + 1)
    house.clock.advance(SECOND)
    house.remote.script = [raising(TimeoutError())]
    house.delivered()
    assert (house.row().status, house.queued()) == (Status.AWAITING_CONFIRMATION, [])


def test_a_long_retry_has_no_message_and_the_sweep_sends_it(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [raising(TransientError("429", retry_after=HOUR))]
    house.delivered()
    assert (house.row().status, house.queued()) == (Status.RETRY_SCHEDULED, [])
    house.clock.advance(HOUR)
    assert house.swept().record.sent == 0
    house.clock.advance(LIMITS.retry_grace + 30 * SECOND)
    record = house.swept().record
    assert (record.sent, record.anomalies) == (1, {})
    assert house.delivered()[0].called


def test_a_short_retry_whose_message_was_not_taken_is_sent_by_the_sweep(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [raising(TransientError("503"))]
    worked = house.worked(flow=replace(house.work, queue=FailingQueue(house.queue)))
    assert worked.fate is Fate.DONE
    house.queue.take()
    house.clock.advance(LIMITS.stale_after)
    assert house.swept().record.sent == 1


def test_the_eighth_attempt_is_the_last_and_a_person_gets_it(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [raising(TransientError("503"))] * 20
    for _ in range(20):
        house.clock.advance(HOUR)
        house.swept()
        house.delivered()
    assert (house.row().status, house.row().attempt) == (Status.MANUAL_REVIEW, 8)
    assert house.remote.calls["op-1"] == 8


def test_a_compensation_type_and_an_effect_type_have_their_own_attempts() -> None:
    remote = Deployment().remote
    house = Deployment(calling(remote, "sync"), calling(remote, "charge", max_attempts=1))
    house.submitted("op-1", "sync")
    house.submitted("op-2", "charge")
    remote.script = [raising(TransientError("503"))] * 2
    house.delivered()
    assert [house.row(name).status for name in ("op-1", "op-2")] == [Status.RETRY_SCHEDULED, Status.MANUAL_REVIEW]


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (raising(RejectedError("422")), Status.MANUAL_REVIEW),
        (saying(NotApplicable(reason="superseded")), Status.NOT_APPLICABLE),
    ],
)
def test_a_final_answer_is_final(house: Deployment, reply: Reply, status: Status) -> None:
    house.submitted()
    house.remote.script = [reply]
    house.delivered()
    house.clock.advance(24 * HOUR)
    assert (house.row().status, house.swept().record.sent, house.queued()) == (status, 0, [])


def test_the_killed_run_is_not_taken_for_an_answer(house: Deployment) -> None:
    house.submitted()
    house.remote.script = [raising(Killed())]
    with pytest.raises(Killed):
        house.worked()
    assert house.row().status is Status.PROCESSING
