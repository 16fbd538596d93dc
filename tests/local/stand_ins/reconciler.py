"""A reconciler that sweeps nothing and says so in a metric."""

from __future__ import annotations

import json
import os
import time
from typing import Any


def handler(event: dict[str, Any], _: object) -> dict[str, Any]:
    """Write what it was called with and one metric line; stay for `seconds` if asked to."""
    print(json.dumps({"event": "sweep", "called_with": event}))  # noqa: T201 - a function's standard output is its log
    print(json.dumps(_metric_line(halted=event.get("halted", 0))))  # noqa: T201
    time.sleep(event.get("seconds", 0))
    return {"called_with": event}


def _metric_line(*, halted: int) -> dict[str, Any]:
    names = ("SweepCompleted", "SweepHalted")
    directive = {
        "Namespace": "Makegood",
        "Dimensions": [["stack"]],
        "Metrics": [{"Name": name, "Unit": "Count"} for name in names],
    }
    about = {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]}
    return {"_aws": about, "stack": os.environ["MAKEGOOD_STACK"], "SweepCompleted": [1], "SweepHalted": [halted]}
