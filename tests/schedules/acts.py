"""Doing what a plan says, to the real stack: each act is one function of the stage."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from makegood.domain import hint
from makegood.domain.history import Actor, Role
from makegood.domain.instant import after
from makegood.domain.operation import OperationId, QueueName
from makegood.flows.order import SweepOrder
from makegood_cli.demo import losses
from makegood_cli.demo.waiting import until
from makegood_cli.exits import Ended
from makegood_cli.local import workers
from makegood_cli.local.crm_faults import Fault

from tests.schedules import people, producing
from tests.schedules.plan import What

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from tests.schedules.plan import Act
    from tests.schedules.scene import Scene

CALLED_SECONDS = 15.0  #: how long what follows a call waits for it
STRIKES_SECONDS = 6.0  #: and how long a blow waits for the call that it is to strike
TIMES_OUT_SECONDS = 5.5  #: longer than the worker's time-out in the local profile, and than a message takes to it


def do(scene: Scene, act: Act) -> None:
    """Let it happen."""
    _DEEDS[act.what](scene, act)
    scene.tells(act)
    scene.saw(f"act: {act.what.value}")


def _pause(scene: Scene, act: Act) -> None:
    with losses.paused(scene.stage, act.whom):
        time.sleep(act.number)


def _purge(scene: Scene, act: Act) -> None:
    """Let messages gather, and purge them."""
    with losses.paused(scene.stage, act.whom):
        time.sleep(act.number)
        scene.saw("messages purged", losses.purge(scene.stage, act.whom, when=0))


def _kill(scene: Scene, act: Act) -> None:
    _until_called(scene, act)
    scene.saw("workers killed", losses.kill(scene.stage))


def _freeze(scene: Scene, act: Act) -> None:
    """Stop the workers' processes where they are, past their time-out: those in a call are ended, the idle go on."""
    _until_called(scene, act)
    frozen = workers.running(scene.stage.places, scene.stage.outputs["WorkerFunctionName"])
    _signal(frozen, signal.SIGSTOP)
    for queue in QueueName:
        scene.send(queue, hint.render(act.whom))  # and whoever was idle gets something to sleep over
    time.sleep(TIMES_OUT_SECONDS)
    _signal(frozen, signal.SIGCONT)
    scene.saw("workers frozen", len(frozen))


def _signal(processes: Collection[int], number: signal.Signals) -> None:
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _until_called(scene: Scene, act: Act) -> None:
    """Wait for the call that is to be struck; on a machine that is too busy the blow falls all the same."""
    entity = scene.orders[act.whom].entity
    until(lambda: any(call.entity == entity for call in scene.stage.crm.log()), seconds=STRIKES_SECONDS, every=0.05)


def _down(scene: Scene, act: Act) -> None:
    fault = Fault(kind="down", entity=act.whom, seconds=act.number or None)
    scene.stage.crm.set_fault(fault, name=f"down {act.whom}")


def _up(scene: Scene, act: Act) -> None:
    """End it; the fault stays listed, so that the auditor can tell whom it struck."""
    scene.saw("fault down", scene.stage.crm.hits()[f"down {act.whom}"])
    scene.stage.crm.set_fault(Fault(kind="down", entity=act.whom, probability=0.0), name=f"down {act.whom}")


def _elsewhere(scene: Scene, act: Act) -> None:
    ordered, ahead = scene.orders[act.whom], int(act.number)
    if ahead or until(lambda: _has_landed(scene, ordered.entity), seconds=CALLED_SECONDS):
        fields = {**ordered.fields, "city": losses.ELSEWHERE, "plan": "silver"}
        name, version = ordered.entity.partition("/")[2], ordered.version + ahead
        scene.stage.crm.change_elsewhere(name, version=version, fields=fields)


def _has_landed(scene: Scene, entity: str) -> bool:
    return any(call.entity == entity and call.applied for call in scene.stage.crm.log())


def _cancel(scene: Scene, act: Act) -> None:
    if until(lambda: act.whom in scene.promised, seconds=CALLED_SECONDS):
        actor = Actor(role=Role.PRODUCER)
        scene.stage.stack.rooms.cancel(OperationId(act.whom), reason="the customer withdrew it", actor=actor)


def _sweep(scene: Scene, _: Act) -> None:
    swept(scene, {})


def _sweep_part(scene: Scene, act: Act) -> None:
    swept(scene, {"limit": 1 + int(act.at) % 3, "operation_types": ["sync_customer"]})


def _dry_run(scene: Scene, _: Act) -> None:
    swept(scene, {"dry_run": True})


def _sweep_twice(scene: Scene, act: Act) -> None:
    """Sweep twice at once by the flow itself, where no reserved concurrency is in the way: the lease must do."""
    rooms = scene.stage.stack.rooms
    order = SweepOrder(run_id=f"twice-{act.at}", until=after(rooms.clock.now(), timedelta(seconds=20)))
    with ThreadPoolExecutor(2) as pool:
        for run in [pool.submit(rooms.sweep, order) for _ in range(2)]:
            scene.saw(f"run {run.result().record.outcome.value}")


def swept(scene: Scene, event: Mapping[str, object]) -> Mapping[str, Any] | None:
    """Run the reconciler's door once; none if another run was in the way."""
    try:
        run = scene.stage.stack.sweep(event)
    except Ended as error:
        scene.saw("a sweep was refused")
        if "another sweep" not in str(error):
            scene.wrong.append(str(error))
        return None
    scene.saw(f"run {'dry' if run['dry_run'] else run['outcome']}")
    return run


def _visit(scene: Scene, act: Act) -> None:
    people.visit(scene, mark=act.whom, seed=int(act.number))


_DEEDS: Mapping[What, Callable[[Scene, Act], None]] = {
    What.PROMISE: producing.promise,
    What.PROMISE_UNSENT: producing.promise_unsent,
    What.PROMISE_LOST: producing.promise_lost,
    What.PROMISE_AGAIN: producing.promise_again,
    What.DOUBLE: producing.double,
    What.LATE_MESSAGE: producing.late_message,
    What.FORGED: producing.forged,
    What.GARBAGE: producing.garbage,
    What.PEEKED: producing.peeked,
    What.PAUSE: _pause,
    What.PURGE: _purge,
    What.KILL: _kill,
    What.FREEZE: _freeze,
    What.DOWN: _down,
    What.UP: _up,
    What.ELSEWHERE: _elsewhere,
    What.CANCEL: _cancel,
    What.SWEEP: _sweep,
    What.SWEEP_TWICE: _sweep_twice,
    What.SWEEP_PART: _sweep_part,
    What.DRY_RUN: _dry_run,
    What.VISIT: _visit,
}
