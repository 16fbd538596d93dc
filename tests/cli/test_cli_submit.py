"""Does a promise go in once, whole and exact, and is what cannot go in named?"""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from makegood.adapters.memory import MemoryQueue
from makegood.domain.errors import StoreError
from makegood.domain.operation import Operation, QueueName
from makegood.ports import Added, Present
from makegood_cli import promises
from makegood_cli.batch import PATIENCE, Report, submit_all
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench, PeoplesStore
from tests.support.rows import HOUR, NOW, ahead

ONE = ("submit", "sync", "--entity", "customer/452", "--version", "7")
GOOD = '{"operation_type": "sync", "entity": "customer/%d", "expected_version": 7}'


class GoneStore(PeoplesStore):
    """A store that answers nothing."""

    def add(self, operation: Operation) -> Added | Present:
        """Fail."""
        raise StoreError(f"no answer for {operation.entity}")


def rows(bench: Bench) -> list[Operation]:
    """Return what is stored."""
    return list(bench.rooms.store.rows.values())


def queued(queue: MemoryQueue) -> list[tuple[str, QueueName]]:
    """Return what was sent, and where."""
    return [(message.operation_id, message.queue) for message in queue.messages]


def test_a_promise_is_stored_whole_and_its_message_sent(bench: Bench) -> None:
    more = ("--fields", '{"limit": 10.10}', "--payload", '{"note": "é"}', "--queue", "high", "--id", "sync-1")
    result = bench.run(*ONE, *more, "--not-before", "+1m", "--deadline", "2026-09-21T15:13:20Z")
    assert result.exit_code == ExitCode.FINE, result.output
    assert result.stdout == "sync-1\npromised, and its message is sent\n"
    (stored,) = rows(bench)
    assert (stored.entity, stored.expected_version, stored.queue) == ("customer/452", 7, QueueName.HIGH)
    assert (stored.expected_fields, stored.payload) == ({"limit": Decimal("10.10")}, {"note": "é"})
    assert str(stored.expected_fields["limit"]) == "10.10"
    assert stored.deadline_at == ahead(HOUR)
    assert queued(bench.rooms.queue) == [("sync-1", QueueName.HIGH)]


def test_the_same_intent_twice_is_one_operation(bench: Bench) -> None:
    first, second = bench.json(*ONE), bench.json(*ONE)
    assert (first["created"], second["created"]) == (True, False)
    assert first["operation"]["operation_id"] == second["operation"]["operation_id"]
    assert len(rows(bench)) == 1
    assert "promised before; it is pending" in bench.run(*ONE).stdout


def test_an_id_taken_by_another_intent_is_a_conflict_and_nothing_changes(bench: Bench) -> None:
    bench.run(*ONE, "--id", "sync-1")
    before = rows(bench)
    result = bench.run("submit", "sync", "--entity", "customer/9", "--version", "1", "--id", "sync-1")
    assert result.exit_code == ExitCode.REFUSED
    assert "exists with another intent" in result.stderr
    assert rows(bench) == before


@pytest.mark.parametrize(
    "wrong",
    [
        ("submit", "nope", "--entity", "a/1", "--version", "1"),
        ("submit", "sync", "--entity", "a\x1b[31m", "--version", "1"),
        ("submit", "sync", "--entity", "a/1", "--version", "-1"),
        (*ONE, "--id", "spaces are not for ids"),
        (*ONE, "--deadline", "2020-01-01T00:00:00Z"),
    ],
)
def test_what_makegood_refuses_is_not_stored(bench: Bench, wrong: tuple[str, ...]) -> None:
    result = bench.run(*wrong)
    assert result.exit_code == ExitCode.REFUSED
    assert "\x1b" not in result.stderr
    assert not rows(bench)


def test_bad_lines_are_named_by_number_and_the_good_ones_go_in(bench: Bench, tmp_path: Path) -> None:
    lines = [
        b"\xef\xbb\xbf" + (GOOD % 1).encode(),
        b"{bad json",
        b"",
        (GOOD % 2).encode(),
        b'{"operation_type": "nope", "entity": "a/1", "expected_version": 1}',
        b'{"entity": "a/1", "expected_version": true, "payloda": {}}',
        b'{"operation_type": "sync", "entity": "a/1", "expected_version": 1, "queue": "urgent"}',
        b'{"operation_type": "sync", "entity": "a/1", "expected_version": 1, "not_before": "soon"}',
        b"\xff\xfe",
        (GOOD % 1).encode() + b"\r",
    ]
    path = tmp_path / "operations.jsonl"
    path.write_bytes(b"\n".join(lines))
    report = bench.json("submit", "--file", str(path), code=ExitCode.FAULT)
    assert (report["created"], report["present"]) == (2, 1)
    reasons = {each["line"]: each["reason"] for each in report["failed"]}
    assert list(reasons) == [2, 5, 6, 7, 8, 9]
    assert reasons[2] == "the line: Expecting property name enclosed in double quotes at column 2"
    assert "'nope' is not known" in reasons[5]
    assert "operation_type missing; unknown: 'payloda'" in reasons[6]
    assert "none of high, default, low" in reasons[7]
    assert "not_before: 'soon' is no instant" in reasons[8]
    assert reasons[9] == "the line is not UTF-8 text"
    assert sorted(row.entity for row in rows(bench)) == ["customer/1", "customer/2"]


def test_the_screen_names_bad_lines_and_says_that_again_is_safe(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "operations.jsonl"
    path.write_text(GOOD % 1 + "\n" + "\n".join("[]" for _ in range(25)) + "\n")
    result = bench.run("submit", "--file", str(path))
    assert result.exit_code == ExitCode.FAULT
    assert "  21  the line: a JSON object is wanted" in result.stdout
    assert "  22  " not in result.stdout
    assert "and 5 lines more; --json names all" in result.stdout
    assert result.stderr == (
        "makegood: 25 lines failed. Submitting the file again is safe: what went in is recognised\n"
    )


def test_a_file_may_come_by_stdin(bench: Bench) -> None:
    result = bench.run("submit", "--file", "-", typed=GOOD % 1 + "\n" + GOOD % 2 + "\n")
    assert result.exit_code == ExitCode.FINE
    assert "2  submitted" in result.stdout


def test_a_line_whose_message_was_not_sent_is_counted(bench: Bench) -> None:
    far = '{"operation_type": "sync", "entity": "a/1", "expected_version": 1, "not_before": "+2h"}\n'
    result = bench.run("submit", "--file", "-", typed=far)
    assert "1  of them without a message yet; a sweep will see to it" in result.stdout


def test_a_store_that_is_gone_stops_the_file_instead_of_failing_every_line(bench: Bench) -> None:
    lines = promises.read([(GOOD % number).encode() for number in range(100)], NOW)
    report, tried = Report(), Counter[str]()
    submit = replace(bench.rooms.submit, store=GoneStore())
    submit_all(lines, submit, report, done=lambda: tried.update(["line"]))
    assert report.stopped_after == tried["line"] == len(report.failed) == PATIENCE
