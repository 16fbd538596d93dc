"""Do show, list and why tell the truth about a row, at 80 columns, whatever others wrote into it?"""

from datetime import timedelta

import pytest
from makegood.domain.evidence import Difference, VerdictKind
from makegood.domain.operation import Operation, OperationId, Status
from makegood.domain.run import Acknowledgement, RunOutcome, RunRecord
from makegood.ports import Unreadable
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench
from tests.support import rows
from tests.support.rows import HOUR, MINUTE, NOW, SECOND, T, ago, ahead, evidence, operation

LONG = "x" * 128


def run_record(**facts: object) -> RunRecord:
    """Return the record of a run that began a minute ago."""
    at, outcome = ago(MINUTE), RunOutcome.COMPLETED
    usual: dict[str, object] = {"run_id": "r", "started_at": at, "ended_at": at, "outcome": outcome}
    return RunRecord(**{**usual, **facts})  # type: ignore[arg-type]


def test_show_tells_every_step_with_its_distance_actor_and_reason(bench: Bench) -> None:
    bench.run("submit", "sync", "--entity", "customer/452", "--version", "7", "--id", "op-1")
    bench.rooms.clock.advance(T + SECOND)
    bench.run("sweep")
    shown = bench.run("show", "op-1").stdout
    assert "2026-09-21T14:13:20.000Z  submit: – → pending\n" in shown
    assert "producer: a producer promised this work\n" in shown
    assert "2026-09-21T14:28:21.000Z  touch: pending → pending\n" in shown
    assert "  after 15m 01s           reconciler: never claimed since the last dispatch\n" in shown


def test_show_has_evidence_verdict_differences_and_the_last_error(bench: Bench) -> None:
    found = (Difference(field="plan", expected='"gold"', observed=None),)
    verdict = rows.verdict(VerdictKind.DIVERGENT)
    bench.hold(
        operation(
            Status.AWAITING_CONFIRMATION,
            evidence=evidence(version=6),
            verdict=type(verdict)(kind=verdict.kind, at=NOW, asked="the CRM, by key", differences=found),
            last_error="TimeoutError: read timed out",
        )
    )
    shown = bench.run("show", "op-1").stdout
    for words in (
        "version 6",
        "divergent, 2026-09-21T14:13:20.000Z (now)",
        "asked: the CRM, by key",
        'plan: expected "gold", found nothing',
        "TimeoutError",
    ):
        assert words in shown


def test_what_others_wrote_neither_styles_nor_moves_the_cursor(bench: Bench) -> None:
    evil = "[red]x[/red]\x1b[2J\r\u202e"
    bench.hold(operation(Status.MANUAL_REVIEW, entity=evil, last_error=evil, cancel_reason=evil))
    for verb in ("show op-1", "list", "why op-1", "exceptions"):
        for environment in ({}, {"NO_COLOR": "", "FORCE_COLOR": "1"}):
            text = bench.run(*verb.split(), environment=environment).stdout
            assert "[red]x[/red]\\x1b[2J\\r\\u202e" in text.replace("\n", "").replace("  ", "")
            assert "\x1b[2J" not in text


@pytest.mark.parametrize("verb", ["show {}", "why {}", "list", "sweep --dry-run"])
@pytest.mark.parametrize("columns", [20, 80, 200])
def test_an_id_is_whole_at_every_width(bench: Bench, verb: str, columns: int) -> None:
    bench.hold(operation(operation_id=LONG), operation(operation_id="op-3f2a9c0d1e4b5a6978deadbe00"))
    text = bench.run(*verb.format(LONG).split(), columns=columns).stdout
    assert LONG in text.split()


@pytest.mark.parametrize("verb", ["show op-1", "why op-1", "list", "sweep --dry-run", "sweeps", "types", "halt"])
def test_a_screen_fits_80_columns_without_an_escape_sequence(bench: Bench, verb: str) -> None:
    bench.hold(
        operation(entity="customer/" + "9" * 200, expected_fields={"note": "long " * 100}),
        operation(Status.AWAITING_CONFIRMATION, operation_id="op-3f2a9c0d1e4b5a6978deadbe00"),
    )
    bench.rooms.ledger.records.append(run_record(scanned=12345, anomalies={"lost_dispatch": 12345}))
    text = bench.run(*verb.split()).stdout
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text


