"""Is a result file judged line by line, applied whole or not at all, and told of in full?"""

import json
import os
from pathlib import Path

import pytest
from makegood.domain.history import last
from makegood.domain.operation import Operation, Status
from makegood_cli.commands import checking
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench
from tests.support.rows import HOUR, operation

AS_PROMISED = {"version": 7, "fields": {"plan": "gold"}}


def awaiting(name: str, **facts: object) -> Operation:
    """Return an operation whose outcome nobody knows."""
    usual = {"operation_id": name, "operation_type": "seen", "entity": f"customer/{name}"}
    return operation(Status.AWAITING_CONFIRMATION, **{**usual, **facts})


@pytest.fixture
def results(tmp_path: Path, bench: Bench) -> Path:
    """Return a file that knows three of four operations, and one line that nobody asked for."""
    bench.hold(*(awaiting(f"op-{number}") for number in range(1, 5)))
    path = tmp_path / "results.jsonl"
    lines = (
        {"operation_id": "op-1", **AS_PROMISED, "remote_id": "crm-1"},
        {"operation_id": "op-2", "version": 8, "fields": {"plan": "gold"}},
        {"operation_id": "op-3", "absent": True},
        {"operation_id": "nobody", **AS_PROMISED},
    )
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def test_each_operation_of_a_file_is_judged_and_its_policy_followed(bench: Bench, results: Path) -> None:
    report = bench.json("check-file", "seen", str(results))
    assert [(each["operation_id"], each["lines"], each["verdict"], each["verb"]) for each in report["checked"]] == [
        ("op-1", [1], "correct", "confirm_by_proof"),
        ("op-2", [2], "divergent", "escalate"),
        ("op-3", [3], "missing", "requeue"),
    ]
    assert (report["unmatched_lines"], report["not_mentioned"]) == ([4], 1)
    found = {name: row.status for name, row in bench.rooms.store.rows.items()}
    assert found == {
        "op-1": Status.CONFIRMED,
        "op-2": Status.MANUAL_REVIEW,
        "op-3": Status.RETRY_SCHEDULED,
        "op-4": Status.AWAITING_CONFIRMATION,
    }
    verdict = bench.rooms.store.rows["op-2"].verdict
    assert verdict is not None
    assert verdict.asked == "results.jsonl, line 2"


def test_a_dry_run_says_what_would_follow_and_writes_nothing(bench: Bench, results: Path) -> None:
    before = dict(bench.rooms.store.rows)
    text = " ".join(bench.run("check-file", "seen", str(results), "--dry-run").stdout.split())
    for words in (
        "Dry run: nothing is written, nothing is sent.",
        "op-1 correct confirm_by_proof",
        "customer/op-2, line 2",
        "1 matched nothing that awaits confirmation: line 4",
        "1 await confirmation and are not mentioned; they are left as they are",
    ):
        assert words in text
    assert (bench.rooms.store.rows, bench.rooms.queue.messages) == (before, [])


def test_a_file_may_come_by_stdin(bench: Bench) -> None:
    bench.hold(awaiting("op-1"))
    line = json.dumps({"operation_id": "op-1", **AS_PROMISED}) + "\n"
    assert bench.run("check-file", "seen", "-", typed=line).exit_code == ExitCode.FINE
    assert bench.rooms.store.rows["op-1"].status is Status.CONFIRMED


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"operation_id": "op-1"\n', "results.jsonl: line 2: Expecting ',' delimiter at column 24"),
        (b'{"operation_id": "op-1", "verison": 7}\n', "line 2: unknown keys verison"),
        (b"\xff\n", "results.jsonl: line 2 is not UTF-8 text"),
        (b"{}\n", "line 2: operation_id or remote_id is wanted"),
    ],
)
def test_of_a_malformed_file_nothing_is_applied(bench: Bench, tmp_path: Path, content: bytes, says: str) -> None:
    bench.hold(awaiting("op-1"))
    before = dict(bench.rooms.store.rows)
    path = tmp_path / "results.jsonl"
    path.write_bytes(json.dumps({"operation_id": "op-1", **AS_PROMISED}).encode() + b"\n" + content)
    result = bench.run("check-file", "seen", str(path), columns=200)
    assert (result.exit_code, says in result.stderr) == (ExitCode.USAGE, True), result.stderr
    assert (bench.rooms.store.rows, bench.choices) == (before, [])


