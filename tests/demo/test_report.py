"""Does the report say what was counted, fail when something is missing or broken, and look right at 80 columns?"""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from makegood_cli.demo import screen
from makegood_cli.demo.auditor.rows import Row
from makegood_cli.demo.planted import FAULTS
from makegood_cli.demo.report import reported
from makegood_cli.demo.story import Told
from rich.console import Console

from tests.demo.worlds import call, good_told, row, run, world


def report(told: Told, **changes: Any) -> dict[str, Any]:
    """Report a story of seed 7."""
    return reported(told, seed=7, fault=None, seconds=131.24) | changes


def shown(told: Told, width: int = 80, **changes: Any) -> str:
    """Print a report as a pipe of that width gets it."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    screen.show(console, report(told, **changes), told)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def without_again(told: Told) -> Told:
    return replace(told, now=replace(told.now, turned_away={}))


def without_schedule(told: Told) -> Told:
    runs = tuple(each for each in told.capped.before.runs if each["run_id"].startswith("demo-"))
    return replace(told, capped=replace(told.capped, before=replace(told.capped.before, runs=runs)))


def claimed_at_once(told: Told) -> Told:
    """Let the promise whose send was to be lost be claimed as if nothing had happened."""
    rows = [*told.healed.rows.values(), row("rescued", "su:p cl:w cf:C")]
    return replace(told, healed=world(*rows), lost=world(*rows))


def left_open(told: Told) -> Told:
    rows = [*told.now.rows.values(), row("wave-1", "su:p to:p")]
    return replace(told, now=replace(told.now, rows={each.operation_id: each for each in rows}))


def doubled(told: Told) -> Told:
    return replace(told, now=replace(told.now, calls=(*told.now.calls, call(told.now.rows["plain"]))))


def with_runs(told: Told, runs: tuple[Any, ...]) -> Told:
    """Let the first part's sweeps tell something else."""
    return replace(told, capped=replace(told.capped, before=replace(told.capped.before, runs=runs)))


def never_closed(told: Told) -> Told:
    return with_runs(told, tuple({**each, "not_asked": {}} for each in told.capped.before.runs))


def led_nowhere(told: Told) -> Told:
    runs = told.capped.before.runs
    return with_runs(told, ({**runs[0], "verdicts": {"missing": 1}}, *runs[1:]))


def with_now(told: Told, changed: Row) -> Told:
    return replace(told, now=replace(told.now, rows={**told.now.rows, changed.operation_id: changed}))


def confirmed_all_the_same(told: Told) -> Told:
    return with_now(told, row("changed", "su:p cl:w aw:a cp:C"))


def escalated(told: Told) -> Told:
    return with_now(told, row("killed", "su:p cl:w rl:a es:m:unknown_too_long"))


def called_again(told: Told) -> Told:
    again = call(told.now.rows["killed"], applied=False, at=4_500)
    return replace(told, now=replace(told.now, calls=(*told.now.calls, again)))


def test_a_good_story_is_reported_with_its_figures() -> None:
    told = report(good_told())
    assert told["ok"], told["missing"]
    assert (told["double_effects"], told["lost"]) == (0, 0)
    losing = told["losing"]
    assert losing["lost_by_cause"]["send_lost"] == 1
    assert losing["lost_by_cause"]["worker_killed"] == 1
    assert losing["found_by_sweeps"] == {"lost_dispatch": 1, "dead_claim": 1}
    assert losing["sweeps"] == {"by_schedule": 1, "by_demo": 1}
    assert (losing["confirmed"], losing["in_review"], losing["open"]) == (4, {"divergent": 1}, 0)
    refusing = told["refusing"]
    assert (refusing["lost"], refusing["drained"], refusing["confirmed"]) == (3, [3], 3)
    assert refusing["table_before"] == refusing["table_after"]


def test_what_nobody_knew_is_reported_with_what_it_led_to() -> None:
    doubting = report(good_told())["doubting"]
    assert doubting["unanswered"]["changed_elsewhere"] == {"operations": 1, "applied": 0}
    assert doubting["unanswered"]["worker_killed"] == {"operations": 1, "applied": 1}
    assert (doubting["turned_away"], doubting["stopped_asking"]) == (1, 1)
    assert doubting["looks"] == {"asked": 3, "in_vain": 1}
    assert doubting["verdicts"] == {"correct": 1, "divergent": 1}
    assert doubting["led_to"] == {"confirmed": 1, "divergent": 1}
    assert doubting["in_review_for_want_of_an_answer"] == 0


