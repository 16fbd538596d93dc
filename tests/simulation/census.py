"""What must occur among enough schedules, or they show less than they seem to."""

from collections import Counter

from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Verb
from makegood.domain.review import Action
from makegood.domain.run import RunOutcome

from tests.simulation.kinds import KINDS, Fault

WANTED = frozenset(
    {
        *(fault.value for fault in Fault),
        *(f"verb {verb}" for verb in Verb),
        *(f"verdict {kind}" for kind in VerdictKind),
        *(f"decision {action}" for action in Action),
        *(f"run {outcome}" for outcome in RunOutcome),
        *(f"kind: {kind.name}" for kind in KINDS),
    }
)


def too_rare(seen: Counter[str], least: int) -> dict[str, int]:
    """Name what occurred less often than it should, and how often it did."""
    return {what: seen[what] for what in sorted(WANTED) if seen[what] < least}
