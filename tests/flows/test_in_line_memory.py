"""Does an entity's line remember what may have been applied, behind newer versions that came to nothing?"""

import pytest
from makegood.domain.operation import Status
from makegood.domain.outcome import Outcome, RejectedError

from tests.flows.test_in_line import HEALED, SUPERSEDES, promised, versions
from tests.support.deployment import Deployment, Killed
from tests.support.remote import raising


@pytest.fixture
def house() -> Deployment:
    return Deployment(**SUPERSEDES)


def ended_without_an_effect(house: Deployment, name: str, answer: Outcome | Exception) -> None:
    """Let a version be tried, and a person close it."""
    house.remote.script = [raising(answer)]  # type: ignore[arg-type]
    house.worked(name)
    house.change(name, status=Status.NOT_APPLICABLE, due_at=None, due_shard=None)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_confirmed_version_is_remembered_behind_newer_ones_that_came_to_nothing(
    house: Deployment, count: int
) -> None:
    promised(house, 7)
    promised(house, 8)
    house.worked("v8")
    for version in range(9, 9 + count):
        promised(house, version)
        ended_without_an_effect(house, f"v{version}", RejectedError("no such plan"))
    house.worked("v7")
    assert (house.row("v7").status, house.row("v7").uncertain) == (Status.RETRY_SCHEDULED, False)
    assert versions(house) == list(range(8, 9 + count))


def test_a_version_in_whose_call_the_worker_died_is_remembered_behind_a_newer_one(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    house.remote.script = [raising(Killed())]
    with pytest.raises(Killed):
        house.worked("v8")
    house.clock.advance(HEALED)
    promised(house, 9)
    ended_without_an_effect(house, "v9", RejectedError("no such plan"))
    house.worked("v7")
    assert (house.row("v7").status, versions(house)) == (Status.RETRY_SCHEDULED, [8, 9])


def test_a_version_that_certainly_had_no_effect_is_not_remembered(house: Deployment) -> None:
    promised(house, 7)
    promised(house, 8)
    promised(house, 9)
    ended_without_an_effect(house, "v8", RejectedError("no such plan"))
    ended_without_an_effect(house, "v9", RejectedError("no such plan"))
    house.worked("v7")
    assert (house.row("v7").status, versions(house)) == (Status.CONFIRMED, [8, 9, 7])
