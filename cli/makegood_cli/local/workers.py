"""The processes in which the engine runs the functions: found, and killed in the middle of a call."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from makegood_cli.local import engine, processes

if TYPE_CHECKING:
    from makegood_cli.local.places import Places


def running(places: Places, function: str) -> tuple[int, ...]:
    """Return the ids of the processes that hold that function, busy or idle.

    The engine keeps one for each call at a time; they live in its process group, in a folder named for the function.
    """
    here = engine.running(places)
    if here is None:
        return ()
    mark = f"/ministack-lambda-{function}-"
    return tuple(pid for pid, command in processes.group_of(here.process) if mark in command)


def kill(places: Places, function: str) -> int:
    """Kill every process of that function at once, as a crash would; return how many.

    A call that one of them was in has no answer, and its messages come back after their visibility time-out; the next
    call replaces an idle one unseen.
    """
    killed = 0
    for pid in running(places, function):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        killed += 1
    return killed