def test_all_that_was_promised_is_accounted_for() -> None:
    stands = report(good_told())["standing"]
    assert stands["promised"] == 8
    assert stands["confirmed"] + stands["compensated"] + sum(stands["in_review"].values()) == 8


def test_what_a_person_would_decide_is_reported_as_the_command_lists_it() -> None:
    (waiting,) = report(good_told())["exceptions"]
    assert (waiting["operation_id"], waiting["verdict"]["kind"]) == ("changed", "divergent")


def test_it_is_one_json_document() -> None:
    assert json.loads(json.dumps(report(good_told())))["seed"] == 7


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (without_again, "delivered_twice: 1 operations were to get another message, 0 did"),
        (without_schedule, "EventBridge's own schedule started no sweep"),
        (claimed_at_once, "send_lost: 1 were to be lost, 0 were"),
        (left_open, "2 of 3 were confirmed after the acknowledgement"),
        (never_closed, "no sweep stopped asking while the CRM was closed"),
        (led_nowhere, "3 verdicts were given, and 2 led to something"),
        (confirmed_all_the_same, "changed_elsewhere: changed should be in review as divergent"),
        (escalated, "worker_killed: killed should be confirmed"),
        (called_again, "confirmed by a look, and called again all the same: killed"),
        (escalated, "2 wait for a person, and the command lists 1"),
        (escalated, "in review, though no person has to decide: killed"),
    ],
)
def test_what_did_not_happen_fails_the_demo(spoil: Callable[[Told], Told], words: str) -> None:
    told = report(spoil(good_told()))
    assert words in told["missing"]
    assert not told["ok"]


def test_a_broken_invariant_fails_the_demo_though_all_happened() -> None:
    told = report(doubled(good_told()))
    assert told["missing"] == []
    assert not told["ok"]
    assert told["double_effects"] == 1


def test_what_is_lost_is_counted() -> None:
    assert report(left_open(good_told()))["lost"] == 1


def test_runs_above_the_cap_are_none_of_the_first_part() -> None:
    told = good_told()
    more = (*told.capped.before.runs, run("demo-9", "halted", anomalies={"lost_dispatch": 3}))
    told = replace(told, capped=replace(told.capped, before=replace(told.capped.before, runs=more)))
    assert report(told)["losing"]["found_by_sweeps"]["lost_dispatch"] == 1


@pytest.mark.parametrize("spoil", [lambda told: told, doubled, left_open, without_again])
def test_the_screen_fits_eighty_columns(spoil: Callable[[Told], Told]) -> None:
    lines = shown(spoil(good_told())).splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line != line.rstrip()]


def test_the_last_line_names_the_planted_fault_however_long_its_name() -> None:
    longest = max(FAULTS, key=len)
    last = shown(doubled(good_told()), fault=longest, ok=False).splitlines()[-1]
    assert last == f"The demo has failed  (seed 7, 2m 11s, planted: {longest})"


def test_the_screen_ends_with_what_matters() -> None:
    text = shown(good_told())
    assert "0  double effects at the CRM" in text
    assert "0  lost " in text
    assert text.splitlines()[-1] == "Nothing lost, nothing doubled  (seed 7, 2m 11s)"


def test_the_screen_shows_what_a_person_would_decide_and_how() -> None:
    text = shown(good_told())
    assert "What a person would decide now: 1 operation" in text
    assert 'difference   city: expected "Graz", found "Cork"' in text
    assert "They would: makegood decide ID retry|confirm|compensate|close --reason '…'" in text.splitlines()


def test_the_screen_says_so_if_nobody_has_to_decide() -> None:
    text = shown(replace(good_told(), exceptions=()))
    assert "What a person would decide now: 0 operations\n\nnothing waits for a person" in text
    assert "They would" not in text


def test_the_screen_names_the_broken_invariant_and_the_operation() -> None:
    text = shown(doubled(good_told()))
    assert "BROKEN  no effect is doubled (DESIGN 14.2)" in text
    assert "plain  the CRM applied it 2 times, under the key key-plain" in text
    assert "NOT SHOWN" not in text
    assert text.splitlines()[-1].startswith("The demo has failed")
