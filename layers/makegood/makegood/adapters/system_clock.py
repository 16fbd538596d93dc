"""The one file that reads the clock, draws chance, and waits."""

import random
import secrets
import time
from datetime import timedelta

from makegood.domain.instant import Instant

TOKEN_BYTES = 9  #: 72 bits, 12 characters


class SystemClock:
    """This machine's clock."""

    def now(self) -> Instant:
        """Return the present instant."""
        return Instant(time.time_ns() // 1_000_000)


class SystemEntropy:
    """The operating system's chance for tokens; a plain generator for jitter."""

    def token(self) -> str:
        """Return 12 fresh characters out of `A-Z a-z 0-9 _ -`."""
        return secrets.token_urlsafe(TOKEN_BYTES)

    def fraction(self) -> float:
        """Return a uniform draw from [0, 1)."""
        return random.random()  # noqa: S311 - spreads a crowd, guards nothing


def rest(duration: timedelta) -> None:
    """Wait before asking a service again."""
    time.sleep(duration.total_seconds())
