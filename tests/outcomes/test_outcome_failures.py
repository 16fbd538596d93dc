"""Seven failures that everybody meets, before the real CRM: where it ends, how many effects, what is known of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.domain.evidence import Difference, VerdictKind
from makegood.domain.operation import Status
from makegood_cli.local.crm_faults import Fault

from tests.crash.wire import Kind
from tests.outcomes import catalog
from tests.outcomes.evidence import evidence_of, verbs, verdict_of
from tests.outcomes.world import FIELDS, GIVEN_UP, SETTLED, restart

if TYPE_CHECKING:
    from tests.outcomes.world import World

CLAIM, SETTLE = 1, 2  #: the worker's requests, by number
MINUTE = timedelta(minutes=1)
FOUND = "200, at version 7, applied 1"


def test_a_crash_between_the_effect_and_its_record_is_found_out_and_not_repeated(world: World) -> None:
    world.promise(version=7)
    world.kills(Kind.BEFORE, at=SETTLE)
    assert len(world.deliver()) == 1, "Lambda deletes nothing for a run that died"
    assert (world.row().status, len(world.effects())) == (Status.PROCESSING, 1)
    world.deliver()  # the message comes again, to a worker that leaves the running claim alone
    world.sweep(GIVEN_UP)
    world.sweep(SETTLED)
    row = world.row()
    assert (row.status, row.remote_id, row.attempt) == (Status.CONFIRMED, world.customer, 1)
    assert verdict_of(world, row, VerdictKind.CORRECT).answered == FOUND
    evidence_of(world, row, version=7, summary=FOUND)
    assert verbs(row) == ["submit", "claim", "release", "confirm_by_proof"]
    assert (len(world.effects()), len(world.calls())) == (1, 1)


@pytest.mark.xdist_group("engine")
def test_a_message_that_comes_three_times_at_once_leads_to_one_call(engine_world: World) -> None:
    world = engine_world
    world.promise(version=7)
    assert world.deliver(copies=3) == []
    row = world.row()
    assert (row.status, row.attempt) == (Status.CONFIRMED, 1)
    evidence_of(world, row, version=7, summary="PUT 200")
    assert (len(world.effects()), len(world.calls())) == (1, 1)


def test_two_workers_in_the_same_operation_make_one_effect_and_one_record(world: World) -> None:
    ended = []

    def held_up() -> None:
        """Let the lease run out before the call has left, and another worker do it all."""
        world.sweep(GIVEN_UP)
        world.sweep(SETTLED)
        world.deliver(at_once=1)  # two of its messages are there; moto would let two claims of one instant both win
        ended.append(world.row())

    catalog.before_a_call.append(held_up)
    world.promise(version=7)
    world.deliver()
    [row] = ended
    assert (row.status, row.attempt) == (Status.CONFIRMED, 2)
    assert world.row() == row, "the late worker wrote nothing"
    evidence_of(world, row, version=7, summary="PUT 200")
    assert verbs(row) == ["submit", "claim", "release", "requeue", "claim", "confirm"]
    assert [(call.applied, call.replayed) for call in world.calls()] == [(True, False), (False, True)]
    assert len(world.effects()) == 1


def test_an_older_version_whose_message_comes_late_is_never_put_over_a_newer_one(world: World) -> None:
    older = world.promise(version=7)
    world.lose()
    newer = world.promise(version=8)
    world.deliver()
    world.sweep(GIVEN_UP)
    world.deliver()
    row = world.row(older)
    assert row.status is Status.NOT_APPLICABLE
    assert row.closure is not None
    assert (row.closure.reason, row.closure.by) == ("the CRM has version 8, which is newer than 7", "worker")
    assert verbs(row) == ["submit", "touch", "claim", "close"]
    assert [call.code for call in world.calls(older)] == ["stale_version"]
    assert (world.row(newer).status, world.version()) == (Status.CONFIRMED, 8)
    assert (len(world.effects(older)), len(world.effects(newer))) == (0, 1)


def test_a_worker_that_is_restarted_before_its_call_loses_nothing(world: World) -> None:
    world.promise(version=7)
    world.kills(Kind.AFTER, at=CLAIM)
    world.deliver()
    assert world.calls() == []
    restart()
    world.deliver()
    world.sweep(GIVEN_UP)
    world.sweep(SETTLED)
    missing = world.row()
    assert verdict_of(world, missing, VerdictKind.MISSING).answered == "404 unknown_customer"
    world.deliver()
    row = world.row()
    assert (row.status, row.attempt) == (Status.CONFIRMED, 2)
    evidence_of(world, row, version=7, summary="PUT 200")
    assert verbs(row) == ["submit", "claim", "release", "requeue", "claim", "confirm"]
    assert (len(world.effects()), len(world.calls())) == (1, 1)


def test_a_worker_that_is_restarted_within_a_batch_loses_nothing_of_it(world: World) -> None:
    names = [world.promise(version=7, entity=f"customer/{world.crm.stranger()}") for _ in range(5)]
    world.kills(Kind.BEFORE, at=7)
    assert world.deliver() != []
    for _ in range(4):
        world.deliver()
        world.sweep(GIVEN_UP)
    assert {world.row(name).status for name in names} == {Status.CONFIRMED}
    assert [len(world.effects(name)) for name in names] == [1] * 5


def test_a_time_out_after_which_nobody_knows_is_asked_about_and_never_guessed(world: World) -> None:
    world.crm.client.set_fault(Fault(kind="hang_after", entity=f"customer/{world.customer}", count=1, seconds=4))
    world.promise(version=7)
    world.deliver()  # the client's own time-out: two real seconds
    waiting = world.row()
    assert (waiting.status, waiting.uncertain) == (Status.AWAITING_CONFIRMATION, True)
    assert waiting.last_error == "UncertainError: the CRM did not answer to the end (ReadTimeoutError)"
    world.sweep(SETTLED)
    row = world.row()
    assert (row.status, row.last_error) == (Status.CONFIRMED, None)
    assert verdict_of(world, row, VerdictKind.CORRECT).answered == FOUND
    evidence_of(world, row, version=7, summary=FOUND)
    assert (len(world.effects()), len(world.calls())) == (1, 1)


def test_a_charge_after_which_nobody_knows_is_a_persons_and_never_made_again(world: World) -> None:
    promised = {"amount": "10.00", "currency": "EUR"}
    entity = f"invoice/{world.customer}"
    world.crm.client.set_fault(Fault(kind="close_after", entity=entity, count=1))
    world.promise(version=1, operation_type="charge_invoice", entity=entity, expected_fields=promised)
    world.deliver()
    for _ in range(3):
        world.sweep(GIVEN_UP)
        world.deliver()
    row = world.row()
    assert row.status is Status.MANUAL_REVIEW
    assert row.verdict is not None
    assert (row.verdict.kind, row.verdict.asked) == (VerdictKind.AMBIGUOUS, "nothing")
    assert row.verdict.answered == "its type cannot be observed"
    assert row.last_error == "UncertainError: the payment system did not answer to the end (ProtocolError)"
    assert (len(world.effects()), len(world.calls())) == (1, 1)


def test_two_hours_of_outage_bring_nobody_to_a_person_and_are_made_up_for(world: World) -> None:
    in_the_dark = world.promise(version=7)
    world.crm.client.set_fault(Fault(kind="close_after", entity=f"customer/{world.customer}", count=1))
    world.deliver()
    world.crm.client.set_fault(Fault(kind="down", seconds=30))
    put_off = world.promise(version=7, entity=f"customer/{world.crm.stranger()}")
    for _ in range(24):
        world.deliver()
        world.sweep(5 * MINUTE)
    waiting = world.row(put_off)
    assert (waiting.status, waiting.attempt) == (Status.RETRY_SCHEDULED, 0), "no attempt was at fault"
    assert world.row(in_the_dark).status is Status.AWAITING_CONFIRMATION
    world.crm.client.clear()
    for _ in range(12):
        world.sweep(5 * MINUTE)
        world.deliver()
    found, sent = world.row(in_the_dark), world.row(put_off)
    assert (found.status, sent.status, sent.attempt) == (Status.CONFIRMED, Status.CONFIRMED, 1)
    assert verdict_of(world, found, VerdictKind.CORRECT).answered == FOUND
    assert sent.evidence is not None
    assert (sent.evidence.version, sent.evidence.summary) == (7, "PUT 200")
    assert (len(world.effects(in_the_dark)), len(world.effects(put_off))) == (1, 1)


def test_a_version_that_was_overtaken_elsewhere_while_it_waited_ends_without_an_effect(world: World) -> None:
    world.promise(version=7)
    world.crm.client.change_elsewhere(world.customer, version=9, fields=FIELDS)
    world.deliver()
    row = world.row()
    assert row.status is Status.NOT_APPLICABLE
    assert row.closure is not None
    assert (row.closure.reason, row.closure.by) == ("the CRM has version 9, which is newer than 7", "worker")
    assert (len(world.effects()), world.version()) == (0, 9)


def test_a_version_that_was_overtaken_elsewhere_before_its_second_attempt_is_a_persons(world: World) -> None:
    world.crm.client.set_fault(Fault(kind="close_before", entity=f"customer/{world.customer}", count=1))
    world.promise(version=7)
    world.deliver()
    world.sweep(SETTLED)
    world.crm.client.change_elsewhere(world.customer, version=9, fields={**FIELDS, "tier": 9})
    world.deliver()
    world.sweep(SETTLED)
    row = world.row()
    assert row.status is Status.MANUAL_REVIEW
    differing = [Difference(field="version", expected="7", observed="9")]
    differing.append(Difference(field="tier", expected="7", observed="9"))
    verdict_of(world, row, VerdictKind.DIVERGENT, *differing)
    evidence_of(world, row, version=9, summary="200, at version 9, applied 0")
    assert (len(world.effects()), world.version()) == (0, 9)


@pytest.mark.parametrize("at_once", [1, 10])
def test_a_version_that_is_promised_while_the_one_before_waits_is_applied_too(world: World, at_once: int) -> None:
    older, newer = world.promise(version=7), world.promise(version=8)
    for _ in range(2):
        world.deliver(at_once=at_once)
    assert world.row(newer).status is Status.CONFIRMED
    assert (world.row(older).status is Status.CONFIRMED) is (len(world.effects(older)) == 1)
    assert world.row(older).is_terminal
    assert (len(world.effects(newer)), world.version()) == (1, 8)
