"""What a sweep must leave alone, as ready tests for a team's own types and numbers.

    TestRefusals = refusal_tests(Promise(operation_type="publish_price", …), PublishPrice)

gives pytest three tests. None of them calls `perform` or needs the remote.
"""

from dataclasses import replace
from datetime import timedelta

from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation_type import OperationType
from makegood.domain.promise import Promise
from makegood.domain.run import RunOutcome, RunRecord
from makegood.testing.bench import Bench
from makegood.testing.given import numbered

LONG_AGO = timedelta(days=1)


def assert_leaves_claimed(promise: Promise, *types: type[OperationType], limits: Limits | None = None) -> None:
    """Fail unless a sweep leaves an operation alone that a worker holds, however long ago it was promised."""
    __tracebackhide__ = True
    bench = _bench(types, limits)
    bench.given.claimed(promise, ago=LONG_AGO)
    _assert_untouched(bench, "a worker holds it and its lease is running")


def assert_leaves_fresh(promise: Promise, *types: type[OperationType], limits: Limits | None = None) -> None:
    """Fail unless a sweep leaves an operation alone until the very moment at which it is stale, and then sends it."""
    __tracebackhide__ = True
    bench = _bench(types, limits)
    operation = bench.given.fresh(promise)
    stale_at = operation.due_at or bench.clock.now()
    bench.clock.advance(timedelta(milliseconds=stale_at - bench.clock.now() - 1))
    _assert_untouched(bench, "it is not stale yet: its message may be on its way")
    bench.clock.advance(milliseconds=1)
    bench.sweep()
    bench.assert_dispatched(operation)


def assert_refuses_above_the_cap(
    promise: Promise,
    *types: type[OperationType],
    limits: Limits | None = None,
    sweep_limits: SweepLimits | None = None,
) -> None:
    """Fail unless a sweep that finds one anomaly more than the cap (the type's own, if that is lower) does nothing."""
    __tracebackhide__ = True
    bench = _bench(types, limits, sweep_limits)
    own = bench.registry.terms_of(promise.operation_type).policy.halt_cap
    cap = bench.sweep_limits.halt_cap if own is None else min(own, bench.sweep_limits.halt_cap)
    for number in range(cap + 1):
        bench.given.stale(replace(promise, **numbered(promise, number)))
    swept = _assert_untouched(bench, f"{cap + 1} are lost, which is above the cap of {cap}")
    if swept.outcome is not RunOutcome.HALTED and promise.operation_type not in swept.halted_types:
        words = f"{cap + 1} are lost, which is above the cap of {cap}"
        raise AssertionError(f"{words}; the sweep did not halt: it {swept.outcome}")


def refusal_tests(
    promise: Promise,
    *types: type[OperationType],
    limits: Limits | None = None,
    sweep_limits: SweepLimits | None = None,
) -> type:
    """Return a class of three tests for pytest to collect; its name in your module must begin with `Test`."""

    class TestRefusals:
        """What a sweep must leave alone."""

        def test_a_claimed_operation_is_left_alone(self) -> None:
            """It was promised a day ago, and a worker holds it."""
            assert_leaves_claimed(promise, *types, limits=limits)

        def test_a_fresh_operation_is_left_alone_until_it_is_stale(self) -> None:
            """A millisecond before, nothing happens; then it is dispatched."""
            assert_leaves_fresh(promise, *types, limits=limits)

        def test_above_the_cap_nothing_is_written_and_nothing_sent(self) -> None:
            """One lost dispatch more than the cap."""
            assert_refuses_above_the_cap(promise, *types, limits=limits, sweep_limits=sweep_limits)

    return TestRefusals


def _bench(
    types: tuple[type[OperationType], ...], limits: Limits | None, sweep_limits: SweepLimits | None = None
) -> Bench:
    bench = Bench(limits=limits, sweep_limits=sweep_limits)
    bench.register(*types)
    return bench


def _assert_untouched(bench: Bench, why: str) -> RunRecord:
    """Sweep; fail if any row changed or anything was sent."""
    __tracebackhide__ = True
    before = dict(bench.memory.store.rows)
    record = bench.sweep().record
    for name, row in bench.memory.store.rows.items():
        if row != before[name]:
            raise AssertionError(f"{name} must be left alone: {why}; the sweep wrote it\n\n{bench.explain(name)}")
        if name in bench.queued():
            raise AssertionError(f"{name} must be left alone: {why}; the sweep sent it\n\n{bench.explain(name)}")
    return record
