"""Are a person's words accepted, kept in short, and is the list of what waits for them plain?"""

from dataclasses import replace

import pytest
from makegood.domain.errors import InvalidInput, NotFoundError
from makegood.domain.evidence import VerdictKind
from makegood.domain.observation import Absent
from makegood.domain.operation import OperationId
from makegood.domain.review import Action
from makegood.flows.review import Case
from makegood.ports import Unreadable

from tests.flows.test_observe import CORRECT
from tests.flows.test_review import DOWN, SAW, M, decided, refused, standing, taken
from tests.support.deployment import Deployment
from tests.support.faults import BrokenRows
from tests.support.rows import LIMITS, MINUTE, ago, operation, verdict


@pytest.mark.parametrize("reason", ["", "   ", "\n", "\x00\x1b", "x" * 301])
def test_a_reason_is_words_and_not_too_many(reason: str) -> None:
    for said in ({"reason": reason}, {"stated": reason}):
        house = standing(sight=Absent(), uncertain=True)
        before = house.picture()
        with pytest.raises(InvalidInput, match=r"say it in words|at most 300 are kept"):
            decided(house, Action.RETRY, **said)
        assert (house.picture(), house.remote.looks.total()) == (before, 0)


def test_a_persons_words_are_kept_in_one_line_and_a_remote_id_in_short() -> None:
    after = taken(
        standing(sight=DOWN), Action.CONFIRM, reason="a\nb\x1b[31m", stated="seen\tthere", remote_id="9" * 5000
    )
    assert (after.decisions[-1].reason, after.decisions[-1].stated) == ("a b [31m", "seen there")
    assert len(after.remote_id or "") == 256
    assert taken(standing(sight=DOWN), Action.CONFIRM, stated=SAW, remote_id="").remote_id is None


def test_an_operation_nobody_knows_and_a_type_nobody_knows_are_said() -> None:
    house = standing(operation_type="gone")
    with pytest.raises(InvalidInput, match="operation type 'gone' is not known here; known are: sync"):
        decided(house, Action.CLOSE)
    house.store.rows.clear()
    with pytest.raises(NotFoundError, match="no operation has the id op-1"):
        house.review.case(OperationId("op-1"))


def test_what_its_type_cannot_undo_is_not_undone() -> None:
    house = standing(policy={}, uncertain=True)
    assert refused(house, Action.COMPENSATE, stated=SAW) == "its type has no compensation"


def test_the_list_shows_the_oldest_first_and_names_what_it_cannot_read() -> None:
    house = Deployment(**CORRECT)
    for number in range(3):
        name = f"op-{number}"
        house.store.rows[name] = operation(M, operation_id=name, due_at=ago(number * MINUTE), operation_type="sync")
    house.change("op-1", operation_type="gone")
    flow = replace(house.review, store=BrokenRows(house.store, unreadable=["op-2"]))
    first, second, third = flow.exceptions(10)
    assert isinstance(first, Unreadable)
    assert isinstance(second, Case)
    assert isinstance(third, Case)
    assert (second.operation.operation_id, second.waiting, second.recommended) == ("op-1", MINUTE, None)
    assert (third.destination, third.recommended, third.age) == (
        "the scripted remote",
        Action.RETRY,
        LIMITS.stale_after,
    )
    assert len(list(flow.exceptions(2))) == 2


def test_a_decision_keeps_the_version_of_the_policy_that_recommended_it() -> None:
    shown = replace(verdict(VerdictKind.MISSING), recommendation="requeue", policy_version=3)
    for seen, version in ((shown, 3), (None, 5)):
        house = standing(sight=Absent(), policy={**CORRECT, "version": 5}, verdict=seen)
        assert taken(house, Action.RETRY).decisions[-1].policy_version == version