def test_list_shows_open_operations_the_earliest_due_first(bench: Bench) -> None:
    bench.hold(
        operation(operation_id="op-later", due_at=ahead(HOUR)),
        operation(Status.MANUAL_REVIEW, operation_id="op-review", due_at=ago(MINUTE)),
        operation(Status.CONFIRMED, operation_id="op-ended"),
        operation(operation_id="op-now"),
    )
    listed = bench.json("list")
    assert [row["operation_id"] for row in listed["operations"]] == ["op-review", "op-now", "op-later"]
    assert listed["more"] is False


def test_list_keeps_to_status_type_and_limit(bench: Bench) -> None:
    bench.hold(*(operation(operation_id=f"op-{number}") for number in range(5)))
    bench.hold(
        operation(operation_id="op-other", operation_type="other"), operation(Status.PROCESSING, operation_id="w")
    )
    assert [row["operation_id"] for row in bench.json("list", "--status", "processing")["operations"]] == ["w"]
    assert [row["operation_id"] for row in bench.json("list", "--type", "other")["operations"]] == ["op-other"]
    listed = bench.json("list", "--limit", "2")
    assert (len(listed["operations"]), listed["more"]) == (2, True)
    assert "2 operations; there are more: --limit is 2" in bench.run("list", "--limit", "2").stderr


def test_what_waits_for_a_person_is_listed_without_reading_the_rest(bench: Bench) -> None:
    bench.hold(operation(Status.MANUAL_REVIEW), operation(operation_id="op-2"))
    assert [row["operation_id"] for row in bench.json("list", "--status", "manual_review")["operations"]] == ["op-1"]
    assert bench.rooms.store.walked == ["review"]


def test_what_has_ended_is_listed_by_a_scan_alone_which_says_what_it_costs(bench: Bench) -> None:
    bench.hold(operation(Status.CONFIRMED), operation(operation_id="op-open"))
    refused = bench.run("list", "--status", "confirmed")
    assert (refused.exit_code, "--scan" in refused.stderr) == (ExitCode.USAGE, True)
    scanned = bench.run("list", "--status", "confirmed", "--scan")
    assert "op-1" in scanned.stdout
    assert "op-open" not in scanned.stdout
    assert "one read unit for each 4 KB" in scanned.stderr


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (operation(), "The next sweep touches it and sends its message again: never claimed since the last dispatch."),
        (
            operation(due_at=ahead(SECOND)),
            "Sweeps leave it alone until 2026-09-21T14:13:21.000Z (in 1s): touched or moved",
        ),
        (
            operation(Status.PROCESSING),
            "until 2026-09-21T14:15:20.000Z (in 2m): claimed, and the lease is still",
        ),
        (operation(Status.PROCESSING), "is still running. Then the next sweep takes it from its worker"),
        (operation(Status.PROCESSING, lease_ends_at=ago(HOUR)), "The next sweep takes it from its worker"),
        (operation(Status.CONFIRMED), "Sweeps leave it alone for ever: already terminal."),
        (operation(Status.MANUAL_REVIEW), "Sweeps leave it alone until a person decides: it waits for a person."),
        (
            operation(operation_type="other"),
            "until a release that knows its type is deployed: this release",
        ),
        (operation(Status.AWAITING_CONFIRMATION), "The next sweep looks at its outcome"),
        (
            operation(attempt=8, status=Status.RETRY_SCHEDULED),
            "in front of a person: all its attempts are used up.",
        ),
        (operation(deadline_at=NOW), "puts it in front of a person: its deadline has passed."),
        (operation(Status.RETRY_SCHEDULED), "The next sweep touches it and sends its message: its retry is due"),
    ],
)
def test_why_says_which_rule_holds_and_until_when(bench: Bench, row: Operation, says: str) -> None:
    bench.hold(row)
    assert says in bench.json("why", "op-1")["sentence"]
    assert bench.run("why", "op-1").exit_code == ExitCode.FINE


def test_why_asks_the_rule_again_when_time_ends_it(bench: Bench) -> None:
    bench.hold(operation(Status.PROCESSING, due_at=ahead(HOUR)))
    steps = bench.json("why", "op-1")["steps"]
    assert [(step["action"], step["reason"], step["anomaly"]) for step in steps] == [
        ("leave", "lease_running", None),
        ("leave", "not_due", None),
        ("release", "lease_over", "dead_claim"),
    ]


