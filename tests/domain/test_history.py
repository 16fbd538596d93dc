"""Does the packed history tell every move back, within its bounds?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain import history
from makegood.domain.history import Actor, Entry, LeftOut, Role, Verb
from makegood.domain.instant import Instant
from makegood.domain.operation import Status
from makegood.domain.reason import Reason

from tests.domain.strategies import texts
from tests.support.rows import NOW, OPERATOR, PRODUCER, WORKER

LATEST = Instant(253_402_300_799_999)  #: the last millisecond of the year 9999


def packed(number: int, verb: Verb = Verb.CLAIM, target: Status = Status.PROCESSING) -> str:
    return history.pack(at=Instant(NOW + number), verb=verb, target=target, actor=WORKER, reason=Reason.DELIVERED)


def grown(moves: int) -> tuple[str, ...]:
    """Return the history of a row that went round between two statuses."""
    entries: tuple[str, ...] = ()
    for number in range(moves):
        back = number % 2
        target = Status.RETRY_SCHEDULED if back else Status.PROCESSING
        entries = history.extended(entries, packed(number, Verb.SCHEDULE_RETRY if back else Verb.CLAIM, target))
    return entries


def test_an_entry_is_one_short_readable_string() -> None:
    assert packed(0) == "mubbs7i8 cl w w delivered"


@pytest.mark.parametrize("verb", Verb)
@pytest.mark.parametrize("target", Status)
def test_every_verb_and_status_comes_back_as_it_went_in(verb: Verb, target: Status) -> None:
    entry = history.last((packed(0), packed(1, verb, target)))
    assert entry == Entry(
        at=Instant(NOW + 1), verb=verb, source=Status.PROCESSING, target=target, actor="worker", reason="delivered"
    )


def test_the_codes_of_verbs_statuses_and_roles_are_all_different() -> None:
    assert len(set(history.VERB_CODES.values())) == len(Verb)
    assert len(set(history.STATUS_CODES.values())) == len(Status)
    assert len({role[0] for role in Role}) == len(Role)


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("actor", [WORKER, PRODUCER, OPERATOR])
def test_an_entry_takes_15_to_40_bytes(reason: Reason, actor: Actor) -> None:
    entry = history.pack(at=NOW, verb=Verb.REQUEST_CANCEL, target=Status.PENDING, actor=actor, reason=reason)
    assert 15 <= len(entry.encode()) <= 40 + len(":alice")
    assert len(reason.value) <= 24


@given(st.integers(0, LATEST), st.sampled_from(Verb), st.sampled_from(Status), st.sampled_from(Role), texts)
def test_any_entry_comes_back_as_ascii_of_bounded_length(
    at: Instant, verb: Verb, target: Status, role: Role, name: str
) -> None:
    actor = Actor(role=role, name=name or None)
    entry = history.pack(at=at, verb=verb, target=target, actor=actor, reason=Reason.DELIVERED)
    assert entry.isascii()
    assert len(entry) <= 64
    told = history.last((entry,))
    assert (told.at, told.verb, told.target, told.source) == (at, verb, target, None)
    assert told.actor.split(" ")[0] == role


def test_an_operators_name_cannot_forge_an_entry() -> None:
    forger = Actor(role=Role.OPERATOR, name="eve w w agreed\nx:y ")
    told = history.last(
        (history.pack(at=NOW, verb=Verb.RETRY, target=Status.CONFIRMED, actor=forger, reason=Reason.DECIDED),)
    )
    assert (told.actor, told.reason) == ("operator eve_w_w_agreed_x:y_", "decided")


def test_a_long_name_keeps_its_end_which_tells_people_apart() -> None:
    actor = Actor(role=Role.OPERATOR, name="arn:aws:sts::123456789012:assumed-role/Operators/alice")
    entry = history.pack(at=NOW, verb=Verb.RETRY, target=Status.RETRY_SCHEDULED, actor=actor, reason=Reason.DECIDED)
    assert history.last((entry,)).actor == "operator med-role/Operators/alice"


@pytest.mark.parametrize("moves", range(17))
def test_up_to_sixteen_moves_are_all_kept(moves: int) -> None:
    assert grown(moves) == tuple(
        packed(n, *((Verb.SCHEDULE_RETRY, Status.RETRY_SCHEDULED) if n % 2 else (Verb.CLAIM, Status.PROCESSING)))
        for n in range(moves)
    )


@pytest.mark.parametrize("moves", [17, 18, 19, 40, 1_000])
def test_beyond_the_bound_the_first_four_and_the_last_twelve_stay_with_a_count(moves: int) -> None:
    told = list(history.read(grown(moves)))
    assert len(told) == 17
    assert [entry.at - NOW for entry in told[:4] if isinstance(entry, Entry)] == [0, 1, 2, 3]
    assert told[4] == LeftOut(moves - 16)
    assert [entry.at - NOW for entry in told[5:] if isinstance(entry, Entry)] == list(range(moves - 12, moves))


@pytest.mark.parametrize("moves", [3, 17, 18, 19, 101])
def test_the_status_an_entry_leaves_is_right_even_behind_the_cut(moves: int) -> None:
    entries = [entry for entry in history.read(grown(moves)) if isinstance(entry, Entry)]
    for entry in entries[1:]:
        back = entry.verb is Verb.SCHEDULE_RETRY
        assert entry.source is (Status.PROCESSING if back else Status.RETRY_SCHEDULED)


def test_a_full_history_stays_below_seven_hundred_bytes() -> None:
    assert sum(len(entry.encode()) for entry in grown(100_000 // 100)) < 700


def test_an_entry_that_a_newer_release_wrote_does_not_hide_our_own() -> None:
    theirs = "mubbs7i8 zz w w a_reason_of_theirs"
    assert history.last((packed(0), theirs, packed(1))).source is Status.PROCESSING


def test_a_row_that_another_tool_wrote_without_history_can_still_move() -> None:
    entry = history.last(history.extended((), packed(0)))
    assert entry.source is None
