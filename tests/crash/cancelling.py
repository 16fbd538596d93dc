"""The paths of a cancellation: asked for in each status, with and without an effect to undo."""

from __future__ import annotations

from tests.crash import remote
from tests.crash.desk import cancelled_meanwhile, cancels, twice
from tests.crash.story import (
    CLOSED,
    CONFIRMED,
    NOWHERE_ELSE,
    REVIEW,
    STALE,
    UNDONE,
    Story,
    delivers,
    in_turn,
    killed_after_its_effect,
    killed_in_its_call,
    says,
    submits,
    sweeps,
    waits,
)

WATCHED = submits(operation_type="watched")

ASKED_TWICE = (
    Story(name="cancel, pending", given=WATCHED, step=cancels, ends=CLOSED, may_end=NOWHERE_ELSE),
    Story(
        name="cancel, retry scheduled",
        given=in_turn(WATCHED, says(remote.busy), delivers),
        step=cancels,
        ends=CLOSED,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="cancel, retry scheduled, uncertain",
        given=in_turn(WATCHED, says(remote.lost), delivers, waits(STALE), sweeps),
        step=cancels,
        ends=REVIEW,
    ),
    Story(
        name="cancel, processing",
        given=in_turn(WATCHED, killed_after_its_effect),
        step=cancels,
        ends=UNDONE,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="cancel, processing, without effect",
        given=in_turn(WATCHED, killed_in_its_call),
        step=cancels,
        ends=REVIEW,
    ),
    Story(
        name="cancel, awaiting confirmation",
        given=in_turn(WATCHED, says("times_out"), delivers),
        step=cancels,
        ends=UNDONE,
        may_end=NOWHERE_ELSE,
    ),
    Story(
        name="cancel, in review",
        given=in_turn(WATCHED, says(remote.rejected), delivers),
        step=cancels,
        ends=REVIEW,
    ),
    Story(name="cancel, confirmed", given=in_turn(WATCHED, delivers), step=cancels, spares=True),
)

ASKED_ONCE = (
    Story(name="cancel, asked once", given=WATCHED, step=cancels, ends=CLOSED, may_end=frozenset({CONFIRMED})),
    Story(
        name="cancel, during the call",
        given=in_turn(WATCHED, cancelled_meanwhile),
        step=delivers,
        ends=UNDONE,
        may_end=frozenset({CONFIRMED, REVIEW}),
    ),
)

STORIES = (*map(twice, ASKED_TWICE), *ASKED_ONCE)
