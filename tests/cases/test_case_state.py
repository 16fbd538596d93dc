"""Does every write land on the row that was seen, once, whoever was overtaken, repeated or killed?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from makegood import Done, TransientError
from makegood.adapters import dynamodb_transactions
from makegood.domain import transitions
from makegood.domain.evidence import Verdict, VerdictKind
from makegood.domain.history import Actor, Role
from makegood.domain.moving import Hand
from makegood.domain.operation import OperationId, Status
from makegood.domain.table import TABLE, Row
from makegood.ports import Applied, Moved, NotClaimed

from tests.case import case
from tests.cases.scene import calls_of, erase, lines, promised, submitted
from tests.contract import builders as a
from tests.contract.builders import fresh
from tests.doors import types
from tests.doors.world import TERMS, T, message
from tests.support.hooks import losing_reply, refusing

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

MINUTE = timedelta(minutes=1)
ROWS = [row for row in TABLE if row.sources]


@case("F021")
def test_a_claim_whose_reply_was_lost_goes_on_to_its_one_call(doors: Doors) -> None:
    [row] = promised(1)
    with losing_reply(doors.table.client, "UpdateItem", number=1):
        assert doors.failed(message(row)) == []
    ended = doors.row(row)
    assert (ended.status, ended.attempt, calls_of(row)) == (Status.CONFIRMED, 1, 1)
    assert [entry.split()[1] for entry in ended.history] == ["su", "cl", "cf"]


@case("F022")
def test_a_confirmation_whose_reply_was_lost_is_written_once(doors: Doors) -> None:
    [row] = promised(1)
    with losing_reply(doors.table.client, "UpdateItem", number=3):  # the lost one is repeated as the fourth
        assert doors.failed(message(row)) == []
        assert doors.failed(message(row)) == []
    [other] = promised(1)
    with losing_reply(doors.table.client, "UpdateItem", number=2):
        assert doors.failed(message(other)) == []
    for ended in (doors.row(row), doors.row(other)):
        assert (ended.status, ended.revision) == (Status.CONFIRMED, 3)
        assert [entry.split()[1] for entry in ended.history] == ["su", "cl", "cf"]
    assert doors.table.count() == 2


def sent_again(doors: Doors, row: Operation) -> None:
    """Let an observation find nothing, so that the operation may be tried again."""
    found = doors.row(row)
    hand = Hand(now=doors.clock.now(), actor=Actor(role=Role.RECONCILER), write_id=fresh(), terms=TERMS["probe"])
    verdict = Verdict(kind=VerdictKind.MISSING, at=hand.now, asked="by key")
    requeued = transitions.requeue(found, hand, verdict=verdict, wait=timedelta())
    assert isinstance(doors.table.store.apply(found, requeued), Applied)


def late_error(_: Attempt) -> Outcome:
    """Wake up with an error."""
    raise TransientError("503")


def late_success(_: Attempt) -> Outcome:
    """Wake up with another answer."""
    return Done(remote_id="r-late", version=7, fields={})


@case("F024")
@pytest.mark.parametrize("late", [late_error, late_success])
def test_an_attempt_thought_dead_changes_nothing_of_what_its_replacement_wrote(
    doors: Doors, capsys: pytest.CaptureFixture[str], late: Callable[[Attempt], Outcome]
) -> None:
    [row] = promised(1)
    written: list[bytes] = []

    def pause(attempt: Attempt) -> Outcome:
        if attempt.number > 1:
            return types.agree(attempt)
        doors.clock.advance(T)
        assert doors.sweep()["acted"] == {"release": 1}
        doors.clock.advance(3 * MINUTE)
        sent_again(doors, row)
        assert doors.failed(message(row)) == []
        written.append(doors.bytes())
        return late(attempt)

    types.answer(pause)
    assert doors.failed(message(row)) == []
    assert written == [doors.bytes()]
    assert (doors.row(row).status, doors.row(row).attempt, doors.row(row).remote_id) == (Status.CONFIRMED, 2, "r-1")
    assert "late_write" in [line["reason"] for line in lines(capsys) if line.get("event") == "message"]


def synthetic(row: Row) -> tuple[Operation, Operation]:
    """Return what this line of the table would write, whatever else it changes."""
    source = min(row.sources)
    before = replace(a.in_status(source), operation_id=OperationId(fresh("ghost")))
    return before, replace(before, status=row.target or source, revision=before.revision + 1, write_id=fresh())


@case("F028")
@pytest.mark.parametrize(
    "row", ROWS, ids=[f"{row.verb} by {min(row.owners)} {number}" for number, row in enumerate(ROWS)]
)
@pytest.mark.parametrize("was_there", [False, True])
def test_no_move_of_the_table_makes_a_row(quick_doors: Doors, row: Row, *, was_there: bool) -> None:
    before, after = synthetic(row)
    if was_there:
        quick_doors.table.place(before)
        erase(quick_doors, before)
    assert quick_doors.table.store.apply(before, after) == Moved(None)
    claim = a.claim(before, terms=TERMS)
    assert quick_doors.table.store.claim(claim) == NotClaimed(None)
    assert quick_doors.table.count() == 0


@case("F028")
def test_a_row_that_is_deleted_in_the_middle_of_its_call_stays_deleted(doors: Doors) -> None:
    [row] = promised(1)

    def deleted(attempt: Attempt) -> Outcome:
        erase(doors, row)
        return types.agree(attempt)

    types.answer(deleted)
    assert doors.failed(message(row)) == []
    assert (doors.table.count(), doors.sweep()["scanned"]) == (0, 0)


@case("F017")
@pytest.mark.parametrize("slip", ["a field", "a field within"])
def test_what_a_type_does_to_its_copy_of_the_promise_changes_nothing_that_was_promised(
    quick_doors: Doors, slip: str
) -> None:
    wanted = {"plan": "gold", "address": {"city": "London"}}
    row = submitted(expected_fields=wanted, payload={"note": ["x"]}).operation

    def careless(attempt: Attempt) -> Outcome:
        fields: Any = attempt.operation.expected_fields
        attempt.operation.payload["note"].clear()  # type: ignore[union-attr]
        if slip == "a field":
            fields["plan"] = "silver"
        else:
            fields["address"]["city"] = "Paris"
        return Done(remote_id="r-1", version=7, fields=fields)

    types.answer(careless)
    assert quick_doors.failed(message(row)) == []
    ended = quick_doors.row(row)
    assert (ended.status, ended.expected_fields, ended.payload) == (
        Status.AWAITING_CONFIRMATION,
        wanted,
        {"note": ["x"]},
    )


@case("F030")
def test_the_revision_only_grows_on_every_path_and_who_holds_an_older_one_is_refused(doors: Doors) -> None:
    [row] = promised(1)
    seen = [doors.row(row)]

    def step(act: Callable[[], object]) -> None:
        act()
        seen.append(doors.row(row))

    def taken_for_dead(attempt: Attempt) -> Outcome:
        doors.clock.advance(T)
        step(doors.sweep)
        return types.agree(attempt)

    doors.clock.advance(T)
    step(doors.sweep)
    types.answer(late_error)
    step(lambda: doors.work(message(row)))
    doors.clock.advance(T)
    types.answer(taken_for_dead)
    doors.work(message(row))
    step(doors.sweep)
    revisions = [one.revision for one in seen]
    assert revisions == sorted(set(revisions))
    assert [entry.split()[1] for entry in seen[-1].history] == ["su", "to", "cl", "sr", "cl", "rl", "es"]
    assert seen[-1].revision == len(seen[-1].history)
    before = doors.bytes()
    for old in seen[:-1]:
        answer = doors.table.store.apply(old, replace(old, revision=old.revision + 1, write_id=fresh()))
        assert answer == Moved(seen[-1])
    assert doors.bytes() == before


@case("F039")
@pytest.mark.parametrize("left", [0, 1, 5000])
def test_a_run_that_is_cut_off_with_little_time_left_leaves_nothing_stuck_and_nothing_doubled(
    quick_doors: Doors, left: int
) -> None:
    [row] = promised(1)
    assert quick_doors.failed(message(row), remaining=timedelta(milliseconds=left)) == ["m0"]
    assert (quick_doors.row(row).status, calls_of(row)) == (Status.PENDING, 0), "0 ms left is not taken for no limit"
    assert quick_doors.failed(message(row)) == []
    assert (quick_doors.row(row).status, calls_of(row)) == (Status.CONFIRMED, 1)


@case("F032")
@pytest.mark.parametrize("number", [1, 2], ids=["the claim", "the settling write"])
def test_a_transaction_in_the_way_of_one_write_is_waited_for_and_no_lost_race(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(dynamodb_transactions, "WAITS", (timedelta(),) * 3)
    [row] = promised(1)
    turn = count(1)
    conflict = refusing(
        quick_doors.table.client, "UpdateItem", "TransactionConflictException", where=lambda _: next(turn) == number
    )
    with conflict:
        assert quick_doors.failed(message(row)) == []
    assert (quick_doors.row(row).status, calls_of(row)) == (Status.CONFIRMED, 1)
