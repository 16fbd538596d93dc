"""Do sweep, halt and acknowledge do what they say, refuse what they must, and say how it ended?"""

from datetime import timedelta

import pytest
from makegood.domain.operation import Status
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench
from tests.support.rows import HOUR, NOW, ahead, operation

ACKNOWLEDGE = ("acknowledge", "--drain", "2", "--for", "1h", "--reason", "queue purged, INC-1742")


def pile(bench: Bench, number: int, operation_type: str = "sync") -> None:
    """Let so many operations be lost."""
    bench.hold(*(operation(operation_id=f"op-{each}", operation_type=operation_type) for each in range(number)))


def test_a_sweep_reports_what_it_did(bench: Bench) -> None:
    pile(bench, 2)
    result = bench.run("sweep")
    assert result.exit_code == ExitCode.FINE, result.output
    text = " ".join(result.stdout.split())
    assert "Sweep completed" in text
    assert "2 anomalies lost_dispatch 2 moved touch 2 sent messages that a queue took" in text
    assert len(bench.rooms.queue.messages) == 2


def test_a_dry_run_shows_the_plan_and_touches_nothing(bench: Bench) -> None:
    bench.hold(operation(), operation(Status.PROCESSING, operation_id="op-2"))
    before = dict(bench.rooms.store.rows)
    result = bench.run("sweep", "--dry-run")
    assert result.exit_code == ExitCode.FINE
    assert "Dry run, nothing touched, nothing sent: completed" in result.stdout
    assert "op-1                 dispatch  never claimed since the last dispatch" in result.stdout
    assert (bench.rooms.store.rows, bench.rooms.queue.messages) == (before, [])
    (item,) = bench.json("sweep", "--dry-run")["plan"]
    assert (item["operation_id"], item["action"], item["reason"]) == ("op-1", "dispatch", "lost_dispatch")


def test_limit_lowers_the_drain_rate_and_says_what_remains(bench: Bench) -> None:
    pile(bench, 3)
    summary = bench.json("sweep", "--limit", "1")
    assert (summary["sent"], summary["remaining"]) == (1, 2)


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_halted_sweep_exits_3_and_touches_nothing(bench: Bench, dry: tuple[str, ...]) -> None:
    pile(bench, 6)
    before = dict(bench.rooms.store.rows)
    result = bench.run("sweep", *dry)
    assert result.exit_code == ExitCode.HALTED
    assert "halted: more than 5 anomalies are due" in result.stderr
    assert "`makegood acknowledge`" in result.stderr
    assert bench.json("sweep", *dry, code=ExitCode.HALTED)["plan"] == []
    assert (bench.rooms.store.rows, bench.rooms.queue.messages) == (before, [])


def test_a_halted_type_exits_3_too(bench: Bench) -> None:
    pile(bench, 4, "bill")
    result = bench.run("sweep")
    assert (result.exit_code, result.stderr) == (
        ExitCode.HALTED,
        "makegood: halted for bill: above the type's own cap; nothing of it was touched or sent\n",
    )


def test_a_sweep_beside_another_is_refused(bench: Bench) -> None:
    bench.rooms.ledger.take_lease(now=NOW, token="another-sweep", until=ahead(HOUR))  # noqa: S106 - no password
    result = bench.run("sweep")
    assert (result.exit_code, "another sweep is running" in result.stderr) == (ExitCode.REFUSED, True)


@pytest.mark.parametrize("asked", [("--minutes", "1"), ("--type", "nope")])
def test_what_no_sweep_may_do_is_refused_before_it_starts(bench: Bench, asked: tuple[str, str]) -> None:
    pile(bench, 1)
    before = dict(bench.rooms.store.rows)
    assert bench.run("sweep", *asked).exit_code == ExitCode.REFUSED
    assert (bench.rooms.store.rows, bench.rooms.ledger.records) == (before, [])


def test_runs_are_listed_newest_first(bench: Bench) -> None:
    bench.run("sweep")
    bench.rooms.clock.advance(timedelta(minutes=5))
    bench.run("sweep", "--dry-run")
    dry, first = bench.json("sweeps")["sweeps"]
    assert (dry["dry_run"], first["dry_run"], first["outcome"]) == (True, False, "completed")
    assert "2026-09-21T14:18:20Z  completed" in bench.run("sweeps", "--limit", "1").stdout


def test_halt_tells_since_when_why_and_under_which_acknowledgement(bench: Bench) -> None:
    assert bench.run("halt").exit_code == ExitCode.FINE
    pile(bench, 6)
    bench.run("sweep")
    halted = bench.run("halt")
    assert halted.exit_code == ExitCode.HALTED
    text = " ".join(halted.stdout.split())
    assert "halted yes since 2026-09-21T14:13:20.000Z (now) why more than 5 anomalies are due" in text
    assert "cap 5 anomalies acknowledged no" in text
    bench.run(*ACKNOWLEDGE, "--yes")
    acknowledged = bench.run("halt")
    assert acknowledged.exit_code == ExitCode.FINE
    assert "by arn:aws:iam::000000000000:user/alice" in acknowledged.stdout
    assert bench.json("halt")["acknowledgement"]["drain_rate"] == 2
    bench.rooms.clock.advance(HOUR)
    assert bench.run("halt").exit_code == ExitCode.HALTED


def test_an_acknowledged_pile_is_drained_at_its_rate(bench: Bench) -> None:
    pile(bench, 6)
    bench.run("sweep")
    assert bench.run(*ACKNOWLEDGE, typed="y\n").exit_code == ExitCode.FINE
    summary = bench.json("sweep")
    assert (summary["outcome"], summary["sent"]) == ("completed", 2)
    assert summary["acknowledged_by"] == "arn:aws:iam::000000000000:user/alice"


@pytest.mark.parametrize("typed", ["", "n\n", "\n", "maybe\n"])
def test_without_a_yes_nothing_is_acknowledged(bench: Bench, typed: str) -> None:
    result = bench.run(*ACKNOWLEDGE, typed=typed)
    assert result.exit_code == ExitCode.REFUSED
    assert "nothing was written" in result.stderr
    assert bench.rooms.ledger.control().acknowledgement is None


def test_an_acknowledgement_is_kept_with_name_span_and_reason(bench: Bench) -> None:
    kept = bench.json(*ACKNOWLEDGE, "--yes")
    assert kept == {
        "by": "arn:aws:iam::000000000000:user/alice",
        "at": "2026-09-21T14:13:20.000Z",
        "until": "2026-09-21T15:13:20.000Z",
        "drain_rate": 2,
        "reason": "queue purged, INC-1742",
    }
    given = bench.rooms.ledger.control().acknowledgement
    assert given is not None
    assert (given.until, given.drain_rate) == (ahead(HOUR), 2)


def test_the_question_goes_to_stderr_so_that_json_stays_one_document(bench: Bench) -> None:
    result = bench.run(*ACKNOWLEDGE, "--json", typed="y\n")
    assert result.stdout.startswith("{\n")
    assert "[y/N]" in result.stderr
    assert "The sweep is not halted now (cap 5)." in result.stderr


def test_the_stack_that_is_named_is_the_one_that_is_asked(bench: Bench) -> None:
    bench.run("sweep", "--stack", "prod", "--region", "eu-central-1", "--profile", "ops")
    (choice,) = bench.choices
    assert (choice.stack, choice.region, choice.profile) == ("prod", "eu-central-1", "ops")
