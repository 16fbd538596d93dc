"""How long to wait before the next attempt: exponential, with full jitter.

Full jitter (a uniform draw between nothing and the exponential ceiling) spreads a crowd best. Source: AWS
Architecture Blog, "Exponential Backoff And Jitter", 2015.
"""

from dataclasses import dataclass
from datetime import timedelta

_STEPS = 40  #: beyond this many doublings every ceiling is reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """A ladder of waits."""

    first: timedelta = timedelta(seconds=30)  #: so that eight attempts outlast an outage of half an hour, as a rule
    ceiling: timedelta = timedelta(hours=1)

    def wait(self, attempt: int, *, fraction: float, at_least: timedelta | None = None) -> timedelta:
        """Return the wait after attempt number `attempt` (1 is the first).

        `fraction` is a draw from [0, 1). `at_least` is what the remote asked for; jitter comes on top, so a crowd it
        sent away does not come back in step.
        """
        highest = min(self.first, self.ceiling)
        for _ in range(min(attempt - 1, _STEPS)):
            highest = min(2 * highest, self.ceiling)
        wait: timedelta = (at_least or timedelta()) + highest * fraction
        return wait

    def wait_in_outage(self, lasting: timedelta, *, fraction: float, at_least: timedelta | None = None) -> timedelta:
        """Return the wait while a remote takes no calls, `lasting` so far: the longer it lasts, the longer the wait."""
        highest = min(max(self.first, lasting), self.ceiling)
        return (at_least or timedelta()) + highest * fraction

    def wait_apart(self, turn: int, *, fraction: float) -> timedelta:
        """Return the wait before the next turn of many that all wait for the same: never at once, never in step."""
        return self.wait(turn, fraction=fraction, at_least=self.first)
