"""Say for each planted bug in which small world it is found, and how deep; worlds are tried in the page's order.

Takes the mutants that touch the domain or the flows, each in a copy of the working tree. One that is not found costs
a walk through every world.

    python mutants/explored.py                  all of them
    python mutants/explored.py touch settle     those whose name holds one of these words
"""

from __future__ import annotations

import sys

from simulated import of_each

WALK = """
from tests.world.explore import explore
from tests.world.kinds import KINDS
from tests.world.quiet import trap, undecidable
from tests.world.world import World

def found(kind):
    explored = explore(World(kind))
    if explored.broken:
        return f"{explored.broken}, at depth {explored.depth}"
    story = trap(explored) or undecidable(explored)
    return f"{story[-1]}" if story else None

print(next((f"{kind.name}: {words}" for kind in ORDER if (words := found(kind))), "none"))
"""
ORDER = "sorted(KINDS, key=lambda kind: not kind.name.startswith('not idempotent, not'))"  # the smallest of them first

if __name__ == "__main__":
    sys.exit(of_each(sys.argv[1:], ["-c", WALK.replace("ORDER", ORDER)]))
