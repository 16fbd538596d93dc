"""The paths of decisions, and of evidence that comes otherwise: an acknowledgement, a result file."""

from __future__ import annotations

from makegood.domain.review import Action

from tests.crash import remote
from tests.crash.desk import acknowledges_itself, checks, decides, twice
from tests.crash.story import (
    CLOSED,
    LADDER,
    NOWHERE_ELSE,
    STALE,
    UNDONE,
    Step,
    Story,
    delivers,
    in_turn,
    overwrites,
    says,
    submits,
    sweeps,
    waits,
)


def in_the_dark(reply: str | remote.Reply, type_name: str, *more: Step) -> Step:
    """Promise, work with an uncertain end, and let a sweep put it in front of a person."""
    return in_turn(submits(operation_type=type_name), says(reply), delivers, *more, waits(STALE), sweeps)


REFUSED = in_turn(submits(operation_type="watched"), says(remote.rejected), delivers)
FOUND = {"operation_id": "op-1", "version": 7, "fields": {"plan": "gold"}, "remote_id": "r-1"}

ASKED_TWICE = (
    Story(
        name="decide, retry",
        given=REFUSED,
        step=in_turn(decides(Action.RETRY), delivers),
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="decide, retry, stated",
        given=in_the_dark(remote.lost, "charge"),
        step=in_turn(decides(Action.RETRY, stated="no charge in their portal"), delivers),
    ),
    Story(
        name="decide, confirm",
        given=in_the_dark("times_out", "reported"),
        step=decides(Action.CONFIRM),
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="decide, confirm, stated",
        given=in_the_dark("times_out", "charge"),
        step=decides(Action.CONFIRM, stated="charge r-1 in their portal"),
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="decide, compensate",
        given=in_the_dark("times_out", "watched", overwrites),
        step=in_turn(decides(Action.COMPENSATE), delivers),
        ends=UNDONE,
        may_end=NOWHERE_ELSE,
    ),
    Story(name="decide, close", given=REFUSED, step=decides(Action.CLOSE), ends=CLOSED, may_end=NOWHERE_ELSE),
    Story(
        name="acknowledge by signature",
        given=in_turn(submits(operation_type="acknowledged"), says("accepted"), delivers),
        step=acknowledges_itself,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="check a file, found",
        given=in_turn(submits(operation_type="watched"), says("times_out"), delivers),
        step=checks(FOUND),
        may_end=NOWHERE_ELSE,
    ),
)

ASKED_ONCE = (
    Story(name="decide, asked once", given=REFUSED, step=in_turn(decides(Action.RETRY), delivers)),
    Story(
        name="check a file, absent",
        given=in_turn(submits(operation_type="watched"), says(remote.lost), delivers, waits(STALE)),
        step=in_turn(checks({"operation_id": "op-1", "absent": True}), waits(LADDER), delivers),
        may_end=NOWHERE_ELSE,
    ),
)

STORIES = (*map(twice, ASKED_TWICE), *ASKED_ONCE)
