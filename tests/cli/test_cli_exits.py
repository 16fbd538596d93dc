"""Does every way to fail end with its own exit code, one line on stderr, and no traceback unless asked for?"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from botocore.exceptions import ClientError, NoCredentialsError, NoRegionError, ProfileNotFound
from makegood.domain.errors import (
    ConflictError,
    ImpossibleTransition,
    InvalidInput,
    NotFoundError,
    SettingsError,
    StoreError,
    UnsafePolicy,
)
from makegood_cli.exits import NOT_RUNNING, Ended, ExitCode, told
from makegood_cli.local.engine import EngineError

from tests.cli.bench import Bench

DENIED = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetItem")


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (NotFoundError("no such id"), 4, "no such id"),
        (StoreError("throttled"), 1, "throttled"),
        (SettingsError("MAKEGOOD_TABLE is not set"), 1, "MAKEGOOD_TABLE"),
        (UnsafePolicy("too bold"), 1, "too bold"),
        (EngineError("run `make setup`"), 1, "run `make setup`"),
        (DENIED, 1, "GetItem: AccessDenied: no"),
        (NoCredentialsError(), 1, "--profile"),
        (NoRegionError(), 1, "--region"),
        (ProfileNotFound(profile="x"), 1, "aws configure list-profiles"),
        (FileNotFoundError(2, "No such file", "x"), 1, "No such file: x"),
        (ZeroDivisionError("oh"), 1, "ZeroDivisionError: oh. That was not foreseen; --debug shows where"),
        (Ended(ExitCode.HALTED, "halted"), 3, "halted"),
        (InvalidInput("minutes: too few"), 4, "minutes: too few"),
        (ConflictError("taken"), 4, "taken"),
        (ImpossibleTransition("no"), 4, "no"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_an_error_ends_with_its_code_and_one_line(bench: Bench, error: BaseException, code: int, says: str) -> None:
    bench.fault = error
    result = bench.run("list")
    assert result.exit_code == code
    assert result.stdout == ""
    assert says in result.stderr
    assert result.stderr.count("\n") == (1 if says else 0)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(("option", "environment"), [(["--debug"], {}), ([], {"MAKEGOOD_DEBUG": "1"})])
def test_the_traceback_is_there_when_it_is_asked_for(
    bench: Bench, option: list[str], environment: dict[str, str]
) -> None:
    bench.fault = ZeroDivisionError("oh")
    result = bench.run("list", *option, environment=environment)
    assert result.exit_code == ExitCode.FAULT
    assert "Traceback" in result.stderr
    assert "bench.py" in result.stderr


def test_an_error_of_other_peoples_making_cannot_move_the_cursor(bench: Bench) -> None:
    bench.fault = StoreError("\x1b[2J gone\nmakegood: all is well")
    assert bench.run("list").stderr == "makegood: \\x1b[2J gone\\nmakegood: all is well\n"


@pytest.mark.parametrize(
    "typed",
    [
        "frob",
        "list --limit x",
        "list --limit 0",
        "list --status sleeping",
        "list --status confirmed",
        "show",
        "submit",
        "submit sync --entity a/1",
        "submit sync --entity a/1 --version 1 --fields {",
        "submit sync --entity a/1 --version 1 --fields - --payload -",
        "submit sync --entity a/1 --version 1 --not-before tomorrow",
        "submit --file x --entity a/1",
        "submit --file /no/such/file",
        "acknowledge --drain 5 --for 1h",
        "acknowledge --drain 0 --for 1h --reason because",
        "acknowledge --drain 5 --for 25h --reason because",
        "acknowledge --drain 5 --for 1h --reason x",
        "sweep --minutes 0",
        "--profile x list",
        "--stack x up",
        "down --stack x",
    ],
)
def test_a_command_line_that_cannot_be_understood_is_a_usage_error(bench: Bench, typed: str) -> None:
    before = dict(bench.rooms.store.rows)
    result = bench.run(*typed.split())
    assert result.exit_code == ExitCode.USAGE, result.output
    assert result.stdout == ""
    assert bench.rooms.store.rows == before


@pytest.mark.parametrize(
    "typed",
    [
        "show nobody",
        "why nobody",
        "cancel nobody --reason because",
        "decide nobody close --reason because --yes",
        "types nothing",
        "submit nothing --entity a/1 --version 1",
        "sweep --type nothing",
        "check-file nothing -",
    ],
)
def test_an_id_or_a_type_that_is_not_there_is_a_refusal_whatever_the_verb(bench: Bench, typed: str) -> None:
    result = bench.run(*typed.split(), typed='{"operation_id": "op-1", "absent": true}\n')
    assert (result.exit_code, result.stdout) == (ExitCode.REFUSED, ""), result.output
    assert "nobody" in result.stderr or "known are: bill, charge, seen, sync" in result.stderr


def test_at_a_terminal_an_error_breaks_between_words_alone_and_in_a_pipe_it_is_one_line() -> None:
    message = "decide it otherwise " * 6 + "x" * 70
    lines = told(message, width=60).splitlines()
    assert [len(line) <= 60 for line in lines] == [True] * (len(lines) - 1) + [False]
    assert " ".join(line.strip() for line in lines) == f"makegood: {message}" == told(message, width=None)


def test_a_stack_that_does_not_run_says_how_to_start_it(tmp_path: Path) -> None:
    for verb in ("list", "sweep", "status"):
        result = _command(tmp_path, verb)
        assert result.returncode == ExitCode.FAULT
        assert result.stderr == f"makegood: {NOT_RUNNING}\n"


def test_ctrl_c_is_130_and_clean(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STAND_STILL],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_plain(tmp_path),
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (130, "makegood: interrupted\n")


def test_a_reader_that_goes_away_is_no_error_worth_a_word(tmp_path: Path) -> None:
    process = _started(TALK, tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stderr as said:
        process.stdout.readline()
        process.stdout.close()
        assert (said.read(), process.wait(timeout=20)) == ("", 141)


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_answer_that_cannot_be_written_is_a_fault_without_a_traceback(tmp_path: Path, more: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", TALK.replace('"3000"]', f'"3000", *{more}]')]
        run = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=_plain(tmp_path), timeout=60
        )
    assert (run.returncode, run.stderr) == (ExitCode.FAULT, "makegood: No space left on device\n")


STAND_STILL = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts the tests in the background has it ignored
from makegood_cli import app
from makegood_cli.stacks import World

def reach(choice, places):
    print("here", flush=True)
    time.sleep(60)

app.app(["list"], obj=World(reach=reach), prog_name="makegood")
"""

ELSEWHERE = """
import sys
from pathlib import Path
from makegood_cli import app, reach
from makegood_cli.local.places import Places
from makegood_cli.stacks import World

places = Places(state=Path(sys.argv.pop(1)))
app.app(prog_name="makegood", obj=World(reach=reach.reach, places=places))
"""

TALK = """
import sys
from makegood_cli import app
from makegood_cli.stacks import World
from tests.cli.bench import Bench
from tests.support.rows import operation

bench = Bench()
bench.hold(*(operation(operation_id=f"op-{number}") for number in range(3000)))
app.app(["list", "--limit", "3000"], obj=World(reach=bench.reach), prog_name="makegood")
"""


def _plain(home: Path) -> dict[str, str]:
    root = Path(__file__).parents[2]
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(root), "NO_COLOR": "1", "COLUMNS": "80"}


def _started(program: str, home: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=_plain(home))


def _command(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ELSEWHERE, str(home / "state"), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=_plain(home), timeout=60)
