"""Are durations, instants and other people's text said so that nobody is misled?"""

from datetime import timedelta

import pytest
from makegood.domain.instant import Instant
from makegood_cli.words import age, counted, duration, moment, plain, to_the_second

from tests.support.rows import MINUTE, NOW, SECOND, ago, ahead


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(), "0ms"),
        (timedelta(milliseconds=412), "412ms"),
        (timedelta(milliseconds=3210), "3.2s"),
        (timedelta(seconds=59.9), "59s"),
        (timedelta(seconds=60), "1m"),
        (timedelta(seconds=65), "1m 05s"),
        (timedelta(hours=2, minutes=10, seconds=59), "2h 10m"),
        (timedelta(days=3, hours=4), "3d 4h"),
        (timedelta(days=400), "400d"),
        (timedelta(seconds=-5), "5s"),
    ],
)
def test_a_duration_is_said_in_its_two_largest_units(span: timedelta, words: str) -> None:
    assert duration(span) == words


def test_an_instant_is_said_with_its_age() -> None:
    assert moment(ago(MINUTE), NOW) == "2026-09-21T14:12:20.000Z (1m ago)"
    assert moment(ahead(12 * SECOND), NOW) == "2026-09-21T14:13:32.000Z (in 12s)"
    assert age(NOW, NOW) == "now"
    assert to_the_second(Instant(NOW + 999)) == "2026-09-21T14:13:20Z"


def test_one_line_is_no_lines() -> None:
    assert [counted(number, "line") for number in (0, 1, 1200)] == ["0 lines", "1 line", "1,200 lines"]


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("customer/452", "customer/452"),
        ("Zoë [red]", "Zoë [red]"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b2J", "\\x9b2J"),
        ("a\rb\nc", "a\\rb\\nc"),
        ("\u202egnirts", "\\u202egnirts"),
    ],
)
def test_what_could_move_the_cursor_stands_as_an_escape(text: str, harmless: str) -> None:
    assert plain(text) == harmless
