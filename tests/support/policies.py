"""Policies out of the whole space of them: each choice, number and step, and now and then what nobody should say.

Most draws are coherent, so that enough are accepted; one thing of every other draw is then anything at all. Which ones
are safe is registration's to say: nothing here knows it.
"""

from datetime import timedelta
from typing import Any, TypeAlias

from hypothesis import strategies as st
from makegood.domain.backoff import Backoff
from makegood.domain.errors import UnsafePolicy
from makegood.domain.operation import QueueName
from makegood.domain.policy import Capability, Mode, Policy, Step
from makegood.domain.registry import Registry

from tests.support.remote import Nowhere, Remote, calling
from tests.support.rows import LIMITS

Said: TypeAlias = dict[str, Any]  #: what a policy says, by field


def _times(least: int, most: int) -> st.SearchStrategy[timedelta]:
    return st.integers(least, most).map(lambda seconds: timedelta(seconds=seconds))


def _backoffs(least: int) -> st.SearchStrategy[Backoff]:
    return st.builds(Backoff, first=_times(least, 3_600), ceiling=_times(least, 7_200))


_LEASE = int(LIMITS.lease.total_seconds())
_HOUR, _DAY = 3_600, 86_400
_USUAL: dict[str, st.SearchStrategy[Any]] = {
    "version": st.integers(1, 99),
    "queue": st.sampled_from(QueueName),
    "idempotent": st.sampled_from([True, True, False]),
    "capability": st.sampled_from([Capability.BY_KEY, *Capability, Capability.BY_BUSINESS_KEY]),
    "mode": st.sampled_from([Mode.CORRECT, Mode.CORRECT, *Mode]),
    "stale_after": st.none() | _times(431, _DAY),
    "max_attempts": st.none() | st.integers(1, 9),
    "max_dispatches": st.none() | st.integers(1, 6),
    "halt_cap": st.none() | st.integers(1, 9),
    "deadline": st.none() | _times(_LEASE, 40 * _HOUR),
    "key_lifetime": _times(30 * 60, 30 * _DAY),
    "backoff": _backoffs(0),
    "client_timeout": _times(1, 24),
    "confirmation_window": st.none() | _times(0, _HOUR),
    "settle_window": st.none() | _times(_LEASE, _HOUR),
    "absences": st.integers(1, 4),
    "observe_timeout": _times(1, 30),
    "observation_backoff": _backoffs(1),
    "unknowns": st.integers(1, 5),
    "outage_limit": st.none() | _times(2 * _HOUR, 3 * _DAY),
    "numbers": st.frozensets(st.sampled_from(["plan", "sum"])),
    "supersedes": st.booleans(),
}
_STEPS = ("on_correct", "on_missing", "on_divergent", "on_ambiguous", "on_not_applicable", "on_cancelled")
_ODD = st.sampled_from([None, -1, 0, 1, 10**9, "correct", timedelta(0), timedelta(minutes=3), timedelta(days=90)])
_ODDITIES = st.one_of(
    st.fixed_dictionaries({"on_ambiguous": st.sampled_from([Step.REQUEUE, Step.COMPENSATE])}),
    st.fixed_dictionaries({"on_missing": st.just(Step.REQUEUE), "idempotent": st.sampled_from([False])}),
    st.dictionaries(st.sampled_from(_STEPS), st.sampled_from(Step), min_size=1, max_size=2),
    st.dictionaries(st.sampled_from(sorted(_USUAL)), _ODD, min_size=1, max_size=1),
    st.fixed_dictionaries({"client_tries": st.integers(0, 4), "idempotent": st.booleans()}),
)


@st.composite
def drawn(draw: st.DrawFn) -> Said:
    """Draw what a team might write, accepted or not."""
    said: Said = {name: draw(values) for name, values in _USUAL.items()}
    asks = said["capability"].can_ask
    resends = [Step.REQUEUE, Step.REVIEW] if asks and said["idempotent"] else [Step.REVIEW]
    undoes = st.sampled_from([Step.COMPENSATE, Step.REVIEW] if asks else [Step.REVIEW])
    said |= {
        "on_correct": draw(st.sampled_from([Step.CONFIRM, Step.CONFIRM, Step.REVIEW])),
        "on_missing": draw(st.sampled_from(resends)),
        "on_divergent": draw(undoes),
        "on_ambiguous": Step.REVIEW,
        "on_not_applicable": draw(st.sampled_from([Step.CLOSE, Step.REVIEW])),
        "on_cancelled": draw(undoes),
    }
    return said | draw(st.just({}) | _ODDITIES)


def is_accepted(said: Said) -> bool:
    """Say whether registration takes a policy, for a type that can do whatever its policy may ask of it."""
    try:
        Policy(**said).under(LIMITS)
        Registry([calling(Remote(), **said)], limits=LIMITS, remotes=Nowhere())
    except UnsafePolicy:
        return False
    return True


accepted = drawn().filter(is_accepted)
