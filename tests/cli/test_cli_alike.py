"""Do verbs that take the same option, or ask the same way, take and ask alike?"""

from pathlib import Path

import pytest
from makegood.domain.operation import Status
from makegood_cli.exits import ExitCode
from makegood_cli.local.places import Places

from tests.cli.bench import Bench
from tests.cli.keyboard import Keyboard
from tests.support.rows import operation

NOBODY = "makegood: nobody is at a terminal to be asked; --yes does not ask. Nothing was written\n"
DECIDING = ["decide op-1 close", "cancel op-1", "acknowledge --drain 5 --for 1h"]


@pytest.mark.parametrize("verb", DECIDING)
@pytest.mark.parametrize("reason", ["", " ", "x", "ok", "x" * 301])
def test_a_reason_that_nobody_could_use_later_is_a_usage_error(bench: Bench, verb: str, reason: str) -> None:
    bench.hold(operation(Status.MANUAL_REVIEW))
    before = dict(bench.rooms.store.rows)
    asks = ["--yes"] if verb != "cancel op-1" else []
    result = bench.run(*verb.split(), "--reason", reason, *asks)
    assert (result.exit_code, bench.choices) == (ExitCode.USAGE, []), result.output
    assert bench.rooms.store.rows == before
    assert bench.rooms.ledger.control().acknowledgement is None


@pytest.mark.parametrize("verb", ["decide op-1 close", "acknowledge --drain 5 --for 1h"])
def test_a_yes_that_comes_by_a_pipe_is_no_persons(bench: Bench, verb: str) -> None:
    bench.has_person = False
    bench.hold(operation(Status.MANUAL_REVIEW))
    before = dict(bench.rooms.store.rows)
    result = bench.run(*verb.split(), "--reason", "because", typed="y\n")
    assert (result.exit_code, result.stdout) == (ExitCode.REFUSED, "")
    assert result.stderr == NOBODY
    assert (bench.rooms.store.rows, bench.rooms.ledger.control().acknowledgement) == (before, None)


def test_nor_does_one_forget_a_stack(tmp_path: Path) -> None:
    kept = tmp_path / "state" / "engine.data"
    kept.parent.mkdir()
    kept.touch()
    result = Keyboard(Places(state=tmp_path / "state")).run("down", "--wipe")
    assert (result.exit_code, result.stderr, kept.exists()) == (ExitCode.REFUSED, NOBODY, True)
