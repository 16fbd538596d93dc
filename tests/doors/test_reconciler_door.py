"""Does a schedule's tick, or a person's overrides, get the right answer?"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.errors import InvalidInput, SettingsError, StoreError
from makegood.domain.instant import after
from makegood.domain.operation import Status
from makegood.domain.run import Acknowledgement, RunOutcome

from tests.case import case
from tests.contract.worlds import hooked
from tests.doors.world import ROOT, T, door, message

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.doors.world import Doors

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def lines(captured: str) -> list[dict[str, Any]]:
    """Read what a door said, a JSON document a line."""
    return [json.loads(line) for line in captured.splitlines()]


def dying_at(number: int) -> Callable[..., None]:
    """Fail at the request of that number, as a run that is killed before it."""
    requests: list[int] = []

    def die(**_: object) -> None:
        requests.append(1)
        if len(requests) >= number:
            raise StoreError("killed")

    return die


def test_a_lost_dispatch_is_found_sent_and_done(doors: Doors) -> None:
    [row] = doors.lost()
    answer = doors.sweep(source="schedule")
    [sent] = doors.messages()
    assert doors.failed(sent) == []
    assert (answer["anomalies"], answer["acted"], answer["sent"]) == ({"lost_dispatch": 1}, {"touch": 1}, 1)
    assert doors.row(row).status is Status.CONFIRMED


@case("F044")
def test_sweeps_within_the_threshold_send_a_lost_row_once(quick_doors: Doors) -> None:
    quick_doors.lost(3)
    assert [quick_doors.sweep()["sent"] for _ in range(4)] == [3, 0, 0, 0]


@case("F026")
def test_a_claim_whose_worker_is_gone_is_released_and_then_put_in_front_of_a_person(doors: Doors) -> None:
    [row] = doors.lost(ago=MINUTE)
    with hooked(doors.table.client, "before-call.dynamodb.UpdateItem", dying_at(2)):
        doors.work(message(row))
    assert doors.row(row).status is Status.PROCESSING
    doors.clock.advance(T)
    assert doors.sweep()["acted"] == {"release": 1}
    assert doors.row(row).uncertain
    assert doors.sweep()["acted"] == {"escalate": 1}
    assert doors.row(row).history[-1].endswith("not_observable")
    assert doors.messages() == []


def test_a_dry_run_says_what_it_would_do_and_does_nothing(doors: Doors) -> None:
    [row] = doors.lost()
    before = doors.bytes()
    answer = doors.sweep(dry_run=True)
    assert (doors.bytes(), doors.messages()) == (before, [])
    assert answer["plan"] == [
        {
            "operation_id": row.operation_id,
            "operation_type": "probe",
            "entity": "thing/0",
            "status": "pending",
            "action": "dispatch",
            "reason": "lost_dispatch",
        }
    ]
    assert doors.table.ledger.runs(1)[0].dry_run


@pytest.mark.parametrize(
    "event",
    [
        {"dryrun": True},
        {"limit": 0},
        {"limit": "5"},
        {"minutes": 6},
        {"minutes": True},
        {"operation_types": ["nobody"]},
    ],
)
def test_what_no_run_may_be_asked_is_an_error_and_does_nothing(quick_doors: Doors, event: dict[str, Any]) -> None:
    quick_doors.lost()
    before = quick_doors.bytes()
    with pytest.raises(InvalidInput):
        quick_doors.sweep(**event)
    assert (quick_doors.bytes(), quick_doors.messages()) == (before, [])


def test_a_limit_lowers_the_rate_and_never_touches_the_cap(quick_doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKEGOOD_HALT_CAP", "4")
    quick_doors.lost(4)
    assert quick_doors.sweep(limit=1)["sent"] == 1
    quick_doors.lost(2)
    assert quick_doors.sweep(limit=1)["outcome"] == "halted"


def test_minutes_find_what_is_untouched_for_less_than_the_threshold(quick_doors: Doors) -> None:
    [row] = quick_doors.lost(ago=8 * MINUTE)
    assert quick_doors.sweep()["sent"] == 0
    assert quick_doors.sweep(minutes=7)["sent"] == 1
    assert quick_doors.messages() == [message(row)]


def test_a_type_above_its_own_cap_halts_alone(quick_doors: Doors) -> None:
    quick_doors.lost(3, type_name="capped")
    [other] = quick_doors.lost()
    answer = quick_doors.sweep()
    assert (answer["outcome"], list(answer["halted_types"])) == ("completed", ["capped"])
    assert quick_doors.messages() == [message(other)]


def test_an_acknowledged_pile_is_drained_at_its_rate_until_it_expires(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAKEGOOD_HALT_CAP", "4")
    quick_doors.lost(9)
    now = quick_doors.clock.now()
    quick_doors.table.ledger.acknowledge(
        Acknowledgement(by="alice", at=now, until=after(now, HOUR), drain_rate=2, reason="the purge of this morning")
    )
    first = quick_doors.sweep()
    quick_doors.clock.advance(HOUR)
    second = quick_doors.sweep()
    assert (first["outcome"], first["sent"], first["acknowledged_by"]) == ("completed", 2, "alice")
    assert (second["outcome"], second["sent"], second["acknowledged_by"]) == ("halted", 0, None)


def test_an_index_that_may_not_be_read_is_an_error_and_never_an_empty_sweep(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    quick_doors.lost()

    def deny(**_: object) -> None:
        raise StoreError("AccessDeniedException")

    with (
        hooked(quick_doors.table.client, "before-call.dynamodb.Query", deny),
        pytest.raises(StoreError),
    ):
        quick_doors.sweep()
    assert not [line for line in lines(capsys.readouterr().out) if "SweepCompleted" in line]
    assert quick_doors.sweep()["sent"] == 1, "the lease was given back"


def test_one_row_that_cannot_be_written_stops_no_other(quick_doors: Doors) -> None:
    rows = quick_doors.lost(20)

    def throttle(params: dict[str, Any], **_: object) -> None:
        if rows[7].operation_id in str(params["body"]):
            raise StoreError("ThrottlingException")

    with hooked(quick_doors.table.client, "before-call.dynamodb.UpdateItem", throttle):
        answer = quick_doors.sweep()
    assert (answer["sent"], answer["error_count"], list(answer["errors"])) == (19, 1, [rows[7].operation_id])


def test_every_run_leaves_a_record(quick_doors: Doors) -> None:
    quick_doors.lost(2)
    quick_doors.sweep(source="schedule", run_id="tick-1")
    [record] = quick_doors.table.ledger.runs(5)
    assert (record.run_id, record.outcome, record.sent) == ("tick-1", RunOutcome.COMPLETED, 2)


def test_a_dry_run_and_a_partial_one_give_no_heartbeat_and_end_no_halt(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    quick_doors.sweep(dry_run=True)
    quick_doors.sweep(operation_types=["probe"])
    said = lines(capsys.readouterr().out)
    assert [line for line in said if "SweepScanned" in line]
    assert not [line for line in said if "SweepCompleted" in line or "SweepHalted" in line]


@pytest.mark.parametrize("name", ["worker", "reconciler"])
def test_a_missing_variable_is_named_at_the_start(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv("MAKEGOOD_TABLE")
    with pytest.raises(SettingsError, match="MAKEGOOD_TABLE is not set"):
        door(name).handler({"Records": []} if name == "worker" else {}, quick_doors.context())


@pytest.mark.parametrize("path", sorted(ROOT.glob("events/schedule*.json")), ids=lambda path: path.stem)
def test_every_event_of_the_folder_is_answered_with_a_small_summary(quick_doors: Doors, path: Path) -> None:
    event = json.loads(path.read_text())
    event.pop("operation_types", None)  # this catalog has other types
    answer = quick_doors.sweep(**event)
    assert answer["outcome"] == "completed"
    assert len(json.dumps(answer)) < 2000
