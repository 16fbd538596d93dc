"""Does the sweep refuse above the cap, work at it, go on by itself below it, and drain by permission only?"""

from datetime import timedelta

import pytest
from makegood.domain.limits import SweepLimits
from makegood.domain.operation import Status
from makegood.domain.run import Acknowledgement, RunOutcome, RunRecord

from tests.case import case
from tests.support.deployment import Deployment
from tests.support.remote import Remote, calling
from tests.support.rows import HOUR, MINUTE, SECOND, T, ago, operation

NOTHING: dict[str, int] = {}


def acknowledge(house: Deployment, rate: int, lasting: timedelta = HOUR) -> None:
    now = house.clock.now()
    until = ago(-lasting, now)
    house.ledger.acknowledge(Acknowledgement(by="alice", at=now, until=until, drain_rate=rate, reason="queue purged"))


def halted(record: RunRecord) -> bool:
    assert (record.outcome is RunOutcome.HALTED) == (record.halted_why is not None)
    return record.outcome is RunOutcome.HALTED


def test_two_hundred_lost_are_two_hundred_sent() -> None:
    house = Deployment()
    names = house.lost(200)
    record = house.swept().record
    assert (record.outcome, record.sent, record.remaining) == (RunOutcome.COMPLETED, 200, 0)
    assert sorted(house.queued()) == names


@case("F044")
def test_two_hundred_and_one_halt_it_and_a_hundred_and_fifty_work_again_with_no_reset() -> None:
    house = Deployment()
    names = house.lost(201)
    before = house.picture()
    record = house.swept().record
    assert (halted(record), record.acted, record.sent, record.anomalies) == (True, {}, 0, {"lost_dispatch": 201})
    assert (house.picture(), house.queued()) == (before, [])
    for name in names[:51]:
        house.worked(name)
    record = house.swept().record
    assert (record.outcome, record.sent) == (RunOutcome.COMPLETED, 150)
    assert (house.ledger.control().halted_since, house.ledger.control().halted_why) == (None, None)


def test_a_halt_remembers_since_when_and_not_since_the_latest_run() -> None:
    house = Deployment()
    house.lost(201)
    first = house.swept().record.started_at
    house.clock.advance(5 * MINUTE)
    assert halted(house.swept().record)
    assert house.ledger.control().halted_since == first


def test_reading_stops_once_the_cap_is_known_to_be_exceeded() -> None:
    house = Deployment()
    house.lost(900)
    assert house.swept().record.scanned == 201


def test_dead_claims_and_unclaimed_retries_count_too() -> None:
    house = Deployment(sweep_limits=SweepLimits(halt_cap=2))
    now = house.clock.now()
    house.store.rows["a"] = operation(operation_id="a", due_at=now)
    house.store.rows["b"] = operation(Status.PROCESSING, operation_id="b", due_at=now, lease_ends_at=ago(HOUR, now))
    house.store.rows["c"] = operation(Status.RETRY_SCHEDULED, operation_id="c", due_at=now, dispatches=1)
    record = house.swept().record
    assert halted(record)
    assert record.anomalies == {"lost_dispatch": 1, "dead_claim": 1, "unclaimed_retry": 1}


@pytest.mark.parametrize("status", [Status.RETRY_SCHEDULED, Status.AWAITING_CONFIRMATION])
def test_ordinary_work_never_halts_anything_and_keeps_to_the_drain_rate(status: Status) -> None:
    house = Deployment()
    for number in range(301):
        name = f"op-{number}"
        house.store.rows[name] = operation(status, operation_id=name, due_at=house.clock.now())
    record = house.swept().record
    assert (record.outcome, record.anomalies) == (RunOutcome.COMPLETED, {})
    assert (sum(record.acted.values()), record.remaining) == (200, 101)
    assert sum(house.swept().record.acted.values()) == 101


def test_a_cap_of_nothing_halts_at_the_first_anomaly() -> None:
    house = Deployment(sweep_limits=SweepLimits(halt_cap=0))
    assert not halted(house.swept().record)
    house.lost(1)
    assert halted(house.swept().record)


def test_the_oldest_come_first() -> None:
    house = Deployment()
    for number in range(30):
        house.submitted(f"op-{number:02}")
        house.clock.advance(SECOND)
    house.queue.take()
    house.clock.advance(T)
    house.swept(limit=7)
    assert house.queued() == [f"op-{number:02}" for number in range(7)]


