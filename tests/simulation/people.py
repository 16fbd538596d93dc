"""People: they look in, see what is really there, and decide. In most schedules what they state is so."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.domain.history import Actor, Role
from makegood.domain.instant import after
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.review import Action, Wish
from makegood.domain.run import Acknowledgement
from makegood.flows.review import Case, Taken

from tests.simulation.actors import start
from tests.simulation.engine import MINUTE
from tests.simulation.kinds import Fault

if TYPE_CHECKING:
    from tests.simulation.engine import Process
    from tests.simulation.remote import State
    from tests.simulation.world import World

ALICE = Actor(role=Role.OPERATOR, name="alice")


def visit(world: World, when: int) -> None:
    """Let a person look in."""
    process = world.process("alice", Role.OPERATOR)
    start(world, process, lambda: _visit(world), when=when, lives=None)


def acknowledge(world: World, process: Process, when: int) -> None:
    """Let a person permit sweeps to act above the cap."""
    start(world, process, lambda: _acknowledge(world), when=when, lives=None)


def _visit(world: World) -> None:
    if world.ledger.control().halted_since is not None and world.draw(2):
        _acknowledge(world)
    cases = list(world.review.exceptions(4))
    for case in cases:
        if isinstance(case, Case) and world.draw(5):
            _decide(world, case.operation, case.recommended)
    awaiting = [row for row in world.store.rows.values() if row.status is Status.AWAITING_CONFIRMATION]
    if awaiting and world.draw(3) == 0:
        _decide(world, awaiting[world.draw(len(awaiting))], None)
    if world.draw(8) == 0 and cases and isinstance(cases[0], Case):
        world.tell(f"asks to cancel {cases[0].operation.operation_id}")
        world.cancel(cases[0].operation.operation_id, reason="the customer called", actor=ALICE)


def _decide(world: World, row: Operation, recommended: Action | None) -> None:
    """Do what is recommended, what fits what is there, or anything at all."""
    state = world.remote.state(row)
    how = world.draw(4)
    fitting = [action for action in (*Action, Action.COMPENSATE, Action.COMPENSATE) if _fits(action, row, state)]
    action = tuple(Action)[world.draw(4)]
    if how == 0 and recommended is not None:
        action = recommended
    elif how in (1, 2) and fitting:
        action = fitting[world.draw(len(fitting))]
    says = world.draw(4) > 0 and (_fits(action, row, state) or world.kind.people_lie)
    wish = Wish(
        operation_id=row.operation_id,
        action=action,
        reason="seen and decided",
        seen_revision=row.revision,
        stated="looked there" if says else None,
    )
    process = world.engine.process
    if (
        world.draw(8) == 0
        and not world.calm
        and world.chance.happens(f"{process.name} hesitates @{process.stream.count}")
    ):
        world.seen[Fault.HESITATES] += 1
        world.rest((1 + world.draw(20)) * MINUTE)
    answer = world.review.decide(wish, actor=ALICE)
    words = "is taken" if isinstance(answer, Taken) else f"is refused: {answer.why}"
    world.seen["a decision is refused"] += not isinstance(answer, Taken)
    world.tell(f"{action} of {row.operation_id}{', stated,' if says else ''} {words}")


def _fits(action: Action, row: Operation, state: State) -> bool:
    """Say whether what a person would state with a decision is so."""
    there = state.present and state.version == row.expected_version
    if row.intent is Intent.COMPENSATION:
        return {Action.CONFIRM: not state.present, Action.RETRY: state.present}.get(action, False)
    match action:
        case Action.CONFIRM:
            return there and state.plan == "gold"
        case Action.COMPENSATE:
            return there
        case Action.RETRY:
            return not state.present
        case Action.CLOSE:
            return True


def _acknowledge(world: World) -> None:
    now = world.submit.clock.now()
    until = after(now, timedelta(hours=1))
    given = Acknowledgement(by="alice", at=now, until=until, drain_rate=4, reason="a purge; it is understood")
    world.ledger.acknowledge(given)
    world.tell("permits sweeps to act above the cap")
