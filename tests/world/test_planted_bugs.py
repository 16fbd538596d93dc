"""Would the small world notice if the promises were not kept? One bug is planted at a time."""

from pathlib import Path

import pytest

from tests.world.explore import explore
from tests.world.plants import PLANTS, Plant
from tests.world.quiet import trap
from tests.world.world import World

PAGE = Path(__file__).parents[2] / "docs" / "proof.md"


@pytest.mark.parametrize("plant", PLANTS, ids=[plant.says for plant in PLANTS])
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant.bend(monkeypatch)
    explored = explore(World(plant.kind, plant.house()), deepest=plant.depth)
    if plant.breaks is None:
        assert explored.broken is None
        assert trap(explored) is not None
    else:
        assert (explored.broken or "").startswith(plant.breaks), "\n".join(explored.story)
        assert explored.depth == plant.depth


@pytest.mark.parametrize("plant", PLANTS, ids=[plant.says for plant in PLANTS])
def test_the_page_of_proof_tells_of_a_planted_bug(plant: Plant) -> None:
    assert plant.line in PAGE.read_text().splitlines()
