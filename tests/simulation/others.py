"""Other hands in the outside system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.remote import State

if TYPE_CHECKING:
    from makegood.domain.operation import Operation

    from tests.simulation.world import World


class Others:
    """People and programs that change there what is not theirs."""

    def __init__(self, world: World) -> None:
        self.world = world

    def change(self, operation: Operation) -> None:
        """Change a field of what is there."""
        remote = self.world.remote
        state = remote.state(operation)
        if state.present:
            remote.set(remote.place(operation), State(self.world.engine.now, state.version, "silver"))
            self.world.tell(f"somebody else changes what {operation.operation_id} made")

    def take_away(self, operation: Operation) -> None:
        """Take away what is there."""
        remote = self.world.remote
        state = remote.state(operation)
        if state.present:
            remote.set(remote.place(operation), State(self.world.engine.now, state.version, state.plan, deleted=True))
            self.world.tell(f"somebody else takes away what {operation.operation_id} made")
