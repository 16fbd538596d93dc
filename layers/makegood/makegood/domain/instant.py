"""Instants: integers, epoch milliseconds, UTC. People see ISO 8601 with `Z`."""

from datetime import UTC, datetime, timedelta
from typing import NewType

Instant = NewType("Instant", int)

EARLIEST = Instant(100_000_000_000)  #: in the year 1973; a smaller number is a time in seconds, up to the year 5138
LATEST = Instant(253_402_300_799_999)  #: the last millisecond of the year 9999, beyond which nobody can write a date

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def after(instant: Instant, duration: timedelta) -> Instant:
    """Return the instant that lies `duration` later (earlier if it is negative), to the millisecond."""
    return Instant(instant + duration // _MILLISECOND)


def between(earlier: Instant, later: Instant) -> timedelta:
    """Return how much time passed from `earlier` to `later`; negative if they are the other way round."""
    return timedelta(milliseconds=later - earlier)


def earliest(*instants: Instant | None) -> Instant | None:
    """Return the earliest of those that are there, or `None` if none is."""
    return min((instant for instant in instants if instant is not None), default=None)


def iso(instant: Instant) -> str:
    """Write an instant for people: `2026-03-29T01:00:00.000Z`."""
    moment = _EPOCH + timedelta(milliseconds=instant)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_datetime(moment: datetime) -> Instant:
    """Read an aware datetime.

    Raises:
        ValueError: if it is naive, because nobody can say which instant a naive time is.
    """
    if moment.tzinfo is None:
        message = f"{moment.isoformat()} has no time zone; give an aware datetime, such as datetime.now(UTC)"
        raise ValueError(message)
    return Instant((moment - _EPOCH) // _MILLISECOND)


def epoch_seconds(instant: Instant) -> int:
    """Return whole epoch seconds, the unit of DynamoDB's time to live."""
    return instant // 1000