def test_an_acknowledged_pile_drains_at_its_rate_until_it_is_gone() -> None:
    house = Deployment()
    names = house.lost(260)
    assert halted(house.swept().record)
    acknowledge(house, rate=100)
    runs = [house.swept().record for _ in range(4)]
    assert [run.sent for run in runs] == [100, 100, 60, 0]
    assert [run.outcome for run in runs] == [RunOutcome.COMPLETED] * 4
    assert runs[0].remaining > 0
    assert runs[0].scanned == 100, "with a permission nothing is read beyond what may be acted on"
    assert {run.acknowledged_by for run in runs} == {"alice"}
    assert sorted(house.queued()) == names


def test_an_acknowledgement_expires_to_the_millisecond() -> None:
    house = Deployment()
    house.lost(402)
    acknowledge(house, rate=100, lasting=MINUTE)
    house.clock.advance(MINUTE - SECOND / 1000)
    assert house.swept().record.sent == 100
    house.clock.advance(SECOND / 1000)
    assert halted(house.swept().record)


def test_an_acknowledged_run_can_be_limited_further_and_not_widened() -> None:
    house = Deployment()
    house.lost(250)
    acknowledge(house, rate=100)
    assert house.swept(limit=10).record.sent == 10
    assert house.swept(limit=10_000).record.sent == 100


def test_a_limit_lowers_the_drain_rate_and_never_touches_the_cap() -> None:
    house = Deployment()
    house.lost(201)
    before = house.picture()
    assert halted(house.swept(limit=1).record)
    assert house.picture() == before


def test_an_acknowledgement_is_no_permission_for_another_pile_after_it() -> None:
    house = Deployment()
    acknowledge(house, rate=200, lasting=T)
    house.lost(201)
    assert halted(house.swept().record)


@pytest.fixture
def two() -> Deployment:
    """Return a deployment of two types; `charge` has a cap of its own."""
    remote = Remote()
    return Deployment(calling(remote, "sync"), calling(remote, "charge", halt_cap=5))


def test_a_types_own_cap_halts_that_type_and_no_other(two: Deployment) -> None:
    charges = two.lost(6, "charge", "charge")
    two.lost(3, "sync", "sync")
    before = two.picture(charges)
    record = two.swept().record
    assert (record.outcome, record.sent) == (RunOutcome.COMPLETED, 3)
    assert list(record.halted_types) == ["charge"]
    assert "more than 5 anomalies of this type" in record.halted_types["charge"]
    assert record.skipped == {"type_halted": 6}
    assert (two.picture(charges), sorted(two.queued())) == (before, ["sync-000", "sync-001", "sync-002"])


def test_a_type_that_is_halted_after_others_were_planned_takes_back_only_its_own(two: Deployment) -> None:
    two.lost(4, "sync", "sync")
    two.lost(6, "charge", "charge")
    record = two.swept().record
    assert (record.sent, record.skipped) == (4, {"type_halted": 6})


def test_an_acknowledgement_lifts_a_types_own_cap_as_well(two: Deployment) -> None:
    two.lost(9, "charge", "charge")
    acknowledge(two, rate=4)
    assert [two.swept().record.sent for _ in range(4)] == [4, 4, 1, 0]


def test_a_type_at_its_own_cap_works(two: Deployment) -> None:
    two.lost(5, "charge", "charge")
    assert two.swept().record.sent == 5


def test_a_halted_types_ordinary_work_waits_too(two: Deployment) -> None:
    two.lost(6, "charge", "charge")
    for number in range(3):
        name, at = f"retry-{number}", two.clock.now()
        row = operation(Status.RETRY_SCHEDULED, operation_id=name, operation_type="charge", due_at=at - number)
        two.store.rows[name] = row
    before = two.picture()
    assert two.swept().record.acted == {}
    assert two.picture() == before


def test_the_pile_of_a_halted_type_neither_halts_nor_starves_the_others(two: Deployment) -> None:
    two.lost(700, "charge", "charge")
    two.lost(10, "sync", "sync")
    record = two.swept().record
    assert (record.outcome, record.sent, record.scanned) == (RunOutcome.COMPLETED, 10, 16)


def test_a_pile_of_a_type_that_this_release_does_not_know_starves_nobody_and_is_named(two: Deployment) -> None:
    for number in range(700):
        name = f"other-{number}"
        two.store.rows[name] = operation(operation_id=name, operation_type="other", due_at=two.clock.now())
    before = two.picture()
    two.lost(10, "sync", "sync")
    swept = two.swept()
    assert (swept.record.sent, swept.record.skipped) == (10, {"unknown_type": 700})
    assert swept.unknown_types == ("other",)
    assert two.picture([name for name in two.store.rows if name.startswith("other")]) == before


def test_the_global_cap_counts_all_types_together(two: Deployment) -> None:
    two.lost(4, "charge", "charge")
    two.lost(197, "sync", "sync")
    assert halted(two.swept().record)
