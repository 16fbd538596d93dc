"""Can a deployment, and a type, be watched before they act; and is switched on again what was switched off?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood import bootstrap
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import Intent, Status
from makegood.domain.outcome import UncertainError
from makegood.domain.policy import Mode, Step

from tests.case import case
from tests.cases.outside import Killed, applied_then, outside, placed, reasons
from tests.cases.scene import lines, metric
from tests.doors.world import T
from tests.support.remote import raising, seeing

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

    from tests.cases.outside import Outside
    from tests.doors.world import Doors

LOST = UncertainError("no answer within 10 s")
SWITCH = "MAKEGOOD_SWEEPS"
WOULD = {
    "would_touch": 1,
    "would_release": 1,
    "would_escalate": 2,
    "would_confirm_by_proof": 1,
    "would_requeue": 1,
    "would_compensated_by_proof": 1,
}


def switched(monkeypatch: pytest.MonkeyPatch, to: str) -> None:
    """Deploy the reconciler with the switch set so."""
    monkeypatch.setenv(SWITCH, to)
    bootstrap.reconciler.cache_clear()


def mixed(world: Outside) -> dict[str, Operation]:
    """Put one operation into each state that a sweep acts on."""
    found = {name: world.promised(entity=f"customer/{name}") for name in ("applied", "lost", "absent", "dead")}
    world.deliver(found["applied"], applied_then(world.remote, LOST))
    world.deliver(found["absent"], raising(LOST))
    world.deliver(found["dead"], raising(Killed()))
    found["cancelled"] = placed(world, Status.AWAITING_CONFIRMATION, cancel_reason="ordered twice")
    found["given up"] = placed(world, Status.RETRY_SCHEDULED, dispatches=5)
    found["in review"] = placed(world, Status.MANUAL_REVIEW)
    found["undone"] = placed(world, Status.AWAITING_CONFIRMATION, intent=Intent.COMPENSATION)
    world.doors.messages()
    world.later(T)
    return found


@case("F063", "F133", "F100")
def test_three_ticks_that_only_watch_write_and_send_nothing_and_the_next_repairs_all(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = outside(quick_doors, monkeypatch, on_missing=Step.REQUEUE)
    rows = mixed(world)
    before = quick_doors.bytes()
    switched(monkeypatch, "observe")
    lines(capsys)
    for _ in range(3):
        answer = quick_doors.sweep()
        assert (answer["outcome"], answer["acted"], answer["sent"]) == ("observed", {}, 0)
        assert answer["verdicts"] == {"correct": 1, "missing": 3}
        assert answer["would"] == WOULD
        world.later(timedelta(minutes=5))
    said = lines(capsys)
    assert (metric(said, "SweepObserving"), metric(said, "SweepCompleted")) == ([1, 1, 1], [1, 1, 1])
    assert metric(said, "WouldHaveActed") == [7, 7, 7]
    assert [line["would"] for line in said if line.get("event") == "sweep"] == [WOULD] * 3
    assert (quick_doors.bytes(), quick_doors.messages()) == (before, [])
    assert world.remote.attempts[3:] == [], "nothing was called either"
    switched(monkeypatch, "act")
    acted = quick_doors.sweep()
    assert (acted["outcome"], sum(acted["acted"].values()), acted["sent"]) == ("completed", 7, 2)
    assert world.row(rows["applied"]).status is Status.CONFIRMED
    assert metric(lines(capsys), "SweepObserving") == [0]


@case("F063")
def test_a_halt_and_a_lease_outlive_no_switch(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    world = outside(quick_doors, monkeypatch)
    monkeypatch.setenv("MAKEGOOD_HALT_CAP", "2")
    for number in range(3):
        world.promised(entity=f"customer/{number}")
    quick_doors.messages()
    world.later(T)
    switched(monkeypatch, "observe")
    assert quick_doors.sweep()["outcome"] == "halted"
    monkeypatch.setenv("MAKEGOOD_HALT_CAP", "200")
    switched(monkeypatch, "act")
    assert quick_doors.sweep()["sent"] == 3
    assert quick_doors.table.ledger.control().halted_since is None


@case("F133")
@pytest.mark.parametrize(
    ("applied", "fields", "would", "recommended"),
    [
        (True, {"plan": "gold"}, "confirm_by_proof", "confirm"),
        (True, {"plan": "silver"}, "compensate", "compensate"),
        (False, {}, "requeue", "requeue"),
    ],
)
def test_a_type_that_only_reports_leaves_each_verdict_to_a_person_with_what_it_would_have_done(
    quick_doors: Doors,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    applied: bool,
    fields: dict[str, str],
    would: str,
    recommended: str,
) -> None:
    steps = {"on_missing": Step.REQUEUE, "on_divergent": Step.COMPENSATE}
    world = outside(quick_doors, monkeypatch, mode=Mode.OBSERVE, **steps)
    row = world.promised()
    world.deliver(row, applied_then(world.remote, LOST) if applied else raising(LOST))
    quick_doors.messages()
    lines(capsys)
    looked = world.look(row, seeing(Found(version=7, fields=fields) if applied else Absent()))
    assert (looked.status, reasons(looked)[-1]) == (Status.MANUAL_REVIEW, "only_observing")
    assert looked.verdict is not None
    assert looked.verdict.recommendation == recommended
    said = lines(capsys)
    assert [line["would"] for line in said if line.get("event") == "transition"] == [f"would_{would}"]
    assert metric(said, "WouldHaveActed") == [1]
    assert (quick_doors.messages(), world.calls(row), world.effects(row)) == ([], 1, int(applied))


@case("F133")
def test_a_type_that_may_confirm_records_proof_and_leaves_the_rest(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, mode=Mode.CONFIRM, on_missing=Step.REQUEUE)
    there, gone = world.promised(entity="customer/1"), world.promised(entity="customer/2")
    world.deliver(there, applied_then(world.remote, LOST))
    world.deliver(gone, raising(LOST))
    assert world.settled(there).status is Status.CONFIRMED
    assert world.settled(gone).status is Status.MANUAL_REVIEW
    assert world.remote.calls.total() == 2


@case("F133")
def test_the_switch_takes_two_words_and_no_others(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    quick_doors.lost(2)
    before = quick_doors.bytes()
    for word in ("off", "Observe", "0", "observe;act"):
        switched(monkeypatch, word)
        with pytest.raises(Exception, match="one of act, observe is wanted"):
            quick_doors.sweep()
    assert (quick_doors.bytes(), quick_doors.messages()) == (before, [])
