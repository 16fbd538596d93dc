"""The paths of several versions of one entity, of which a newer one takes the place of older ones."""

from __future__ import annotations

from makegood.domain.review import Action

from tests.crash import remote
from tests.crash.desk import decides
from tests.crash.story import (
    CLOSED,
    CONFIRMED,
    REVIEW,
    Story,
    delivers,
    in_turn,
    says,
    submits,
)

OLDER = submits("op-1", operation_type="ordered", entity="customer/452", expected_version=7)
NEWER = submits("op-2", operation_type="ordered", entity="customer/452", expected_version=8)
#: what a blow may come to: the older one overtaken, for certain or as far as is known; or applied first after all
EITHER = frozenset({CONFIRMED, CLOSED, REVIEW})

STORIES = (
    Story(name="in line, one after the other", given=in_turn(OLDER, NEWER), step=delivers, may_end=EITHER),
    Story(
        name="in line, the newer one first",
        given=in_turn(NEWER, OLDER),
        step=delivers,
        beside=CLOSED,
        may_end=EITHER,
    ),
    Story(
        name="in line, behind one that nobody knows of",
        given=in_turn(OLDER, says("times_out"), delivers, NEWER),
        step=delivers,
        may_end=EITHER,
    ),
    Story(
        name="in line, behind a newer one that came to nothing",
        given=in_turn(NEWER, says(remote.rejected, name="op-2"), delivers, decides(Action.CLOSE, "op-2"), OLDER),
        step=delivers,
        beside=CLOSED,
        may_end=EITHER,
    ),
)
