"""The small worlds, and the few units of time in which everything in them happens."""

from dataclasses import dataclass
from datetime import timedelta

from makegood.domain.backoff import Backoff
from makegood.domain.choices import Capability, Mode, Step
from makegood.domain.instant import Instant
from makegood.domain.limits import Limits
from makegood.domain.policy import Policy

NOW = Instant(1_790_000_000_000)  #: time is told by what lies how far from now; now never moves
UNIT = timedelta(minutes=1)
WAIT = 1  #: units before a retry, and between two looks
LEASE = 1
SETTLE = 2
OUTAGE = 3
DEADLINE = 3
LIFETIME = 7  #: of the remote's memory of a key
SENDABLE = LIFETIME - LEASE - SETTLE  #: an uncertain operation is sent no later than this after its first claim

LIMITS = Limits(
    shards=1,
    stale_after=UNIT,
    worker_timeout=timedelta(seconds=4),
    perform_deadline=timedelta(seconds=3),
    lease=LEASE * UNIT,
    visibility=timedelta(seconds=30),
    skew_margin=timedelta(),
    settle_window=SETTLE * UNIT,
    outage_limit=OUTAGE * UNIT,
    max_attempts=2,
    max_dispatches=1,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One small world: what its only operation's type is like, and what else can happen."""

    name: str
    idempotent: bool
    observable: bool
    undoing: bool = False  #: somebody may cancel, the remote may apply it otherwise, and effects are compensated
    lands_late: bool = False  #: a call may land after every window but the one in which the remote knows its key
    deadline: bool = False  #: an effect that comes too late is a person's
    careless: bool = False  #: sweeps try every move that the table allows after a look, whatever the policy says

    @property
    def policy(self) -> Policy:
        """The policy that goes furthest: it does by itself whatever may be registered."""
        undoes = Step.COMPENSATE if self.undoing else Step.REVIEW
        requeues = self.idempotent and self.observable
        return Policy(
            idempotent=self.idempotent,
            capability=Capability.BY_KEY if self.observable else Capability.NOT_OBSERVABLE,
            mode=Mode.CORRECT,
            on_missing=Step.REQUEUE if requeues else Step.REVIEW,
            on_divergent=undoes,
            on_cancelled=undoes,
            confirmation_window=UNIT,
            key_lifetime=LIFETIME * UNIT,
            backoff=Backoff(first=2 * UNIT, ceiling=2 * UNIT),
            observation_backoff=Backoff(first=UNIT * 2 / 3, ceiling=UNIT * 2 / 3),
            deadline=DEADLINE * UNIT if self.deadline else None,
            client_timeout=timedelta(seconds=1),
            observe_timeout=timedelta(seconds=1),
        )


KINDS = (
    Kind(name="idempotent, observable", idempotent=True, observable=True),
    Kind(name="idempotent, not observable", idempotent=True, observable=False),
    Kind(name="not idempotent, observable", idempotent=False, observable=True),
    Kind(name="not idempotent, not observable", idempotent=False, observable=False),
    Kind(name="cancelled and undone", idempotent=True, observable=True, undoing=True, careless=True),
    Kind(name="with a deadline", idempotent=True, observable=True, deadline=True),
    Kind(name="calls land late", idempotent=True, observable=True, lands_late=True),
)
