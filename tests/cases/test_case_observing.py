"""Is a look believed for what it shows: late, on and off, marked as deleted, or twice?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.evidence import Difference
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Status
from makegood.domain.outcome import UncertainError
from makegood.domain.policy import Capability, Step

from tests.case import case
from tests.cases.outside import POLICY_VERSION, applied_then, elapsed, outside, verbs
from tests.support.remote import blind, raising, seeing
from tests.support.rows import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.operation import Operation

    from tests.cases.outside import Outside
    from tests.doors.world import Doors
    from tests.support.remote import Sight

MINUTE = timedelta(minutes=1)
LOST = UncertainError("no answer within 10 s")
NONE = seeing(Absent(asked="GET /customers?key=…", summary="404 none"))
NOBODY_KNOWS = seeing(Unknown(why="it answered 503"))


def there(**facts: Any) -> Sight:
    """See the effect as it was promised, but for these facts."""
    usual = {"version": 7, "fields": {"plan": "gold"}, "remote_id": "crm-9", "asked": "GET /customers?key=…"}
    return seeing(Found(**{**usual, "summary": "200, one customer", **facts}))


def applied(world: Outside) -> Operation:
    """Promise an operation whose effect was made, and whose worker was not told."""
    row = world.promised()
    return world.deliver(row, applied_then(world.remote, LOST))


@case("F052")
@pytest.mark.parametrize(
    "policy",
    [{"absences": 3}, {"confirmation_window": MINUTE, "settle_window": timedelta(minutes=20)}],
    ids=["three absences in a row", "a long settle window"],
)
def test_what_shows_late_is_confirmed_as_soon_as_it_is_found_and_nothing_undoes_it(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, policy: dict[str, Any]
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE, **policy)
    row = applied(world)
    waiting = world.look(row, NONE, NONE)
    assert (waiting.status, waiting.verdict, waiting.observations) == (Status.AWAITING_CONFIRMATION, None, 2)
    found = world.look(row, there())
    assert (found.status, world.calls(row), world.effects(row)) == (Status.CONFIRMED, 1, 1)
    before = quick_doors.bytes()
    world.remote.sights[:] = [NONE]
    world.later(timedelta(days=2))
    assert quick_doors.sweep()["scanned"] == 0
    assert (world.remote.looks[row.operation_id], quick_doors.bytes()) == (3, before)


@case("F052")
def test_only_absences_in_a_row_count(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE, absences=3, unknowns=1)
    row = applied(world)
    assert world.look(row, NONE, NONE, NOBODY_KNOWS, NONE, NONE).status is Status.AWAITING_CONFIRMATION
    assert (world.row(row).absences, world.calls(row)) == (2, 1)
    again = world.look(row, NONE)
    assert (again.status, again.verdict and again.verdict.kind.value) == (Status.RETRY_SCHEDULED, "missing")


@case("F052")
def test_an_absence_before_the_settle_window_is_over_is_none(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle = timedelta(minutes=30)
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE, confirmation_window=MINUTE, settle_window=settle)
    row = world.deliver(world.promised(), raising(LOST))
    looks = 0
    while (due_at := world.row(row).due_at) is not None and due_at < elapsed(row, settle + LIMITS.skew_margin):
        assert world.look(row, NONE).status is Status.AWAITING_CONFIRMATION
        looks += 1
    assert looks >= 2
    assert (world.row(row).absences, world.calls(row)) == (0, 1)
    assert world.look(row, NONE).status is Status.RETRY_SCHEDULED


@case("F052")
@pytest.mark.parametrize("step", [Step.REVIEW, Step.COMPENSATE])
def test_an_old_state_that_a_look_may_show_until_the_settle_window_is_over_is_no_verdict(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    settle = timedelta(minutes=30)
    world = outside(quick_doors, monkeypatch, on_divergent=step, confirmation_window=MINUTE, settle_window=settle)
    row = applied(world)
    assert world.look(row, there(version=6, fields={"plan": "silver"})).status is Status.AWAITING_CONFIRMATION
    assert world.look(row, there()).status is Status.CONFIRMED


@case("F054")
@pytest.mark.parametrize(("step", "recommended"), [(Step.REVIEW, None), (Step.COMPENSATE, "compensate")])
def test_what_is_found_marked_as_deleted_is_not_correct_and_there_is_nothing_to_undo(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, step: Step, recommended: str | None
) -> None:
    world = outside(quick_doors, monkeypatch, on_divergent=step)
    row = applied(world)
    found = world.look(row, there(deleted=True))
    assert (found.status, found.intent, world.calls(row)) == (Status.MANUAL_REVIEW, Intent.EFFECT, 1)
    assert found.verdict is not None
    assert found.verdict.differences == (Difference(field="deleted", expected="false", observed="true"),)
    assert (found.verdict.asked, found.verdict.answered) == ("GET /customers?key=…", "200, one customer")
    assert (found.verdict.kind.value, found.verdict.policy_version) == ("divergent", POLICY_VERSION)
    assert found.verdict.recommendation == recommended


@case("F054")
@pytest.mark.parametrize("sight", [there(deleted=True), there(deleted=True, version=None), NONE])
def test_a_mark_of_deletion_is_what_a_compensation_waits_for(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, sight: Sight
) -> None:
    world = outside(quick_doors, monkeypatch, on_divergent=Step.COMPENSATE)
    row = applied(world)
    world.look(row, there(fields={"plan": "silver"}))
    world.deliver(row, raising(LOST))
    ended = world.look(row, sight)
    steps = ["submit", "claim", "await", "compensate", "claim", "await", "compensated_by_proof"]
    assert (ended.status, verbs(ended)) == (Status.COMPENSATED, steps)


@case("F052")
def test_an_undoing_whose_effect_still_shows_is_tried_again_only_when_its_call_can_land_no_more(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle = timedelta(minutes=30)
    world = outside(
        quick_doors, monkeypatch, on_divergent=Step.COMPENSATE, confirmation_window=MINUTE, settle_window=settle
    )
    row = applied(world)
    while world.look(row, there(fields={"plan": "silver"})).intent is Intent.EFFECT:
        assert world.row(row).status is Status.AWAITING_CONFIRMATION
    world.deliver(row, raising(LOST))
    assert world.look(row, there()).status is Status.AWAITING_CONFIRMATION, "it may still be undone"
    world.to(elapsed(world.row(row), settle + LIMITS.skew_margin))
    assert world.look(row, there()).status is Status.RETRY_SCHEDULED


@case("F056")
@pytest.mark.parametrize(
    ("capability", "kind", "reason"),
    [(Capability.BY_KEY, "divergent", "divergent"), (Capability.BY_BUSINESS_KEY, "ambiguous", "several_candidates")],
)
def test_more_than_one_match_is_never_proof(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, capability: Capability, kind: str, reason: str
) -> None:
    world = outside(quick_doors, monkeypatch, capability=capability, on_missing=Step.REQUEUE)
    row = applied(world)
    found = world.look(row, there(count=2))
    assert (found.status, found.verdict and found.verdict.kind.value) == (Status.MANUAL_REVIEW, kind)
    assert found.history[-1].split()[-1] == reason
    assert "2" in str(found.verdict)
    assert world.calls(row) == 1


def giving(what: object) -> Callable[[object], Any]:
    """Return a look that gives something which is no answer, as a team's slip does."""
    return lambda _: what


