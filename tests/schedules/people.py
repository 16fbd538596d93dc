"""People: they look in at their schedule's operations, see what the remote really holds, and decide.

They go the road of `makegood decide`. What they state is so; now and then they decide on an older state than the row
has by now.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from makegood.domain.history import Actor, Role
from makegood.domain.operation import Intent, Operation, OperationId
from makegood.domain.review import Action, Wish
from makegood.flows.cancel import Refused
from makegood.flows.review import Case
from makegood_cli.demo.auditor import world
from makegood_cli.local.crm_records import Kind

if TYPE_CHECKING:
    from makegood_cli.local.crm_records import LoggedCall

    from tests.schedules.scene import Scene

AT_MOST = 1000  #: cases that a visit walks
STILL_HANGS = 20.0  #: seconds; what the remote has not said of a call by then it will never say
SEVERAL = 4  #: decisions of one visit


def visit(scene: Scene, *, mark: str, seed: int) -> None:
    """Decide on some of what waits, and now and then on what is still being looked at."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable draw, no secret
    review = scene.stage.stack.rooms.review
    waiting = [case for case in review.exceptions(AT_MOST) if isinstance(case, Case)]
    mine = [case for case in waiting if case.operation.operation_id.startswith(mark)]
    for case in chance.sample(mine, min(len(mine), SEVERAL)):
        _decide(scene, case, chance)
    looked_at = [
        name
        for name, status in world.statuses(scene.stage.where).items()
        if name.startswith(mark) and status == "awaiting_confirmation"
    ]
    if looked_at and chance.random() < 0.5:
        _decide(scene, review.case(OperationId(chance.choice(looked_at))), chance)


def _decide(scene: Scene, case: Case, chance: random.Random) -> None:
    row, is_stale = case.operation, chance.random() < 0.2
    fitting = [action for action in Action if _is_so(scene, row, action)]
    action = chance.choice([*Action, *fitting, *([case.recommended] if case.recommended else [])])
    wish = Wish(
        operation_id=row.operation_id,
        action=action,
        reason="seen and decided",
        seen_revision=row.revision - is_stale,
        stated="looked there myself" if action in fitting else None,
        remote_id="seen-there" if action in fitting else None,
    )
    stack = scene.stage.stack
    answer = stack.rooms.review.decide(wish, actor=Actor(role=Role.OPERATOR, name=stack.who()))
    refused = isinstance(answer, Refused)
    scene.saw(f"decision {action.value}" if not refused else f"a {'stale ' if is_stale else ''}decision is refused")
    if is_stale and not refused:
        scene.wrong.append(f"{row.operation_id}: {action.value} was taken for a revision that nobody has any more")


def _is_so(scene: Scene, row: Operation, action: Action) -> bool:
    """Say whether what a person would state with a decision is certainly so."""
    calls = [call for call in scene.stage.crm.log() if call.operation_id == row.operation_id]
    if any(map(_may_land, calls)):
        return False
    made = any(call.applied and call.kind is not Kind.WITHDRAW for call in calls)
    standing = made and not any(call.applied and call.kind is Kind.WITHDRAW for call in calls)
    if row.intent is Intent.COMPENSATION:
        return {Action.CONFIRM: not standing, Action.RETRY: standing}.get(action, False)
    match action:
        case Action.CONFIRM | Action.COMPENSATE:
            return standing
        case Action.RETRY:
            return not made
        case Action.CLOSE:
            return not standing


def _may_land(call: LoggedCall) -> bool:
    return call.status is None and time.time() - call.received_at / 1000 < STILL_HANGS
