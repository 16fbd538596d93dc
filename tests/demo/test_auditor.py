"""Can each of the auditor's invariants fail, and does it name what broke it?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from makegood_cli.demo.auditor import outcomes
from makegood_cli.demo.auditor.case import Capped, Case
from makegood_cli.demo.auditor.invariants import INVARIANTS

from tests.demo.audits import breaches, broken, with_calls, with_now
from tests.demo.worlds import call, effect, good_case, row, run, world

WALK = "su:p cl:w cf:C"


def with_capped(**changes: Any) -> Case:
    """Return the good case with something else around the halt."""
    case = good_case()
    assert case.capped is not None
    return replace(case, capped=replace(case.capped, **changes))


def capped() -> Capped:
    """Return what the good case saw around its halt."""
    found = good_case().capped
    assert found is not None
    return found


PLAIN, RESCUED = row("plain", WALK), row("rescued", "su:p to:p cl:w cf:C")
AFTER = capped().after

BAD: dict[str, list[tuple[str, Callable[[], Case]]]] = {
    "nobody is lost": [
        ("new: it has no row", lambda: replace(good_case(), promised=("plain", "new"))),
        ("plain: it is still pending", lambda: with_now(row("plain", "su:p"))),
        (
            "rescued: KeyError",
            lambda: replace(good_case(), now=replace(world(PLAIN), unreadable={"rescued": "KeyError"})),
        ),
    ],
    "no effect is doubled": [
        ("plain: the CRM applied it 2 times", lambda: with_now(PLAIN, calls=(call(PLAIN), call(PLAIN)))),
    ],
    "every send has its claim": [
        ("plain: 2 calls reached the CRM", lambda: with_now(PLAIN, calls=(call(PLAIN), call(PLAIN, applied=False)))),
    ],
    "touched before dispatched": [
        ("rescued: its message was lost", lambda: with_now(row("rescued", WALK))),
        ("None: sweeps sent 3 messages, but touched or requeued 1", lambda: with_now(runs=(run("demo-1", sent=3),))),
    ],
    "ended is for ever": [
        ("plain: it had ended as confirmed", lambda: with_now(row("plain", WALK, text="another"))),
        (
            "plain: it had ended as confirmed with revision 3; now it is gone",
            lambda: replace(good_case(), now=world(RESCUED)),
        ),
    ],
    "confirmed is true": [
        ("plain: it is confirmed, but the CRM has no effect", lambda: with_now(PLAIN, effects={})),
        (
            "version 6, not customer/plain version 7",
            lambda: with_now(PLAIN, effects={PLAIN.key: (effect(PLAIN) | {"version": 6},)}),
        ),
        (
            "other values of tier",
            lambda: with_now(PLAIN, effects={PLAIN.key: (effect(PLAIN) | {"fields": {"tier": "basic"}},)}),
        ),
        ("it has no evidence", lambda: with_now(row("plain", WALK, evidence=None))),
        (
            "the CRM has it withdrawn",
            lambda: with_now(PLAIN, effects={PLAIN.key: (effect(PLAIN) | {"withdrawn": True},)}),
        ),
    ],
    "every move is written": [
        ("plain: no such move: cf from p to C by w", lambda: with_now(row("plain", "su:p cf:C", attempt=0))),
        ("plain: no such move: cl from C to w by w", lambda: with_now(row("plain", "su:p cl:w cf:C cl:w"))),
        ("plain: it was written 4 times, but its history holds 3", lambda: with_now(row("plain", WALK, revision=4))),
        (
            "plain: it is confirmed, but its history ends in w",
            lambda: with_now(row("plain", "su:p cl:w", status="confirmed")),
        ),
        ("plain: it counts 2 attempts", lambda: with_now(row("plain", WALK, attempt=2))),
    ],
    "the index holds what is open": [
        ("waits: it is manual_review, but the index has it at None", lambda: with_now(index={})),
        ("plain: it is confirmed, and still due", lambda: with_now(row("plain", WALK, due=("open#00", 5)))),
        ("plain: it is confirmed, and still due", lambda: with_now(row("plain", WALK, half_due=True))),
        (
            "waits: it is manual_review in the shard open#01",
            lambda: with_now(row("waits", "su:p cl:w aw:a es:m:divergent", due=("open#01", 5))),
        ),
        ("gone: the index names it", lambda: with_now(index={"gone": ("open#00", 5), "waits": ("review", 1_000)})),
    ],
    "review has a reason": [
        ("waits: it is in review, but", lambda: with_now(row("waits", "su:p cl:w aw:a", status="manual_review"))),
    ],
    "claims end": [
        ("plain: it is confirmed with a claim", lambda: with_now(row("plain", WALK, claimed=True))),
    ],
    "nothing moves above the cap": [
        (
            "plain: confirmed with revision 3 before",
            lambda: with_capped(after=world(row("plain", WALK, text="another", revision=4), runs=AFTER.runs)),
        ),
    ],
    "nothing is sent above the cap": [
        ("None: no sweep halted above the cap of 2", lambda: with_capped(after=replace(AFTER, runs=(run("demo-2"),)))),
        (
            "None: no sweep halted above the cap of 2; there was no run",
            lambda: with_capped(after=replace(AFTER, runs=())),
        ),
        ("sent 9 messages", lambda: with_capped(after=replace(AFTER, runs=(run("demo-2", "halted", sent=9),)))),
        ("None: the queue low holds 3 messages", lambda: with_capped(after=replace(AFTER, depths={"low": 3}))),
    ],
    "the halt is heard": [
        ("None: the series SweepHalted shows no halt", lambda: with_capped(halts=0)),
        ("None: the alarm on halts is OK", lambda: with_capped(alarm="OK")),
    ],
    "an acknowledged run keeps its rate": [
        (
            "None: run demo-3 met 3 anomalies, above the cap, and acted on 1",
            lambda: with_now(runs=(run("demo-3", anomalies={"lost_dispatch": 3}, acted={"touch": 1}),)),
        ),
        (
            "None: run demo-3 acted on 3 rows; 2 were allowed",
            lambda: with_now(
                runs=(run("demo-3", acted={"touch": 3}, acknowledged_by="me"),), acknowledgement={"drain_rate": 2}
            ),
        ),
    ],
}
CASES = [(name, words, build) for name, bad in BAD.items() for words, build in bad]


def test_a_good_world_breaks_nothing() -> None:
    assert broken(good_case()) == set()


@pytest.mark.parametrize(("name", "words", "build"), CASES, ids=[f"{name}: {words}" for name, words, _ in CASES])
def test_each_invariant_can_fail_and_names_the_place(name: str, words: str, build: Callable[[], Case]) -> None:
    assert any(words in breach for breach in breaches(build(), name))


def test_every_invariant_has_a_bad_world() -> None:
    assert set(BAD) == {invariant.name for invariant in INVARIANTS if invariant not in outcomes.INVARIANTS}


def test_a_person_in_between_is_not_a_duplicate() -> None:
    twice = row("waits", "su:p cl:w aw:a es:m rt:r cl:w cf:C")
    assert broken(with_now(twice, calls=(call(PLAIN), call(RESCUED), call(twice), call(twice, applied=False)))) == set()


def test_an_attempt_that_was_given_back_is_not_counted() -> None:
    away = row("away", "su:p cl:w sr:r cl:w cf:C")
    assert away.attempt == 1
    assert broken(with_calls(away, (call(away, applied=False), call(away, at=4_000)))) == set()


def test_a_history_that_was_cut_is_counted_by_its_mark() -> None:
    long = row("plain", WALK)
    mark = replace(long.entries[0], verb="~", target="p", left_out=5)
    cut = replace(long, entries=(long.entries[0], mark, *long.entries[1:]), revision=8, text=long.text)
    assert broken(with_now(cut)) == set()


def test_without_a_second_part_nothing_is_said_of_the_cap() -> None:
    assert broken(replace(good_case(), capped=None)) == set()
