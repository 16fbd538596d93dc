"""Does a refused decision say in plain words what was wrong, and what can be decided instead?"""

import re

import pytest
from makegood.domain.history import Role, Verb
from makegood.domain.observation import Absent, Found, Observed, Unknown
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.table import TABLE, Guard
from makegood_cli.exits import ExitCode
from makegood_cli.refusals import RETRY_WANTS, WANTED
from typer.testing import Result

from tests.cli.bench import Bench
from tests.support.remote import seeing
from tests.support.rows import HOUR, ago, operation

AS_PROMISED = Found(version=7, fields={"plan": "gold"})
OTHERWISE = Found(version=8, fields={"plan": "gold"})
GONE, SILENT = Absent(), Unknown(why="it timed out")
DECIDED = {Verb.RETRY, Verb.COMPENSATE, Verb.CLOSE, Verb.CONFIRM_BY_PROOF, Verb.COMPENSATED_BY_PROOF}
WORD = "Possible if you say with --evidence what you saw there yourself"


def waiting(operation_type: str = "seen", status: Status = Status.MANUAL_REVIEW, **facts: object) -> Operation:
    """Return an operation that may have been applied, long enough ago that no call of it can still land."""
    usual = {"uncertain": True, "first_claimed_at": ago(HOUR), "attempt_ended_at": ago(HOUR)}
    return operation(status, operation_type=operation_type, **{**usual, **facts})


CHARGED = waiting("charge")
UNDOING = waiting(intent=Intent.COMPENSATION)


@pytest.mark.parametrize(
    ("row", "sees", "action", "says"),
    [
        (
            waiting(),
            GONE,
            "confirm",
            "must be seen there as promised (asked just now: missing, it is not there). Possible now: retry, close",
        ),
        (waiting(), OTHERWISE, "retry", "to try it again, its effect must be seen to be missing there (asked just now"),
        (waiting(), AS_PROMISED, "retry", "another attempt is not needed: its effect is there (asked just now: corr"),
        (waiting(), AS_PROMISED, "close", "its effect is there as promised; confirm or compensate"),
        (waiting(), AS_PROMISED, "close", "Possible now: confirm, compensate."),
        (waiting(), SILENT, "confirm", "(asked just now: it timed out)"),
        (waiting(), SILENT, "confirm", f"Possible now: close. {WORD}: retry, confirm, compensate."),
        (waiting(), GONE, "compensate", "to compensate it, its effect must be seen there (asked just now: missing"),
        (CHARGED, None, "retry", f"its type cannot be observed). Possible now: close. {WORD}: retry, confirm."),
        (CHARGED, None, "compensate", "its type has no compensation"),
        (UNDOING, AS_PROMISED, "confirm", "to confirm that it is undone, its effect must be seen to be gone"),
        (UNDOING, GONE, "compensate", "its effect is being undone already"),
        (waiting(cancel_reason="left"), GONE, "retry", "its cancellation was asked for, so it is not sent again"),
        (waiting(status=Status.AWAITING_CONFIRMATION), None, "retry", "it is awaiting_confirmation; retry is for: man"),
        (
            waiting(status=Status.AWAITING_CONFIRMATION),
            None,
            "retry",
            "What fits one that is awaiting_confirmation, if it is seen there so: confirm, compensate, close.",
        ),
        (operation(operation_type="seen"), None, "confirm", "it is pending; confirm is for: awaiting_confirmation, ma"),
        (operation(operation_type="seen"), None, "confirm", "Possible now: close."),
        (operation(Status.PROCESSING, operation_type="seen"), None, "close", "A worker has it just now: wait"),
    ],
)
def test_a_refusal_speaks_plainly_and_says_what_is_possible(
    bench: Bench, row: Operation, sees: Observed | None, action: str, says: str
) -> None:
    bench.hold(row)
    bench.remote.sights.extend(seeing(sees) for _ in range(2) if sees is not None)
    result = bench.run("decide", "op-1", action, "--reason", "INC-1742", "--yes")
    said = result.stderr.splitlines()[-1]
    assert (result.exit_code, says in said) == (ExitCode.REFUSED, True), said
    assert said.endswith(". Nothing was written")
    assert not re.search("guard|it lacks|from manual_review is not possible|[a-z]+_by_proof", said), said
    assert bench.rooms.store.rows["op-1"] == row


@pytest.mark.parametrize("sees", [GONE, AS_PROMISED, OTHERWISE])
@pytest.mark.parametrize("refused", ["confirm", "retry", "close", "compensate"])
def test_what_a_refusal_calls_possible_is_taken(sees: Observed, refused: str) -> None:
    first = decided(sees, refused)
    named = re.search(r"Possible now: ([a-z, ]+)\.", first.stderr)
    for action in named[1].split(", ") if named else ():
        assert decided(sees, action).exit_code == ExitCode.FINE, action


def decided(sees: Observed, action: str) -> Result:
    """Decide upon a row of a fresh bench."""
    bench = Bench()
    bench.hold(waiting())
    bench.remote.sights.extend([seeing(sees)] * 2)
    return bench.run("decide", "op-1", action, "--reason", "INC-1742", "--yes")


def test_every_guard_that_can_stop_a_person_has_words_of_its_own() -> None:
    asked = {guard for row in TABLE if Role.OPERATOR in row.owners and row.verb in DECIDED for guard in row.guards}
    assert asked - {Guard.REASON, Guard.CHECKED} <= set(WANTED)
    assert set(RETRY_WANTS) == set(Intent)
