"""How the command says things to people: durations, instants with their age, and text that cannot move the cursor."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.domain.instant import between, iso

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from makegood.domain.instant import Instant

_SECOND, _MINUTE, _HOUR, _DAY = (timedelta(seconds=n) for n in (1, 60, 3600, 86400))


def plain(text: object) -> str:
    r"""Return text in which whatever is not printable stands as an escape, such as `\x1b`."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


def duration(span: timedelta) -> str:
    """Say how long, in its two largest units: `412ms`, `3.2s`, `1m 05s`, `2h 10m`, `3d 4h`."""
    span = abs(span)
    if span < _SECOND:
        return f"{span // timedelta(milliseconds=1)}ms"
    if span < _MINUTE:
        tenths = span // timedelta(milliseconds=100) / 10
        return f"{tenths:g}s" if span < 10 * _SECOND else f"{span // _SECOND}s"
    if span >= _DAY:
        return _of_two(span, _DAY, _HOUR, "{}d", "{}h")
    if span >= _HOUR:
        return _of_two(span, _HOUR, _MINUTE, "{}h", "{:02d}m")
    return _of_two(span, _MINUTE, _SECOND, "{}m", "{:02d}s")


def age(instant: Instant, now: Instant) -> str:
    """Say how far an instant lies from now: `3m 20s ago`, `in 12s`, `now`."""
    passed = between(instant, now)
    if not passed:
        return "now"
    return f"{duration(passed)} ago" if passed > timedelta() else f"in {duration(passed)}"


def moment(instant: Instant, now: Instant) -> str:
    """Say an instant with its age: `2026-03-29T01:00:00.000Z (3m 20s ago)`."""
    return f"{iso(instant)} ({age(instant, now)})"


def to_the_second(instant: Instant) -> str:
    """Say an instant without its milliseconds: `2026-03-29T01:00:00Z`."""
    return iso(instant)[:-5] + "Z"


def counted(number: int, what: str) -> str:
    """Say a number of things: `1 line`, `12 lines`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def unknown(names: Iterable[str], known: Collection[str]) -> str:
    """Say which types this release does not know, and which it does; nothing where it knows all."""
    odd = [name for name in names if name not in known]
    if not odd:
        return ""
    return f"{', '.join(odd)} {'is' if len(odd) == 1 else 'are'} not known here, known are: {', '.join(sorted(known))}"


def _of_two(span: timedelta, larger: timedelta, smaller: timedelta, first: str, second: str) -> str:
    whole, rest = divmod(span, larger)
    parts = rest // smaller
    return first.format(whole) + (f" {second.format(parts)}" if parts else "")