def test_what_a_mode_leaves_to_a_person_is_said(bench: Bench) -> None:
    bench.hold(awaiting("op-1", operation_type="charge"))
    line = json.dumps({"operation_id": "op-1", **AS_PROMISED})
    text = " ".join(bench.run("check-file", "charge", "-", "--dry-run", typed=line).stdout.split())
    assert "correct escalate" in text
    assert "confirm_by_proof is left to a person by its type's mode" in text


def test_a_separator_inside_a_text_parts_no_line(bench: Bench) -> None:
    bench.hold(awaiting("op-1", expected_fields={"note": "a\u2028b"}))
    line = json.dumps({"operation_id": "op-1", "version": 7, "fields": {"note": "a\u2028b"}}, ensure_ascii=False)
    assert bench.run("check-file", "seen", "-", typed=line).exit_code == ExitCode.FINE
    assert bench.rooms.store.rows["op-1"].status is Status.CONFIRMED


@pytest.mark.parametrize(
    ("bound", "says"), [("LARGEST", "split it, a file may be a part"), ("MOST_LINES", "more than 3 lines; split it")]
)
def test_a_file_beyond_the_bounds_is_refused_whole(
    bench: Bench, results: Path, bound: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dict(bench.rooms.store.rows)
    monkeypatch.setattr(checking, bound, 3)
    result = bench.run("check-file", "seen", str(results), columns=200)
    assert (result.exit_code, says in result.stderr) == (ExitCode.USAGE, True), result.stderr
    assert bench.rooms.store.rows == before


def test_a_file_that_is_not_there_and_a_type_that_nobody_knows_are_told_apart(bench: Bench, results: Path) -> None:
    missing = bench.run("check-file", "seen", "nowhere.jsonl", columns=200)
    assert (missing.exit_code, "No such file" in missing.stderr) == (ExitCode.USAGE, True)
    unknown = bench.run("check-file", "nope", str(results))
    assert (unknown.exit_code, "not known here" in unknown.stderr) == (ExitCode.REFUSED, True)


def test_where_sweeps_only_watch_a_file_only_shows_what_would_follow(results: Path) -> None:
    bench = Bench(only_watching=True)
    bench.hold(awaiting("op-3"))
    refused = bench.run("check-file", "seen", str(results))
    assert (refused.exit_code, bench.rooms.store.rows["op-3"].status) == (
        ExitCode.REFUSED,
        Status.AWAITING_CONFIRMATION,
    )
    assert "--dry-run" in refused.stderr
    assert bench.run("check-file", "seen", str(results), "--dry-run").exit_code == ExitCode.FINE


def test_a_line_without_a_time_is_true_of_when_its_file_was_written(bench: Bench, results: Path) -> None:
    bench.hold(awaiting("op-3", attempt_ended_at=bench.rooms.clock.now(), due_at=bench.rooms.clock.now()))
    bench.rooms.clock.advance(HOUR)
    os.utime(results, ns=(0, (bench.rooms.clock.now() - 3_600_001) * 1_000_000))
    before = bench.rooms.store.rows["op-3"]
    (told,) = [each for each in bench.json("check-file", "seen", str(results))["checked"] if each["lines"] == [3]]
    assert (told["verdict"], told["reason"], told["written"], told["held_back"]) == (None, "not_settled", False, True)
    assert bench.rooms.store.rows["op-3"] == before
    os.utime(results)
    bench.run("check-file", "seen", str(results))
    assert bench.rooms.store.rows["op-3"].status is Status.RETRY_SCHEDULED


def test_what_a_file_brings_nothing_new_of_is_said_to_be_left(bench: Bench) -> None:
    bench.hold(awaiting("op-1", attempt_ended_at=bench.rooms.clock.now()))
    line = json.dumps({"operation_id": "op-1", "absent": True})
    text = " ".join(bench.run("check-file", "seen", "-", typed=line).stdout.split())
    assert "none yet left as it stands" in text
    assert "did not land" not in text


def test_who_ran_it_stands_in_the_history(bench: Bench, results: Path) -> None:
    bench.run("check-file", "seen", str(results))
    actor = last(bench.rooms.store.rows["op-1"].history).actor
    assert (actor.partition(" ")[0], actor.endswith("user/alice")) == ("reconciler", True)
