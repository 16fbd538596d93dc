"""Does one look that kills its run kill only that one, and does a sweep that only watches write nothing?"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn

import pytest
from makegood.adapters.memory import MemoryLedger
from makegood.domain.observation import Found, Look, Observed, Unknown
from makegood.domain.operation import Status
from makegood.domain.policy import Capability, Step
from makegood.domain.reason import Reason
from makegood.domain.run import RunOutcome

from tests.flows.test_observe import CORRECT, uncertain, watched
from tests.support.deployment import Deployment, Killed
from tests.support.remote import seeing
from tests.support.rows import HOUR, MINUTE


@pytest.fixture
def house() -> Deployment:
    return Deployment(**CORRECT)


def killing(house: Deployment, name: str) -> Callable[[Look], Observed]:
    """Return a look that ends the process when it is about this operation, and tells the truth otherwise."""

    def look(asked: Look) -> Observed:
        if asked.operation.operation_id == name:
            _kill()
        return house.remote.truth(asked)

    return look


def _kill() -> NoReturn:
    raise Killed


def run_that_dies(house: Deployment) -> None:
    with pytest.raises(Killed):
        house.swept()
    house.clock.advance(10 * MINUTE)


def test_a_look_that_kills_its_run_is_found_out_asked_last_and_then_left_out(house: Deployment) -> None:
    names = uncertain(house, 20)
    killer = names[1]
    house.remote.sights = [killing(house, killer)] * 1000
    run_that_dies(house)
    suspects = house.ledger.control().asking
    assert killer in suspects
    assert len(suspects) == 3, "no more were asked at once"
    rounds = watched(house)
    run_that_dies(house)
    others = {name for each in rounds.rounds for name in each} - set(suspects)
    assert others == set(names) - set(suspects), "everybody else was asked before a suspect was"
    assert {len(each) for each in rounds.rounds if set(each) & set(suspects)} == {1}, "suspects one by one"
    assert house.ledger.control().asking == (killer,)
    record = house.swept().record
    assert record.outcome is RunOutcome.COMPLETED
    assert house.row(killer).status is Status.AWAITING_CONFIRMATION
    assert {house.row(name).status for name in names if name != killer} == {Status.RETRY_SCHEDULED}
    assert house.ledger.control().asking == ()


def test_a_lone_suspect_is_put_off_with_its_reason_and_asked_again_later(house: Deployment) -> None:
    (name,) = uncertain(house, 1)
    house.remote.sights = [killing(house, name)]
    run_that_dies(house)
    assert [move.reason for move in house.swept().moves] == [Reason.KILLED_A_RUN]
    house.clock.advance(HOUR)
    assert house.swept().record.verdicts == {"missing": 1}


def test_a_suspect_that_nobody_can_ask_about_forever_is_a_persons_at_the_outage_limit() -> None:
    house = Deployment(**CORRECT, outage_limit=HOUR)
    (name,) = uncertain(house, 1)
    house.remote.sights = [killing(house, name)] * 1000
    for _ in range(30):
        with suppress(Killed):
            house.swept()
        house.clock.advance(10 * MINUTE)
    assert house.row(name).status is Status.MANUAL_REVIEW


class LosingLedger(MemoryLedger):
    """Loses the sweep's lease to another run when looks are announced for the second time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def asking(self, *, token: str, identifiers: Any) -> bool:  # noqa: ANN401 - as the port says
        """Refuse from the second time on."""
        self.asked += 1
        return self.asked < 2 and super().asking(token=token, identifiers=identifiers)


def test_a_run_whose_lease_has_passed_on_stops_asking_and_says_what_remains(house: Deployment) -> None:
    uncertain(house, 20)
    record = house.swept(flow=replace(house.sweep_flow, ledger=LosingLedger())).record
    assert (house.remote.looks.total(), record.remaining) == (3, 17)


WATCHED: Mapping[str, tuple[Mapping[str, Any], Observed | None, str]] = {
    "what is missing": ({}, None, "would_requeue"),
    "what is proven": ({}, Found(version=7, fields={"plan": "gold"}), "would_confirm_by_proof"),
    "what is divergent": ({"on_divergent": Step.COMPENSATE}, Found(version=8), "would_compensate"),
    "what is a person's": ({}, Found(version=8), "would_escalate"),
    "what nobody can say": ({}, Unknown(why="503"), "would_observe_again"),
}


@pytest.mark.parametrize("what", WATCHED)
def test_a_sweep_that_only_watches_looks_judges_counts_and_writes_nothing(what: str) -> None:
    policy, sight, would = WATCHED[what]
    house = Deployment(**{**CORRECT, **policy})
    house.sweep_flow = replace(house.sweep_flow, only_watching=True)
    uncertain(house, 2)
    if sight is not None:
        house.remote.sights = [seeing(sight)] * 2
    before = house.picture()
    record = house.swept().record
    assert (record.outcome, record.acted, record.sent) == (RunOutcome.OBSERVED, {}, 0)
    assert (record.would, house.remote.looks.total()) == ({would: 2}, 2)
    assert (house.picture(), house.queued(), house.remote.calls.total()) == (before, [], 2)


def test_a_sweep_that_only_watches_counts_lost_dispatches_dead_claims_and_what_is_given_up() -> None:
    house = Deployment(**CORRECT)
    house.sweep_flow = replace(house.sweep_flow, only_watching=True)
    house.lost(3)
    house.change("op-000", attempt=8)
    house.change("op-001", status=Status.PROCESSING, claim_token="gone", lease_ends_at=1)  # noqa: S106
    before = house.picture()
    record = house.swept().record
    assert record.would == {"would_touch": 1, "would_escalate": 1, "would_release": 1}
    assert (record.anomalies["lost_dispatch"], record.anomalies["dead_claim"]) == (2, 1)
    assert (house.picture(), house.queued()) == (before, [])


def test_a_sweep_that_only_watches_halts_above_the_cap_as_any_other() -> None:
    house = Deployment(**CORRECT)
    house.sweep_flow = replace(house.sweep_flow, only_watching=True)
    house.lost(201)
    record = house.swept().record
    assert (record.outcome, record.would) == (RunOutcome.HALTED, {})


def test_a_look_that_kills_a_sweep_that_only_watches_does_not_kill_the_next(house: Deployment) -> None:
    (name,) = uncertain(house, 1)
    house.sweep_flow = replace(house.sweep_flow, only_watching=True)
    house.remote.sights = [killing(house, name)] * 10
    run_that_dies(house)
    assert house.swept().record.outcome is RunOutcome.OBSERVED


def test_what_cannot_be_asked_is_a_persons_and_nobody_is_asked() -> None:
    house = Deployment()
    uncertain(house, 3)
    rounds = watched(house)
    record = house.swept().record
    assert (record.verdicts, record.acted, rounds.rounds) == ({"ambiguous": 3}, {"escalate": 3}, [])


def test_an_acknowledgement_that_never_comes_is_a_persons_at_the_outage_limit() -> None:
    house = Deployment(capability=Capability.NOT_OBSERVABLE, outage_limit=HOUR)
    waits = replace(house.registry.terms["sync"].policy, capability=Capability.ACKNOWLEDGEMENT_ONLY)
    house.registry.terms = {"sync": replace(house.registry.terms["sync"], policy=waits)}
    uncertain(house, 1)
    house.swept()
    assert house.row("op-000").status is Status.AWAITING_CONFIRMATION
    house.clock.advance(HOUR)
    house.swept()
    assert house.row("op-000").status is Status.MANUAL_REVIEW
