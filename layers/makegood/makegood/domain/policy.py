"""The written policy of an operation type, and the terms it comes to in one deployment."""

from dataclasses import dataclass, field
from datetime import timedelta

from makegood.domain import policy_rules
from makegood.domain.backoff import Backoff
from makegood.domain.choices import Capability, Mode, Step
from makegood.domain.errors import UnsafePolicy
from makegood.domain.evidence import VerdictKind
from makegood.domain.limits import Limits
from makegood.domain.operation import QueueName

__all__ = ["Capability", "Mode", "Policy", "Step", "Terms"]


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
    backoff: Backoff = field(default_factory=Backoff)
    client_timeout: timedelta = timedelta(seconds=10)  #: of one try, connecting and reading together
    client_tries: int = 1

    confirmation_window: timedelta | None = None  #: from an attempt's end to the first look; until it has settled
    settle_window: timedelta | None = None  #: from the end of an attempt until absence counts
    absences: int = 1  #: how many absences in a row, after the settle window, make `missing`
    observe_timeout: timedelta = timedelta(seconds=5)  #: of one look; without an answer by then it is `Unknown`
    observation_backoff: Backoff = field(
        default_factory=lambda: Backoff(first=timedelta(minutes=1), ceiling=timedelta(minutes=30))
    )
    unknowns: int = 3  #: so many looks in a row without an answer, and a sweep stops asking for this type
    outage_limit: timedelta | None = None  #: from the end of an attempt until `Unknown` becomes `ambiguous`
    numbers: frozenset[str] = frozenset()  #: fields that are numbers however they are written: "10.00" is 10
    supersedes: bool = False  #: a newer version of the same entity makes older ones not applicable

    on_correct: Step = Step.CONFIRM
    on_missing: Step = Step.REVIEW
    on_divergent: Step = Step.REVIEW
    on_ambiguous: Step = Step.REVIEW  #: no other is ever registered
    on_not_applicable: Step = Step.CLOSE
    on_cancelled: Step = Step.REVIEW  #: of an operation whose cancellation was asked for and whose effect is there

    def under(self, limits: Limits) -> "Terms":
        """Resolve the policy against a deployment's numbers.

        Raises:
            UnsafePolicy: saying which rule it breaks and why that matters.
        """
        if odd := policy_rules.odd(self):
            raise UnsafePolicy("; ".join(odd))
        settle_window = limits.settle_window if self.settle_window is None else self.settle_window
        terms = Terms(
            policy=self,
            limits=limits,
            stale_after=limits.stale_after if self.stale_after is None else self.stale_after,
            max_attempts=limits.max_attempts if self.max_attempts is None else self.max_attempts,
            max_dispatches=limits.max_dispatches if self.max_dispatches is None else self.max_dispatches,
            settle_window=settle_window,
            confirmation_window=_settled(settle_window, limits)
            if self.confirmation_window is None
            else self.confirmation_window,
            outage_limit=limits.outage_limit if self.outage_limit is None else self.outage_limit,
        )
        if broken := policy_rules.broken(terms):
            raise UnsafePolicy("; ".join(broken))
        return terms

    def step(self, kind: VerdictKind) -> Step:
        """Return what a verdict leads to, for an operation that is still wanted."""
        match kind:
            case VerdictKind.CORRECT:
                return self.on_correct
            case VerdictKind.MISSING:
                return self.on_missing
            case VerdictKind.DIVERGENT:
                return self.on_divergent
            case VerdictKind.AMBIGUOUS:
                return self.on_ambiguous
            case VerdictKind.NOT_APPLICABLE:
                return self.on_not_applicable


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
    outage_limit: timedelta

    @property
    def settled_after(self) -> timedelta:
        """How long after the end of an attempt absence counts: another machine's clock wrote down that end."""
        return _settled(self.settle_window, self.limits)

    @property
    def key_reserve(self) -> timedelta:
        """What must be left of the key's lifetime for one more send to be safe: a lease and the settle window."""
        return self.limits.lease + self.settle_window


def _settled(window: timedelta, limits: Limits) -> timedelta:
    return window + limits.skew_margin
