"""Is a wish to cancel never lost and never overheard, and does every mark on a row have a way out?"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import pytest
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import OPEN, Intent, Status, idempotency_key_for
from makegood.domain.outcome import Done, RejectedError, TransientError, UncertainError
from makegood.domain.policy import Capability, Step
from makegood.flows.cancel import Cancelled, Refused
from makegood.flows.review import Taken

from tests.case import case
from tests.cases.outside import Killed, applied_then, outside, placed, reasons, verbs
from tests.cases.scene import once
from tests.contract.worlds import hooked
from tests.doors.world import T, message
from tests.support.remote import raising, saying, seeing

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.observation import Observed
    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.cases.outside import Outside
    from tests.doors.world import Doors

    House: TypeAlias = Callable[..., Outside]

MINUTE = timedelta(minutes=1)
LOST = UncertainError("no answer within 10 s")
THERE = Found(version=7, fields={"plan": "gold"}, remote_id="crm-9", asked="GET", summary="200")
GONE = Absent(asked="GET", summary="404 none")


@pytest.fixture
def house(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> House:
    """Return what puts an outside system behind the doors."""
    return partial(outside, quick_doors, monkeypatch)


@case("F131")
@pytest.mark.parametrize("tried", ["never", "without effect", "while a sweep reads"])
def test_what_was_never_uncertainly_tried_ends_at_once_and_no_call_follows(house: House, tried: str) -> None:
    world = house()
    row = world.promised()
    if tried == "without effect":
        world.deliver(row, raising(TransientError("423")))
    if tried == "while a sweep reads":
        world.later(T)
        with once(world.doors, "after-call", lambda: world.cancel(row)):
            world.doors.sweep()
    else:
        assert isinstance(world.cancel(row), Cancelled)
    world.later(T)
    before = world.calls(row)
    world.doors.work(message(row))
    world.doors.sweep()
    ended = world.row(row)
    assert (ended.status, world.calls(row), world.effects(row)) == (Status.NOT_APPLICABLE, before, 0)
    assert ended.closure is not None
    assert (ended.closure.reason, ended.closure.by) == ("ordered twice", "operator alice")


def cancelled_during(world: Outside, row: Operation, then: Callable[[Attempt], Outcome]) -> Operation:
    """Let the row be cancelled while its call is under way, which then ends so."""

    def call(attempt: Attempt) -> Outcome:
        assert isinstance(world.cancel(row), Cancelled)
        return then(attempt)

    return world.deliver(row, call)


@case("F131")
def test_a_cancel_between_the_claim_and_the_call_is_kept_like_one_during_the_call(house: House) -> None:
    world = house()
    row = world.promised()
    done: list[object] = []

    def claimed(**_: object) -> None:
        if not done:
            done.append(None)
            done[:] = [world.cancel(row)]

    with hooked(world.doors.table.client, "after-call.dynamodb.UpdateItem", claimed):
        waiting = world.deliver(row)
    assert isinstance(done[0], Cancelled)
    assert (waiting.status, waiting.cancel_reason) == (Status.AWAITING_CONFIRMATION, "ordered twice")
    assert world.settled(row).status is Status.MANUAL_REVIEW


@case("F131")
@pytest.mark.parametrize("error", [TransientError("423"), RejectedError("422")])
def test_a_cancel_during_a_call_that_certainly_had_no_effect_ends_it(house: House, error: BaseException) -> None:
    world = house()
    row = world.promised()
    ended = cancelled_during(world, row, raising(error))
    assert (ended.status, reasons(ended)[-1]) == (Status.NOT_APPLICABLE, "cancelled")


@case("F131")
@pytest.mark.parametrize("answered", [True, False])
def test_a_cancel_during_a_call_that_was_applied_ends_undone_where_the_policy_says_so(
    house: House, *, answered: bool
) -> None:
    world = house(on_cancelled=Step.COMPENSATE, confirmation_window=MINUTE, settle_window=10 * MINUTE)
    row = world.promised()
    waiting = cancelled_during(world, row, world.remote.apply if answered else applied_then(world.remote, LOST))
    assert (waiting.status, waiting.cancel_reason) == (Status.AWAITING_CONFIRMATION, "ordered twice")
    turned = world.settled(row)
    assert (turned.status, turned.intent, world.calls(row)) == (Status.PENDING, Intent.COMPENSATION, 1)
    ended = world.deliver(row)
    assert (ended.status, world.effects(row), world.remote.undone[row.operation_id]) == (Status.COMPENSATED, 0, 1)
    keys = [attempt.idempotency_key for attempt in world.remote.attempts]
    assert keys == [idempotency_key_for(row.operation_id, intent) for intent in Intent]


@case("F131")
@pytest.mark.parametrize(
    ("sight", "kind", "recommended"),
    [(THERE, "correct", None), (GONE, "missing", "close"), (Unknown(why="503"), "ambiguous", None)],
)
def test_a_cancelled_operation_of_unknown_end_is_never_confirmed_nor_sent_again_by_itself(
    house: House, sight: Observed, kind: str, recommended: str | None
) -> None:
    world = house(on_missing=Step.REQUEUE, outage_limit=timedelta(hours=1))
    row = world.promised()
    cancelled_during(world, row, raising(LOST))
    for _ in range(20):
        if world.row(row).status is not Status.AWAITING_CONFIRMATION:
            break
        world.look(row, seeing(sight))
        world.doors.work(message(row))
    ended = world.row(row)
    assert ended.verdict is not None
    assert (ended.status, ended.verdict.kind.value, ended.verdict.recommendation) == (
        Status.MANUAL_REVIEW,
        kind,
        recommended,
    )
    assert (world.calls(row), ended.cancel_reason) == (1, "ordered twice")
    world.remote.sights[:] = [seeing(sight)]
    assert isinstance(world.decide(row, "retry", stated="it is not there"), Refused), "it is wanted no more"


@case("F131")
def test_a_cancel_of_a_retry_whose_first_attempt_may_have_been_applied_makes_no_further_call(house: House) -> None:
    world = house(on_missing=Step.REQUEUE)
    row = world.promised()
    world.deliver(row, raising(LOST))
    assert world.look(row, seeing(GONE)).status is Status.RETRY_SCHEDULED
    assert isinstance(world.cancel(row), Cancelled)
    world.to(world.row(row).not_before)
    world.deliver(row)
    for _ in range(5):
        world.later(T)
        world.remote.sights[:] = [seeing(GONE)]
        world.doors.sweep()
        world.doors.work(message(row))
    ended = world.row(row)
    assert (ended.status, world.calls(row)) == (Status.MANUAL_REVIEW, 1)
    assert ended.verdict is not None
    assert (ended.verdict.kind.value, ended.verdict.recommendation) == ("missing", "close")


@case("F131")
def test_a_cancel_of_one_whose_worker_was_killed_is_kept_and_asking_twice_changes_nothing(house: House) -> None:
    world = house()
    row = world.promised()
    world.deliver(row, raising(Killed()))
    assert isinstance(world.cancel(row), Cancelled)
    before = world.doors.bytes()
    assert isinstance(world.cancel(row), Cancelled)
    assert world.doors.bytes() == before
    world.later(T)
    world.doors.sweep()
    assert (world.row(row).status, world.row(row).cancel_reason) == (Status.AWAITING_CONFIRMATION, "ordered twice")
    assert world.settled(row).status is Status.MANUAL_REVIEW


@case("F131")
def test_what_is_being_undone_is_not_cancelled_and_an_undoing_that_shows_the_effect_proves_nothing(
    house: House,
) -> None:
    world = house(on_divergent=Step.COMPENSATE)
    row = world.promised()
    world.deliver(row, applied_then(world.remote, LOST))
    assert world.look(row, seeing(Found(version=7, fields={"plan": "silver"}))).intent is Intent.COMPENSATION
    assert isinstance(world.cancel(row), Refused)
    still = saying(Done(remote_id="crm-9", version=7, fields={"plan": "gold"}))
    assert world.deliver(row, still).status is Status.AWAITING_CONFIRMATION
    assert world.look(row, seeing(THERE)).status is Status.RETRY_SCHEDULED
    world.to(world.row(row).not_before)
    world.deliver(row, raising(LOST))
    ended = world.look(row, seeing(GONE))
    assert (ended.status, verbs(ended).count("compensate"), world.calls(row)) == (Status.COMPENSATED, 1, 1)


@case("F129")
@pytest.mark.usefixtures("many_rows")
@pytest.mark.parametrize("capability", [Capability.BY_KEY, Capability.NOT_OBSERVABLE])
@pytest.mark.parametrize("marks", [{}, {"uncertain": True}, {"cancel_reason": "ordered twice"}])
@pytest.mark.parametrize(("status", "intent"), list(product(sorted(OPEN), Intent)))
def test_every_open_row_has_a_way_to_an_end_whatever_marks_it_carries(
    house: House, status: Status, intent: Intent, marks: dict[str, object], capability: Capability
) -> None:
    if intent is Intent.COMPENSATION and "cancel_reason" in marks and status is Status.PENDING:
        marks = {**marks, "uncertain": True}
    world = house(capability=capability)
    row = placed(world, status, intent=intent, **marks)
    world.remote.script[:] = [raising(RejectedError("422"))] * 50
    for _ in range(30):
        if world.row(row).status is Status.MANUAL_REVIEW:
            break
        world.later(6 * T)
        world.doors.sweep()
        world.doors.work(message(row))
    assert world.row(row).is_terminal or isinstance(world.decide(row, "close"), Taken)
    assert world.row(row).is_terminal
