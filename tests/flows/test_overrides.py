"""Do a person's overrides bend one run only as far as they may?"""

from datetime import timedelta

import pytest
from makegood.domain.errors import InvalidInput
from makegood.domain.limits import SweepLimits
from makegood.domain.operation import Status
from makegood.domain.run import RunOutcome

from tests.case import case
from tests.support.deployment import Deployment
from tests.support.remote import Remote, calling
from tests.support.rows import HOUR, LIMITS, MINUTE, SECOND, T, ago, ahead, operation

TEN = 10 * MINUTE


@pytest.fixture
def house() -> Deployment:
    return Deployment()


def mixed(house: Deployment) -> None:
    """Fill the deployment with one row for each thing that a sweep can do."""
    house.lost(2)
    now = house.clock.now()
    rows = [
        operation(Status.PROCESSING, operation_id="dead", due_at=now, lease_ends_at=ago(HOUR, now)),
        operation(Status.PROCESSING, operation_id="alive", due_at=now, lease_ends_at=now),
        operation(Status.RETRY_SCHEDULED, operation_id="retry", due_at=now),
        operation(Status.RETRY_SCHEDULED, operation_id="late", due_at=now, deadline_at=now),
        operation(Status.AWAITING_CONFIRMATION, operation_id="unknown", due_at=now),
        operation(operation_id="other", operation_type="other", due_at=now),
    ]
    house.store.rows |= {row.operation_id: row for row in rows}


@case("F133")
def test_a_dry_run_touches_nothing_sends_nothing_and_foretells_exactly_what_the_next_run_does(
    house: Deployment,
) -> None:
    mixed(house)
    before, control = house.picture(), house.ledger.control()
    dry = house.swept(dry_run=True)
    assert (house.picture(), house.queued(), house.ledger.control()) == (before, [], control)
    assert (dry.record.dry_run, dry.record.sent, dry.moves) == (True, 0, ())
    real = house.swept()
    assert dry.record.acted == {"touch": 3, "release": 1, "escalate": 1, "observe": 1}
    assert real.record.acted == {"touch": 3, "release": 1, "escalate": 2}
    assert (dry.record.skipped, dry.record.anomalies) == (real.record.skipped, real.record.anomalies)
    assert {item.operation.operation_id for item in dry.plan} == {move.operation_id for move in real.moves}
    assert real.plan == ()


def test_a_dry_run_leaves_a_record_that_says_dry(house: Deployment) -> None:
    house.swept(dry_run=True)
    assert [(record.dry_run, record.outcome) for record in house.ledger.records] == [(True, RunOutcome.COMPLETED)]


def test_a_dry_run_above_the_cap_says_halted_and_leaves_the_control_row_alone(house: Deployment) -> None:
    house.lost(201)
    swept = house.swept(dry_run=True)
    assert (swept.record.outcome, swept.record.acted, swept.plan) == (RunOutcome.HALTED, {}, ())
    assert house.ledger.control().halted_since is None


def test_a_dry_run_may_look_while_another_sweep_works(house: Deployment) -> None:
    house.lost(1)
    house.ledger.take_lease(now=house.clock.now(), token="theirs", until=ahead(HOUR, house.clock.now()))  # noqa: S106
    assert house.swept(dry_run=True).record.acted == {"touch": 1}


def test_minutes_find_what_would_not_be_due_yet(house: Deployment) -> None:
    house.submitted()
    house.queue.take()
    house.clock.advance(TEN)
    assert house.swept().record.acted == {}
    record = house.swept(untouched_for=TEN).record
    assert (record.acted, record.sent, record.anomalies) == ({"touch": 1}, 1, {"lost_dispatch": 1})
    assert house.row().due_at == ahead(T, house.clock.now())
    assert house.swept(untouched_for=TEN).record.sent == 0


def test_minutes_leave_alone_what_was_written_a_moment_less_ago(house: Deployment) -> None:
    house.submitted()
    house.queue.take()
    house.clock.advance(TEN - SECOND / 1000)
    before = house.picture()
    assert house.swept(untouched_for=TEN).record.acted == {}
    assert house.picture() == before


