"""Do exceptions and decide show what matters, refuse what they must, and keep what was said?"""

from dataclasses import replace

import pytest
from makegood.domain.evidence import Difference, Verdict, VerdictKind
from makegood.domain.observation import Found, Unknown
from makegood.domain.operation import Operation, Status
from makegood.ports import Unreadable
from makegood_cli.exits import ExitCode

from tests.case import case
from tests.cli.bench import Bench
from tests.support.remote import seeing
from tests.support.rows import HOUR, MINUTE, NOW, ago, operation, verdict

WHY = ("--reason", "INC-1742")
SAW = ("--evidence", "no charge for invoice 88 in the dashboard")


def waiting(name: str = "op-1", operation_type: str = "seen", **facts: object) -> Operation:
    """Return an operation that waits for a person."""
    return operation(Status.MANUAL_REVIEW, operation_id=name, operation_type=operation_type, **facts)


def unprovable(name: str = "op-1") -> Operation:
    """Return a charge that may have been made, at a remote that cannot be asked."""
    asked, answered = "nothing", "its type cannot be observed"
    found = Verdict(kind=VerdictKind.AMBIGUOUS, at=ago(HOUR), asked=asked, answered=answered)
    return waiting(name, "charge", entity="invoice/88", uncertain=True, verdict=found)


def overwritten(name: str = "op-1") -> Operation:
    """Return an operation in whose place somebody wrote something else."""
    differing = (Difference(field="version", expected="7", observed="8"),)
    return waiting(name, uncertain=True, verdict=replace(verdict(VerdictKind.DIVERGENT), differences=differing))


def said(bench: Bench, *words: str) -> str:
    """Return what is printed, its line breaks undone."""
    return " ".join(bench.run(*words).output.split())


@case("F128")
def test_what_waits_longest_comes_first(bench: Bench) -> None:
    bench.hold(waiting("op-new"), waiting("op-old", due_at=ago(HOUR)), operation(operation_id="op-moving"))
    listed = bench.json("exceptions")
    assert [each["operation_id"] for each in listed["exceptions"]] == ["op-old", "op-new"]
    assert [each["waiting_seconds"] for each in listed["exceptions"]] == [3600, 60]
    assert listed["more"] is False


@case("F132")
def test_an_exception_says_all_that_a_decision_needs(bench: Bench) -> None:
    bench.hold(overwritten(), unprovable("charge-88"))
    text = said(bench, "exceptions")
    for words in (
        "what seen customer/452 version 7",
        "destination the scripted remote",
        "age promised 2026-09-21T13:58:20.000Z (15m ago)",
        "attempts 1 attempt",
        "verdict divergent, now (asked: the CRM, by key)",
        "difference version: expected 7, found 8",
        "doubling low: it may have been applied, but the remote applies a key once",
        "recommended nothing by itself",
        "advice find out who changed it there; then compensate, or close and promise it anew",
        "verdict ambiguous, 1h ago: its type cannot be observed (asked: nothing)",
        "doubling high: it may have been applied, and the remote would apply a repeated call again",
    ):
        assert words in text
    assert said(bench, "exceptions").endswith("2 operations. Decide: `makegood decide ID ACTION --reason …`")


def test_nothing_that_waits_is_said_in_a_friendly_sentence(bench: Bench) -> None:
    bench.hold(operation())
    result = bench.run("exceptions")
    assert (result.exit_code, result.stdout) == (ExitCode.FINE, "")
    assert result.stderr == "nothing waits for a person: whatever was promised has ended or is under way\n"


def test_exceptions_keep_to_type_and_limit_but_name_what_cannot_be_read(bench: Bench) -> None:
    bench.hold(waiting("op-1"), waiting("op-2", "charge"), waiting("op-3", "charge"), waiting("op-odd"))
    bench.rooms.store.odd["op-odd"] = Unreadable("op-odd", "format 9 is newer than 1", newer_format=True)
    listed = bench.json("exceptions", "--type", "charge")["exceptions"]
    assert [each["operation_id"] for each in listed] == ["op-2", "op-3", "op-odd"]
    assert "op-odd unreadable format 9 is newer than 1" in said(bench, "exceptions")
    limited = bench.json("exceptions", "--limit", "2")
    assert (len(limited["exceptions"]), limited["more"]) == (2, True)
    assert "there are more: --limit is 2" in bench.run("exceptions", "--limit", "2").stderr


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_exceptions_fit_and_show_an_id_whole(bench: Bench, columns: int) -> None:
    bench.hold(waiting("x" * 128, last_error="long " * 60, entity="customer/" + "9" * 200), unprovable("charge-88"))
    text = bench.run("exceptions", columns=columns).stdout
    assert "x" * 128 in text.split()
    assert max(len(line) for line in text.splitlines() if "xxx" not in line) <= columns
    assert "\x1b" not in text


def test_a_decision_is_kept_with_the_name_the_reason_and_the_fresh_verdict(bench: Bench) -> None:
    bench.hold(waiting(uncertain=True, verdict=replace(verdict(VerdictKind.MISSING), recommendation="requeue")))
    result = bench.run("decide", "op-1", "retry", *WHY, typed="y\n")
    assert result.exit_code == ExitCode.FINE, result.output
    row = bench.rooms.store.rows["op-1"]
    (kept,) = row.decisions
    assert (row.status, kept.by) == (Status.RETRY_SCHEDULED, "arn:aws:iam::000000000000:user/alice")
    assert (kept.reason, kept.verdict, kept.recommended) == ("INC-1742", "missing", "requeue")
    assert "Retry op-1 on bench, as arn:aws:iam::000000000000:user/alice? [y/N]" in result.stderr
    assert "doubling" in result.stderr
    assert result.stdout.startswith("retry: manual_review → retry_scheduled\n")
    assert "a worker tries it again: its message is sent" in result.stdout


