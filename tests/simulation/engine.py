"""Virtual time, and processes that hand over at every request: a heap of what comes next, and one greenlet each.

The flows are ordinary functions; a greenlet lets one stop in the middle of a call, inside whatever called it, for half
a microsecond. One runs at a time, and which one is decided by time alone, so a run repeats to the last event.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped] # its stubs are a package of their own
from makegood.domain.instant import Instant

from tests.simulation.chance import Stream

if TYPE_CHECKING:
    from makegood.domain.observation import Observed

START = Instant(1_790_000_000_000)
MILLISECOND = timedelta(milliseconds=1)
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000  #: in milliseconds, as instants are
FOR_EVER = Instant(START + 10_000 * HOUR)


class Killed(BaseException):
    """The process is gone: no code of it runs any more, in the middle of whatever it did."""


class Process:
    """One run of one flow: a delivery, a sweep, a person, a producer."""

    __slots__ = (
        "acted",
        "asked",
        "began_at",
        "clock_set",
        "dies_at",
        "failed",
        "fiber",
        "found",
        "last_write",
        "moved",
        "name",
        "requests",
        "role",
        "sent",
        "skew",
        "started_at",
        "stream",
        "suspects",
        "token",
        "unknown",
        "watches",
        "wrote",
    )

    def __init__(self, name: str, role: str, stream: Stream) -> None:
        self.name, self.role, self.stream = name, role, stream
        self.skew = 0  #: its clock against the true one, in milliseconds
        self.started_at = self.dies_at = FOR_EVER
        self.began_at = FOR_EVER  #: by its own clock
        self.token: str | None = None  #: of the claim it holds
        self.wrote = self.acted = 0  #: rows it wrote, anomalies it acted on
        self.asked: dict[
            str, tuple[Observed, Instant, Instant]
        ] = {}  #: its last looks; when, by the true clock and its own
        self.unknown: Counter[str] = Counter()  #: looks in a row without an answer, by type
        self.sent: Counter[str] = Counter()  #: messages it sent before its first look, by queue
        self.requests = 0  #: to the queues, for these
        self.found: set[str] = set()  #: rows it read
        self.moved: set[str] = set()  #: rows it wrote
        self.last_write: str | None = None  #: the id of the last write of it that landed
        self.clock_set = False  #: whether its clock was set while it ran
        self.failed = False  #: whether something it had to read was refused
        self.suspects: tuple[str, ...] = ()  #: what the run before it was asking about when it died
        self.watches = False  #: whether it is a sweep of a deployment that only watches
        self.fiber: greenlet | None = None


Next: TypeAlias = Process | Callable[[], object]


class Engine:
    """Runs what comes next, one at a time."""

    def __init__(self) -> None:
        self.now = START
        self.events = 0
        self.running: Process | None = None
        self._next: list[tuple[int, int, Next]] = []
        self._count = 0
        self._hub = getcurrent()

    @property
    def process(self) -> Process:
        """Return the process that runs."""
        if self.running is None:
            raise AssertionError("only a process may ask for something")
        return self.running

    @property
    def is_idle(self) -> bool:
        """Say whether nothing else is to come."""
        return not self._next

    def at(self, when: int, what: Next) -> None:
        """Let something come at an instant."""
        self._count += 1
        heappush(self._next, (when, self._count, what))

    def spawn(self, process: Process, body: Callable[[], object], *, when: int, lives: int | None) -> None:
        """Start a process at an instant; it is killed after so many milliseconds, if that is given."""
        process.started_at, process.began_at = Instant(when), Instant(when + process.skew)
        process.dies_at = Instant(when + lives) if lives is not None else FOR_EVER
        process.fiber = greenlet(lambda: _lived(body), self._hub)
        self.at(when, process)

    def pause(self, milliseconds: int) -> None:
        """Let time pass for the process that runs, and others go on."""
        process = self.process
        back_at = self.now + milliseconds
        dies = back_at >= process.dies_at
        self._count += 1
        heappush(self._next, (process.dies_at if dies else back_at, self._count, process))
        self._hub.switch()
        if dies:
            raise Killed

    def run(self, until: int, stop: Callable[[], object]) -> None:
        """Go on until an instant, until nothing is left, or until `stop` says so after an event."""
        upcoming = self._next
        while upcoming and upcoming[0][0] <= until:
            when, _, what = heappop(upcoming)
            self.now = Instant(max(self.now, when))
            self.events += 1
            if isinstance(what, Process):
                self.running = what
                what.fiber.switch()  # type: ignore[union-attr] # a process that was spawned has one
                self.running = None
            else:
                what()
            if stop():
                return
        self.now = Instant(max(self.now, until)) if until < FOR_EVER else self.now


def _lived(body: Callable[[], object]) -> None:
    try:
        body()
    except Killed:
        return
