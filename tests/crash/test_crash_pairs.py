"""Is nothing lost and nothing doubled if the repair of one crash is cut off by another?

There are more than a hundred thousand pairs. Each run takes the same ones, drawn with a seed from every path;
CRASH_SEED draws others, CRASH_PAIRS more or fewer of each path.
"""

from __future__ import annotations

import os
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.crash import explore
from tests.crash.stories import STORIES
from tests.crash.story import SEED
from tests.crash.wire import Blow, Kind, blows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

    from tests.conftest import Tell
    from tests.crash.story import Story

PAIRS = int(os.environ.get("CRASH_PAIRS", "6"))  #: of each path
FIRSTS = max(PAIRS // 4, 3)  #: first blows of each path, so that one repair is cut off at several places


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_repair_may_be_cut_off_as_well(story: Story, double_clients: AwsClients, tell: Tell) -> None:
    draw = Random(f"{SEED} {story.name}")  # noqa: S311 - repeatable, and guards nothing
    pairs = [pair for _, pair in zip(range(FIRSTS), _pairs(story, double_clients, draw), strict=False)]
    drawn = draw.sample([*chain(*pairs)], min(PAIRS, sum(map(len, pairs))))
    for first, second in drawn:
        _survives(story, double_clients, first, second)
    tell(len(drawn), "pairs of crashes, the second in the repair of the first")
    nothing_left = story.then is story.step  # a person who saw no answer asked again
    assert len(drawn) >= min(PAIRS, 6) or nothing_left


def _pairs(story: Story, clients: AwsClients, draw: Random) -> Iterator[list[tuple[Blow, Blow]]]:
    """Yield for one first blow after the other every pair, where there is anything to repair."""
    step = blows(explore.whole(story, clients).step)
    for first in draw.sample(step, len(step)):
        if repair := blows(explore.run(story, clients, first).repair):
            yield [(first, second) for second in repair]


def _survives(story: Story, clients: AwsClients, first: Blow, second: Blow) -> None:
    try:
        seen = explore.run(story, clients, first, second)
        assert seen.killed, "the second never fell"
        explore.ends_as_it_may(story, seen, explore.whole(story, clients))
    except AssertionError as error:
        raise AssertionError(f"{story.name}, {first}, then in the repair {second}: {error}") from error


def test_a_blow_in_the_repair_is_one_that_the_repair_alone_would_not_meet(double_clients: AwsClients) -> None:
    story = next(story for story in STORIES if story.name == "sweep, lost dispatches")
    first = Blow(number=1, request="dynamodb.UpdateItem", kind=Kind.AFTER)
    repair = explore.run(story, double_clients, first).repair
    undisturbed = explore.whole(story, double_clients).repair
    assert repair != undisturbed
