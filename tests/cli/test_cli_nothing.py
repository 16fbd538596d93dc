"""Is it said plainly when there is nothing to show, with what was asked for?"""

import pytest
from makegood.domain.operation import Status
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench
from tests.support.rows import operation

OPEN = "among the open operations (--scan reads the ended ones, too)"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("list", f"nothing matches {OPEN}"),
        ("list --status pending --status processing", f"nothing matches status pending or processing {OPEN}"),
        ("list --type seen --status pending", f"nothing matches status pending and type seen {OPEN}"),
        (
            "list --type nope",
            f"nothing matches type nope {OPEN}; nope is not known here, known are: bill, charge, seen, sync",
        ),
        ("list --scan --status compensated", "nothing matches status compensated in the whole table"),
        (
            "exceptions --type charge --type nope",
            "nothing of type charge or nope waits for a person; nope is not known",
        ),
        ("scorecard --type nope", "nothing of type nope: nope is not known here, known are: bill, charge, seen, sync"),
    ],
)
def test_nothing_that_matches_is_said_with_what_was_asked_for(bench: Bench, asked: str, says: str) -> None:
    bench.hold(operation(Status.CONFIRMED))
    result = bench.run(*asked.split(), columns=200)
    assert (result.exit_code, says in result.stderr) == (ExitCode.FINE, True), result.output


def test_a_type_that_this_release_does_not_know_is_listed_all_the_same(bench: Bench) -> None:
    bench.hold(operation(Status.MANUAL_REVIEW, operation_type="of_another_release"))
    for verb in ("list", "exceptions"):
        assert "op-1" in bench.run(verb, "--type", "of_another_release").stdout
