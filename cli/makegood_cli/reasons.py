"""The words of a reason's code, also of one that this release does not know."""

from __future__ import annotations

from makegood.domain.reason import Reason

_WORDS = {reason.value: reason.words for reason in Reason}


def words(code: str) -> str:
    """Say a reason to people; an unknown code (of a newer release) speaks for itself."""
    return _WORDS.get(code, code)
