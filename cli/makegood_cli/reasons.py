"""The words of a reason's code, also of one that this release does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain.history import Entry, read
from makegood.domain.reason import Reason

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

_WORDS = {reason.value: reason.words for reason in Reason}


def words(code: str) -> str:
    """Say a reason to people; an unknown code (of a newer release) speaks for itself."""
    return _WORDS.get(code, code)


def latest(operation: Operation) -> str | None:
    """Return why an operation came to where it stands; `None` if its history does not tell."""
    entries = [entry for entry in read(operation.history) if isinstance(entry, Entry)]
    came = [entry for entry in entries if entry.target is operation.status and entry.source is not entry.target]
    return came[-1].reason if came else None
