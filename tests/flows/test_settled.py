"""Does nobody take for absent what a call of ours may still bring about, whosever clock says so?"""

from datetime import timedelta

from makegood.domain.operation import Status
from makegood.domain.outcome import UncertainError

from tests.flows.test_observe import CORRECT
from tests.support.deployment import Deployment
from tests.support.remote import raising
from tests.support.rows import HOUR, LIMITS, MINUTE, SECOND

MS = timedelta(milliseconds=1)


def test_an_absence_that_a_clock_ahead_by_the_skew_margin_sees_inside_the_settle_window_is_no_verdict() -> None:
    house = Deployment(**{**CORRECT, "confirmation_window": SECOND})
    house.submitted("op-000")
    house.remote.script.append(raising(UncertainError("timed out")))
    house.worked("op-000")
    house.clock.advance(LIMITS.skew_margin)  # the reconciler's clock, of this very moment
    for passed in (MINUTE, LIMITS.settle_window - MINUTE - MS):
        house.clock.advance(passed)
        assert not house.swept().record.verdicts
    assert (house.row("op-000").status, house.row("op-000").absences) == (Status.AWAITING_CONFIRMATION, 0)
    house.clock.advance(HOUR)
    assert house.swept().record.verdicts == {"missing": 1}
