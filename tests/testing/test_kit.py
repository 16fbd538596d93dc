"""Does the fault kit try everything it says, leave out what a double cannot be told, and cut off every request?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from makegood import Accepted, Attempt, Capability, Done, OperationType, Policy, Promise, RejectedError, Step
from makegood.domain.errors import StoreError, UnsafePolicy
from makegood.testing import Clause, Fault, RemoteInMemory, put_on_trial
from makegood.testing.fuse import Crash, Fuse, Manner, every_crash
from makegood.testing.in_memory import InMemoryMakegood
from makegood.testing.trials import SEVEN

from tests.testing.publish_price import PublishPrice
from tests.testing.test_publish_price import PRICE

SHOP = RemoteInMemory()
#: issue by issue the same seven, by the names of the trials
FAILURES = (
    "crash after the effect",
    "duplicate execution",
    "out-of-order message",
    "worker restart",
    "time-out",
    "prolonged outage",
    "version change",
)


class InTest(PublishPrice):
    """The type at this module's double."""

    shop = SHOP


class Reversible(InTest):
    """The type with a way back."""

    policy = replace(PublishPrice.policy, on_cancelled=Step.COMPENSATE)

    def compensate(self, attempt: Attempt) -> Done:
        """Take the version away."""
        price, key = attempt.operation, attempt.idempotency_key
        answer = self.shop.delete(price.entity, key=key, version=price.expected_version)
        if answer.status == 409:
            raise RejectedError("another version stands, and it is not ours to take away")
        return Done(remote_id=price.entity)


class Slow(InTest):
    """Nobody can ask this remote, and it does not say at once what it has done."""

    policy = Policy(idempotent=True)
    observe = OperationType.observe

    def perform(self, attempt: Attempt) -> Accepted:  # type: ignore[override]
        """Leave the proof to others."""
        super().perform(attempt)
        return Accepted()


class Deaf(RemoteInMemory):
    """A double that can only be told to refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.can = frozenset({Fault.REFUSE})


def test_each_of_the_seven_failures_has_its_trial() -> None:
    assert {failure for failure in FAILURES if any(trial.name.startswith(failure) for trial in SEVEN)} == set(FAILURES)
    tried = [result.name for result in put_on_trial(InTest, SHOP, PRICE).results]
    assert set(tried) >= {trial.name for trial in SEVEN}


def test_a_type_that_can_be_undone_is_undone_and_cut_off_while_that_happens() -> None:
    report = put_on_trial(Reversible, SHOP, PRICE)
    report.assert_sound()
    endings = {result.name: result.ending for result in report.results if result.trial.group == "undoing"}
    assert endings["cancelled when it was applied"] == "compensated (agreed); 2 effects"
    cut = {result.crash for result in report.crashes}
    assert {"work: the type's compensate, right after it", "cancel: store.apply, its reply lost"} <= cut


def test_a_type_whose_outcome_is_never_known_goes_to_people_and_is_sound() -> None:
    report = put_on_trial(Slow, SHOP, PRICE)
    report.assert_sound()
    assert report.results[0].ending == "manual_review (not observable); 1 effect"
    assert not any("looks" in result.name for result in report.results)


def test_what_a_double_cannot_be_told_is_left_out_and_named() -> None:
    class Here(PublishPrice):
        shop = Deaf()

    report = put_on_trial(Here, Here.shop, PRICE)
    report.assert_sound()
    assert "refused for good" in [result.name for result in report.results]
    assert "prolonged outage" in [trial.name for trial in report.left_out]
    assert "left out: the double cannot be told to be down for calls and looks" in str(report)


def test_an_unsafe_policy_is_refused_before_anything_is_tried() -> None:
    class Unsafe(InTest):
        policy = Policy(capability=Capability.BY_KEY, on_missing=Step.REQUEUE)

    with pytest.raises(UnsafePolicy, match="idempotent=True"):
        put_on_trial(Unsafe, SHOP, PRICE)


def test_each_trial_gets_a_promise_of_its_own_where_they_are_made() -> None:
    numbers = count(1)

    def promise() -> Promise:
        return replace(PRICE, entity=f"price/{next(numbers)}")

    report = put_on_trial(InTest, SHOP, promise)
    report.assert_sound()
    assert next(numbers) > len(report.results) + len(report.crashes)


def test_every_request_is_cut_off_in_every_way() -> None:
    report = put_on_trial(InTest, SHOP, PRICE)
    plain = [result.crash for result in report.crashes if result.trial.name == "nothing goes wrong"]
    assert plain == [
        f"{request}, {manner}"
        for request in (
            "submit: store.add",
            "submit: queue.send",
            "work: store.claim",
            "work: the type's perform",
            "work: store.apply",
        )
        for manner in Manner
    ]


def cut_off(manner: Manner, verb: str) -> InMemoryMakegood:
    """Return a Makegood whose process is cut off at the first request with this verb."""
    fuse = Fuse(at=1, manner=manner)
    makegood = InMemoryMakegood()
    makegood.register(InTest)
    ports = fuse.guard(makegood.ports)
    makegood.ports = replace(makegood.ports, **{verb.partition(".")[0]: getattr(ports, verb.partition(".")[0])})
    return makegood


@pytest.mark.parametrize(
    ("manner", "error", "rows"),
    [(Manner.BEFORE, Crash, 0), (Manner.AFTER, Crash, 1), (Manner.REPLY_LOST, StoreError, 1)],
)
def test_a_request_that_is_cut_off_has_landed_or_not(manner: Manner, error: type[BaseException], rows: int) -> None:
    makegood = cut_off(manner, "store.add")
    with pytest.raises(error):
        makegood.submit(PRICE)
    assert len(makegood.memory.store.rows) == rows


def test_a_message_whose_reply_is_lost_counts_as_not_sent_and_is_there() -> None:
    makegood = cut_off(Manner.REPLY_LOST, "queue.send")
    assert not makegood.submit(PRICE).dispatched
    assert len(makegood.queued()) == 1


def test_a_read_is_cut_off_once_less_than_a_write() -> None:
    assert [fuse.manner for fuse in every_crash(["sweep: store.find", "sweep: store.apply"])] == [
        Manner.BEFORE,
        Manner.REPLY_LOST,
        *Manner,
    ]


def test_a_deadline_that_passes_in_an_outage_is_no_fault_of_the_type() -> None:
    class Hurried(InTest):
        policy = replace(PublishPrice.policy, deadline=PublishPrice.policy.client_timeout * 12)

    put_on_trial(Hurried, SHOP, PRICE).assert_sound()


def test_a_type_whose_remote_takes_half_a_day_to_settle_is_tried_like_any_other() -> None:
    class Patient(InTest):
        policy = replace(PublishPrice.policy, settle_window=timedelta(hours=6))

    report = put_on_trial(Patient, SHOP, PRICE)
    report.assert_sound()
    assert report.crashes


def test_a_type_that_cannot_even_be_built_is_seen() -> None:
    class Unbuilt(InTest):
        def __init__(self, _: object) -> None:
            raise RuntimeError("no configuration")

    report = put_on_trial(Unbuilt, SHOP, PRICE)
    assert {finding.clause for finding in report.findings} == {Clause.PROOF}
    assert "a person is asked after 8 attempt(s): NotReadyError" in str(report)
