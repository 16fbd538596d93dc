"""What a sweep tells of itself, and a person's permission to go on above the cap."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from makegood.domain.instant import Instant


class RunOutcome(StrEnum):
    """How a sweep ended."""

    COMPLETED = "completed"
    HALTED = "halted"  #: above the cap; nothing was written to an operation and nothing was sent
    OVERLAPPED = "overlapped"  #: another sweep held the lease; nothing was done
    OBSERVED = "observed"  #: the deployment has its sweeps only watch; nothing was done


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """An operator's audited, expiring permission to act above the halt cap."""

    by: str
    at: Instant
    until: Instant
    drain_rate: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The sweep's control row."""

    lease_ends_at: Instant | None = None
    halted_since: Instant | None = None
    halted_why: str | None = None
    acknowledgement: Acknowledgement | None = None
    asking: tuple[str, ...] = ()  #: what a run that died was asking the outside about
    shards: int = 0  #: the most that a sweep of this table has asked; 0 if none has said

    def shards_to_ask(self, configured: int) -> int:
        """Return how many shards of the index may hold open rows: those of today, and those of a higher number before.

        The count may only grow. Where a deployment lowers it all the same, a rollback for one, rows that were promised
        meanwhile lie in shards that its number does not name.
        """
        return max(configured, self.shards)

    def acknowledged(self, now: Instant) -> Acknowledgement | None:
        """Return the acknowledgement that holds now, if one does."""
        given = self.acknowledgement
        return given if given is not None and now < given.until else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The counts of one run. Kept for 30 days."""

    run_id: str
    started_at: Instant
    ended_at: Instant
    outcome: RunOutcome
    dry_run: bool = False
    partial: bool = False  #: it looked at a part: a person asked for that, or time was up
    shards: int = 0  #: of the index, that were asked
    scanned: int = 0  #: due rows that were read and judged
    anomalies: Mapping[str, int] = field(default_factory=dict)  #: by kind
    acted: Mapping[str, int] = field(default_factory=dict)  #: by verb; of a dry run: what would be done
    skipped: Mapping[str, int] = field(default_factory=dict)  #: by reason
    verdicts: Mapping[str, int] = field(default_factory=dict)  #: by kind
    would: Mapping[str, int] = field(default_factory=dict)  #: by verb: what a mode or the deployment withheld
    not_asked: Mapping[str, str] = field(default_factory=dict)  #: by type: why it was not asked any further
    sent: int = 0
    send_failures: int = 0
    send_trouble: str | None = None  #: what the queue said of the first message that it did not take
    errors: Mapping[str, str] = field(default_factory=dict)  #: by operation id, the first 20
    error_count: int = 0
    remaining: int = 0  #: known to be due and not acted on; more may be due beyond what was read
    halted_why: str | None = None
    halted_types: Mapping[str, str] = field(default_factory=dict)  #: by type, why
    acknowledged_by: str | None = None

    @property
    def ends_a_halt(self) -> bool:
        """Say whether this run looked at everything that is due and found the pile gone."""
        return self.outcome is RunOutcome.COMPLETED and not self.dry_run and not self.partial
