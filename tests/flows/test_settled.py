"""Does nobody take for absent what a call of ours may still bring about, whosever clock says so?"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from makegood.domain.instant import after, iso
from makegood.domain.observation import Absent
from makegood.domain.operation import Intent, Status
from makegood.domain.outcome import UncertainError
from makegood.domain.policy import Step
from makegood.domain.review import Action

from tests.flows.test_observe import CORRECT
from tests.flows.test_review import DOWN, SAW, THERE, refused, standing, taken
from tests.support.deployment import Deployment
from tests.support.remote import raising
from tests.support.rows import HOUR, LIMITS, MINUTE, NOW, SECOND, SETTLED, ago

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


CALLED_OFF = {**CORRECT, "idempotent": False, "on_missing": Step.REVIEW}
ALMOST = ago(SETTLED - MS)
UNDOING = {"intent": Intent.COMPENSATION}
JUST_NOW: Mapping[str, tuple[Action, Any, dict[str, Any], dict[str, Any], str]] = {
    "confirmed by word, and not there": (Action.CONFIRM, Absent(), {}, {}, "was not there"),
    "confirmed by word, seen absent once of twice": (
        Action.CONFIRM,
        Absent(),
        {"attempt_ended_at": ago(HOUR)},
        {"absences": 2},
        "was not there",
    ),
    "undone by word, seen absent once of twice": (
        Action.COMPENSATE,
        Absent(),
        {"attempt_ended_at": ago(HOUR)},
        {"absences": 2},
        "was not there",
    ),
    "undone again by word, and gone": (Action.RETRY, Absent(), UNDOING, {}, "was not there"),
    "tried again by word, where twice is twice": (Action.RETRY, DOWN, {}, CALLED_OFF, "may still land until "),
    "tried again since it is not there, where twice is twice": (
        Action.RETRY,
        Absent(),
        {},
        CALLED_OFF,
        "may still land until ",
    ),
    "undone again since it is there, where twice is twice": (
        Action.RETRY,
        THERE,
        UNDOING,
        CALLED_OFF,
        "may still land until ",
    ),
}


@pytest.mark.parametrize("what", JUST_NOW)
def test_a_persons_word_does_not_outweigh_the_look_of_the_decision_nor_the_time(what: str) -> None:
    action, sight, facts, policy, words = JUST_NOW[what]
    house = standing(
        sight=sight, policy={**CORRECT, **policy}, **{"uncertain": True, "attempt_ended_at": ALMOST, **facts}
    )
    assert words in refused(house, action, stated=SAW)


AGREED: Mapping[str, tuple[Action, Any, dict[str, Any], dict[str, Any], Status]] = {
    "nobody else can say, so it is confirmed": (Action.CONFIRM, DOWN, {}, {}, Status.CONFIRMED),
    "a repeated call is applied once": (Action.RETRY, Absent(), {}, {}, Status.RETRY_SCHEDULED),
    "the last call certainly had no effect": (
        Action.RETRY,
        Absent(),
        {"uncertain": False},
        CALLED_OFF,
        Status.RETRY_SCHEDULED,
    ),
    "its call can land no more": (
        Action.RETRY,
        DOWN,
        {"attempt_ended_at": ago(SETTLED)},
        CALLED_OFF,
        Status.RETRY_SCHEDULED,
    ),
    "gone, and said to be gone": (Action.CONFIRM, Absent(), UNDOING, {}, Status.COMPENSATED),
    "to be given up is theirs to say": (Action.CLOSE, Absent(), {}, CALLED_OFF, Status.NOT_APPLICABLE),
}


@pytest.mark.parametrize("what", AGREED)
def test_a_persons_word_counts_where_neither_the_look_nor_the_time_speaks_against_it(what: str) -> None:
    action, sight, facts, policy, status = AGREED[what]
    house = standing(
        sight=sight, policy={**CORRECT, **policy}, **{"uncertain": True, "attempt_ended_at": ALMOST, **facts}
    )
    assert taken(house, action, stated=SAW).status is status


def test_who_confirms_what_was_not_there_just_now_is_told_when_to_look_again() -> None:
    house = standing(sight=Absent(), uncertain=True, attempt_ended_at=ALMOST)
    assert f"decide again after {iso(after(NOW, MS))}" in refused(house, Action.CONFIRM, stated=SAW)
