"""What people do in a story, each in a process of its own; and what a remote says of itself."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from makegood import bootstrap
from makegood.domain import acknowledging, result_file
from makegood.domain.errors import StoreError
from makegood.domain.history import Actor, Role
from makegood.domain.operation import OperationId
from makegood.domain.review import Wish
from makegood.settings import StackSettings, SweepSettings

from tests.crash.house import SECRET

if TYPE_CHECKING:
    from makegood import Attempt, Done
    from makegood.domain.review import Action

    from tests.crash.house import House
    from tests.crash.story import Step, Story

ALICE = Actor(role=Role.OPERATOR, name="alice")
OP_1 = OperationId("op-1")


def cancel(house: House, name: OperationId) -> None:
    """Let a person cancel an operation."""
    with house.process(), suppress(StoreError):
        bootstrap.connect(SweepSettings.read()).cancel(name, reason="ordered twice", actor=ALICE)


def cancels(house: House) -> None:
    """Let a person cancel the operation."""
    cancel(house, OP_1)


def decide(house: House, action: Action, name: OperationId, stated: str | None = None) -> None:
    """Let a person look at an operation and decide upon it, if that still fits."""
    with house.process(), suppress(StoreError):
        review = bootstrap.connect(SweepSettings.read()).review
        wish = Wish(
            operation_id=name,
            action=action,
            reason="the CRM was restored",
            seen_revision=review.case(name).operation.revision,
            stated=stated,
        )
        review.decide(wish, actor=ALICE)


def decides(action: Action, name: str = "op-1", stated: str | None = None) -> Step:
    """Let a person look at the operation and decide upon it."""
    return lambda house: decide(house, action, OperationId(name), stated)


def acknowledges_itself(house: House) -> None:
    """Let the remote say by itself that the effect is there."""
    said: dict[str, Any] = {"operation_id": OP_1, "version": 7, "fields": {"plan": "gold"}, "remote_id": "r-1"}
    body, at = json.dumps(said).encode(), house.clock.now() // 1000
    signature = f"t={at},v1={acknowledging.sign(body, secret=SECRET, at=at)}"
    with house.process(), suppress(StoreError):
        bootstrap.parts(StackSettings.read()).acknowledge()("acknowledged", body, signature)


def checks(*lines: dict[str, Any]) -> Step:
    """Let a person check what awaits confirmation against a result file."""

    def check(house: House) -> None:
        read = result_file.read(map(json.dumps, lines), name="results.jsonl")
        with house.process(), suppress(StoreError):
            bootstrap.connect(SweepSettings.read()).check("watched", read, dry_run=False, by="alice")

    return check


def cancelled_meanwhile(house: House) -> None:
    """Let a person cancel during the call, which then is done."""

    def reply(attempt: Attempt) -> Done:
        with house.wire.beside():
            bootstrap.connect(SweepSettings.read()).cancel(OP_1, reason="ordered twice", actor=ALICE)
        return house.remote.done(attempt)

    house.remote.script["op-1"] = [reply]


def twice(story: Story) -> Story:
    """Let the step be taken once more after the blow: a person who saw no answer asks again."""
    return replace(story, then=story.step)
