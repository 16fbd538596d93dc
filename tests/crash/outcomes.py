"""The paths of finding out: observe, and then confirm, send again, undo, ask once more, or leave it to a person."""

from __future__ import annotations

from tests.crash import remote
from tests.crash.desk import cancels
from tests.crash.story import (
    LADDER,
    NOWHERE_ELSE,
    REVIEW,
    STALE,
    UNDONE,
    Step,
    Story,
    delivers,
    in_turn,
    killed_after_its_effect,
    killed_in_its_call,
    overwrites,
    says,
    sees,
    submits,
    sweeps,
    undoing_says,
    waits,
)


def uncertain(*replies: str | remote.Reply, type_name: str = "watched") -> Step:
    """Promise, work with an uncertain end, and let the time of the first look come."""
    return in_turn(submits(operation_type=type_name), says(*replies), delivers, waits(STALE))


TRIED_AGAIN = in_turn(sweeps, waits(LADDER), delivers)
TO_BE_UNDONE = in_turn(uncertain("times_out"), cancels)

OBSERVE = (
    Story(name="observe, found", given=uncertain("times_out"), step=sweeps, may_end=NOWHERE_ELSE),
    Story(name="observe, missing, sent again", given=uncertain(remote.lost), step=TRIED_AGAIN, may_end=NOWHERE_ELSE),
    Story(
        name="observe, missing, sent again in the dark",
        given=in_turn(uncertain(remote.lost, "times_out"), sweeps, waits(LADDER)),
        step=delivers,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="observe, divergent",
        given=in_turn(uncertain("times_out"), overwrites),
        step=sweeps,
        ends=REVIEW,
    ),
    Story(
        name="observe, no answer",
        given=in_turn(uncertain("times_out"), sees(remote.blind)),
        step=sweeps,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="observe, the remote is down",
        given=in_turn(
            submits("op-1", operation_type="fragile"),
            submits("op-2", operation_type="fragile"),
            says("times_out"),
            says(remote.lost, name="op-2"),
            delivers,
            sees(remote.blind),
            sees(remote.blind, name="op-2"),
            waits(STALE),
        ),
        step=sweeps,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="observe, dead claim with its effect",
        given=in_turn(submits(operation_type="watched"), killed_after_its_effect, waits(STALE)),
        step=in_turn(sweeps, waits(STALE), sweeps),
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="observe, dead claim without effect",
        given=in_turn(submits(operation_type="watched"), killed_in_its_call, waits(STALE)),
        step=sweeps,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="observe, and leave it to a person",
        given=uncertain("times_out", type_name="reported"),
        step=sweeps,
        ends=REVIEW,
    ),
    Story(
        name="sweep, only watching",
        given=in_turn(uncertain("times_out"), submits("op-2"), waits(STALE)),
        step=sweeps,
        then=lambda house: house.deploy(SWEEPS="act"),
        spares=True,
        numbers=(("SWEEPS", "observe"),),
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="work, the remote takes no calls",
        given=in_turn(submits(operation_type="watched"), says(remote.down)),
        step=delivers,
        may_end=NOWHERE_ELSE,
    ),
)

COMPENSATE = (
    Story(
        name="undo, cancelled in the dark",
        given=TO_BE_UNDONE,
        step=in_turn(sweeps, delivers),
        ends=UNDONE,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="undo, with a time-out, observed",
        given=in_turn(TO_BE_UNDONE, undoing_says("times_out_undone"), sweeps),
        step=in_turn(delivers, waits(STALE), sweeps),
        ends=UNDONE,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="undo, with a time-out, still there",
        given=in_turn(TO_BE_UNDONE, undoing_says(remote.lost), sweeps, delivers, waits(STALE)),
        step=sweeps,
        ends=UNDONE,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="undo what is not as promised",
        given=in_turn(uncertain("times_out", type_name="reverted"), overwrites),
        step=sweeps,
        ends=UNDONE,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="undo, refused",
        given=in_turn(TO_BE_UNDONE, undoing_says(remote.rejected), sweeps),
        step=delivers,
        ends=REVIEW,
        may_end=frozenset({UNDONE}),
    ),
)

STORIES = (*OBSERVE, *COMPENSATE)
