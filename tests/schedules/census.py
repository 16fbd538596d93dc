"""What was really seen, counted from rows, runs, logs and the remote: where nothing went wrong, nothing was shown."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from makegood_cli.demo.auditor import lifecycle
from makegood_cli.local import processes
from makegood_cli.local.crm_faults import KINDS

from tests.schedules.play import UNCLAIMED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.schedules.play import Played

_VERBS = {
    "su": "submit", "cl": "claim", "cf": "confirm", "cd": "compensated", "aw": "await", "sr": "schedule_retry",
    "es": "escalate", "cs": "close", "to": "touch", "rl": "release", "cp": "confirm_by_proof",
    "dp": "compensated_by_proof", "rq": "requeue", "ob": "observe_again", "rt": "retry", "co": "compensate",
    "ca": "request_cancel",
}  # fmt: skip
TIMED_OUT = "a worker timed out"
DIED = "a worker died in its call"
RECEIVED_AGAIN = "a message was received again"
OUTLIVED = "a message outlived its worker and came again"
REDELIVERED = "a message came again"  #: one of both

#: what every lot of four schedules must show, also on a busy machine; what of it all is seen besides, the census says
FLOORS: Mapping[str, int] = {
    **dict.fromkeys((TIMED_OUT, REDELIVERED), 1),
    **{f"run {outcome}": 1 for outcome in ("completed", "dry", "observed", "halted")},
    **{f"role {role}": 10 for role in "pwr"},
    "a killed worker's message came again": 1,
    "calm after all faults": 1,
    "workers killed": 1,
    "workers frozen": 1,
    "a message became a dead letter": 1,
    "messages purged": 5,
    "a stale decision is refused": 1,
    "decisions taken": 3,
    "kinds of verbs": 11,
    "kinds of verdicts": 3,
    "kinds of faults": 10,
}


def census(played: Played) -> Counter[str]:
    """Count all of it."""
    now = played.case.now
    seen = Counter(played.scene.seen)
    for row in now.rows.values():
        seen[f"ended {row.status}"] += 1
        seen.update(f"verb {_VERBS[entry.verb]}" for entry in row.entries if entry.verb in _VERBS)
        seen.update(f"role {entry.role}" for entry in row.entries if entry.role)
        seen[OUTLIVED] += row.count(lifecycle.RELEASE) > 0 and not UNCLAIMED.isdisjoint(
            now.turned_away.get(row.operation_id, ())
        )
    for run in now.runs:
        seen.update({f"verdict {kind}": count for kind, count in run["verdicts"].items()})
    _of_faults(played, seen)
    _of_the_doors(played, seen)
    for kind in ("verb", "verdict", "fault"):
        seen[f"kinds of {kind}s"] = sum(count > 0 for name, count in seen.items() if name.startswith(f"{kind} "))
    seen[REDELIVERED] = seen[RECEIVED_AGAIN] + seen[OUTLIVED]
    seen["decisions taken"] = sum(count for name, count in seen.items() if name.startswith("decision "))
    return seen


def too_rare(seen: Counter[str]) -> dict[str, int]:
    """Name what was seen less often than it must be, and how often it was."""
    return {name: seen[name] for name, least in FLOORS.items() if seen[name] < least}


def _of_faults(played: Played, seen: Counter[str]) -> None:
    struck = Counter[str]()
    for name, hits in played.hits.items():
        struck[played.faults[name].kind] += hits
    seen.update({f"fault {kind}": struck[kind] for kind in KINDS})


def _of_the_doors(played: Played, seen: Counter[str]) -> None:
    """Count time-outs and deaths by the engine's own log, and messages that were received again by the worker's."""
    stage = played.scene.stage
    log = processes.log_of("engine", state=stage.places.state).read_text(errors="replace")
    worker = re.escape(stage.outputs["WorkerFunctionName"])
    seen[TIMED_OUT] = len(re.findall(rf"Lambda {worker} timed out after", log))
    seen[DIED] = len(re.findall(rf"Lambda {worker} failed processing SQS batch .*Worker process died", log))
    named = Counter(message for message in _malformed(played))
    seen[RECEIVED_AGAIN] = sum(times > 1 for times in named.values())


def _malformed(played: Played) -> list[str]:
    """Return the ids of messages that named nothing, once for each time that a worker got them."""
    where = played.scene.stage.where
    pages = where.logs.get_paginator("filter_log_events").paginate(
        logGroupName=where.worker_log, filterPattern='"message_id"'
    )
    lines = [line for page in pages for event in page["events"] for line in event["message"].splitlines()]
    said = [json.loads(line) for line in lines if line.startswith("{") and '"message_id"' in line]
    return [line["message_id"] for line in said]
