"""Options that several commands share, and how their text is read. What cannot be read is a usage error, by name."""

import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from makegood.domain import document, review
from makegood.domain.document import Document
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant, after, from_datetime

Read = TypeVar("Read")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else there.")]
Types = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Only operations of this type; may be given more than once."),
]

Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why that is right; it is kept with your name.")]

STDIN = "-"
LEAST_WORDS = 3  #: characters of a reason
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_DURATION = re.compile(r"(?:[0-9]{1,6}[smhd])+")


def duration(text: str) -> timedelta:
    """Read `90s`, `15m`, `1h30m` or `2d`.

    Raises:
        ValueError: saying what is wanted.
    """
    if not _DURATION.fullmatch(text):
        raise ValueError(f"{text!a} is no duration; write such as 90s, 15m, 1h30m or 2d")
    parts = re.findall(r"(\d+)([smhd])", text)
    try:
        return sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in parts), timedelta())
    except OverflowError:
        raise ValueError(f"{text[:40]!a} is too long; write such as 90s, 15m, 1h30m or 2d") from None


def instant(text: str, now: Instant) -> Instant:
    """Read an instant in ISO 8601 with its zone, or `+15m` from now.

    Raises:
        ValueError: saying what is wanted.
    """
    if text.startswith("+"):
        return after(now, duration(text[1:]))
    wanted = f"{text!a} is no instant; write such as 2026-03-29T01:00:00Z, or +15m from now"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(wanted) from None
    if moment.tzinfo is None:
        raise ValueError(f"{text!a} has no time zone; write Z at its end for UTC, or such as +02:00")
    try:
        return from_datetime(moment.astimezone(UTC))
    except OverflowError:
        raise ValueError(f"{text!a} lies beyond the years 1 to 9999") from None


def json_object(text: str, *, what: str) -> Document:
    """Read a JSON object: the text itself, `@FILE`, or `-` for stdin. Numbers stay exact.

    Raises:
        ValueError: the file cannot be read, or it holds no JSON object that Makegood accepts.
    """
    try:
        return document.parse(_content(text), what=what)
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{text!a} cannot be read: {error}") from error
    except InvalidInput as error:
        raise ValueError(str(error)) from error


def given(option: str, read: Callable[[], Read]) -> Read:
    """Read an option's value, and let what is wrong with it be a usage error that names the option."""
    try:
        return read()
    except (ValueError, InvalidInput) as error:
        raise typer.BadParameter(str(error), param_hint=f"'{option}'") from error


def words(option: str, text: str) -> str:
    """Accept a reason that somebody can understand later: one line of 3 to 300 characters."""
    line = given(option, lambda: review.words(text, what=option.lstrip("-")))
    if len(line) < LEAST_WORDS:
        raise typer.BadParameter("say why, so that whoever reads it later understands", param_hint=f"'{option}'")
    return line


def event_of(values: Mapping[str, object]) -> dict[str, object]:
    """Keep what was asked for."""
    return {name: value for name, value in values.items() if value not in (None, [], False)}


def _content(text: str) -> str:
    if text == STDIN:
        return sys.stdin.read()
    return Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text
