"""Make a failing schedule small: leave out deviations as long as it still fails (delta debugging).

Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
"""

from collections.abc import Callable, Sequence

from tests.simulation.world import Ran, simulate

PATIENCE = 3000  #: schedules that are tried at most


def shrunken(ran: Ran) -> Ran:
    """Return the failing schedule with as few deviations as are needed to fail, and its story."""
    number = _invariant(ran)

    def fails(kept: Sequence[str]) -> bool:
        return _invariant(simulate(ran.seed, kept=frozenset(kept))) == number

    kept = least(ran.deviations, fails)
    return simulate(ran.seed, kept=frozenset(kept), telling=True)


def least(items: Sequence[str], fails: Callable[[Sequence[str]], bool]) -> list[str]:
    """Return a part of the items that still fails, and does so without none of its chunks."""
    kept, size, tries = list(dict.fromkeys(items)), max(len(items) // 2, 1), 0
    while kept:
        start, shorter = 0, False
        while start < len(kept) and tries < PATIENCE:
            tries += 1
            without = kept[:start] + kept[start + size :]
            if fails(without):
                kept, shorter = without, True
            else:
                start += size
        if size == 1 and (not shorter or tries >= PATIENCE):
            return kept
        size = max(size // 2, 1)
    return kept


def _invariant(ran: Ran) -> str | None:
    """Name the promise that was broken, so that shrinking does not slip into another failure."""
    return ran.broken.partition(":")[0] if ran.broken else None
