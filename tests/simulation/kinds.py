"""What can go wrong, by the place where it does, and the kinds of schedule, each with what it leaves behind."""

from dataclasses import dataclass
from enum import StrEnum

from tests.simulation.engine import HOUR, MINUTE, SECOND


class Fault(StrEnum):
    """Everything that can go wrong."""

    # at a request to the store, the ledger, the line or the queue
    SLOW = "a request is slow"
    THROTTLED = "a request is refused"
    CLOCK_SET = "a clock is set in the middle of a run"
    LOST_REPLY = "a reply is lost"
    REPEATED = "a write is repeated by the client"
    CRASH_BEFORE = "a process dies before its request"
    CRASH_AFTER = "a process dies after its request"
    # at a queue
    DROPPED = "a message is lost"
    DOUBLED = "a message comes twice"
    DELAYED = "a message comes late"
    NOT_TAKEN = "a queue does not take a message"
    NOT_TOLD = "a queue takes a message and does not say so"
    REFUSED = "a queue refuses a message"
    # at the index
    LAGGING = "the index lags"
    LISTED_TWICE = "the index lists a row twice"
    # at a call
    LOST_CALL = "a call never arrives"
    LOST_ANSWER = "an answer is lost"
    LATE_CALL = "a call lands late"
    LATE_CALL_CRASH = "a worker dies and its call lands late"
    DIED_CALLING = "a worker dies before its call arrives"
    DIED_ANSWERED = "a worker dies once its call has landed"
    TRANSIENT = "a call is refused for now"
    OUTAGE = "a call is turned away"
    REJECTED = "a call is refused for good"
    ACCEPTED = "a call is accepted and applied later"
    FORGOTTEN = "a call is accepted and forgotten"
    UNPROVEN = "an answer proves nothing"
    OTHERWISE = "a call is applied otherwise"
    RULED_OUT = "a type rules a call out"
    ODD_BEFORE = "an odd error before a call"
    ODD_AFTER = "an odd error after a call"
    FROZEN = "a worker freezes in its call"
    SLOW_ANSWER = "an answer is slow"
    # at a look
    UNKNOWN = "a look tells nothing"
    LOOK_RAISES = "a look raises"
    LOOK_SLOW = "a look is slow"
    LOOK_LAGS = "a look shows what was"
    FLICKER = "a look misses what is there"
    SEVERAL = "a look finds several"
    NO_VERSION = "a look finds no version"
    ANOTHERS_ANSWER = "an answer to a look is somebody else's"
    LOOK_KILLS = "a look kills its run"
    # planned
    SWEEP_LATE = "a sweep comes late"
    SWEEP_TWICE = "a sweep comes twice"
    DRY_RUN = "a dry run"
    BY_HAND = "a person sweeps by hand"
    RESULT_FILE = "a result file is read"
    ONLY_WATCHING = "a sweep that only watches"
    SILENCE = "the remote answers nobody for a while"
    TURNED_AWAY = "the remote turns everybody away for a while"
    PURGE = "a queue is purged"
    OTHER_HANDS = "somebody else changes the effect"
    TAKEN_AWAY = "somebody else takes the effect away"
    CANCEL = "a cancellation is asked for"
    SUBMITTED_TWICE = "the same work is promised twice"
    SKEW = "a clock is off"
    FORGED = "an acknowledgement is forged"
    WRONG_TIME = "a producer gives a time in seconds"
    FEWER_SHARDS = "the number of shards is lowered"
    HESITATES = "a person takes their time"


AT_A_WRITE = (
    Fault.SLOW,
    Fault.THROTTLED,
    Fault.LOST_REPLY,
    Fault.REPEATED,
    Fault.CRASH_BEFORE,
    Fault.CRASH_AFTER,
)
AT_A_READ = (Fault.SLOW, Fault.THROTTLED, Fault.CRASH_BEFORE, Fault.CLOCK_SET)
AT_A_SEND = (
    Fault.DROPPED,
    Fault.DOUBLED,
    Fault.DELAYED,
    Fault.NOT_TAKEN,
    Fault.NOT_TOLD,
    Fault.REFUSED,
    Fault.CRASH_BEFORE,
    Fault.CRASH_AFTER,
)
AT_THE_INDEX = (Fault.LAGGING, Fault.LISTED_TWICE)
AT_A_CALL = tuple(list(Fault)[list(Fault).index(Fault.LOST_CALL) : list(Fault).index(Fault.SLOW_ANSWER) + 1])
AT_A_LOOK = tuple(list(Fault)[list(Fault).index(Fault.UNKNOWN) : list(Fault).index(Fault.LOOK_KILLS) + 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of schedule: how far the world may go, and which promises nobody can keep then."""

    name: str
    skew: int = 30 * SECOND  #: of one clock; two of them differ by twice as much, the margin
    lateness: int = 60 * SECOND  #: from the end of a call's patience until it has landed
    frozen: bool = False  #: a process may stop for an hour and go on
    people_lie: bool = False
    looks_miss: bool = False  #: what is there may be missed by a type that takes one absence for the truth

    @property
    def keeps_windows(self) -> bool:
        """Say whether calls land within the settle window as every clock measures it."""
        return not self.frozen and self.skew <= 30 * SECOND and self.lateness <= 60 * SECOND

    @property
    def keeps_truth(self) -> bool:
        """Say whether what a terminal status says must be so."""
        return self.keeps_windows and not self.people_lie and not self.looks_miss


KINDS = (
    *(Kind(name="ordinary") for _ in range(11)),
    Kind(name="frozen", frozen=True),
    Kind(name="frozen", frozen=True),
    Kind(name="clocks beyond the margin", skew=15 * MINUTE),
    Kind(name="calls after every window", lateness=3 * HOUR),
    Kind(name="people who lie", people_lie=True),
)
PAUSES = (SECOND, 5 * SECOND, 20 * SECOND, 45 * SECOND)  #: within a run's life
LONG_PAUSES = (45 * SECOND, 4 * MINUTE, 7 * MINUTE, 11 * MINUTE, 16 * MINUTE, HOUR)
