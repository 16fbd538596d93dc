"""Does the command work against the real local stack: up, a promise kept, a loss healed, a halt, down?"""

import json
from datetime import timedelta

import pytest
from makegood.domain import promise as promises
from makegood.domain.instant import after
from makegood.domain.promise import Promise
from makegood_cli.exits import ExitCode
from makegood_cli.stacks import Stack

from tests.cli.keyboard import Keyboard, rest
from tests.local.deployed import eventually

pytestmark = [
    pytest.mark.xdist_group("cli local"),  # one stack for all of this file
    pytest.mark.timeout(300),  # the first `up` of a checkout installs the layers' packages
]
TYPE = "sync_customer"


def lose(stack: Stack, *names: str) -> None:
    """Promise operations an hour ago whose messages were never sent."""
    rooms = stack.rooms
    terms = rooms.registry.terms[TYPE]
    for name in names:
        promise = Promise(operation_type=TYPE, entity=f"customer/{name}", expected_version=1, operation_id=name)
        an_hour_ago = after(rooms.clock.now(), -timedelta(hours=1))
        rooms.store.add(promises.submit(promise, now=an_hour_ago, write_id=f"write-{name}", terms=terms))


def test_status_tells_what_runs(keyboard: Keyboard) -> None:
    status = keyboard.json("status")
    assert status["running"] is True
    assert all(status["processes"].values())
    assert set(status["queues"]) >= {"high", "default", "low", "high, dead letters"}
    assert "running" in keyboard.run("status").stdout


def test_the_types_carry_the_numbers_that_run(keyboard: Keyboard) -> None:
    assert keyboard.json("types")[TYPE]["stale_after"] == 40


def test_a_promise_is_kept_and_shown(keyboard: Keyboard) -> None:
    fields = '{"tier": "gold", "limit": 10.10}'
    promised = ("submit", TYPE, "--entity", "customer/452", "--version", "7", "--fields", fields, "--id", "kept")
    assert keyboard.json(*promised)["dispatched"] is True
    eventually(lambda: keyboard.json("show", "kept")["status"] == "confirmed")
    shown = keyboard.json("show", "kept")
    assert [step["verb"] for step in shown["history"]] == ["submit", "claim", "confirm"]
    assert shown["evidence"]["version"] == 7
    assert "Sweeps leave it alone for ever" in keyboard.run("why", "kept").stdout
    listed = keyboard.json("list", "--scan", "--status", "confirmed")["operations"]
    assert [row["operation_id"] for row in listed] == ["kept"]


def test_a_lost_operation_is_planned_swept_and_confirmed(keyboard: Keyboard) -> None:
    lose(keyboard.stack(), "lost-1")
    assert keyboard.json("why", "lost-1")["acts_now"] is True
    (item,) = keyboard.json("sweep", "--dry-run")["plan"]
    assert (item["operation_id"], item["reason"]) == ("lost-1", "lost_dispatch")
    assert keyboard.json("sweep")["sent"] == 1
    eventually(lambda: keyboard.json("show", "lost-1")["status"] == "confirmed")
    assert [run["dry_run"] for run in keyboard.json("sweeps")["sweeps"]] == [False, True]


def test_what_no_sweep_may_do_is_refused(keyboard: Keyboard) -> None:
    result = keyboard.run("sweep", "--type", "nope")
    assert (result.exit_code, "not known here" in result.stderr) == (ExitCode.REFUSED, True)


def test_a_stack_whose_sweeps_only_watch_says_what_it_would_do_and_leaves_what_is_lost(keyboard: Keyboard) -> None:
    assert keyboard.run("up", "--sweeps", "observe").exit_code == ExitCode.FINE
    rest(keyboard.places)
    lose(keyboard.stack(), "watched-1")
    watched = keyboard.json("sweep")
    assert (watched["outcome"], watched["would"], watched["sent"]) == ("observed", {"would_touch": 1}, 0)
    assert keyboard.run("up").exit_code == ExitCode.FINE
    rest(keyboard.places)
    assert keyboard.json("sweep")["acted"] == {"touch": 1}


def test_above_the_cap_it_halts_and_drains_by_leave_alone(keyboard: Keyboard) -> None:
    stack = keyboard.stack()
    lose(stack, *(f"pile-{number}" for number in range(stack.rooms.settings.sweep.halt_cap + 1)))
    assert keyboard.run("sweep").exit_code == ExitCode.HALTED
    assert keyboard.run("halt").exit_code == ExitCode.HALTED
    assert keyboard.json("why", "pile-1")["held"]["why"].startswith("more than 200 anomalies are due")
    leave = ("acknowledge", "--drain", "3", "--for", "10m", "--reason", "a test of the cap", "--yes")
    assert keyboard.json(*leave)["by"].startswith("local user ")
    assert keyboard.run("halt").exit_code == ExitCode.FINE
    assert keyboard.json("sweep")["sent"] == 3


def test_a_file_goes_in_and_its_bad_line_is_named(keyboard: Keyboard) -> None:
    lines = [json.dumps({"operation_type": TYPE, "entity": f"file/{n}", "expected_version": 1}) for n in range(3)]
    path = keyboard.places.state / "operations.jsonl"
    path.write_text("\n".join([*lines, "{"]) + "\n")
    report = keyboard.json("submit", "--file", str(path), code=ExitCode.FAULT)
    assert (report["created"], [each["line"] for each in report["failed"]]) == (3, [4])


def test_neither_a_profile_nor_a_proxy_comes_between(keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "of-another-age")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert keyboard.run("sweeps").exit_code == ExitCode.FINE


@pytest.mark.usefixtures("callers")
def test_a_deployed_stack_is_reached_by_its_outputs_with_the_callers_credentials(keyboard: Keyboard) -> None:
    here = ("--stack", "makegood-local", "--region", "eu-west-1")
    assert keyboard.json("types", *here)[TYPE]["stale_after"] == 40
    assert keyboard.json("sweep", "--dry-run", *here)["dry_run"] is True
    leave = ("acknowledge", "--drain", "3", "--for", "10m", "--reason", "a test of the name", "--yes")
    assert keyboard.json(*leave, *here)["by"].startswith("arn:aws:")
    status = keyboard.json("status", *here)
    assert (status["where"], status["processes"]) == ("eu-west-1", None)


@pytest.mark.usefixtures("callers")
@pytest.mark.parametrize(
    ("where", "says"),
    [
        (("--stack", "nobodys", "--region", "eu-west-1"), "there is no stack 'nobodys' in this account and region"),
        (("--stack", "makegood-local"), "no AWS region: give --region"),
        (("--stack", "x", "--profile", "of-another-age"), "The config profile (of-another-age) could not be found"),
    ],
)
def test_a_stack_that_cannot_be_reached_says_what_to_do(
    keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch, where: tuple[str, ...], says: str
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    result = keyboard.run("list", *where)
    assert (result.exit_code, says in result.stderr) == (ExitCode.FAULT, True)


def test_down_stops_it_and_keeps_what_it_holds(keyboard: Keyboard) -> None:
    lose(keyboard.stack(), "stays")
    assert set(keyboard.json("down")["stopped"]) == {"engine", "crm", "bridge"}
    assert keyboard.run("list").exit_code == ExitCode.FAULT
    assert keyboard.json("status", code=ExitCode.FAULT)["running"] is False
    assert keyboard.run("up").exit_code == ExitCode.FINE
    assert keyboard.json("show", "stays")["entity"] == "customer/stays"
