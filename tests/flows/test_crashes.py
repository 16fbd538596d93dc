"""Is no operation lost wherever a process dies, and nothing done twice, when only sweeps go on?"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

import pytest
from makegood.domain.instant import after
from makegood.domain.operation import OPEN, OperationId, Status
from makegood.domain.operation_type import Attempt
from makegood.domain.outcome import Accepted, NotApplicable, RejectedError, TransientError
from makegood.domain.promise import Promise
from makegood.domain.reason import Reason
from makegood.flows.order import SweepOrder

from tests.support.crash import Crash, Fuse, every_crash
from tests.support.deployment import Deployment
from tests.support.remote import Reply, raising, saying
from tests.support.rows import HOUR, LIMITS, MINUTE, ago, operation

TICK = LIMITS.stale_after / 3
IN_FRONT_OF_A_PERSON = Status.MANUAL_REVIEW


def heal(house: Deployment, *, workers: bool) -> None:
    """Sweep at every tick, for a day; let workers take what the sweeps send, or let all of it be lost."""
    house.queue.take()
    for _ in range(60):
        if all(row.status not in OPEN or row.status is IN_FRONT_OF_A_PERSON for row in house.store.rows.values()):
            return
        house.clock.advance(TICK)
        house.swept()
        if workers:
            house.delivered()
        else:
            house.queue.take()


def nothing_is_lost_or_doubled(house: Deployment, where: str) -> None:
    for name, row in house.store.rows.items():
        assert row.status not in OPEN or row.status is IN_FRONT_OF_A_PERSON, (where, name, row.status)
        assert house.remote.effects[name] <= 1, (where, name)
        if row.status is Status.CONFIRMED:
            assert house.remote.effects[name] == 1, (where, name)
        if row.status is Status.NOT_APPLICABLE:
            assert house.remote.effects[name] == 0, (where, name)


def submits(house: Deployment, fuse: Fuse) -> None:
    flow = replace(house.submit, store=fuse.guard(house.store), queue=fuse.guard(house.queue))
    flow(Promise(operation_type="sync", entity="customer/1", expected_version=7, operation_id="op-1"))


def works(house: Deployment, fuse: Fuse) -> None:
    flow = replace(house.work, store=fuse.guard(house.store), queue=fuse.guard(house.queue))
    flow(OperationId("op-1"), until=after(house.clock.now(), MINUTE))


def sweeps(house: Deployment, fuse: Fuse) -> None:
    flow = replace(
        house.sweep_flow,
        store=fuse.guard(house.store),
        queue=fuse.guard(house.queue),
        ledger=fuse.guard(house.ledger),
    )
    flow(SweepOrder(run_id="run", until=after(house.clock.now(), 4 * MINUTE)))


def crashes(
    make: Callable[[], Deployment], step: Callable[[Deployment, Fuse], None]
) -> Iterator[tuple[Deployment, str]]:
    """Yield a deployment for each place in which the step can be cut off, cut off there."""
    whole = Fuse()
    step(make(), whole)
    assert whole.calls > 1
    for fuse in every_crash(whole.calls):
        house = make()
        with suppress(Crash):
            step(house, fuse)
        yield house, f"{step.__name__} cut off at call {fuse.calls}"


WORKERS = pytest.mark.parametrize("workers", [True, False], ids=["workers go on", "no worker ever again"])


@WORKERS
def test_a_producer_may_die_anywhere_in_submit(*, workers: bool) -> None:
    for house, where in crashes(Deployment, submits):
        heal(house, workers=workers)
        nothing_is_lost_or_doubled(house, where)
        if house.store.rows and workers:
            assert house.row().status is Status.CONFIRMED, where


REPLIES: dict[str, Callable[[Deployment], Reply]] = {
    "done": lambda house: house.remote.apply,
    "accepted": lambda _: saying(Accepted()),
    "not applicable": lambda _: saying(NotApplicable(reason="superseded")),
    "transient": lambda _: raising(TransientError("503")),
    "rejected": lambda _: raising(RejectedError("422")),
    "uncertain": lambda _: raising(TimeoutError()),
}


@WORKERS
@pytest.mark.parametrize("reply", REPLIES)
def test_a_worker_may_die_anywhere_in_its_work(reply: str, *, workers: bool) -> None:
    def promised() -> Deployment:
        house = Deployment()
        house.submitted()
        house.remote.script = [REPLIES[reply](house)]
        return house

    for house, where in crashes(promised, works):
        heal(house, workers=workers)
        nothing_is_lost_or_doubled(house, where)


@pytest.mark.parametrize("applied", [True, False], ids=["after the effect", "before the effect"])
def test_a_worker_may_die_in_the_middle_of_its_call(*, applied: bool) -> None:
    house = Deployment()
    house.submitted()

    def dies(attempt: Attempt) -> NoReturn:
        if applied:
            house.remote.apply(attempt)
        raise Crash

    house.remote.script = [dies]
    with suppress(Crash):
        works(house, Fuse())
    heal(house, workers=True)
    nothing_is_lost_or_doubled(house, "in the call")
    assert (house.row().status, house.remote.calls["op-1"]) == (IN_FRONT_OF_A_PERSON, 1)
    assert Reason.NOT_OBSERVABLE.value in house.row().history[-1]


def troubled() -> Deployment:
    """Return a deployment in which a sweep has everything to do that a sweep can do."""
    house = Deployment()
    house.lost(12)
    now = house.clock.now()
    rows = [
        operation(Status.PROCESSING, operation_id="dead", due_at=now, lease_ends_at=ago(HOUR, now)),
        operation(Status.PROCESSING, operation_id="alive", due_at=now, lease_ends_at=now),
        operation(Status.RETRY_SCHEDULED, operation_id="retry", due_at=now),
        operation(Status.RETRY_SCHEDULED, operation_id="late", due_at=now, deadline_at=now),
        operation(Status.AWAITING_CONFIRMATION, operation_id="unknown", due_at=now),
    ]
    house.store.rows |= {row.operation_id: row for row in rows}
    return house


@WORKERS
def test_a_sweep_may_die_anywhere(*, workers: bool) -> None:
    for house, where in crashes(troubled, sweeps):
        heal(house, workers=workers)
        nothing_is_lost_or_doubled(house, where)
        assert len(house.store.rows) == 17
        if workers:
            assert [house.row(f"op-{number:03}").status for number in range(12)] == [Status.CONFIRMED] * 12, where


def test_a_sweep_that_died_blocks_the_next_ones_no_longer_than_its_lease() -> None:
    for house, where in crashes(troubled, sweeps):
        house.clock.advance(4 * MINUTE + LIMITS.skew_margin)
        assert house.swept().record.outcome == "completed", where


def test_sweeps_that_die_one_after_the_other_at_the_same_place_still_get_somewhere() -> None:
    whole = Fuse()
    sweeps(troubled(), whole)
    for at in range(1, whole.calls + 1):
        house = troubled()
        for _ in range(3):
            with suppress(Crash):
                sweeps(house, Fuse(at=at))
            house.clock.advance(LIMITS.stale_after)
        heal(house, workers=True)
        nothing_is_lost_or_doubled(house, f"three sweeps cut off at call {at}")