def test_why_says_that_a_halt_holds_it_and_since_when(bench: Bench) -> None:
    bench.hold(*(operation(operation_id=f"op-{number}") for number in range(6)))
    bench.run("sweep")
    answer = bench.json("why", "op-1")
    assert answer["acts_now"] is False
    assert answer["held"]["why"] == "more than 5 anomalies are due (counting stopped at 6)"
    assert answer["held"]["since"] == "2026-09-21T14:13:20.000Z"
    assert answer["sentence"].startswith("Nothing is done about it: the sweep is halted (more than 5 anomalies")
    assert "halted since 2026-09-21T14:13:20.000Z (now)" in bench.run("why", "op-1").stdout


def test_why_takes_the_types_own_cap_into_account(bench: Bench) -> None:
    bench.hold(*(operation(operation_id=f"op-{number}", operation_type="bill") for number in range(4)))
    assert bench.run("sweep").exit_code == ExitCode.HALTED
    answer = bench.json("why", "op-1")
    assert (answer["acts_now"], answer["held"]["why"]) == (False, "more than 3 anomalies of this type are due")


def test_why_lets_an_acknowledgement_lift_the_halt(bench: Bench) -> None:
    bench.hold(*(operation(operation_id=f"op-{number}") for number in range(6)))
    bench.run("sweep")
    given = Acknowledgement(by="alice", at=NOW, until=ahead(HOUR), drain_rate=2, reason="INC-1742")
    bench.rooms.ledger.acknowledge(given)
    answer = bench.json("why", "op-1")
    assert (answer["acts_now"], answer["held"], answer["acknowledgement"]["by"]) == (True, None, "alice")
    bench.rooms.clock.advance(HOUR)
    assert bench.json("why", "op-1")["acts_now"] is False


def test_why_says_whether_a_worker_may_claim(bench: Bench) -> None:
    bench.hold(operation(), operation(Status.RETRY_SCHEDULED, operation_id="op-2", not_before=ahead(HOUR)))
    assert bench.json("why", "op-1")["worker"] == {"may_claim": True, "reason": None}
    assert bench.json("why", "op-2")["worker"] == {"may_claim": False, "reason": "too_early"}


def test_why_warns_when_the_schedule_seems_dead(bench: Bench) -> None:
    bench.hold(operation())
    bench.rooms.ledger.records.append(run_record(started_at=ago(timedelta(minutes=11)), outcome=RunOutcome.COMPLETED))
    assert "see whether the schedule lives" in " ".join(bench.run("why", "op-1").stdout.split())


def test_a_row_that_cannot_be_read_is_named_and_explained(bench: Bench) -> None:
    bench.rooms.store.rows["op-1"] = Unreadable("op-1", "format 9 is newer than 1", newer_format=True)  # type: ignore[assignment]
    shown = bench.run("show", "op-1")
    assert (shown.exit_code, "format 9 is newer" in shown.stderr) == (ExitCode.FAULT, True)
    assert "until that release is deployed: a newer release wrote this row" in bench.json("why", "op-1")["sentence"]


@pytest.mark.parametrize("verb", ["show", "why", "cancel --reason because", "decide close --reason because --yes"])
def test_an_id_that_nobody_has_is_refused_with_a_hint(bench: Bench, verb: str) -> None:
    name, *more = verb.split()
    result = bench.run(name, "op-9", *more)
    assert (result.exit_code, result.stderr) == (
        ExitCode.REFUSED,
        "makegood: no operation has the id op-9; `makegood list` shows those that are open\n",
    )


@pytest.mark.parametrize(
    "verb", ["show op-1", "list", "why op-1", "types", "sweeps", "halt", "status --stack x", "scorecard"]
)
def test_verbs_that_only_read_change_nothing(bench: Bench, verb: str) -> None:
    bench.hold(operation(), operation(Status.PROCESSING, operation_id=OperationId("op-2")))
    before, control = dict(bench.rooms.store.rows), bench.rooms.ledger.control()
    bench.run(*verb.split())
    assert (bench.rooms.store.rows, bench.rooms.ledger.control()) == (before, control)
    assert (bench.rooms.queue.messages, bench.rooms.ledger.records) == ([], [])
