"""The paths of promising, working and dispatching; and the list of all paths.

The requests of a step are not listed anywhere: they are recorded from the adapters, so that a request which somebody
adds to a path is one more place to cut it off.
"""

from __future__ import annotations

from tests.crash import cancelling, deciding, in_line, outcomes, remote
from tests.crash.story import (
    CLOSED,
    CONFIRMED,
    HOUR,
    LADDER,
    LARGE,
    REVIEW,
    STALE,
    Story,
    acknowledges,
    delivers,
    delivers_again,
    in_turn,
    killed_in_its_call,
    loses,
    loses_each,
    says,
    submits,
    submits_for_later,
    sweeps,
    waits,
)

BUSY = says(remote.busy)
WAITING_LONG = in_turn(submits(), BUSY, delivers)

SUBMIT = (
    Story(name="submit", step=submits()),
    Story(name="submit, large payload", step=submits(payload=LARGE)),
    Story(name="submit twice", given=submits(), step=submits()),
    Story(name="submit, and again after the blow", step=submits(payload=LARGE), then=submits(payload=LARGE)),
    Story(name="submit for later", step=submits_for_later),
)

WORK = (
    Story(name="work", given=submits(), step=delivers),
    Story(name="work, large payload", given=submits(payload=LARGE), step=delivers),
    Story(
        name="work, transient, then done",
        given=in_turn(submits(), says(remote.transient)),
        step=in_turn(delivers, waits(LADDER), delivers),
    ),
    Story(
        name="work, large payload, transient, then done",
        given=in_turn(submits(payload=LARGE), says(remote.transient)),
        step=in_turn(delivers, waits(LADDER), delivers),
    ),
    Story(name="work, asked to wait long", given=in_turn(submits(), BUSY), step=delivers),
    Story(
        name="work, transient to the last attempt",
        given=in_turn(submits(), says(*3 * [remote.transient])),
        step=in_turn(*3 * [delivers, waits(LADDER)]),
        ends=REVIEW,
    ),
    Story(name="work, uncertain", given=in_turn(submits(), says("times_out")), step=delivers, ends=REVIEW),
    Story(
        name="work, not idempotent, uncertain",
        given=in_turn(submits(operation_type="charge"), says("times_out")),
        step=delivers,
        ends=REVIEW,
    ),
    Story(name="work, accepted", given=in_turn(submits(), says("accepted")), step=delivers, ends=REVIEW),
    Story(name="work, rejected", given=in_turn(submits(), says(remote.rejected)), step=delivers, ends=REVIEW),
    Story(
        name="work, ruled out",
        given=in_turn(submits(), says(remote.ruled_out)),
        step=delivers,
        ends=CLOSED,
    ),
    Story(name="work, duplicate", given=in_turn(submits(), delivers, submits("op-2")), step=delivers_again(2)),
    Story(name="work, too early", given=WAITING_LONG, step=delivers_again(1)),
)

SWEEP = (
    Story(name="sweep, nothing due", given=submits(), step=sweeps),
    Story(name="sweep, lost dispatches", given=loses_each("op-1", "op-2", "op-3"), step=sweeps),
    Story(
        name="sweep, dead claim",
        given=in_turn(submits(), killed_in_its_call, waits(STALE)),
        step=sweeps,
        ends=REVIEW,
    ),
    Story(name="sweep, retry due", given=in_turn(WAITING_LONG, waits(HOUR)), step=sweeps),
    Story(
        name="sweep, unclaimed retry",
        given=in_turn(WAITING_LONG, waits(HOUR), sweeps, loses, waits(STALE)),
        step=sweeps,
    ),
    Story(
        name="sweep, dispatched too often",
        given=loses_each("op-1"),
        step=in_turn(sweeps, loses, waits(STALE), sweeps),
        numbers=(("MAX_DISPATCHES", 1),),
        ends=REVIEW,
        may_end=frozenset({CONFIRMED}),
    ),
    Story(
        name="sweep, uncertain",
        given=in_turn(submits(), says("times_out"), delivers, waits(STALE)),
        step=sweeps,
        ends=REVIEW,
    ),
    Story(name="sweep, halted", given=loses_each("op-1", "op-2"), step=sweeps, spares=True, numbers=(("HALT_CAP", 1),)),
    Story(name="sweep, dry run", given=loses_each("op-1", "op-2"), step=lambda h: h.sweep(dry_run=True), spares=True),
    Story(
        name="sweep, acknowledged",
        given=in_turn(loses_each("op-1", "op-2", "op-3"), acknowledges),
        step=sweeps,
        numbers=(("HALT_CAP", 1),),
    ),
    Story(
        name="acknowledge, then sweep",
        given=in_turn(loses_each("op-1", "op-2", "op-3"), sweeps),
        step=in_turn(acknowledges, sweeps),
        numbers=(("HALT_CAP", 1),),
    ),
)

STORIES = (*SUBMIT, *WORK, *SWEEP, *outcomes.STORIES, *cancelling.STORIES, *deciding.STORIES, *in_line.STORIES)
