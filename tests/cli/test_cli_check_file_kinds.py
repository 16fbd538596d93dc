"""Is a file that is no result file told what it is, and one that only comes from another system read all the same?"""

import pytest
from makegood.domain.operation import Operation, Status
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench
from tests.support.rows import operation

LINE = '{"operation_id": "op-1", "version": 7, "fields": {"plan": "gold"}}'
WANTED = "one JSON object in each line is wanted"


def awaiting() -> Operation:
    """Return an operation whose outcome nobody knows."""
    return operation(Status.AWAITING_CONFIRMATION, operation_type="seen")


@pytest.mark.parametrize("content", [f"\ufeff{LINE}\r\n", f"{LINE}\r\n\r\n", f"\r\n{LINE}", f"  {LINE}  \n"])
def test_a_byte_order_mark_and_the_line_ends_of_other_systems_are_no_hindrance(bench: Bench, content: str) -> None:
    bench.hold(awaiting())
    assert bench.run("check-file", "seen", "-", typed=content).exit_code == ExitCode.FINE
    assert bench.rooms.store.rows["op-1"].status is Status.CONFIRMED


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("operation_id,version\r\n", f"stdin: line 1 is no JSON object: 'operation_id,version'; {WANTED}, without a"),
        ('\ufeff\n"id";"version"\n1;7\n', "stdin: line 2 is no JSON object"),
        (f"[{LINE}]", f"stdin is one JSON array; {WANTED} (such as `jq -c"),
    ],
)
def test_another_kind_of_file_is_refused_by_what_it_is(bench: Bench, content: str, says: str) -> None:
    result = bench.run("check-file", "seen", "-", typed=content, columns=200)
    assert (result.exit_code, says in result.stderr) == (ExitCode.USAGE, True), result.stderr
    assert bench.choices == []


@pytest.mark.parametrize("content", ["", "\n", "\r\n \r\n", "\ufeff"])
def test_an_empty_file_is_called_empty(bench: Bench, content: str) -> None:
    bench.hold(awaiting())
    result = bench.run("check-file", "seen", "-", typed=content)
    assert (result.exit_code, result.stderr) == (ExitCode.FINE, "stdin is empty: it has no line to judge anything by\n")
    assert "1  await confirmation and are not mentioned" in result.stdout
