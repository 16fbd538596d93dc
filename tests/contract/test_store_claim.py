"""Does a claim take what is free and may be tried, and nothing else, just as the domain says?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.domain import transitions
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.history import Actor, Role
from makegood.domain.instant import after
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Operation, OperationId, Status
from makegood.domain.policy import Policy
from makegood.ports import Claim, Claimed, NotClaimed

from tests.contract import builders as a

if TYPE_CHECKING:
    from tests.contract.worlds import World

MILLISECOND = timedelta(milliseconds=1)
FRESH_FOR = a.TERMS.policy.key_lifetime - a.TERMS.key_reserve
TRIED = a.in_status(Status.RETRY_SCHEDULED)
ROWS: dict[str, Operation] = {
    **{status.value: a.in_status(status) for status in Status},
    "dispatched": replace(a.promised(), dispatches=3, due_at=after(a.LATER, MILLISECOND)),
    "with a verdict": replace(TRIED, verdict=a.VERDICT),
    "a compensation": replace(a.promised(), intent=Intent.COMPENSATION, idempotency_key="mg-other"),
    "cancelled meanwhile": replace(TRIED, uncertain=True, cancel_reason="ordered twice"),
    "allowed now": replace(TRIED, not_before=a.LATER),
    "not allowed yet": replace(TRIED, not_before=after(a.LATER, MILLISECOND)),
    "one attempt left": replace(TRIED, attempt=a.TERMS.max_attempts - 1),
    "no attempt left": replace(TRIED, attempt=a.TERMS.max_attempts),
    "certain, key old": replace(TRIED, first_claimed_at=after(a.LATER, -2 * FRESH_FOR)),
    "uncertain, key fresh": replace(TRIED, uncertain=True, first_claimed_at=after(a.LATER, MILLISECOND - FRESH_FOR)),
    "uncertain, key too old": replace(TRIED, uncertain=True, first_claimed_at=after(a.LATER, -FRESH_FOR)),
    "written in the future": replace(a.promised(), updated_at=after(a.LATER, timedelta(seconds=30))),
    "future and not allowed": replace(
        TRIED, updated_at=after(a.LATER, MILLISECOND), not_before=after(a.LATER, MILLISECOND)
    ),
}


def by_the_domain(row: Operation, claim: Claim) -> Operation | None:
    """Return the row as the domain would claim it; `None` if it would not."""
    worker = Actor(role=Role.WORKER)
    terms = claim.terms[row.operation_type]
    try:
        return transitions.claim(
            row, Hand(now=claim.now, actor=worker, write_id=claim.write_id, terms=terms), token=claim.token
        )
    except ImpossibleTransition:
        return None


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_claim_does_what_the_domain_says(world: World, row: Operation) -> None:
    world.place(row)
    claim = a.claim(row)
    wanted = by_the_domain(row, claim)
    assert world.store.claim(claim) == (NotClaimed(row) if wanted is None else Claimed(wanted))
    assert world.store.find([row.operation_id]) == {row.operation_id: row if wanted is None else wanted}


def test_the_rows_above_hold_both_kinds() -> None:
    taken = {name for name, row in ROWS.items() if by_the_domain(row, a.claim(row))}
    assert {"pending", "retry_scheduled", "uncertain, key fresh", "written in the future"} <= taken
    assert {"processing", "confirmed", "no attempt left", "uncertain, key too old", "not allowed yet"}.isdisjoint(taken)


def test_an_unknown_id_is_not_claimed_and_makes_no_row(world: World) -> None:
    claim = replace(a.claim(a.promised()), operation_id=OperationId("nobody"))
    assert world.store.claim(claim) == NotClaimed(None)
    assert world.count() == 0


def test_of_two_claims_the_second_finds_the_first(world: World) -> None:
    row = a.promised()
    world.place(row)
    first = world.store.claim(a.claim(row))
    assert isinstance(first, Claimed)
    assert world.store.claim(a.claim(row)) == NotClaimed(first.operation)


def test_the_same_claim_again_is_ours(world: World) -> None:
    row = a.promised()
    world.place(row)
    claim = a.claim(row)
    first = world.store.claim(claim)
    assert isinstance(first, Claimed)
    assert world.store.claim(claim) == first


def test_a_type_that_the_claim_does_not_name_is_left_alone(world: World) -> None:
    row = a.promised()
    world.place(row)
    assert world.store.claim(a.claim(row, terms={"send_letter": a.TERMS})) == NotClaimed(row)
    assert world.store.claim(a.claim(row, terms={})) == NotClaimed(row)
    assert world.store.find([row.operation_id]) == {row.operation_id: row}


def test_each_type_is_judged_by_its_own_terms(world: World) -> None:
    impatient = Policy(max_attempts=1).under(a.LIMITS)
    tried = replace(a.in_status(Status.RETRY_SCHEDULED), attempt=1)
    other = replace(a.in_status(Status.RETRY_SCHEDULED), attempt=1, operation_type="send_letter")
    for row in (tried, other):
        world.place(row)
    terms = {tried.operation_type: a.TERMS, "send_letter": impatient, "charge": a.TERMS}
    assert isinstance(world.store.claim(a.claim(tried, terms=terms)), Claimed)
    assert world.store.claim(a.claim(other, terms=terms)) == NotClaimed(other)


def test_more_types_than_one_comparison_takes_can_be_claimed(world: World) -> None:
    names = [f"type_{number}" for number in range(130)]
    row = replace(a.promised(), operation_type=names[-1])
    world.place(row)
    assert isinstance(world.store.claim(a.claim(row, terms=dict.fromkeys(names, a.TERMS))), Claimed)


def test_forty_types_with_numbers_of_their_own_can_be_claimed(world: World) -> None:
    terms = {f"type_{n}": Policy(max_attempts=n, key_lifetime=timedelta(hours=n)).under(a.LIMITS) for n in range(1, 41)}
    tried = {
        n: replace(TRIED, operation_id=OperationId(a.fresh()), operation_type=f"type_{n}", attempt=4) for n in (4, 5)
    }
    for row in tried.values():
        world.place(row)
    assert world.store.claim(a.claim(tried[4], terms=terms)) == NotClaimed(tried[4])
    assert isinstance(world.store.claim(a.claim(tried[5], terms=terms)), Claimed)
    assert world.store.claim(replace(a.claim(TRIED, terms=terms), operation_id=OperationId("nobody"))) == NotClaimed(
        None
    )


def test_a_history_at_its_bound_keeps_the_claim_and_is_cut_by_the_next_write(world: World) -> None:
    row = a.promised()
    long = replace(row, history=(*row.history * 4, "~ 5 p", *row.history * 12))
    world.place(long)
    claimed = world.store.claim(a.claim(long))
    assert isinstance(claimed, Claimed)
    assert claimed.operation.history[-1].split(" ")[1] == "cl"
    settled = transitions.confirm(claimed.operation, a.hand(), evidence=a.EVIDENCE)
    world.store.apply(claimed.operation, settled)
    assert len(settled.history) == 17
    assert settled.history[-2:] == (claimed.operation.history[-1], settled.history[-1])
