"""Is what a person types read as meant, and is what cannot be read refused by name?"""

import io
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from makegood_cli.app import in_front
from makegood_cli.options import duration, event_of, instant, json_object

from tests.support.rows import MINUTE, NOW, ahead

LATEST, FIRST = "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"  #: each in another year in UTC
TOO_LONG = "999999d" * 1001


@pytest.mark.parametrize(
    ("text", "span"),
    [("90s", timedelta(seconds=90)), ("1h30m", timedelta(minutes=90)), ("2d", timedelta(days=2))],
)
def test_a_duration_is_read(text: str, span: timedelta) -> None:
    assert duration(text) == span


@pytest.mark.parametrize("text", ["", "1", "h", "-1h", "1.5h", "1 h", "1w", "1h ", "٣s", "9999999999s", TOO_LONG])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write such as 90s, 15m"):
        duration(text)


@pytest.mark.parametrize(
    "text", ["2026-09-21T14:14:20Z", "2026-09-21T14:14:20+00:00", "2026-09-21T16:14:20+02:00", "+1m", "+60s"]
)
def test_an_instant_is_read_with_its_zone_or_from_now(text: str) -> None:
    assert instant(text, NOW) == ahead(MINUTE)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tomorrow", "is no instant"),
        ("2026-09-21T14:14:20", "no time zone"),
        ("+1", "no duration"),
        (LATEST, "beyond"),
        (FIRST, "beyond"),
    ],
)
def test_a_naive_or_unreadable_instant_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        instant(text, NOW)


def test_numbers_of_a_json_option_keep_every_digit() -> None:
    read = json_object('{"price": 10.10, "large": 12345678901234567890123456789012345678}', what="fields")
    assert read == {"price": Decimal("10.10"), "large": 12345678901234567890123456789012345678}
    assert str(read["price"]) == "10.10"


def test_a_json_option_comes_from_a_file_or_from_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "fields.json"
    file.write_text('{"tier": "gold"}')
    monkeypatch.setattr("sys.stdin", io.StringIO('{"tier": "silver"}'))
    assert json_object(f"@{file}", what="fields") == {"tier": "gold"}
    assert json_object("-", what="fields") == {"tier": "silver"}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "@/no/such/file"])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"fields|cannot be read"):
        json_object(text, what="fields")


def test_an_event_holds_only_what_was_asked_for() -> None:
    assert event_of({"limit": None, "operation_types": None, "dry_run": False, "minutes": 30}) == {"minutes": 30}
    assert event_of({}) == {}


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (["list", "--stack", "prod", "--limit", "5"], ["--stack", "prod", "list", "--limit", "5"]),
        (["list", "--region=eu-west-1", "--debug"], ["--region=eu-west-1", "--debug", "list"]),
        (["show", "--", "--stack"], ["show", "--", "--stack"]),
        (["list", "--stack"], ["--stack", "list"]),
        (["--json", "list", "--limit", "5"], ["list", "--limit", "5", "--json"]),
    ],
)
def test_options_that_hold_for_all_verbs_may_stand_behind_the_verb(typed: list[str], read: list[str]) -> None:
    assert in_front(typed) == read
