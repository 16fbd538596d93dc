"""Acknowledgements: what the remote sends by itself once an effect has taken place, signed, late, twice, or forged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from makegood.domain.acknowledging import TOLERANCE, sign
from makegood.domain.history import Role
from makegood.domain.observation import Found

from tests.simulation.actors import start
from tests.simulation.catalog import SECRET
from tests.simulation.engine import MILLISECOND, MINUTE, SECOND
from tests.simulation.kinds import Fault

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

    from tests.simulation.remote import State
    from tests.simulation.world import World

BELIEVED = TOLERANCE // MILLISECOND
WAITS = (20, SECOND, 30 * SECOND, 4 * MINUTE, 9 * MINUTE)  #: the last is longer than a signature is believed


def send(world: World, operation: Operation, state: State) -> None:
    """Send an acknowledgement of an effect now and then."""
    name = f"acknowledgement of {operation.operation_id}"
    process = world.process(name, Role.RECONCILER)
    stream = process.stream
    if not stream.one_in(4) or not world.chance.happens(process.name):
        return
    version = operation.expected_version + stream.one_in(6)
    said = {"operation_id": operation.operation_id, "version": version, "fields": {"plan": state.plan}}
    body, now = json.dumps(said).encode(), world.engine.now
    forged = stream.one_in(6) and world.chance.happens(f"{process.name} forged")
    world.seen[Fault.FORGED] += forged
    signature = f"t={now // 1000},v1={sign(body, secret='a guess' if forged else SECRET, at=now // 1000)}"
    if not forged:
        process.asked[operation.operation_id] = (Found(version=version, fields=said["fields"]), now, now)

    def body_of_it() -> None:
        answer = world.acknowledge(operation.operation_type, body, signature)
        world.seen[f"acknowledgement {answer.received}"] += 1
        world.tell(f"is {answer.received}")
        late = process.started_at - now > BELIEVED + 2 * world.kind.skew
        if late and answer.received not in ("too_old", "unsigned"):
            world.check.fails(3, f"{process.name} is from long ago and {answer.received}")
        if forged and answer.received != "unsigned":
            world.check.fails(3, f"{process.name} is forged and {answer.received}")

    start(world, process, body_of_it, when=now + WAITS[stream.below(len(WAITS))], lives=None)
