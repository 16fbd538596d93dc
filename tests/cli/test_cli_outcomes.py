"""Do the screens say what is known of an outcome, what a look could lead to, and what sweeps learnt?"""

from dataclasses import replace
from datetime import timedelta

import pytest
from makegood.domain.evidence import Difference, VerdictKind
from makegood.domain.observation import Unknown
from makegood.domain.operation import Intent, Operation, Status
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench
from tests.support.remote import seeing
from tests.support.rows import HOUR, MINUTE, NOW, ago, ahead, decision, operation, verdict


def awaiting(name: str = "op-1", operation_type: str = "seen", **facts: object) -> Operation:
    """Return an operation whose outcome nobody knows."""
    return operation(Status.AWAITING_CONFIRMATION, operation_id=name, operation_type=operation_type, **facts)


def said(bench: Bench, *words: str) -> str:
    """Return what is printed, its line breaks undone."""
    return " ".join(bench.run(*words).output.split())


def prospects(bench: Bench) -> dict[str, tuple[str, str | None]]:
    """Say for each verdict that may come where it leads, and what the mode withholds."""
    return {each["verdict"]: (each["to"], each["would"]) for each in bench.json("why", "op-1")["prospects"]}


def test_show_says_what_a_verdict_rests_on(bench: Bench) -> None:
    differing = (Difference(field="version", expected="7", observed="8"),)
    found = replace(
        verdict(VerdictKind.DIVERGENT),
        answered="found at version 8",
        compared=("version", "plan"),
        differences=differing,
        policy_version=3,
        recommendation="compensate",
    )
    bench.hold(awaiting(verdict=found, observations=4, absences=1, intent=Intent.COMPENSATION))
    text = said(bench, "show", "op-1")
    for words in (
        "intent compensation: its attempts undo the effect",
        "looks 4 gave no verdict; seen absent 1 in a row",
        "asked: the CRM, by key answered: found at version 8 compared: version, plan version: expected 7, found 8",
        "by version 3 of the policy, which recommends: compensate",
        "effect's key mg-",
    ):
        assert words in text


def test_show_says_what_people_decided_and_what_came_of_it(bench: Bench) -> None:
    taken = decision(stated="no charge there", verdict="missing", recommended="requeue", outcome="confirmed")
    bench.hold(operation(Status.CONFIRMED, decisions=(taken,)))
    text = said(bench, "show", "op-1")
    assert "decision retry by alice, now: the CRM was restored they saw: no charge there" in text
    assert "verdict then: missing, recommended: requeue; it ended as confirmed" in text


def test_a_list_says_the_verdict(bench: Bench) -> None:
    bench.hold(awaiting(verdict=verdict(VerdictKind.DIVERGENT)))
    assert "attempt 1, divergent" in bench.run("list").stdout


def test_why_says_when_it_is_looked_at_and_what_each_verdict_would_lead_to(bench: Bench) -> None:
    bench.hold(awaiting(due_at=ahead(MINUTE), attempt_ended_at=NOW))
    answer = bench.json("why", "op-1")
    assert "until 2026-09-21T14:14:20.000Z (in 1m)" in answer["sentence"]
    assert "Then the next sweep looks at its outcome, asking what is there." in answer["sentence"]
    assert prospects(bench) == {
        "correct": ("confirmed", None),
        "missing": ("retry_scheduled", None),
        "divergent": ("manual_review", None),
        "ambiguous": ("manual_review", None),
    }
    since = {each["verdict"]: each["since"] for each in answer["prospects"]}
    assert since["ambiguous"] == "2026-09-22T14:13:20.000Z"
    text = said(bench, "why", "op-1")
    assert (
        "missing retry_scheduled the outside system certainly does not have the effect not before 2026-09-21T14:16:20"
        in text
    )


@pytest.mark.parametrize(
    ("row", "verdict_kind", "leads_to"),
    [
        (awaiting(attempt=8), "missing", ("manual_review", None)),
        (awaiting(first_claimed_at=ago(30 * HOUR)), "missing", ("manual_review", None)),
        (awaiting(cancel_reason="wanted no more", uncertain=False), "missing", ("not_applicable", None)),
        (awaiting(cancel_reason="wanted no more"), "correct", ("manual_review", None)),
        (awaiting(intent=Intent.COMPENSATION), "missing", ("compensated", None)),
        (awaiting(operation_type="charge"), "ambiguous", ("manual_review", None)),
    ],
)
def test_why_asks_the_sweeps_own_rule_for_what_follows(
    bench: Bench, row: Operation, verdict_kind: str, leads_to: tuple[str, str | None]
) -> None:
    bench.hold(row)
    assert prospects(bench)[verdict_kind] == leads_to
    for at in range(0, 26, 5):  # whatever the hour, it is only said
        bench.rooms.clock.advance(timedelta(hours=at))
        assert bench.run("why", "op-1").exit_code == ExitCode.FINE
    assert bench.rooms.store.rows["op-1"] == row


