"""Does cancel end what may end, remember the wish otherwise, and say what settles it?"""

from dataclasses import replace

import pytest
from makegood.domain.evidence import VerdictKind
from makegood.domain.operation import Operation, Status
from makegood_cli.exits import ExitCode

from tests.cli.bench import Bench
from tests.cli.test_cli_people import WHY, said, waiting
from tests.support.rows import operation, verdict


def test_what_was_never_tried_is_cancelled_at_once(bench: Bench) -> None:
    bench.hold(operation())
    assert "not_applicable: it ended" in said(bench, "cancel", "op-1", *WHY)
    row = bench.rooms.store.rows["op-1"]
    assert (row.status, row.cancel_reason) == (Status.NOT_APPLICABLE, "INC-1742")
    assert "not_applicable: it had ended before" in said(bench, "cancel", "op-1", *WHY)


def test_a_type_of_another_release_is_shown_and_its_wish_told_once_more(bench: Bench) -> None:
    bench.hold(waiting("op-1", "of_tomorrow", cancel_reason="wanted no more"))
    assert "this release does not know its operation type" in said(bench, "exceptions")
    assert "had been asked for before; it is manual_review" in said(bench, "cancel", "op-1", *WHY)
    assert bench.run("decide", "op-1", "close", *WHY, "--yes").exit_code == ExitCode.REFUSED


def test_what_is_wanted_no_more_is_never_advised_to_be_sent_again(bench: Bench) -> None:
    missing = replace(verdict(VerdictKind.MISSING), recommendation="requeue")
    bench.hold(waiting(uncertain=True, verdict=missing, cancel_reason="wanted no more"))
    (told,) = bench.json("exceptions")["exceptions"]
    assert (told["recommended"], told["advice"]) == ("close", "close: its cancellation was asked for")


def test_what_is_confirmed_is_not_cancelled(bench: Bench) -> None:
    bench.hold(operation(Status.CONFIRMED))
    refused = bench.run("cancel", "op-1", *WHY)
    assert refused.exit_code == ExitCode.REFUSED
    assert "op-1 is not cancelled: it is confirmed, and that is for ever; nothing was written" in refused.stderr


@pytest.mark.parametrize(
    ("row", "settled"),
    [
        (operation(Status.PROCESSING, operation_type="seen"), "what its worker is answered just now, or a look"),
        (operation(Status.AWAITING_CONFIRMATION, operation_type="seen"), "the next look at what is there, and no"),
        (
            operation(Status.AWAITING_CONFIRMATION, operation_type="seen"),
            "if its effect is not there, a person closes it",
        ),
        (operation(Status.AWAITING_CONFIRMATION, operation_type="charge"), "its type cannot be asked what is there"),
        (waiting(), "a person, who decides"),
    ],
)
def test_a_wish_that_is_remembered_says_what_settles_it(bench: Bench, row: Operation, settled: str) -> None:
    bench.hold(row)
    text = said(bench, "cancel", "op-1", *WHY)
    assert f"its cancellation is remembered; it is {row.status.value} settled by" in text
    assert settled in text
    assert "had been asked for before" in said(bench, "cancel", "op-1", *WHY)
    assert bench.json("cancel", "op-1", *WHY)["moved"] is False
