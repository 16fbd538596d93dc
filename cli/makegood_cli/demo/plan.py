"""What is to happen to which operation: a function of the seed, so that a run can be repeated."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Cause(StrEnum):
    """How work gets lost in the demo."""

    QUEUE_PURGED = "queue_purged"  #: its message was in a queue that somebody purged
    SEND_FAILED = "send_failed"  #: the producer's send failed after the row was written
    SEND_LOST = "send_lost"  #: the producer was told "sent", and no message ever came
    WORKER_KILLED = "worker_killed"  #: in the middle of its call
    ANSWER_LOST = "answer_lost"  #: the call timed out; the CRM may have applied it


LOST: Mapping[Cause, int] = {
    Cause.QUEUE_PURGED: 24,
    Cause.SEND_FAILED: 12,
    Cause.SEND_LOST: 12,
    Cause.WORKER_KILLED: 4,
    Cause.ANSWER_LOST: 6,
}
TWICE = 16  #: delivered twice at once
AGAIN = 16  #: delivered once more when they are long confirmed
DISPATCH_LOST = (Cause.QUEUE_PURGED, Cause.SEND_FAILED, Cause.SEND_LOST)
ON_HIGH = frozenset({Cause.WORKER_KILLED})  #: happens on the queue `high`; all else on `default`


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What happens to the lines of the file, by their position."""

    order: tuple[int, ...]  #: in which they are promised
    causes: Mapping[int, Cause]  #: those that get lost
    twice: frozenset[int]
    again: frozenset[int]

    def of(self, *causes: Cause) -> tuple[int, ...]:
        """Return the lines that one of these causes hits, in their order."""
        return tuple(line for line in self.order if self.causes.get(line) in causes)

    def rest(self) -> tuple[int, ...]:
        """Return the lines that neither lie in the purged queue nor with the killed worker."""
        return tuple(
            line for line in self.order if self.causes.get(line) not in {Cause.QUEUE_PURGED, Cause.WORKER_KILLED}
        )


def planned(queues: Sequence[str], *, seed: int) -> Plan:
    """Draw a plan for a file whose lines go to these queues."""
    draw = random.Random(seed)  # noqa: S311 - a repeatable draw, no secret
    order = draw.sample(range(len(queues)), len(queues))
    spare = {name: [line for line in order if queues[line] == name] for name in ("high", "default")}
    causes: dict[int, Cause] = {}
    for cause, number in LOST.items():
        pool = spare["high" if cause in ON_HIGH else "default"]
        causes.update(dict.fromkeys((pool.pop() for _ in range(number)), cause))
    ordinary = [line for line in order if line not in causes]
    doubled = draw.sample(ordinary, TWICE + AGAIN)
    return Plan(order=tuple(order), causes=causes, twice=frozenset(doubled[:TWICE]), again=frozenset(doubled[TWICE:]))


def intended(plan: Plan) -> dict[str, int]:
    """Count what a plan loses, by cause."""
    return {cause.value: count for cause, count in Counter(plan.causes.values()).items()}
