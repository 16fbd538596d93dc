"""The first part of the story: two hundred promises, of which a good share gets lost on the way, and how they heal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from makegood_cli.demo import losses, producers
from makegood_cli.demo.auditor import world
from makegood_cli.demo.plan import Cause
from makegood_cli.demo.waiting import Pace, until
from makegood_cli.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from makegood.domain.operation import Operation
    from makegood.domain.promise import Promise
    from makegood.flows.submit import Submit

    from makegood_cli.demo.auditor.world import World
    from makegood_cli.demo.plan import Plan
    from makegood_cli.demo.progress import Reporter
    from makegood_cli.demo.stage import Stage

PER_SECOND = 25.0  #: promises
QUIET_SECONDS = 60.0  #: of patience until the workers have done what they can
WAITING = frozenset({"pending", "processing", "retry_scheduled"})


@dataclass(slots=True, kw_only=True)
class Losing:
    """Promises the lines of the file, and loses what the plan says."""

    stage: Stage
    plan: Plan
    promises: Sequence[Promise]  #: by line
    report: Reporter
    pace: Pace = field(default_factory=lambda: Pace(PER_SECOND))
    producers_of: Mapping[Cause | None, Submit] = field(init=False)  #: by what becomes of their messages
    operations: dict[int, Operation] = field(default_factory=dict)  #: by line

    def __post_init__(self) -> None:
        """Put the producers together."""
        submit = self._submit()
        self.producers_of = {
            Cause.SEND_FAILED: producers.failing(submit, self.stage.clients, producers.urls(self.stage.outputs)),
            Cause.SEND_LOST: producers.losing(submit),
        }

    def run(self) -> World:
        """Lose work in every way of the plan; return what stood there before any sweep could help."""
        losses.forget_keys(self.stage)
        self._kill()
        self._promise_the_rest()
        self._purge()
        return world.look(self.stage.where)

    def deliver_again(self) -> None:
        """Deliver messages once more whose operations are confirmed by now."""
        self.report.step(f"Delivering {len(self.plan.again)} messages again, of operations that are confirmed")
        for line in sorted(self.plan.again):
            self.stage.stack.rooms.submit.dispatch(self.operations[line])
        self._until_quiet("default")

    def ids(self, lines: Iterable[int]) -> list[str]:
        """Name the operations of these lines."""
        return [self.operations[line].operation_id for line in lines if line in self.operations]

    def _kill(self) -> None:
        lines = self.plan.of(Cause.WORKER_KILLED)
        entities = [self.promises[line].entity for line in lines]
        self.report.step(f"Killing the worker in the middle of {len(lines)} calls")
        losses.silence(self.stage, entities, name="killed")
        with losses.paused(self.stage, "high"):  # so that one batch holds them all
            self._promise(lines, self._submit())
        killed = losses.kill_in_the_middle(self.stage, entities)
        self.report.tell(f"{counted(killed, 'worker')} killed; the CRM had applied half of the calls")

    def _promise_the_rest(self) -> None:
        silent = [self.promises[line].entity for line in self.plan.of(Cause.ANSWER_LOST)]
        losses.silence(self.stage, silent, name="silent")
        lines = self.plan.rest()
        self.report.step(f"Promising {len(lines)} operations, {PER_SECOND:.0f} a second")
        by_cause = {cause: len(self.plan.of(cause)) for cause in (Cause.SEND_FAILED, Cause.SEND_LOST)}
        self.report.tell(f"{by_cause[Cause.SEND_FAILED]} sends fail, {by_cause[Cause.SEND_LOST]} are lost on their way")
        self.report.tell(f"{len(silent)} calls get no answer; {len(self.plan.twice)} messages are delivered twice")
        for line in lines:
            self._promise([line], self.producers_of.get(self.plan.causes.get(line), self._submit()))
            if line in self.plan.twice:
                self._submit().dispatch(self.operations[line])
        self._until_quiet("default")

    def _purge(self) -> None:
        lines = self.plan.of(Cause.QUEUE_PURGED)
        self.report.step(f"Purging a queue with {len(lines)} messages in it")
        with losses.paused(self.stage, "default"):
            self._promise(lines, self._submit())
            purged = losses.purge(self.stage, "default", when=len(lines))
        self.report.tell(f"{purged} messages purged")
        self._until_quiet("default")

    def _promise(self, lines: Iterable[int], submit: Submit) -> None:
        for line in lines:
            self.pace.keep()
            self.operations[line] = submit(self.promises[line]).operation
            self.report.now(f"{len(self.operations)} of {len(self.promises)}")

    def _submit(self) -> Submit:
        return self.stage.stack.rooms.submit

    def _until_quiet(self, queue: str) -> None:
        """Wait until the queue holds nothing, not even in a worker's hands, and nothing moves but what is lost."""
        lost = set(self.ids(self.plan.causes))

        def is_quiet() -> bool:
            found = world.statuses(self.stage.where)
            self.report.now(tallied(found))
            moving = [
                identifier for identifier, status in found.items() if status in WAITING and identifier not in lost
            ]
            return not moving and not world.depth(self.stage.where, queue)

        until(is_quiet, seconds=QUIET_SECONDS)


def tallied(statuses: Mapping[str, str]) -> str:
    """Say how many there are of each status."""
    return ", ".join(f"{count} {name}" for name, count in sorted(Counter(statuses.values()).items()))
