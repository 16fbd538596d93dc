"""Sweeping: the schedule's run is waited for, the others are started here, until nothing moves but by a person."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from makegood_cli.demo.auditor import world
from makegood_cli.demo.promising import WAITING, tallied
from makegood_cli.demo.waiting import until
from makegood_cli.exits import Ended

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from makegood_cli.demo.progress import Reporter
    from makegood_cli.demo.stage import Stage

OURS = "demo-"  #: how the ids of runs begin that are started here; those of the schedule are Lambda's own
SCHEDULE_SECONDS = 150.0  #: the grain is a minute, the engine looks every 10 s, and a busy machine may lose a tick
HEALED_SECONDS = 90.0
SWEPT_SECONDS = 30.0
MOVING = WAITING | {"awaiting_confirmation"}
OF_SWEEPS = MOVING - {"retry_scheduled"}  #: what only a sweep moves on; a retry has its message on the way


@dataclass(slots=True, kw_only=True)
class Healing:
    """Starts sweeps and watches what they do."""

    stage: Stage
    report: Reporter
    started: int = 0

    def wait_for_the_schedule(self) -> bool:
        """Wait until EventBridge's own schedule has started a sweep; say whether it did."""
        self.report.step("Waiting for the sweep that EventBridge's own schedule starts")
        ran = until(lambda: self._of_schedule() is not None, seconds=SCHEDULE_SECONDS, every=0.5)
        run = self._of_schedule()
        if run is not None:
            self.report.tell(f"it {told(run)}")
        return ran

    def sweep_until_healed(self, identifiers: Collection[str]) -> bool:
        """Sweep whenever something is due, until these have ended or wait for a person; say whether they all did."""
        return self._sweep_until_none_is(MOVING, identifiers)

    def sweep_until_sent(self, identifiers: Collection[str]) -> bool:
        """Sweep in the same way, until at most retries are under way, which need no sweep; say whether that came."""
        return self._sweep_until_none_is(OF_SWEEPS, identifiers)

    def _sweep_until_none_is(self, moving: Collection[str], identifiers: Collection[str]) -> bool:
        def is_over() -> bool:
            found = world.statuses(self.stage.where)
            mine = {identifier: status for identifier, status in found.items() if identifier in identifiers}
            self.report.now(tallied(mine))
            if not any(status in moving for status in mine.values()):
                return True
            if self._is_due(identifiers):
                self._tell(self.sweep())
            return False

        return until(is_over, seconds=HEALED_SECONDS, every=0.5)

    def sweep_now(self) -> bool:
        """Sweep once, and again if another run was in the way; say whether a run of ours went through."""

        def is_swept() -> bool:
            run = self.sweep()
            if run is None or run["outcome"] == "overlapped":
                return False
            self._tell(run)
            return True

        return until(is_swept, seconds=SWEPT_SECONDS)

    def sweep(self) -> Mapping[str, Any] | None:
        """Run the reconciler's door once; `None` if another sweep was running, or this one failed."""
        self.started += 1
        try:
            return self.stage.stack.sweep({"run_id": f"{OURS}{self.started}"})
        except Ended as error:
            self.report.tell(str(error))
            return None

    def _tell(self, run: Mapping[str, Any] | None) -> None:
        if run and run["scanned"]:
            self.report.tell(f"a sweep {told(run)}")
            for words in run["not_asked"].values():
                self.report.tell(f"it stopped asking: {words}")

    def _of_schedule(self) -> Mapping[str, Any] | None:
        runs = world.runs(self.stage.where)
        return next((run for run in runs if not run["run_id"].startswith(OURS)), None)

    def _is_due(self, identifiers: Collection[str]) -> bool:
        now = time.time() * 1000
        index = world.index(self.stage.where)
        return any(at <= now and shard != "review" and name in identifiers for name, (shard, at) in index.items())


def told(run: Mapping[str, Any]) -> str:
    """Say what a run did: `found 48 lost_dispatch, saw 3 correct; 48 touch, 3 confirm_by_proof`."""
    verdicts = f", saw {_said(run['verdicts'], '')}" if run["verdicts"] else ""
    return f"found {_said(run['anomalies'], 'no anomaly')}{verdicts}; {_said(run['acted'], 'nothing moved')}"


def _said(counts: Mapping[str, int], nothing: str) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or nothing
