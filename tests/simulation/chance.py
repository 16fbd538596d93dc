"""Chance that repeats, drawn under names, so that leaving one thing out of a schedule does not change the others.

Every process and every planned thing has a stream of its own, seeded by the schedule's seed and its name. What goes
wrong is drawn as a *deviation* that has a name as well, such as `work op-2 #1 @7`; a schedule can be run again with a
few of its deviations only, and that is how a failing one is made small.
"""

from zlib import crc32

_MULTIPLIER, _STEP, _MASK = 6364136223846793005, 1442695040888963407, 2**64 - 1  # Knuth's MMIX


class Stream:
    """A cheap stream of numbers under a name: a linear congruential generator, of which the high bits are used."""

    __slots__ = ("count", "name", "state")

    def __init__(self, seed: int, name: str) -> None:
        self.name, self.count = name, 0
        self.state = ((seed + 1) * 0x9E3779B97F4A7C15 ^ crc32(name.encode()) * _MULTIPLIER) & _MASK
        self.below(2)

    def below(self, number: int) -> int:
        """Draw a whole number from 0 to `number` - 1."""
        self.count += 1
        self.state = (self.state * _MULTIPLIER + _STEP) & _MASK
        return (self.state >> 33) % number

    def one_in(self, number: int) -> bool:
        """Draw whether something happens that happens once in so many times."""
        return self.below(number) == 0


class Chance:
    """All chance of one schedule."""

    def __init__(self, seed: int, kept: frozenset[str] | None = None) -> None:
        """Seed it. `kept` names the deviations that may happen; `None` lets all of them."""
        self.seed, self.kept = seed, kept
        self.deviations: list[str] = []  #: that happened, in order

    def stream(self, name: str) -> Stream:
        """Return a fresh stream of this name."""
        return Stream(self.seed, name)

    def happens(self, name: str) -> bool:
        """Say whether a deviation that was drawn may happen, and remember that it did."""
        if self.kept is not None and name not in self.kept:
            return False
        self.deviations.append(name)
        return True
