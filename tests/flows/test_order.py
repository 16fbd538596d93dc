"""Is a person's event read as it was meant, or refused?"""

from collections.abc import Mapping
from typing import Any

import pytest
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant
from makegood.flows.order import SweepOrder, asked

from tests.support.rows import MINUTE

UNTIL = Instant(1)


SCHEDULER = {
    "version": "0",
    "detail-type": "Scheduled Event",
    "source": "aws.scheduler",
    "account": "123456789012",
    "time": "2026-09-21T14:00:00Z",
    "region": "eu-west-1",
    "resources": ["arn:aws:scheduler:eu-west-1:123456789012:schedule/default/sweep"],
    "detail": "{}",
}


def order(event: Mapping[str, Any]) -> SweepOrder:
    return asked(event, run_id="request-1", until=UNTIL)


@pytest.mark.parametrize(
    "event", [{}, {"source": "schedule"}, {"detail-type": "Scheduled Event", "region": "eu"}, SCHEDULER]
)
def test_a_schedules_tick_is_an_ordinary_run(event: Mapping[str, Any]) -> None:
    assert order(event) == SweepOrder(run_id="request-1", until=UNTIL)
    assert not order(event).is_partial


def test_every_override_is_read() -> None:
    event = {"limit": 50, "minutes": 30, "operation_types": ["sync"], "dry_run": True, "run_id": "tick-7"}
    assert order(event) == SweepOrder(
        run_id="tick-7",
        until=UNTIL,
        limit=50,
        untouched_for=30 * MINUTE,
        operation_types=frozenset({"sync"}),
        dry_run=True,
    )


@pytest.mark.parametrize(
    ("event", "partial"),
    [({"minutes": 30}, True), ({"operation_types": ["sync"]}, True), ({"limit": 1}, False), ({"dry_run": True}, False)],
)
def test_a_run_that_looks_at_a_part_only_is_known_as_such(event: Mapping[str, Any], *, partial: bool) -> None:
    assert order(event).is_partial is partial


def test_the_smallest_overrides_are_taken() -> None:
    assert (order({"limit": 1}).limit, order({"minutes": 1}).untouched_for) == (1, MINUTE)


@pytest.mark.parametrize(
    "event",
    [
        {"dryrun": True},
        {"Limit": 5},
        {"limit": 0},
        {"limit": -1},
        {"limit": True},
        {"limit": "5"},
        {"limit": 1.5},
        {"minutes": 0},
        {"minutes": 10**9},
        {"operation_types": []},
        {"operation_types": "sync"},
        {"operation_types": [1]},
        {"dry_run": "false"},
        {"dry_run": 1},
        {"dry_run": None},
        {"detail-type": "Scheduled Event", "dryrun": True},
        {"detail-type": "a sweep, please", "detail": {"dryrun": True}},
        {"detail-type": "a sweep, please", "detail": {"dry_run": "yes"}},
        {"detail-type": "a sweep, please", "detail": "dry_run"},
        {"detail-type": "a sweep, please", "detail": None},
        {"detail-type": "a sweep, please", "detail": {"dry_run": False}, "dry_run": True},
        {"detail": {"dry_run": True}},
        [],
        None,
    ],
    ids=range(24),
)
def test_a_slip_in_the_event_is_refused_and_never_acts(event: Mapping[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        order(event)


def test_what_an_event_of_eventbridge_asks_for_stands_in_its_detail() -> None:
    event = {"detail-type": "a sweep, please", "id": "tick-7", "detail": {"dry_run": True, "limit": 5}}
    as_text = {**event, "detail": '{"dry_run": true, "limit": 5}'}
    wanted = SweepOrder(run_id="tick-7", until=UNTIL, limit=5, dry_run=True)
    assert (order(event), order(as_text)) == (wanted, wanted)


def test_a_refusal_names_an_odd_key_in_one_short_line() -> None:
    with pytest.raises(InvalidInput) as refused:
        order({"dry\nrun" * 1_000: True})
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 200
