"""May a result file be checked again, and does what it moved say who handed it in?"""

from makegood.domain.evidence import Closure
from makegood.domain.history import last
from makegood.domain.instant import iso
from makegood.domain.observation import Absent
from makegood.domain.reason import Reason

from tests.flows.test_check import TOLD, checked, line, standing
from tests.flows.test_observe import CORRECT
from tests.support.remote import seeing
from tests.support.rows import MINUTE, NOW, ago

TWICE = {**CORRECT, "absences": 2}


def test_the_same_file_checked_again_counts_no_absence_twice_and_leaves_the_row_as_it_is() -> None:
    for said, written_at in ({"at": iso(ago(MINUTE))}, None), ({}, ago(MINUTE)):
        house = standing(policy=TWICE)
        absent = line(absent=True, **said)
        assert checked(house, absent, written_at=written_at).checked[0].landed
        before = house.picture()
        house.clock.advance(MINUTE)
        again = checked(house, absent, written_at=written_at).checked[0]
        assert (again.verdict, again.landed, again.held_back, house.picture()) == (None, False, True, before)
        house.clock.advance(MINUTE)
        assert checked(house, absent, written_at=house.clock.now()).checked[0].verdict == (None if said else "missing")


def test_a_newer_file_counts_and_one_from_before_the_last_look_does_not() -> None:
    house = standing(policy=TWICE, due_at=NOW)
    house.remote.sights = [seeing(Absent())]
    house.swept()
    assert house.row().absences == 1
    house.clock.advance(MINUTE)
    assert checked(house, line(absent=True), written_at=NOW).checked[0].verdict is None
    assert checked(house, line(absent=True)).checked[0].verdict == "missing"


def test_what_brings_no_verdict_pushes_no_look_of_the_sweep_away() -> None:
    house = standing(attempt_ended_at=NOW)
    before = house.picture()
    told = checked(house, line(absent=True)).checked[0]
    assert (told.reason, told.held_back, house.picture()) == (Reason.NOT_SETTLED, True, before)


def test_who_handed_the_file_in_stands_in_the_history_and_in_what_it_ended() -> None:
    house = standing(policy={**CORRECT, "supersedes": True}, uncertain=False)
    checked(house, line(**{**TOLD, "version": 8}))
    assert last(house.row().history).actor == "reconciler alice"
    assert house.row().closure == Closure(reason=Reason.SUPERSEDED.words, by="reconciler alice")
