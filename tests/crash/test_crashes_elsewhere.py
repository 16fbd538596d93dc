"""Do moto and the local engine show the same as the double, request by request and row by row?

The double is quick, so every crash point is tried on it; here one of each path, half of them on moto and half on the
engine, drawn with the seed of the pairs: another one draws other halves.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.crash import explore, healing
from tests.crash.house import house
from tests.crash.stories import STORIES
from tests.crash.story import SEED
from tests.crash.wire import ANY, Blow, Kind, blows
from tests.double.table import TableDouble

if TYPE_CHECKING:
    from makegood.adapters.aws import AwsClients

    from tests.crash.story import Story

BATCH = ("op-1", "op-2", "op-3")

ON_MOTO = Random(SEED).sample(STORIES, len(STORIES) // 2)  # noqa: S311 - repeatable, and guards nothing
ON_THE_ENGINE = [story for story in STORIES if story not in ON_MOTO]


def shown_by_the_double(story: Story, clients: AwsClients, seed: str) -> tuple[Blow, explore.Run]:
    """Draw a blow and let it fall on the double."""
    with TableDouble().instead_of(clients.of("dynamodb")):
        step = blows(explore.whole(story, clients).step)
        blow = Random(f"{seed} {story.name}").choice(step)  # noqa: S311 - repeatable, and guards nothing
        return blow, explore.run(story, clients, blow)


@pytest.mark.parametrize("story", ON_MOTO, ids=lambda story: story.name)
def test_moto_shows_the_same(story: Story, moto_clients: AwsClients, clients_of_double: AwsClients) -> None:
    blow, shown = shown_by_the_double(story, clients_of_double, "moto")
    assert explore.run(story, moto_clients, blow) == shown, str(blow)


@pytest.mark.xdist_group("engine")
@pytest.mark.parametrize("story", ON_THE_ENGINE, ids=lambda story: story.name)
def test_the_engine_shows_the_same(story: Story, engine_clients: AwsClients, clients_of_double: AwsClients) -> None:
    blow, shown = shown_by_the_double(story, clients_of_double, "engine")
    assert explore.run(story, engine_clients, blow) == shown, str(blow)


@pytest.mark.xdist_group("engine")
@pytest.mark.parametrize("number", range(1, 2 * len(BATCH) + 1))
def test_a_worker_with_several_messages_may_be_cut_off_anywhere(number: int, engine_clients: AwsClients) -> None:
    with house(engine_clients) as home:
        for name in BATCH:
            home.submit(name)
        home.wire.listen(Blow(number=number, request=ANY, kind=Kind.BEFORE))
        home.deliver(at_once=len(BATCH))
        assert home.wire.struck
        healing.heal(home)
        healing.inquest(home)
