"""Is --json one document that a program reads back exactly, whatever the rows hold?"""

import json
from dataclasses import dataclass
from decimal import Decimal

import pytest
from makegood.domain.instant import Instant
from makegood.domain.operation import Status
from makegood_cli.json_text import as_data, rendered

from tests.cli.bench import Bench
from tests.support.rows import NOW, operation


@dataclass(frozen=True)
class Facts:
    """What as_data meets."""

    created_at: Instant
    until: Instant
    expires_at: int
    attempt: int


def test_numbers_keep_every_digit() -> None:
    document = {"price": Decimal("10.10"), "tiny": Decimal("1E-130"), "large": 10**37, "yes": True, "none": None}
    text = rendered(document)
    assert json.loads(text, parse_float=Decimal) == document
    assert '"price": 10.10' in text


def test_text_is_ascii_and_cannot_move_the_cursor() -> None:
    text = rendered({"naïve\x1b[31m": "\x9b2J \u202e 💥"})
    assert text.isascii()
    assert "\x1b" not in text
    assert json.loads(text) == {"naïve\x1b[31m": "\x9b2J \u202e 💥"}


@pytest.mark.parametrize("value", [{}, [], (), {"a": {}, "b": [[], {}]}, "text", 7, None])
def test_what_is_written_is_read_back(value: object) -> None:
    assert json.loads(rendered(value)) == json.loads(json.dumps(value))


def test_instants_are_iso_8601_and_epoch_seconds_stay_numbers() -> None:
    data = as_data(Facts(created_at=NOW, until=NOW, expires_at=1_790_000_000, attempt=3))
    assert data == {
        "created_at": "2026-09-21T14:13:20.000Z",
        "until": "2026-09-21T14:13:20.000Z",
        "expires_at": 1_790_000_000,
        "attempt": 3,
    }


def test_a_name_inside_a_payload_is_nobodys_instant() -> None:
    assert as_data({"payload": {"created_at": 5}}) == {"payload": {"created_at": 5}}


@pytest.mark.parametrize(
    "verb",
    [
        "list",
        "list --scan",
        "show op-1",
        "why op-1",
        "types",
        "exceptions",
        "scorecard",
        "sweep --dry-run",
        "sweeps",
        "status --stack x",
    ],
)
def test_every_reading_verb_prints_one_document_and_no_markup(bench: Bench, verb: str) -> None:
    bench.hold(operation(entity="[red]x\x1b[31m", expected_fields={"[bold]": Decimal("1.50")}))
    result = bench.run(*verb.split(), "--json")
    assert result.exit_code == 0, result.output
    assert isinstance(json.loads(result.stdout), dict), "an object can grow; an array cannot"
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("typed", "code", "says"),
    [
        ("show nobody", 4, "no operation has the id nobody"),
        ("cancel op-1", 2, "--reason"),
        ("decide op-1 frob --reason because", 2, "Invalid value for 'ACTION': 'frob' is not one of 'retry'"),
        ("list --status confirmed", 2, "--scan"),
        ("decide op-1 close --reason because --yes", 4, "that is for ever"),
    ],
)
def test_an_error_is_a_document_too(bench: Bench, typed: str, code: int, says: str) -> None:
    bench.hold(operation(Status.CONFIRMED))
    result = bench.run(*typed.split(), "--json")
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["exit_code"], says in error["message"]) == (code, code, True), error


def test_what_ends_badly_after_its_answer_prints_one_document(bench: Bench) -> None:
    bench.hold(*(operation(operation_id=f"op-{number}") for number in range(9)))
    assert bench.json("sweep", code=3)["outcome"] == "halted"
    assert bench.json("halt", code=3)["halted"] is True


def test_a_json_of_another_command_is_not_ours(bench: Bench) -> None:
    assert bench.run("show", "--", "--json").stdout == ""


def test_the_row_is_shown_by_its_own_names_with_its_history_decoded(bench: Bench) -> None:
    bench.hold(operation(Status.PROCESSING, expected_fields={"limit": Decimal("10.10")}))
    result = bench.run("show", "op-1", "--json")
    shown = json.loads(result.stdout, parse_float=Decimal)
    assert str(shown["expected_fields"]["limit"]) == "10.10"
    assert shown["due_at"] == "2026-09-21T14:13:20.000Z"
    assert shown["history"][1] == {
        "at": "2026-09-21T13:58:20.000Z",
        "milliseconds_since": 0,
        "verb": "claim",
        "from": "pending",
        "to": "processing",
        "actor": "worker",
        "reason": "delivered",
        "words": "a message named it and it was free",
    }
