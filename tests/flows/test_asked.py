"""Does a verdict that nobody could give say honestly what was asked, and what was not?"""

from dataclasses import replace
from typing import Any

from makegood.domain.evidence import Verdict
from makegood.domain.observation import Unknown
from makegood.domain.operation import Status
from makegood.domain.policy import Capability

from tests.flows.test_observe import CORRECT, uncertain
from tests.support.deployment import Deployment
from tests.support.remote import Remote, calling, seeing
from tests.support.rows import LIMITS, operation

LATE = Unknown(why="no answer within 5 s")  #: as a lookout says of a look that it left behind


def given_up(house: Deployment, *sights: Any) -> list[Verdict]:
    """Look a first time, wait for the outage limit, look again, and return the verdicts."""
    for _ in range(2):
        house.remote.sights = [seeing(sight) for sight in sights]
        house.swept()
        house.clock.advance(LIMITS.outage_limit)
    rows = sorted(house.store.rows.values(), key=lambda row: row.operation_id)
    return [row.verdict for row in rows if row.verdict is not None]


def test_a_look_whose_time_was_over_says_that_it_was_taken_and_how_long_it_was_waited_for() -> None:
    house = Deployment(**CORRECT)
    uncertain(house, 1)
    (verdict,) = given_up(house, LATE)
    assert (verdict.kind.value, verdict.asked, verdict.answered) == ("ambiguous", "observe", "no answer within 5 s")


def test_a_row_that_was_not_asked_about_any_more_says_that_nothing_was_asked() -> None:
    house = Deployment(**CORRECT, unknowns=1)
    uncertain(house, 2)
    verdicts = given_up(house, Unknown(why="503", asked="GET /customers/1"))
    assert {(verdict.asked, verdict.answered) for verdict in verdicts} == {
        ("GET /customers/1", "503"),
        ("nothing", "the outside system does not answer"),
    }


def test_a_type_that_cannot_be_built_asks_nothing() -> None:
    class Broken(calling(Remote(), **CORRECT)):  # type: ignore[misc]
        def __init__(self, remotes: object) -> None:
            raise RuntimeError(f"no address in {type(remotes).__name__}")

    house = Deployment(Broken)
    now = house.clock.now()
    house.store.rows["op-1"] = operation(Status.AWAITING_CONFIRMATION, uncertain=True, attempt_ended_at=now, due_at=now)
    (verdict,) = given_up(house)
    assert (verdict.asked, verdict.answered) == ("nothing", "RuntimeError: no address in Nowhere")


def test_an_acknowledgement_that_never_came_was_not_asked_for() -> None:
    house = Deployment()
    waits = replace(house.registry.terms["sync"].policy, capability=Capability.ACKNOWLEDGEMENT_ONLY)
    house.registry.terms = {"sync": replace(house.registry.terms["sync"], policy=waits)}
    uncertain(house, 1)
    (verdict,) = given_up(house)
    assert (verdict.asked, verdict.answered) == ("nothing", "no acknowledgement has come")
