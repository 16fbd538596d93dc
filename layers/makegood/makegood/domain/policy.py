"""The written policy of an operation type, and the terms it comes to in one deployment."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from makegood.domain.backoff import Backoff
from makegood.domain.errors import UnsafePolicy
from makegood.domain.limits import Limits
from makegood.domain.operation import QueueName


class Mode(StrEnum):
    """How much outcome reconciliation may do by itself. New types only report."""

    OBSERVE = "observe"
    CONFIRM = "confirm"
    CORRECT = "correct"


class Capability(StrEnum):
    """How the effect can be observed in the outside system."""

    BY_KEY = "by_key"
    BY_BUSINESS_KEY = "by_business_key"
    ACKNOWLEDGEMENT_ONLY = "acknowledgement_only"
    NOT_OBSERVABLE = "not_observable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a team decides for one operation type. `None` takes the deployment's number."""

    version: int = 1  #: stored with each verdict; raise it with every change
    queue: QueueName = QueueName.DEFAULT
    idempotent: bool = False  #: the remote applies one key once, however often it is sent
    capability: Capability = Capability.NOT_OBSERVABLE
    mode: Mode = Mode.OBSERVE
    stale_after: timedelta | None = None
    max_attempts: int | None = None
    max_dispatches: int | None = None
    halt_cap: int | None = None  #: of this type alone; the global cap holds as well
    deadline: timedelta | None = None  #: from submission; `None` sets none
    key_lifetime: timedelta = timedelta(hours=24)  #: how long the remote remembers an idempotency key
    confirmation_window: timedelta | None = None  #: from the end of an attempt to the first look; the settle window
    settle_window: timedelta | None = None  #: from the end of an attempt until absence counts
    backoff: Backoff = field(default_factory=Backoff)
    client_timeout: timedelta = timedelta(seconds=10)  #: of one try, connecting and reading together
    client_tries: int = 1

    def under(self, limits: Limits) -> "Terms":
        """Resolve the policy against a deployment's numbers.

        Raises:
            UnsafePolicy: saying which rule it breaks and why that matters.
        """
        broken = [words for holds, words in self._rules(limits) if not holds]
        if broken:
            raise UnsafePolicy("; ".join(broken))
        settle_window = limits.settle_window if self.settle_window is None else self.settle_window
        return Terms(
            policy=self,
            limits=limits,
            stale_after=limits.stale_after if self.stale_after is None else self.stale_after,
            max_attempts=self.max_attempts or limits.max_attempts,
            max_dispatches=self.max_dispatches or limits.max_dispatches,
            settle_window=settle_window,
            confirmation_window=settle_window if self.confirmation_window is None else self.confirmation_window,
        )

    def _rules(self, limits: Limits) -> Iterator[tuple[bool, str]]:
        yield from self._rules_of_calls(limits)
        yield from self._rules_of_keys(limits)
        yield from self._rules_of_numbers()
        stale = limits.stale_after if self.stale_after is None else self.stale_after
        least = limits.visibility + limits.skew_margin
        yield (
            stale > least and stale >= limits.lease,
            (
                f"stale_after ({_s(stale)}) must exceed queue visibility + skew margin ({_s(least)}) "
                f"and not be below the lease ({_s(limits.lease)}), or messages on their way are sent again"
            ),
        )

    def _rules_of_numbers(self) -> Iterator[tuple[bool, str]]:
        for name, number in (("max_attempts", self.max_attempts), ("max_dispatches", self.max_dispatches)):
            yield number is None or number >= 1, f"{name} ({number}) must be at least 1"
        yield self.halt_cap is None or self.halt_cap >= 0, f"halt_cap ({self.halt_cap}) must not be negative"
        nothing = timedelta()
        for name, window in (
            ("settle_window", self.settle_window),
            ("confirmation_window", self.confirmation_window),
            ("backoff.first", self.backoff.first),
            ("backoff.ceiling", self.backoff.ceiling),
        ):
            yield window is None or window >= nothing, f"{name} ({_s(window or nothing)}) must not be negative"
        for name, time in (("client_timeout", self.client_timeout), ("deadline", self.deadline)):
            yield time is None or time > nothing, f"{name} ({_s(time or nothing)}) must be above 0 s"

    def _rules_of_calls(self, limits: Limits) -> Iterator[tuple[bool, str]]:
        spent = self.client_timeout * self.client_tries
        yield self.client_tries >= 1, f"client_tries ({self.client_tries}) must be at least 1"
        yield (
            spent < limits.perform_deadline,
            (
                f"client time-out × tries ({_s(spent)}) must be below the perform deadline "
                f"({_s(limits.perform_deadline)}), or Lambda kills the run in the middle of a call"
            ),
        )
        yield (
            self.idempotent or self.client_tries == 1,
            (
                f"a type that is not idempotent tries once in its client ({self.client_tries} are declared), "
                "since a repeated call would be a second effect"
            ),
        )

    def _rules_of_keys(self, limits: Limits) -> Iterator[tuple[bool, str]]:
        settle_window = limits.settle_window if self.settle_window is None else self.settle_window
        needed = limits.lease + settle_window
        yield (
            self.key_lifetime > needed,
            (
                f"key lifetime ({_s(self.key_lifetime)}) must exceed lease + settle window ({_s(needed)}), "
                "or no repeated send could ever be safe"
            ),
        )
        yield (
            limits.retention > self.key_lifetime,
            (
                f"retention ({_s(limits.retention)}) must exceed the remote's key lifetime ({_s(self.key_lifetime)}), "
                "or a late message could meet no row and a live key"
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """A policy with every number filled in: what decisions and transitions are judged by."""

    policy: Policy
    limits: Limits
    stale_after: timedelta
    max_attempts: int
    max_dispatches: int
    settle_window: timedelta
    confirmation_window: timedelta

    @property
    def key_reserve(self) -> timedelta:
        """What must be left of the key's lifetime for one more send to be safe: a lease and the settle window."""
        return self.limits.lease + self.settle_window


def _s(duration: timedelta) -> str:
    return f"{duration.total_seconds():.12g} s"
