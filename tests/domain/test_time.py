"""Is time the same everywhere, on every machine and on the nights when local clocks jump?"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain import promise
from makegood.domain.decide import Dispatch, Leave, decide
from makegood.domain.instant import Instant, after, between, earliest, epoch_seconds, from_datetime, iso
from makegood.domain.promise import Promise

from tests.case import case
from tests.support.rows import SECOND, T, terms

ZONES = ["UTC", "America/New_York", "Europe/Madrid", "Pacific/Kiritimati", "Asia/Kathmandu"]
SPRING = datetime(2025, 3, 30, 1, tzinfo=UTC)
AUTUMN = datetime(2025, 10, 26, 1, tzinfo=UTC)


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the process live in a time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@case("F090")
@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize("jump", [SPRING, AUTUMN])
@pytest.mark.parametrize("minutes_before", [0, 1, 7, 14, 15])
def test_fifteen_minutes_are_nine_hundred_seconds_also_when_local_clocks_jump(
    jump: datetime, minutes_before: int
) -> None:
    now = from_datetime(jump - timedelta(minutes=minutes_before))
    wanted = Promise(operation_type="sync", entity="customer/452", expected_version=7)
    row = promise.submit(wanted, now=now, write_id="w", terms=terms())
    assert row.due_at == now + 900_000
    assert isinstance(decide(row, now=after(now, T - SECOND), terms=terms()), Leave)
    assert isinstance(decide(row, now=after(now, T), terms=terms()), Dispatch)


@pytest.mark.usefixtures("zone")
def test_people_read_the_same_instant_in_every_zone() -> None:
    assert iso(Instant(1_790_000_000_000)) == "2026-09-21T14:13:20.000Z"
    assert iso(from_datetime(SPRING)) == "2025-03-30T01:00:00.000Z"


@pytest.mark.usefixtures("zone")
def test_an_aware_datetime_of_any_zone_is_one_instant() -> None:
    here = datetime(2025, 10, 26, 3, 30, tzinfo=timezone(timedelta(hours=2)))
    assert from_datetime(here) == from_datetime(here.astimezone(UTC)) == from_datetime(here.astimezone())


@case("F081")
@pytest.mark.usefixtures("zone")
def test_a_naive_datetime_is_refused_and_never_taken_for_local_or_utc() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        from_datetime(datetime(2025, 3, 30, 2, 30))  # noqa: DTZ001 - that is what is refused


@pytest.mark.parametrize(
    ("instants", "first"), [((), None), ((None, None), None), ((3, None, 1), 1), ((0, 5), 0), ((None, 0), 0)]
)
def test_the_earliest_of_those_that_are_there(instants: tuple[Instant | None, ...], first: int | None) -> None:
    assert earliest(*instants) == first


def test_the_time_to_live_is_in_seconds() -> None:
    assert epoch_seconds(Instant(1_790_000_000_999)) == 1_790_000_000


@given(st.integers(0, 253_402_300_799_999), st.timedeltas(timedelta(days=-10_000), timedelta(days=10_000)))
def test_later_and_how_much_later_agree_to_the_millisecond(now: Instant, duration: timedelta) -> None:
    later = after(now, duration)
    assert abs(between(now, later) - duration) < timedelta(milliseconds=1)
    assert between(later, now) == -between(now, later)