@case("F051")
@pytest.mark.parametrize(
    "sight",
    [
        blind(TimeoutError("timed out")),
        blind(ConnectionResetError("reset by peer")),
        blind(KeyError("version")),
        blind(SystemExit(1)),
        blind(RecursionError("too deep")),
        giving(None),
        giving(what=False),
        giving({"found": False}),
        giving([]),
        there(version="seven"),
        there(version=-1),
        there(count=0),
        there(count=-1),
        there(count=None),
        there(fields=None),
        there(fields={"plan": float("nan")}),
        NOBODY_KNOWS,
    ],
)
def test_whatever_a_look_gives_that_is_no_answer_is_never_missing(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, sight: Callable[[Any], Any]
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    row = world.deliver(world.promised(), raising(LOST))
    looked = world.look(row, sight)
    assert (looked.status, looked.verdict, looked.absences) == (Status.AWAITING_CONFIRMATION, None, 0)
    assert looked.due_at is not None
    assert quick_doors.clock.now() < looked.due_at <= elapsed(row, timedelta(hours=1))
    assert (quick_doors.messages()[1:], world.calls(row)) == ([], 1)
    world.later(timedelta(hours=24))
    ended = world.look(row, sight)
    assert (ended.status, ended.verdict and ended.verdict.kind.value) == (Status.MANUAL_REVIEW, "ambiguous")
    assert (quick_doors.messages(), world.calls(row)) == ([], 1)


@case("F052")
@pytest.mark.parametrize(
    ("sight", "status"),
    [(there(), Status.CONFIRMED), (NONE, Status.MANUAL_REVIEW), (NOBODY_KNOWS, Status.MANUAL_REVIEW)],
)
def test_past_its_deadline_an_operation_is_looked_at_once_more_and_never_sent(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, sight: Sight, status: Status
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    now = quick_doors.clock.now()
    row = world.promised(deadline_at=type(now)(now + 600_000))
    world.deliver(row, raising(LOST))
    quick_doors.messages()
    world.later(timedelta(hours=1))
    assert (world.look(row, sight).status, quick_doors.messages(), world.calls(row)) == (status, [], 1)
