"""Does the one table permit exactly the moves of DESIGN section 4, for every status, verb and role?"""

from collections.abc import Iterator

import pytest
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.history import Role, Verb
from makegood.domain.operation import OPEN, TERMINAL, Status
from makegood.domain.table import TABLE, Key, rows_for

from tests.case import case
from tests.domain.design_table import LINES, MOVES, Line, permitted_case

ALREADY_THERE = {(Verb.ESCALATE, Status.MANUAL_REVIEW), (Verb.CLOSE, Status.NOT_APPLICABLE)}
EVERY_MOVE = [(verb, status, role) for verb in MOVES for status in Status for role in Role]


def lines_for(verb: Verb, status: Status, role: Role) -> list[Line]:
    return [line for line in LINES if line.verb is verb and status in line.sources and role in line.owners]


def targets(verb: Verb, status: Status, role: Role) -> set[Status]:
    return {line.target or status for line in lines_for(verb, status, role)}


@case("F122")
@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("verb", MOVES)
def test_a_move_is_possible_exactly_where_the_design_has_it(verb: Verb, status: Status) -> None:
    for role in Role:
        case, allowed = permitted_case(verb, status, role), targets(verb, status, role)
        if (verb, status) in ALREADY_THERE:
            assert case.moved(verb) is case.row, "taking the road twice changes nothing"
        elif allowed:
            assert {case.moved(verb).status} == allowed, role
        else:
            with pytest.raises(ImpossibleTransition, match=f"{verb} from {status}"):
                case.moved(verb)


def test_the_tables_own_lines_are_those_of_the_design() -> None:
    for verb, status, role in EVERY_MOVE:
        ours = {row.target or status for row in rows_for(verb, status, role)}
        never_tried = verb is Verb.REQUEST_CANCEL and status in {Status.PENDING, Status.RETRY_SCHEDULED}
        remembers = {status} if never_tried and role in {Role.PRODUCER, Role.OPERATOR} else set()
        assert ours == targets(verb, status, role) | remembers, (verb, status, role)


def test_only_a_producer_makes_the_first_write_and_only_where_there_is_no_row() -> None:
    owners = {role for role in Role if rows_for(Verb.SUBMIT, None, role)}
    assert owners == {Role.PRODUCER}
    assert not [status for status in Status for role in Role if rows_for(Verb.SUBMIT, status, role)]


def test_every_verb_has_a_line_and_every_line_has_an_owner() -> None:
    assert {row.verb for row in TABLE} == set(Verb)
    assert all(row.owners for row in TABLE)


def test_a_worker_names_its_claim_and_everybody_else_the_revision() -> None:
    keys = {row.verb: row.key for row in TABLE if row.verb in {Verb.SUBMIT, Verb.CLAIM}}
    assert keys == {Verb.SUBMIT: Key.ABSENT, Verb.CLAIM: Key.UNCLAIMED}
    others = [row for row in TABLE if row.verb not in keys]
    assert {row.key for row in others if Role.WORKER in row.owners} == {Key.TOKEN}
    assert {row.key for row in others if Role.WORKER not in row.owners} == {Key.REVISION}


def test_nobody_but_the_worker_ends_a_live_claim() -> None:
    leaving = [row for row in TABLE if Status.PROCESSING in row.sources and row.target is not None]
    assert {row.verb for row in leaving if row.owners != {Role.WORKER}} == {Verb.RELEASE}


def test_terminal_is_for_ever() -> None:
    assert not [row for row in TABLE if row.sources & TERMINAL]


def reachable(status: Status) -> set[Status]:
    seen, ahead = {status}, [status]
    while ahead:
        new = set(_next(ahead.pop())) - seen
        seen |= new
        ahead += new
    return seen


def _next(status: Status) -> Iterator[Status]:
    return (row.target for row in TABLE if status in row.sources and row.target is not None)


@case("F129")
@pytest.mark.parametrize("status", sorted(OPEN))
def test_a_permitted_path_leads_from_every_open_status_to_a_terminal_one(status: Status) -> None:
    assert reachable(status) & TERMINAL


def test_every_status_can_be_entered() -> None:
    assert reachable(Status.PENDING) == set(Status)
