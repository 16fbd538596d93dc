"""What producers and other hands send: promises, whose messages may get lost, and messages of every kind."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.domain import hint
from makegood.domain.instant import after
from makegood.domain.operation import QueueName
from makegood.domain.promise import Promise
from makegood_cli.demo import losses, producers
from makegood_cli.demo.waiting import until

if TYPE_CHECKING:
    from makegood.domain.instant import Instant
    from makegood.flows.submit import Submit, Submitted

    from tests.schedules.plan import Act
    from tests.schedules.scene import Scene

PROMISED_SECONDS = 15.0  #: how long what follows a promise waits for it
RECEIVES = 5  #: the template's maxReceiveCount


def promise(scene: Scene, act: Act) -> None:
    """Promise it."""
    _submitted(scene, act.whom, scene.submit)


def promise_unsent(scene: Scene, act: Act) -> None:
    """Promise it while the queue does not exist."""
    _submitted(scene, act.whom, producers.failing(scene.submit, scene.stage.clients, scene.urls))


def promise_lost(scene: Scene, act: Act) -> None:
    """Promise it, and lose the message that was taken."""
    _submitted(scene, act.whom, producers.losing(scene.submit))


def promise_again(scene: Scene, act: Act) -> None:
    """Promise it once more; that is the same promise."""
    until(lambda: act.whom in scene.promised, seconds=PROMISED_SECONDS)
    if _submitted(scene, act.whom, scene.submit).created:
        scene.wrong.append(f"{act.whom} was promised twice, and created twice")


def _submitted(scene: Scene, name: str, submit: Submit) -> Submitted:
    ordered, now = scene.orders[name], scene.stage.stack.rooms.clock.now()
    made = submit(
        Promise(
            operation_type=ordered.operation_type,
            entity=ordered.entity,
            expected_version=ordered.version,
            expected_fields=dict(ordered.fields),
            operation_id=ordered.name,
            queue=QueueName(ordered.queue) if ordered.queue else None,
            not_before=_in(now, ordered.starts_in),
            deadline_at=_in(now, ordered.ends_in),
        )
    )
    scene.promised[name] = made.operation
    return made


def _in(now: Instant, seconds: float | None) -> Instant | None:
    return None if seconds is None else after(now, timedelta(seconds=seconds))


def double(scene: Scene, act: Act) -> None:
    """Send a second message."""
    if until(lambda: act.whom in scene.promised, seconds=PROMISED_SECONDS):
        scene.submit.dispatch(scene.promised[act.whom])


def late_message(scene: Scene, act: Act) -> None:
    """Send a message that comes late."""
    scene.send("default", hint.render(act.whom), delay=int(act.number))


def forged(scene: Scene, act: Act) -> None:
    """Send a message for what nobody promised."""
    scene.send("default", hint.render(act.whom))


def garbage(scene: Scene, act: Act) -> None:
    """Send a message that names nothing."""
    scene.send(act.whom, act.text)


def peeked(scene: Scene, act: Act) -> None:
    """Promise with the queue standing still, and receive the message until SQS puts it among the dead letters."""
    sqs, queue = scene.stage.clients.of("sqs"), scene.orders[act.whom].queue or "default"
    url, before = scene.urls[QueueName(queue)], losses.depth(scene.stage, f"{queue}, dead letters")
    with losses.paused(scene.stage, queue):
        _submitted(scene, act.whom, scene.submit)
        for _ in range(RECEIVES + 1):
            sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=0)
    scene.saw("a message became a dead letter", losses.depth(scene.stage, f"{queue}, dead letters") > before)
