"""Run schedules: `make simulate N=2000 SEED=0`, or one of them alone with its story: `make simulate SEED=17 ONLY=1`.

Prints what was run and how often everything occurred. A schedule that breaks a promise is made small, told as a story
and named by its seed; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from tests.simulation.census import too_rare
from tests.simulation.shrink import shrunken
from tests.simulation.world import Ran, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 250  #: schedules that one process takes at a time
LEAST_EVENTS = 30  #: of the schedule in the middle


@dataclass(slots=True)
class Total:
    """What many schedules came to."""

    schedules: int = 0
    operations: int = 0
    lengths: list[int] = field(default_factory=list)  #: events of each schedule
    seconds: float = 0.0  #: of one core
    seen: Counter[str] = field(default_factory=Counter)
    broken: list[tuple[int, str]] = field(default_factory=list)  #: seed, and what it broke

    def add(self, other: Total) -> None:
        """Count another lot in."""
        self.schedules += other.schedules
        self.operations += other.operations
        self.lengths += other.lengths
        self.seconds += other.seconds
        self.seen += other.seen
        self.broken += other.broken

    def __str__(self) -> str:
        """Say it in a few lines."""
        events = sum(self.lengths)
        return (
            f"{self.schedules} schedules, {self.operations} operations, {events} events "
            f"(median {median(self.lengths):.0f} a schedule), {events / self.seconds:.0f} events a second of one core"
        )


def many(seeds: range) -> Total:
    """Run the schedules of these seeds, one after the other."""
    gc.freeze()
    total, begun_at = Total(), time.process_time()
    for seed in seeds:
        ran = simulate(seed)
        total.schedules += 1
        total.operations += ran.operations
        total.lengths.append(ran.events)
        total.seen += ran.seen
        if ran.broken:
            total.broken.append((seed, ran.broken))
    total.seconds = time.process_time() - begun_at
    return total


def side_by_side(seeds: range, cores: int) -> Total:
    """Run the schedules of these seeds on some cores."""
    total = Total()
    shares = [seeds[start : start + SHARE] for start in range(0, len(seeds), SHARE)]
    with ProcessPoolExecutor(cores) as pool:
        for lot in pool.map(many, shares):
            total.add(lot)
    return total


def first_broken(seeds: range) -> Ran | None:
    """Run schedules until one breaks a promise."""
    return next((ran for ran in map(simulate, seeds) if ran.broken), None)


def told(ran: Ran) -> str:
    """Tell a schedule as a story."""
    head = f"schedule {ran.seed} ({ran.kind}): {ran.broken or 'no promise is broken'}"
    return "\n".join((head, *(f"  {line}" for line in ran.story), f"again: make simulate SEED={ran.seed} ONLY=1"))


def failure(seed: int) -> str:
    """Tell the failing schedule of a seed, made small."""
    return told(shrunken(simulate(seed)))


def report(total: Total) -> Iterator[str]:
    """Say what was run, how often everything occurred, and what failed."""
    yield str(total)
    yield from (f"  {times:8} {what}" for what, times in sorted(total.seen.items()))
    yield from (f"schedule {seed}: {words}" for seed, words in total.broken[:10])
    if total.broken:
        yield failure(total.broken[0][0])


def too_little(total: Total, least: int) -> Iterator[str]:
    """Say what makes a run show too little, where it was asked that everything occur a number of times."""
    if rare := too_rare(total.seen, least):
        yield f"too rare to show anything: {rare}"
    if least and (middle := median(total.lengths)) < LEAST_EVENTS:
        words = f"half the schedules have at most {middle:.0f} events, {LEAST_EVENTS} are wanted"
        yield f"too short to show anything: {words}"


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=2000, help="how many schedules")
    parser.add_argument("--seed", type=int, default=0, help="of the first schedule")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--least", type=int, default=0, help="fail if anything occurs less often than this")
    parser.add_argument("--only", action="store_true", help="run the one schedule of this seed and tell its story")
    parser.add_argument(
        "--first", action="store_true", help="stop at the first that breaks a promise, and name it only"
    )
    asked = parser.parse_args()
    if asked.first:
        found = first_broken(range(asked.seed, asked.seed + asked.number))
        sys.stdout.write(f"{found.seed - asked.seed + 1}: {found.broken}\n" if found else "none\n")
        return 1 if found else 0
    if asked.only:
        ran = simulate(asked.seed, telling=True)
        sys.stdout.write((failure(asked.seed) if ran.broken else told(ran)) + "\n")
        return 1 if ran.broken else 0
    total = side_by_side(range(asked.seed, asked.seed + asked.number), asked.cores)
    thin = list(too_little(total, asked.least))
    sys.stdout.write("\n".join((*report(total), *thin)) + "\n")
    return 1 if total.broken or thin else 0


if __name__ == "__main__":
    raise SystemExit(main())
