"""Does a sweep ask the outside world side by side, within bounds, and no longer than it answers?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from makegood.domain.history import Verb
from makegood.domain.observation import Absent, Found, Look, Observed, Unknown
from makegood.domain.operation import Status
from makegood.domain.outcome import UncertainError
from makegood.domain.policy import Capability, Mode, Step
from makegood.domain.reason import Reason
from makegood.flows.observe import SIDE_BY_SIDE
from makegood.ports import Lookout, Question

from tests.support.deployment import Deployment
from tests.support.faults import BrokenRows, InterruptedStore
from tests.support.remote import Remote, blind, calling, raising, seeing
from tests.support.rows import HOUR, MINUTE, SECOND, SETTLED

CORRECT: dict[str, Any] = {
    "capability": Capability.BY_KEY,
    "mode": Mode.CORRECT,
    "idempotent": True,
    "on_missing": Step.REQUEUE,
}
DOWN = Unknown(why="503")


class Watched(Lookout):
    """Notes how many looks are out at once."""

    def __init__(self, lookout: Lookout, between: Callable[[], object] = lambda: None) -> None:
        self._lookout, self._between = lookout, between
        self.rounds: list[list[str]] = []

    def ask(self, questions: Sequence[Question]) -> Sequence[Observed]:
        """Pass on, and let something happen while the answers are on their way."""
        self.rounds.append([question.look.operation.operation_id for question in questions])
        answers = self._lookout.ask(questions)
        self._between()
        return answers


def uncertain(house: Deployment, count: int, prefix: str = "op", operation_type: str = "sync") -> list[str]:
    """Promise operations whose calls timed out before they were applied, and let the first look come due."""
    names = [f"{prefix}-{number:03}" for number in range(count)]
    for name in names:
        house.submitted(name, operation_type)
        house.remote.script.append(raising(UncertainError("timed out")))
        house.worked(name)
    house.queue.take()
    house.clock.advance(SETTLED)
    return names


def watched(house: Deployment, **more: Any) -> Watched:
    seen = Watched(house.lookout, **more)
    house.sweep_flow = replace(house.sweep_flow, lookout=seen)
    return seen


@pytest.fixture
def house() -> Deployment:
    return Deployment(**CORRECT)


def statuses(house: Deployment) -> set[str]:
    return {row.status.value for row in house.store.rows.values()}


def test_looks_are_out_side_by_side_and_never_more_than_eight(house: Deployment) -> None:
    uncertain(house, 30)
    rounds = watched(house)
    house.swept()
    out = [len(each) for each in rounds.rounds]
    assert (max(out), sum(out)) == (SIDE_BY_SIDE, 30)
    assert out[0] == house.registry.terms["sync"].policy.unknowns, "nobody knows yet whether it answers"


def test_an_outage_is_one_problem_the_rest_is_put_off_apart_and_nobody_reaches_review(house: Deployment) -> None:
    names = uncertain(house, 40)
    house.remote.sights = [seeing(DOWN)] * 40
    rounds = watched(house)
    record = house.swept().record
    assert [len(each) for each in rounds.rounds] == [3]
    assert (record.acted, record.remaining) == ({"observe_again": 40}, 0)
    assert record.not_asked == {"sync": "3 looks in a row without an answer: 503"}
    due = [house.row(name).due_at or 0 for name in names]
    assert statuses(house) == {"awaiting_confirmation"}
    assert len(set(due)) > 35, "not in step"
    assert min(due) >= house.clock.now() + MINUTE // (SECOND / 1000)


def test_an_answer_between_two_failures_keeps_a_type_asked(house: Deployment) -> None:
    uncertain(house, 9)
    house.remote.sights = [seeing(DOWN), seeing(DOWN), house.remote.truth] * 3
    record = house.swept().record
    assert house.remote.looks.total() == 9
    assert record.not_asked == {}


def test_a_type_that_answers_again_in_the_same_round_is_not_said_to_be_given_up(house: Deployment) -> None:
    uncertain(house, 12)
    house.remote.sights = [house.remote.truth] * 3 + [seeing(DOWN)] * 3
    record = house.swept().record
    assert (house.remote.looks.total(), record.not_asked) == (12, {})


def test_one_type_that_is_down_does_not_keep_another_from_being_asked() -> None:
    up, down = Remote(), Remote()
    house = Deployment(calling(up, "up", **CORRECT), calling(down, "down", **CORRECT))
    down.sights = [seeing(DOWN)] * 20
    for name, remote in (("down", down), ("up", up)):
        house.remote = remote
        uncertain(house, 20, name, name)
    record = house.swept().record
    assert (down.looks.total(), up.looks.total()) == (3, 20)
    assert list(record.not_asked) == ["down"]


def test_recovery_drains_and_what_is_missing_is_sent_at_once(house: Deployment) -> None:
    names = uncertain(house, 40)
    record = house.swept().record
    assert (record.verdicts, record.sent) == ({"missing": 40}, 40)
    assert sorted(house.queued()) == names
    assert all(message.delay <= 900 * SECOND for message in house.queue.messages)


def test_a_hint_that_a_queue_cannot_hold_so_long_is_left_to_a_sweep() -> None:
    slow = replace(Deployment(**CORRECT).registry.terms["sync"].policy.backoff, first=10 * HOUR, ceiling=10 * HOUR)
    house = Deployment(**CORRECT, backoff=slow)
    uncertain(house, 1, "op")
    assert (house.swept().record.sent, house.row("op-000").status) == (0, Status.RETRY_SCHEDULED)
    house.clock.advance(11 * HOUR)
    assert house.swept().record.sent == 1


def test_what_is_undone_by_policy_is_sent_at_once() -> None:
    house = Deployment(**CORRECT, on_divergent=Step.COMPENSATE)
    uncertain(house, 1)
    house.remote.sights = [seeing(Found(version=8, fields={"plan": "gold"}))]
    assert house.swept().record.acted == {Verb.COMPENSATE: 1}
    assert house.queued() == ["op-000"]
    house.delivered()
    assert (house.row("op-000").status, house.remote.undone["op-000"]) == (Status.COMPENSATED, 1)


def test_a_type_whose_constructor_raises_is_unknown_and_stops_nobody() -> None:
    class Broken(calling(Remote(), "broken", **CORRECT)):  # type: ignore[misc]
        def __init__(self, remotes: object) -> None:
            raise RuntimeError(f"no address in {remotes}")

    remote = Remote()
    house = Deployment(Broken, calling(remote, **CORRECT))
    house.remote = remote
    uncertain(house, 1, "sync")
    house.submitted("broken-1", "broken")
    house.change("broken-1", status=Status.AWAITING_CONFIRMATION, uncertain=True, due_at=house.clock.now())
    record = house.swept().record
    assert record.acted == {"observe_again": 1, "requeue": 1}
    assert record.error_count == 0


def test_a_bad_row_is_named_and_the_others_are_followed(house: Deployment) -> None:
    names = uncertain(house, 10)
    store = BrokenRows(house.store, unwritable=[names[4]])
    record = house.swept(flow=replace(house.sweep_flow, store=store)).record
    assert (record.acted, list(record.errors)) == ({"requeue": 9}, [names[4]])


def test_a_row_that_moved_while_it_was_asked_about_is_left_as_it_is(house: Deployment) -> None:
    uncertain(house, 1)
    store = InterruptedStore(house.store, lambda: house.change("op-000", cancel_reason="wanted no more"))
    record = house.swept(flow=replace(house.sweep_flow, store=store)).record
    assert (record.acted, record.skipped) == ({}, {Reason.MOVED: 1})
    assert (house.row("op-000").status, house.queued()) == (Status.AWAITING_CONFIRMATION, [])


def test_an_absence_counts_by_the_time_it_was_asked_for_and_not_by_the_time_it_was_told() -> None:
    house = Deployment(**CORRECT, confirmation_window=0 * SECOND)
    uncertain(house, 1)
    house.change("op-000", attempt_ended_at=house.clock.now() - SETTLED // (SECOND / 1000) + 1)
    watched(house, between=lambda: house.clock.advance(SECOND))
    assert house.swept().record.verdicts == {}
    assert house.row("op-000").status is Status.AWAITING_CONFIRMATION


def test_a_run_begins_no_look_that_could_outlast_it(house: Deployment) -> None:
    uncertain(house, 20)
    watched(house, between=lambda: house.clock.advance(3 * SECOND))
    record = house.swept(time_left=12 * SECOND).record
    asked = house.remote.looks.total()
    assert 0 < asked < 20
    assert record.remaining == 20 - asked


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(1), TimeoutError(), KeyError("id")])
def test_an_error_of_a_look_is_unknown_and_never_an_absence(house: Deployment, error: BaseException) -> None:
    uncertain(house, 1)
    house.remote.sights = [blind(error)]
    assert house.swept().record.verdicts == {}
    assert house.row("op-000").status is Status.AWAITING_CONFIRMATION


@pytest.mark.parametrize("nonsense", [None, "absent", {"version": 7}, Absent])
def test_an_answer_that_is_none_is_unknown(house: Deployment, nonsense: object) -> None:
    uncertain(house, 1)
    house.remote.sights = [lambda _: nonsense]  # type: ignore[list-item, return-value]
    assert house.swept().record.acted == {"observe_again": 1}


def test_what_observe_does_to_its_copy_changes_no_promise(house: Deployment) -> None:
    uncertain(house, 1)

    def meddles(look: Look) -> Observed:
        look.operation.expected_fields["plan"] = "free"  # type: ignore[index]
        return Found(version=7, fields={"plan": "free"})

    house.remote.sights = [meddles]
    assert house.swept().record.verdicts == {"divergent": 1}


def test_a_dry_run_asks_nobody(house: Deployment) -> None:
    uncertain(house, 5)
    before = house.picture()
    record = house.swept(dry_run=True).record
    assert (record.acted, house.remote.looks.total(), house.picture()) == ({"observe": 5}, 0, before)


def test_absences_must_be_seen_in_a_row_by_one_sweep_after_the_other() -> None:
    house = Deployment(**CORRECT, absences=3)
    uncertain(house, 1)
    house.remote.sights = [seeing(Absent()), seeing(Absent()), seeing(DOWN), *[seeing(Absent())] * 3]
    for _ in range(5):
        house.swept()
        assert house.row("op-000").status is Status.AWAITING_CONFIRMATION
        house.clock.advance(HOUR)
    house.swept()
    assert house.row("op-000").status is Status.RETRY_SCHEDULED