def test_why_says_of_what_cannot_be_asked_that_a_person_must_look(bench: Bench) -> None:
    bench.hold(awaiting(operation_type="charge"))
    assert "which nobody can be asked about" in bench.json("why", "op-1")["sentence"]
    assert list(prospects(bench)) == ["ambiguous"]


def test_why_says_what_a_person_is_advised_and_what_settles_a_cancellation(bench: Bench) -> None:
    bench.hold(operation(Status.MANUAL_REVIEW, operation_type="seen", verdict=verdict(VerdictKind.DIVERGENT)))
    assert "advice find out who changed it there" in said(bench, "why", "op-1")
    bench.hold(awaiting(cancel_reason="wanted no more"))
    assert "cancel asked it is settled by the next look at what is there" in said(bench, "why", "op-1")


def test_where_sweeps_only_watch_why_status_and_sweep_say_so() -> None:
    bench = Bench(only_watching=True)
    bench.hold(operation(operation_type="seen"), awaiting("op-2"))
    before = dict(bench.rooms.store.rows)
    answer = bench.json("why", "op-1")
    assert answer["acts_now"] is False
    assert answer["sentence"].startswith(
        "Nothing is done about it: sweeps only watch here (the deployment's parameter Sweeps is observe). Otherwise the"
    )
    swept = said(bench, "sweep")
    assert "Sweep observed: sweeps only watch here (the parameter Sweeps is observe). Nothing was written" in swept
    assert "1 withheld would_touch: this deployment only watches" in swept
    assert bench.rooms.store.rows == before
    assert "last withheld would_touch 1, would_requeue 1" in said(bench, "sweeps")
    assert "nobody reconciles" in said(bench, "halt")
    status = said(bench, "status", "--stack", "x")
    assert "watching sweeps only watch here (the parameter Sweeps is observe)" in status
    assert "withheld would_touch 1, would_requeue 1" in status
    assert bench.json("status", "--stack", "x")["only_watching"] is True


def test_a_sweep_tells_its_verdicts_and_whom_it_stopped_asking(bench: Bench) -> None:
    bench.hold(awaiting("op-1", due_at=ago(HOUR)), awaiting("op-2", due_at=ago(MINUTE)))
    bench.hold(*(awaiting(f"op-9{number}") for number in range(4)))
    bench.remote.effects["op-1"] = 1
    bench.remote.sights = [bench.remote.truth, bench.remote.truth, *[seeing(Unknown(why="503"))] * 4]
    swept = said(bench, "sweep")
    assert "1 verdicts correct 1 verdicts missing" in swept
    assert "1 not asked seen any further in this run: 3 looks in a row without an answer: 503" in swept
    status = said(bench, "status", "--stack", "x")
    assert "verdicts correct 1, missing 1" in status
    assert "not asked seen: 3 looks in a row without an answer: 503; the next sweep asks again" in status
    assert "no answer for seen" in said(bench, "sweeps")


def test_a_dry_run_says_that_nobody_knows_what_a_look_leads_to(bench: Bench) -> None:
    bench.hold(awaiting())
    text = said(bench, "sweep", "--dry-run")
    assert "1 would be looked at what follows nobody knows before the outside system is asked" in text
    assert "op-1 observe its outcome is being established" in text
    assert bench.remote.looks == {}


@pytest.mark.parametrize("verb", ["show op-1", "why op-1", "list", "types", "scorecard", "status --stack x", "sweep"])
def test_what_is_known_of_outcomes_fits_80_columns(verb: str) -> None:
    bench = Bench(only_watching=True)
    long = replace(
        verdict(VerdictKind.MISSING), asked="GET " + "x" * 300, answered="y " * 200, recommendation="requeue"
    )
    bench.hold(awaiting(verdict=long, decisions=(decision(stated="z " * 140, reason="r " * 140),)))
    text = bench.run(*verb.split()).stdout
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text
