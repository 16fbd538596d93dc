"""Is every wait between nothing and the attempt's ceiling, whatever the attempt?"""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain.backoff import Backoff

from tests.support.rows import HOUR, MINUTE, SECOND

ALMOST_ONE = 0.999_999_999


@pytest.mark.parametrize(
    ("attempt", "ceiling"),
    [
        (0, 30 * SECOND),
        (1, 30 * SECOND),
        (2, 60 * SECOND),
        (5, 480 * SECOND),
        (7, 1_920 * SECOND),
        (8, HOUR),
        (12, HOUR),
        (2_000, HOUR),
        (10**9, HOUR),
    ],
)
def test_the_ceiling_doubles_until_an_hour(attempt: int, ceiling: timedelta) -> None:
    assert Backoff().wait(attempt, fraction=0.0) == timedelta()
    assert Backoff().wait(attempt, fraction=0.5) == ceiling / 2
    assert Backoff().wait(attempt, fraction=ALMOST_ONE) <= ceiling


def test_what_the_remote_asked_for_is_waited_and_the_jitter_comes_on_top() -> None:
    assert Backoff().wait(1, fraction=0.5, at_least=MINUTE) == MINUTE + 15 * SECOND


@pytest.mark.parametrize("attempt", [1, 40, 41, 2_000])
def test_a_ladder_that_starts_with_hours_never_overflows(attempt: int) -> None:
    slow = Backoff(first=12 * HOUR, ceiling=timedelta(days=30))
    assert slow.wait(attempt, fraction=0.5) <= timedelta(days=15)


@given(
    st.integers(-5, 3_000),
    st.floats(0, 1, exclude_max=True),
    st.timedeltas(min_value=timedelta(milliseconds=1), max_value=timedelta(days=400)),
    st.timedeltas(min_value=timedelta(milliseconds=1), max_value=timedelta(days=400)),
)
def test_any_ladder_waits_within_its_ceiling(
    attempt: int, fraction: float, first: timedelta, ceiling: timedelta
) -> None:
    wait = Backoff(first=first, ceiling=ceiling).wait(attempt, fraction=fraction)
    assert timedelta() <= wait <= ceiling


@given(st.integers(-5, 3_000), st.floats(0, 1, exclude_max=True))
def test_those_that_wait_for_the_same_never_come_back_at_once_and_never_later_than_both_bounds(
    turn: int, fraction: float
) -> None:
    ladder = Backoff(first=MINUTE, ceiling=30 * MINUTE)
    assert MINUTE <= ladder.wait_apart(turn, fraction=fraction) <= 31 * MINUTE


@pytest.mark.parametrize(
    ("lasting", "highest"),
    [
        (timedelta(), 30 * SECOND),
        (SECOND, 30 * SECOND),
        (10 * MINUTE, 10 * MINUTE),
        (5 * HOUR, HOUR),
        (-HOUR, 30 * SECOND),
    ],
)
def test_an_outage_is_waited_for_as_long_as_it_has_lasted_up_to_the_ceiling(
    lasting: timedelta, highest: timedelta
) -> None:
    assert Backoff().wait_in_outage(lasting, fraction=0.5) == highest / 2
    assert Backoff().wait_in_outage(lasting, fraction=0.5, at_least=MINUTE) == MINUTE + highest / 2
