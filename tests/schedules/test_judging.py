"""Can what judges a schedule fail, and does it excuse only what it should?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.demo.audits import with_now
from tests.demo.worlds import call, effect, good_case, row
from tests.schedules.census import FLOORS, too_rare
from tests.schedules.judging import EXCUSED, breaches

if TYPE_CHECKING:
    from makegood_cli.demo.auditor.case import Case

CLOSED = row("closed", "su:p cl:w cs:N")


def closed(*, role: str = "r", withdrawn: bool = False) -> Case:
    """Return a case in which a row ended as not applicable, and the remote had applied its call."""
    ended = replace(CLOSED, entries=(*CLOSED.entries[:-1], replace(CLOSED.entries[-1], role=role)))
    shown: dict[str, Any] = {**effect(ended), "kind": "change", "withdrawn": withdrawn}
    return with_now(ended, calls=(call(ended),), effects={ended.key: (shown,)})


def worn_out(status: int) -> Case:
    """Return a case in which a row is a person's for its used attempts, and its call was answered so."""
    tired = row("tired", "su:p cl:w aw:a es:m:attempts_used")
    return with_now(tired, calls=(call(tired, applied=False, status=status),), effects={})


def about(case: Case, name: str) -> list[str]:
    return [words for words in breaches(case) if words.startswith(name)]


def test_a_good_world_passes() -> None:
    assert not breaches(good_case())


def test_not_applicable_with_its_effect_there_is_told_unless_it_was_withdrawn_or_a_person_said_so() -> None:
    name = "not applicable is true"
    assert about(closed(), name) == [f"{name}: closed: it is not applicable, but the CRM has its effect"]
    assert not about(closed(withdrawn=True), name)
    assert not about(closed(role="o"), name)


@pytest.mark.parametrize(("status", "told"), [(500, 0), (503, 1)])
def test_used_attempts_are_a_persons_question_only_where_the_remote_broke_down_for_good(status: int, told: int) -> None:
    assert len(about(worn_out(status), EXCUSED)) == told


def test_a_lot_in_which_nothing_went_wrong_is_too_quiet() -> None:
    assert too_rare(Counter()) == dict.fromkeys(FLOORS, 0)
    assert not too_rare(Counter(FLOORS))
