"""What is to happen to which operation: a function of the seed, so that a run can be repeated."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from makegood.domain.promise import Promise


class Cause(StrEnum):
    """What happens to work in the demo."""

    QUEUE_PURGED = "queue_purged"  #: its message was in a queue that somebody purged
    SEND_FAILED = "send_failed"  #: the producer's send failed after the row was written
    SEND_LOST = "send_lost"  #: the producer was told "sent", and no message ever came
    WORKER_KILLED = "worker_killed"  #: in the middle of its call
    ANSWER_LOST = "answer_lost"  #: the call timed out; the CRM may have applied it
    CHANGED = "changed_elsewhere"  #: so did this one, and meanwhile somebody else changed the customer
    CANCELLED = "cancelled"  #: so did this one, and meanwhile it was wanted no more
    CHARGE_LOST = "charge_lost"  #: so did this charge, and nobody can look a charge up
    OUTAGE = "outage"  #: so did this one, and then the CRM went down
    TURNED_AWAY = "turned_away"  #: the CRM was down and took no call


PLANNED: Mapping[Cause, int] = {
    Cause.QUEUE_PURGED: 24,
    Cause.SEND_FAILED: 12,
    Cause.SEND_LOST: 12,
    Cause.WORKER_KILLED: 4,
    Cause.ANSWER_LOST: 6,
    Cause.CHANGED: 2,
    Cause.CANCELLED: 2,
    Cause.CHARGE_LOST: 2,
    Cause.OUTAGE: 6,
    Cause.TURNED_AWAY: 6,
}
TWICE = 16  #: delivered twice at once
AGAIN = 16  #: delivered once more when they are long confirmed
EXCEPTIONS = 20  #: shown at most in the end, as the command does
CHARGES = "charges"
POOLS = {Cause.WORKER_KILLED: "high", Cause.CHARGE_LOST: CHARGES}  #: all else happens on the queue `default`
DISPATCH_LOST = (Cause.QUEUE_PURGED, Cause.SEND_FAILED, Cause.SEND_LOST)
WHILE_HANGING = (Cause.CHANGED, Cause.CANCELLED, Cause.CHARGE_LOST)  #: what goes on while their calls hang
UNANSWERED = (Cause.WORKER_KILLED, Cause.ANSWER_LOST, *WHILE_HANGING, Cause.OUTAGE)  #: nobody knows what happened
_APART = frozenset({Cause.QUEUE_PURGED, Cause.WORKER_KILLED, *WHILE_HANGING, Cause.OUTAGE, Cause.TURNED_AWAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What happens to the lines of the file, by their position."""

    order: tuple[int, ...]  #: in which they are promised
    causes: Mapping[int, Cause]  #: of those to which something happens
    twice: frozenset[int]
    again: frozenset[int]

    def of(self, *causes: Cause) -> tuple[int, ...]:
        """Return the lines that one of these causes hits, in their order."""
        return tuple(line for line in self.order if self.causes.get(line) in causes)

    def rest(self) -> tuple[int, ...]:
        """Return the lines that have no step of the story to themselves."""
        return tuple(line for line in self.order if self.causes.get(line) not in _APART)


def planned(pools: Sequence[str], *, seed: int) -> Plan:
    """Draw a plan for a file whose lines belong to these pools: a queue, or the charges."""
    draw = random.Random(seed)  # noqa: S311 - a repeatable draw, no secret
    order = draw.sample(range(len(pools)), len(pools))
    spare = {name: [line for line in order if pools[line] == name] for name in {"default", *POOLS.values()}}
    causes: dict[int, Cause] = {}
    for cause, number in PLANNED.items():
        pool = spare[POOLS.get(cause, "default")]
        causes.update(dict.fromkeys((pool.pop() for _ in range(number)), cause))
    ordinary = [line for line in order if line not in causes]
    doubled = draw.sample(ordinary, TWICE + AGAIN)
    return Plan(order=tuple(order), causes=causes, twice=frozenset(doubled[:TWICE]), again=frozenset(doubled[TWICE:]))


def pool_of(promise: Promise) -> str:
    """Name the pool of a promise."""
    if promise.operation_type == "charge_invoice":
        return CHARGES
    return promise.queue.value if promise.queue else "default"


def intended(plan: Plan) -> dict[str, int]:
    """Count to how many something is to happen, by cause."""
    return {cause.value: count for cause, count in Counter(plan.causes.values()).items()}