def test_minutes_move_the_horizon_by_the_difference_to_the_stale_time_and_no_further(house: Deployment) -> None:
    for name, age in (("old", TEN), ("young", TEN - SECOND)):
        house.store.rows[name] = operation(
            operation_id=name,
            updated_at=ago(age, house.clock.now()),
            due_at=ahead(T - age, house.clock.now()),
        )
    assert house.swept(untouched_for=TEN).record.scanned == 1


def test_more_minutes_than_the_stale_time_leave_alone_what_is_only_just_stale(house: Deployment) -> None:
    house.lost(1)
    assert house.swept(untouched_for=HOUR).record.acted == {}
    house.clock.advance(HOUR - T)
    assert house.swept(untouched_for=HOUR).record.sent == 1


def test_minutes_release_a_dead_claim_early_and_never_a_live_one(house: Deployment) -> None:
    house.claimed()
    house.clock.advance(LIMITS.lease + LIMITS.skew_margin)
    assert house.swept(untouched_for=timedelta(seconds=370)).record.acted == {}
    house.clock.advance(timedelta(seconds=370))
    assert house.swept(untouched_for=timedelta(seconds=370)).record.acted == {"release": 1}


def test_minutes_do_not_dodge_the_cap(house: Deployment) -> None:
    for number in range(201):
        house.submitted(f"op-{number}")
    house.clock.advance(TEN)
    before = house.picture()
    assert house.swept(untouched_for=TEN).record.outcome is RunOutcome.HALTED
    assert house.picture() == before


@pytest.mark.parametrize("minutes", [timedelta(), MINUTE, LIMITS.visibility - SECOND])
def test_minutes_below_the_visibility_time_out_are_refused_with_both_numbers(
    house: Deployment, minutes: timedelta
) -> None:
    house.lost(1)
    before = house.picture()
    with pytest.raises(InvalidInput, match=rf"minutes: {minutes.total_seconds():g} s is below .* \(370 s\)"):
        house.swept(untouched_for=minutes)
    assert (house.picture(), house.ledger.records) == (before, [])


def test_minutes_at_the_visibility_time_out_are_taken(house: Deployment) -> None:
    assert house.swept(untouched_for=LIMITS.visibility).record.outcome is RunOutcome.COMPLETED


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_is_refused(house: Deployment, limit: int) -> None:
    with pytest.raises(InvalidInput, match=r"limit .*dry run"):
        house.swept(limit=limit)


def test_a_limit_leaves_the_rest_for_the_next_run_and_counts_it() -> None:
    house = Deployment(sweep_limits=SweepLimits(drain_rate=20))
    house.lost(30)
    record = house.swept(limit=4).record
    assert (record.sent, record.remaining) == (4, 26)
    assert house.swept(limit=1_000).record.sent == 20, "a limit never raises the drain rate"


def test_operation_types_narrow_the_run_and_the_cap_counts_only_what_was_asked_for() -> None:
    remote = Remote()
    house = Deployment(calling(remote, "sync"), calling(remote, "charge"))
    charges = house.lost(201, "charge", "charge")
    house.lost(3, "sync", "sync")
    before = house.picture(charges)
    record = house.swept(operation_types=frozenset({"sync"})).record
    assert (record.outcome, record.sent, record.scanned) == (RunOutcome.COMPLETED, 3, 3)
    assert house.picture(charges) == before


def test_an_operation_type_that_is_not_known_is_refused_and_the_known_are_named(house: Deployment) -> None:
    with pytest.raises(InvalidInput, match="operation types charge are not known here; known are: sync"):
        house.swept(operation_types=frozenset({"charge", "sync"}))


def test_a_run_over_a_part_does_not_end_a_halt_and_a_whole_one_does(house: Deployment) -> None:
    names = house.lost(201)
    house.swept()
    since = house.ledger.control().halted_since
    for name in names[:1]:
        house.worked(name)
    house.swept(untouched_for=HOUR)
    assert house.ledger.control().halted_since == since
    house.swept()
    assert house.ledger.control().halted_since is None
