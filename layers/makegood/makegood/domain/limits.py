"""The numbers of one deployment, and whether its clocks agree.

Each pair below has lost somebody's work when it was the wrong way round; the message of a broken pair names both
numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from makegood.domain.errors import SettingsError

LEAST_RECEIVES = 5
MOST_SHARDS = 100  #: each is asked for in every sweep
SQS_DELAY_LIMIT = timedelta(seconds=900)  #: Amazon SQS developer guide, "Delay queues"
VISIBILITY_FACTOR = 6  #: AWS Lambda developer guide, "Using Lambda with Amazon SQS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What both doors must agree on. The defaults are those of the template."""

    shards: int = 4
    stale_after: timedelta = timedelta(minutes=15)
    worker_timeout: timedelta = timedelta(seconds=60)
    perform_deadline: timedelta = timedelta(seconds=50)
    lease: timedelta = timedelta(seconds=120)
    visibility: timedelta = timedelta(seconds=370)
    batch_window: timedelta = timedelta()
    skew_margin: timedelta = timedelta(seconds=60)
    settle_window: timedelta = timedelta(minutes=2)
    outage_limit: timedelta = timedelta(hours=24)
    retention: timedelta = timedelta(days=90)
    max_attempts: int = 8
    max_dispatches: int = 5

    @property
    def retry_grace(self) -> timedelta:
        """How long after `not_before` a retry may stay unclaimed before the sweep looks; exceeds the skew margin."""
        return 2 * self.skew_margin

    def check(self) -> None:
        """Refuse numbers that contradict each other.

        Raises:
            SettingsError: naming every broken pair with both numbers.
        """
        broken = [words for holds, words in self._pairs() if not holds]
        if broken:
            raise SettingsError("the clocks do not agree: " + "; ".join(broken))

    def _pairs(self) -> Iterator[tuple[bool, str]]:
        yield 1 <= self.shards <= MOST_SHARDS, f"shards ({self.shards}) must be from 1 to {MOST_SHARDS}"
        yield self.max_attempts >= 1, f"max_attempts ({self.max_attempts}) must be at least 1"
        yield self.max_dispatches >= 1, f"max_dispatches ({self.max_dispatches}) must be at least 1"
        yield self.skew_margin >= timedelta(), f"skew margin ({_s(self.skew_margin)}) must not be negative"
        for name, window in (
            ("perform deadline", self.perform_deadline),
            ("settle window", self.settle_window),
            ("outage limit", self.outage_limit),
            ("retention", self.retention),
        ):
            yield window > timedelta(), f"{name} ({_s(window)}) must be longer than nothing"
        yield _below("perform deadline", self.perform_deadline, "worker time-out", self.worker_timeout)
        yield _below("worker time-out", self.worker_timeout, "lease", self.lease)
        holds = self.lease <= self.stale_after
        yield holds, f"lease ({_s(self.lease)}) must not exceed stale_after ({_s(self.stale_after)})"
        least = VISIBILITY_FACTOR * self.worker_timeout + self.batch_window
        words = f"queue visibility ({_s(self.visibility)}) must be at least 6 × worker time-out + batch window"
        yield self.visibility >= least, f"{words} ({_s(least)})"
        waits = self.visibility + self.skew_margin
        holds = self.stale_after > waits
        yield holds, f"stale_after ({_s(self.stale_after)}) must exceed queue visibility + skew margin ({_s(waits)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepLimits:
    """What only the reconciler needs."""

    halt_cap: int = 200
    drain_rate: int = 200
    sweep_timeout: timedelta = timedelta(seconds=240)
    schedule_interval: timedelta = timedelta(minutes=5)
    max_receive_count: int = 5

    def check(self) -> None:
        """Refuse numbers that contradict each other.

        Raises:
            SettingsError: naming every broken pair with both numbers.
        """
        broken = [words for holds, words in self._pairs() if not holds]
        if broken:
            raise SettingsError("the sweep's numbers do not agree: " + "; ".join(broken))

    def _pairs(self) -> Iterator[tuple[bool, str]]:
        yield self.halt_cap >= 0, f"halt cap ({self.halt_cap}) must not be negative"
        yield self.drain_rate >= 1, f"drain rate ({self.drain_rate}) must be at least 1"
        yield self.sweep_timeout > timedelta(), f"sweep time-out ({_s(self.sweep_timeout)}) must be longer than nothing"
        interval, timeout = self.schedule_interval, self.sweep_timeout
        words = f"schedule interval ({_s(interval)}) must be at least the sweep's time-out ({_s(timeout)})"
        yield interval >= timeout, words
        receives = self.max_receive_count
        words = f"maxReceiveCount ({receives}) must be at least {LEAST_RECEIVES}, since throttles count as receives"
        yield receives >= LEAST_RECEIVES, words


def _below(name: str, less: timedelta, other: str, more: timedelta) -> tuple[bool, str]:
    return less < more, f"{name} ({_s(less)}) must be below {other} ({_s(more)})"


def _s(duration: timedelta) -> str:
    return f"{duration.total_seconds():.12g} s"
