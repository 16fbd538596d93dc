"""One stack as the commands see it, whether it runs on this machine or in an account."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from makegood.ports import Store

from makegood_cli.local.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from makegood.domain.operation import Operation
    from makegood.domain.registry import Registry
    from makegood.flows.cancel import Cancel
    from makegood.flows.check import Check
    from makegood.flows.review import Review
    from makegood.flows.submit import Submit
    from makegood.flows.sweep import Sweep
    from makegood.ports import Clock, Found, Ledger, Page
    from makegood.settings import SweepSettings


class Rows(Store, Protocol):
    """The store, and what only people ask of it."""

    def scan(self) -> Iterator[Found]:
        """Read every operation there is. It costs what exists."""
        ...

    def decided(self) -> Iterator[Page]:
        """Read every operation that a person decided upon. It costs what exists."""
        ...

    def with_payload(self, operation: Operation) -> Operation:
        """Return the operation with its payload, also where that lives in an item of its own."""
        ...


class Rooms(Protocol):
    """What of a deployment the commands use; `makegood.bootstrap.Makegood` is one."""

    @property
    def settings(self) -> SweepSettings:
        """The numbers that run."""
        ...

    @property
    def store(self) -> Rows:
        """The rows."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What the reconciler keeps of itself."""
        ...

    @property
    def clock(self) -> Clock:
        """The time."""
        ...

    @property
    def registry(self) -> Registry:
        """The operation types."""
        ...

    @property
    def submit(self) -> Submit:
        """The producer's flow."""
        ...

    @property
    def sweep(self) -> Sweep:
        """The reconciler's flow; the command only asks it what it would refuse."""
        ...

    @property
    def review(self) -> Review:
        """The flow of people's decisions."""
        ...

    @property
    def cancel(self) -> Cancel:
        """The flow of a cancellation."""
        ...

    @property
    def check(self) -> Check:
        """The flow of a result file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How many messages a queue holds, about."""

    waiting: int
    in_flight: int  #: received, neither done nor handed back
    delayed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A stack that is there."""

    name: str
    where: str  #: for people: a region, or this machine
    is_local: bool
    rooms: Rooms
    sweep: Callable[[Mapping[str, object]], Mapping[str, Any]]  #: runs the reconciler's door with an event
    who: Callable[[], str]  #: names the person at the keyboard, as the stack knows them
    depths: Callable[[], Mapping[str, Depth]]  #: by queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which stack the person means. No name means the local stack."""

    stack: str | None = None
    profile: str | None = None
    region: str | None = None


def _has_person() -> bool:
    return sys.stdin.isatty()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the command finds around it."""

    reach: Callable[[Choice, Places], Stack]
    places: Places = field(default_factory=Places)
    has_person: Callable[[], bool] = _has_person  #: whether anybody can be asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of the command."""

    world: World
    choice: Choice

    def stack(self) -> Stack:
        """Reach the stack that is meant; raises what the world raises when it is not there."""
        return self.world.reach(self.choice, self.world.places)
