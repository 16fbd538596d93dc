"""Can each invariant about what nobody knew fail, and does it name what broke it?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from makegood_cli.demo.auditor.case import Case
from makegood_cli.demo.auditor.outcomes import INVARIANTS
from makegood_cli.demo.auditor.rows import Row

from tests.demo.audits import breaches, broken, with_calls, with_now
from tests.demo.worlds import EVIDENCE, call, effect, good_case, others_wrote, read, row, verdict

WALK = "su:p cl:w cf:C"


def sent_again(**changes: Any) -> Case:
    """Return a case in which a call had no answer, and another one followed."""
    calls = (call(AGAIN, applied=False, answered=False), call(AGAIN, at=4_000))
    return with_calls(AGAIN, calls, **changes)


def charged(of: Row) -> Case:
    """Return a case in which a charge had no answer, and another one followed."""
    calls = tuple(call(of, at=at, kind="charge", answered=at > 5_000, applied=at > 5_000) for at in (2_000, 6_000))
    return with_calls(of, calls)


def undone(of: Row | None = None, **changes: Any) -> Case:
    """Return a case in which an effect was made under one key and withdrawn under another."""
    of = of or UNDONE
    made, withdrawn = call(of, key="key-before"), call(of, kind="withdraw", at=5_000)
    effects = {**good_case().now.effects, "key-before": (effect(of),)}
    return with_calls(of, (made, withdrawn), **{"effects": effects, "customers": {of.entity: None}} | changes)


ASKED = "su:p cl:w aw:a"
WAITS, PROVEN = f"{ASKED} es:m:divergent", f"{ASKED} cp:C"
AGAIN = row("again", f"{ASKED} rq:r cl:w cf:C")
UNCLEAR = row("unclear", f"{ASKED} es:m:no_version")
CHARGED = row("charged", f"{ASKED} es:m:not_observable")
CHANGED = row("changed", WAITS)
UNDONE = row("undone", f"{ASKED} co:p cl:w cd:X")
PLAIN = row("plain", WALK)

BAD: dict[str, list[tuple[str, Callable[[], Case]]]] = {
    "looked at before sent again": [
        ("again: call 20 had no answer, and nobody had looked when call 40 came", lambda: sent_again(reads=())),
        ("again: call 20", lambda: sent_again(reads=(read(AGAIN, at=3_000, status=503, fault="down"),))),
        ("again: call 20", lambda: sent_again(reads=(read(AGAIN, at=1_000), read(AGAIN, at=5_000)))),
        ("again: call 20", lambda: sent_again(reads=(read(PLAIN, at=3_000),))),
        ("again: call 20", lambda: sent_again(reads=(read(AGAIN, at=3_000, status=None),))),
    ],
    "ambiguous is never sent again": [
        (
            "unclear: it was in review as no_version, and call 60 followed without a person's decision",
            lambda: with_now(UNCLEAR, calls=(call(UNCLEAR), call(UNCLEAR, at=6_000))),
        ),
        (
            "charged: charge 20 had no answer, and charges cannot be looked up, and call 60 followed",
            lambda: charged(CHARGED),
        ),
    ],
    "what others wrote stays": [
        (
            "changed: somebody else had changed customer/changed, and call 40 was applied over it",
            lambda: with_now(CHANGED, calls=(call(CHANGED, at=4_000),), **others_wrote(CHANGED)),
        ),
        (
            "changed: somebody else left customer/changed at version 8; it is otherwise now",
            lambda: with_now(CHANGED, **others_wrote(CHANGED, fields={"tier": "gold"})),
        ),
        ("it is otherwise now", lambda: with_now(CHANGED, **(others_wrote(CHANGED) | {"customers": {}}))),
    ],
    "compensated is true": [
        (
            "undone: it is compensated, but the CRM has its effect, and not withdrawn",
            lambda: undone(effects={"key-before": (effect(UNDONE) | {"withdrawn": False},)}),
        ),
        (
            "the CRM still shows customer/undone at version 7, as promised",
            lambda: undone(customers={UNDONE.entity: {"version": 7, "fields": {"tier": "gold", "more": 1}}}),
        ),
        ("it keeps no proof of it", lambda: undone(replace(UNDONE, evidence=None))),
    ],
    "an outage is nobody's question": [
        (
            "waits: it is in review as unknown_too_long",
            lambda: with_now(row("waits", f"{ASKED} es:m:unknown_too_long")),
        ),
    ],
    "proof says what it rests on": [
        ("waits: its verdict is not kept, not divergent", lambda: with_now(row("waits", WAITS, verdict=None))),
        (
            "waits: its verdict is correct, not divergent",
            lambda: with_now(row("waits", WAITS, verdict=verdict("correct") | {"differences": ["tier"]})),
        ),
        (
            "waits: its verdict lacks differences",
            lambda: with_now(row("waits", WAITS, verdict=verdict("divergent") | {"differences": []})),
        ),
        (
            "proven: its verdict lacks answered, compared",
            lambda: with_now(row("proven", PROVEN, verdict=verdict("correct") | {"answered": None, "compared": []})),
        ),
        (
            "proven: its verdict lacks at, policy_version",
            lambda: with_now(row("proven", PROVEN, verdict=verdict("correct") | {"at": None, "policy_version": None})),
        ),
        (
            "plain: its evidence lacks at, remote_id",
            lambda: with_now(row("plain", WALK, evidence=EVIDENCE | {"at": None, "remote_id": None})),
        ),
        (
            "plain: its evidence does not hold every promised field",
            lambda: with_now(row("plain", WALK, evidence=EVIDENCE | {"fields": {"name": "Ada"}})),
        ),
    ],
}
CASES = [(name, words, build) for name, bad in BAD.items() for words, build in bad]


@pytest.mark.parametrize(("name", "words", "build"), CASES, ids=[f"{name}: {words}" for name, words, _ in CASES])
def test_each_invariant_can_fail_and_names_the_place(name: str, words: str, build: Callable[[], Case]) -> None:
    assert any(words in breach for breach in breaches(build(), name))


def test_every_invariant_has_a_bad_world() -> None:
    assert set(BAD) == {invariant.name for invariant in INVARIANTS}


def test_what_was_looked_at_may_be_sent_again() -> None:
    assert broken(sent_again(reads=(read(AGAIN, at=3_000, status=404),))) == set()


def test_what_a_person_decided_may_be_sent_again_without_a_look() -> None:
    decided = row("charged", f"{ASKED} es:m:not_observable rt:r cl:w cf:C")
    assert not {"looked at before sent again", "ambiguous is never sent again"} & broken(charged(decided))


def test_an_effect_that_was_undone_leaves_a_good_world() -> None:
    assert broken(undone()) == set()
    by_look = row("undone", f"{ASKED} co:p cl:w aw:a dp:X", evidence=None)
    assert broken(undone(by_look)) == set()


def test_a_customer_as_others_left_it_is_good() -> None:
    assert broken(with_now(CHANGED, **others_wrote(CHANGED))) == set()


def test_what_a_person_undid_may_be_otherwise_than_others_left_it() -> None:
    theirs = others_wrote(CHANGED, version=9) | {"calls": (call(CHANGED, at=1_500),)}
    assert "what others wrote stays" in broken(with_now(CHANGED, **theirs))
    decided = replace(CHANGED, entries=(*CHANGED.entries, replace(CHANGED.entries[-1], verb="co", role="o", at=5_000)))
    assert "what others wrote stays" not in broken(with_now(decided, **theirs))


def test_a_look_that_was_shown_an_older_state_was_answered_all_the_same() -> None:
    behind = {**read(AGAIN, at=3_000, fault="behind-1"), "told": True}
    assert broken(sent_again(reads=(behind,))) == set()


@pytest.mark.parametrize(
    ("role", "asked", "holds"), [("o", "a person", True), ("o", "GET", False), ("r", "a person", False)]
)
def test_only_a_persons_own_words_need_no_comparison(role: str, asked: str, holds: bool) -> None:  # noqa: FBT001
    entries = row("charged", PROVEN).entries
    proven = replace(entries[-1], role=role)
    said = {"at": 5_000, "summary": "it is on the statement"}
    stated = replace(
        row("charged", PROVEN),
        entries=(*entries[:-1], proven),
        evidence=said,
        verdict={**verdict("correct"), "asked": asked, "compared": None},
    )
    case = with_now(stated, calls=(call(stated),), effects={stated.key: (effect(stated),)})
    assert ("proof says what it rests on" not in broken(case)) is holds


def test_a_wish_to_cancel_does_not_hide_why_a_row_waits_for_a_person() -> None:
    wanted_no_more = row("changed", f"{WAITS} ca:m:cancelled")
    assert wanted_no_more.why == "divergent"
    assert "review has a reason" not in broken(with_now(wanted_no_more))
