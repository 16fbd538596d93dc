"""Result files: what the outside system says of many operations at once, read when it was said or hours later."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from makegood.domain.history import Role
from makegood.domain.instant import Instant
from makegood.domain.observation import Absent, Found
from makegood.domain.result_file import Line

from tests.simulation.actors import start
from tests.simulation.engine import MINUTE

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

    from tests.simulation.engine import Process
    from tests.simulation.world import World

WAITS = (0, MINUTE, 10 * MINUTE, 100 * MINUTE)  #: from the writing of a file to its reading


def write(world: World) -> None:
    """Write a file of everything that the remote holds, and let it be read sooner or later."""
    process = world.process("result file", Role.RECONCILER)
    if not world.chance.happens(process.name):
        return
    wait = WAITS[process.stream.below(len(WAITS))]
    lines: dict[str, list[Line]] = {}
    for row in world.store.rows.values():
        lines.setdefault(row.operation_type, []).append(_line(world, process, row))
    start(world, process, partial(_read, world, lines), when=world.engine.now + wait, lives=None)


def _line(world: World, process: Process, row: Operation) -> Line:
    state = world.remote.state(row)
    seen: Found | Absent = Absent(asked="a file")
    if state.present:
        seen = Found(version=state.version, fields={"plan": state.plan}, asked="a file")
    said_at = Instant(world.engine.now + process.skew)
    process.asked[row.operation_id] = (seen, world.engine.now, said_at)
    return Line(number=1, operation_id=row.operation_id, remote_id=None, observed=seen, at=said_at)


def _read(world: World, lines: dict[str, list[Line]]) -> None:
    for name, about in lines.items():
        report = world.check_file(name, about, dry_run=False, by="whoever wrote the file")
        world.seen["a line of a file is judged"] += len(report.checked)
        world.tell(f"says of {name}: {[(each.operation.operation_id, each.verdict) for each in report.checked]}")
