"""Play schedules on a real stack of their own: `make schedules N=4 SEED=0`, or `make schedules SEED=17 N=1` for one.

Tells the plan of one schedule as a story, or with several a line for each step; then how often everything was seen, and
what the auditor finds. With `--break NAME` one of the demo's faults is planted in what is deployed, and the exit code
should be 1.
"""

from __future__ import annotations

import argparse
import signal
import sys
from typing import TYPE_CHECKING

from makegood_cli.demo import planted
from makegood_cli.demo.stage import staged
from makegood_cli.local.places import Places

from tests.schedules.census import census, too_rare
from tests.schedules.courses import draw
from tests.schedules.judging import breaches
from tests.schedules.play import NUMBERS, Played, play

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def played(
    seeds: Sequence[int], places: Places, *, fault: planted.Fault | None = None, tell: Callable[[str], None] = print
) -> tuple[Played, list[str], dict[str, int]]:
    """Play schedules side by side on a stack of their own; return that, what broke, and what was seen too rarely."""
    with staged(places, fault, numbers=NUMBERS, progress=tell) as stage:
        done = play(stage, [draw(seed) for seed in seeds], tell)
        found, seen = [*breaches(done.case), *done.scene.wrong], census(done)
    for name, times in sorted(seen.items()):
        tell(f"  {times:6} {name}")
    tell(f"{len(done.scene.promised)} operations, {done.seconds:.0f} s")
    return done, found, too_rare(seen)


def told(done: Played, found: Sequence[str]) -> str:
    """Tell what broke, with the story of each schedule that it concerns."""
    stories = [plan.story() for plan in done.plans if any(plan.mark in words for words in found)]
    return "\n".join([*found, *(stories or [f"schedules {', '.join(str(plan.seed) for plan in done.plans)}"])])


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first schedule")
    parser.add_argument("--number", type=int, default=4, help="how many side by side")
    parser.add_argument("--break", dest="fault", choices=sorted(planted.FAULTS), help="plant one of the demo's faults")
    parser.add_argument("--only-tell", action="store_true", help="tell the plans and play nothing")
    asked = parser.parse_args()
    seeds = range(asked.seed, asked.seed + asked.number)
    if asked.only_tell or asked.number == 1:
        sys.stdout.write("\n".join(draw(seed).story() for seed in seeds) + "\n")
    if asked.only_tell:
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it, the stack is taken down
    fault = planted.fault_named(asked.fault) if asked.fault else None
    done, found, rare = played(seeds, Places(), fault=fault)
    if found:
        sys.stdout.write(told(done, found) + "\n")
    if rare and asked.number > 1:
        sys.stdout.write(f"too rare to show anything: {rare}\n")
    return 1 if found or (rare and asked.number > 1) else 0


if __name__ == "__main__":
    raise SystemExit(main())
