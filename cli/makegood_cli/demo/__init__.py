"""`makegood demo`: work is really lost, really healed, and audited by somebody who trusts nobody.

stage      a local stack of its own           planted    faults in what it deploys, on demand
plan       what happens to whom, by the seed  story      losing → doubting → healing → refusing
auditor    reads everything by itself         report     its figures and findings; screen prints them
"""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

from makegood_cli import console
from makegood_cli.commands.output import print_json
from makegood_cli.demo import planted, screen
from makegood_cli.demo.progress import Progress
from makegood_cli.demo.report import reported
from makegood_cli.demo.stage import staged
from makegood_cli.demo.story import tell
from makegood_cli.exits import Ended, ExitCode

if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

    from makegood_cli.demo.planted import Fault
    from makegood_cli.demo.story import Told
    from makegood_cli.local.places import Places


def run(places: Places, *, seed: int, fault: str | None, as_json: bool) -> int:
    """Run the demo and print its report; return the exit code: 0 only if all invariants hold and all was shown.

    Raises Ended for a fault that is not known, and what `makegood up` raises.
    """
    wanted = None if fault is None else _known(fault)
    signal.signal(signal.SIGTERM, _interrupted)  # whoever ends it, the stack is taken down
    began = time.monotonic()
    told = _played(places, wanted, seed=seed)
    report = reported(told, seed=seed, fault=fault, seconds=time.monotonic() - began)
    if as_json:
        print_json(report)
    else:
        screen.show(console.stdout(), report, told)
    return int(ExitCode.FINE if report["ok"] else ExitCode.FAULT)


def _known(name: str) -> Fault:
    try:
        return planted.fault_named(name)
    except planted.PlantError as error:
        raise Ended(ExitCode.USAGE, str(error)) from error


def _played(places: Places, fault: Fault | None, *, seed: int) -> Told:
    with Progress() as progress:
        progress.step("Starting a stack of its own")
        if fault:
            progress.tell(f"planted: {fault.says}")
        with staged(places, fault, progress=progress.now) as stage:
            told = tell(stage, progress, seed=seed)
            progress.step("Taking the stack down")
    return told


def _interrupted(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