@case("F132")
@pytest.mark.parametrize("typed", ["", "n\n", "\n", "maybe\n"])
def test_without_a_yes_nothing_is_decided(bench: Bench, typed: str) -> None:
    bench.hold(waiting())
    before = dict(bench.rooms.store.rows)
    result = bench.run("decide", "op-1", "close", *WHY, typed=typed)
    assert (result.exit_code, "not decided; nothing was written" in result.stderr) == (ExitCode.REFUSED, True)
    assert bench.rooms.store.rows == before


@case("F132")
def test_where_nobody_can_be_asked_a_decision_needs_yes(bench: Bench) -> None:
    bench.hold(waiting())
    bench.has_person = False
    refused = bench.run("decide", "op-1", "close", *WHY, typed="y\n")
    assert (refused.exit_code, refused.stderr) == (
        ExitCode.REFUSED,
        "makegood: nobody is at a terminal to be asked; --yes does not ask. Nothing was written\n",
    )
    assert bench.rooms.store.rows["op-1"].revision == 1
    decided = bench.json("decide", "op-1", "close", *WHY, "--yes")
    assert (decided["verb"], decided["to"]) == ("close", "not_applicable")


@case("F122")
def test_a_row_that_moved_since_it_was_looked_at_is_refused(bench: Bench) -> None:
    bench.hold(waiting(revision=5))
    before = dict(bench.rooms.store.rows)
    result = bench.run("decide", "op-1", "close", *WHY, "--revision", "4", "--yes")
    assert result.exit_code == ExitCode.REFUSED
    assert "it moved since it was looked at: revision 5 now, 4 then" in result.stderr
    assert bench.rooms.store.rows == before
    assert bench.run("decide", "op-1", "close", *WHY, "--revision", "5", "--yes").exit_code == ExitCode.FINE


def test_a_charge_that_nobody_can_see_is_tried_again_by_a_persons_word_alone(bench: Bench) -> None:
    bench.hold(unprovable())
    before = dict(bench.rooms.store.rows)
    refused = bench.run("decide", "op-1", "retry", *WHY, "--yes")
    assert refused.exit_code == ExitCode.REFUSED
    assert "say with --evidence what you saw" in refused.stderr.splitlines()[-1]
    assert (bench.rooms.store.rows, bench.rooms.queue.messages) == (before, [])
    assert bench.run("decide", "op-1", "retry", *WHY, *SAW, "--yes").exit_code == ExitCode.FINE
    assert bench.rooms.store.rows["op-1"].decisions[0].stated == SAW[1]


def test_what_the_outside_system_says_outweighs_a_persons_word(bench: Bench) -> None:
    bench.hold(waiting(uncertain=True))
    bench.remote.sights.append(seeing(Found(version=8, fields={"plan": "gold"})))
    refused = bench.run("decide", "op-1", "confirm", *WHY, "--evidence", "I saw it", "--yes")
    assert refused.exit_code == ExitCode.REFUSED
    assert "(asked just now: divergent, found at version 8)" in refused.stderr
    assert bench.rooms.store.rows["op-1"].status is Status.MANUAL_REVIEW


def test_where_nobody_could_look_it_says_why(bench: Bench) -> None:
    bench.hold(waiting(uncertain=True, attempt_ended_at=ago(MINUTE)))
    why = "secret arn:aws:secretsmanager:… cannot be read: AccessDenied; grant the caller's role this action"
    bench.remote.sights += [seeing(Unknown(why=why))] * 2
    refused = bench.run("decide", "op-1", "confirm", *WHY, "--yes")
    assert (refused.exit_code, "cannot be read: AccessDenied" in refused.stderr) == (ExitCode.REFUSED, True)
    taken = bench.run("decide", "op-1", "confirm", *WHY, "--evidence", "it is there", "--remote-id", "crm-9", "--yes")
    assert taken.exit_code == ExitCode.FINE
    assert "asked now no verdict: secret arn:aws:secretsmanager:… cannot be read" in " ".join(taken.stdout.split())
    assert bench.rooms.store.rows["op-1"].remote_id == "crm-9"


@pytest.mark.parametrize(
    ("row", "action", "says"),
    [
        (operation(Status.CONFIRMED), "retry", "it is confirmed, and that is for ever"),
        (operation(Status.PROCESSING), "close", "it is processing; close is for: awaiting_confirmation, manual_review"),
        (waiting("op-1", "sync"), "compensate", "its type has no compensation"),
        (waiting(uncertain=True, first_claimed_at=ago(30 * HOUR)), "retry", "the remote may have forgotten its key"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(bench: Bench, row: Operation, action: str, says: str) -> None:
    bench.hold(row)
    before = dict(bench.rooms.store.rows)
    result = bench.run("decide", "op-1", action, *WHY, "--yes")
    assert (result.exit_code, says in result.stderr) == (ExitCode.REFUSED, True), result.stderr
    assert bench.rooms.store.rows == before


@pytest.mark.parametrize("given", [("--reason", " "), ("--reason", "x" * 301), (*WHY, "--evidence", "")])
def test_words_that_nobody_could_use_later_are_a_usage_error(bench: Bench, given: tuple[str, ...]) -> None:
    bench.hold(waiting())
    assert bench.run("decide", "op-1", "close", *given, "--yes").exit_code == ExitCode.USAGE
    assert bench.choices == []


def test_looking_at_exceptions_changes_nothing(bench: Bench) -> None:
    bench.hold(waiting(), unprovable("op-2"))
    before = dict(bench.rooms.store.rows)
    bench.run("exceptions")
    assert (bench.rooms.store.rows, bench.remote.looks, bench.rooms.clock.now()) == (before, {}, NOW)
