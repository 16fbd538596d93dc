"""The first part of the story: two hundred promises, of which a good share gets lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from makegood_cli.demo import losses, producers
from makegood_cli.demo.auditor import world
from makegood_cli.demo.plan import Cause
from makegood_cli.demo.promising import PER_SECOND
from makegood_cli.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.flows.submit import Submit

    from makegood_cli.demo.auditor.world import World
    from makegood_cli.demo.plan import Plan
    from makegood_cli.demo.progress import Reporter
    from makegood_cli.demo.promising import Promising
    from makegood_cli.demo.stage import Stage


@dataclass(slots=True, kw_only=True)
class Losing:
    """Promises the lines of the file, and loses what the plan says."""

    promising: Promising
    stage: Stage = field(init=False)
    plan: Plan = field(init=False)
    report: Reporter = field(init=False)
    producers_of: Mapping[Cause | None, Submit] = field(init=False)  #: by what becomes of their messages

    def __post_init__(self) -> None:
        """Put the producers together."""
        self.stage, self.plan, self.report = self.promising.stage, self.promising.plan, self.promising.report
        submit = self.promising.submit
        self.producers_of = {
            Cause.SEND_FAILED: producers.failing(submit, self.stage.clients, producers.urls(self.stage.outputs)),
            Cause.SEND_LOST: producers.losing(submit),
        }

    def kill(self) -> None:
        """Kill the worker in the middle of its calls; from the first call on, the CRM forgets every key."""
        losses.forget_keys(self.stage)
        lines = self.plan.of(Cause.WORKER_KILLED)
        entities = self.promising.entities(lines)
        self.report.step(f"Killing the worker in the middle of {len(lines)} calls")
        losses.silence(self.stage, entities, name="killed")
        with losses.paused(self.stage, "high"):  # so that one batch holds them all
            self.promising.promise(lines)
        losses.until_called(self.stage, entities)
        killed = losses.kill(self.stage)
        self.report.tell(f"{counted(killed, 'worker')} killed; the CRM had applied half of the calls")

    def lose(self) -> World:
        """Lose messages in every way of the plan; return what stood there then."""
        self._promise_the_rest()
        self._purge()
        return world.look(self.stage.where)

    def deliver_again(self) -> None:
        """Deliver messages once more whose operations are confirmed by now."""
        self.report.step(f"Delivering {len(self.plan.again)} messages again, of operations that are confirmed")
        for line in sorted(self.plan.again):
            self.promising.deliver(line)
        self.promising.until_quiet("default")

    def _promise_the_rest(self) -> None:
        silent = self.promising.entities(self.plan.of(Cause.ANSWER_LOST))
        losses.silence(self.stage, silent, name="silent")
        lines = self.plan.rest()
        self.report.step(f"Promising {len(lines)} operations, {PER_SECOND:.0f} a second")
        by_cause = {cause: len(self.plan.of(cause)) for cause in (Cause.SEND_FAILED, Cause.SEND_LOST)}
        self.report.tell(f"{by_cause[Cause.SEND_FAILED]} sends fail, {by_cause[Cause.SEND_LOST]} are lost on their way")
        self.report.tell(f"{len(silent)} calls get no answer; {len(self.plan.twice)} messages are delivered twice")
        for line in lines:
            self.promising.promise([line], self.producers_of.get(self.plan.causes.get(line)))
            if line in self.plan.twice:
                self.promising.deliver(line)
        self.promising.until_quiet("default")

    def _purge(self) -> None:
        lines = self.plan.of(Cause.QUEUE_PURGED)
        self.report.step(f"Purging a queue with {len(lines)} messages in it")
        with losses.paused(self.stage, "default"):
            self.promising.promise(lines)
            purged = losses.purge(self.stage, "default", when=len(lines))
        self.report.tell(f"{purged} messages purged")
        self.promising.until_quiet("default")
