"""The example in full, before the real CRM: a customer changes to version 7, and what may become of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain.evidence import Difference, VerdictKind
from makegood.domain.operation import Status
from makegood_cli.local.crm_faults import Fault

from tests.outcomes.evidence import evidence_of, verbs, verdict_of
from tests.outcomes.world import FIELDS, SETTLED

if TYPE_CHECKING:
    from tests.outcomes.world import World


def in_the_dark(world: World, kind: str) -> None:
    """Promise version 7, and let the first call end without an answer; `kind` says with which fault."""
    world.crm.client.set_fault(Fault(kind=kind, entity=f"customer/{world.customer}", count=1))
    world.promise(version=7)
    world.deliver()
    row = world.row()
    assert row.status is Status.AWAITING_CONFIRMATION
    assert row.uncertain
    assert row.last_error is not None
    assert row.last_error.startswith("UncertainError: the CRM did not answer to the end")


def test_a_valid_answer_confirms_with_the_remote_id(each_world: World) -> None:
    world = each_world
    world.promise(version=7)
    world.deliver()
    row = world.row()
    assert (row.status, row.remote_id) == (Status.CONFIRMED, world.customer)
    evidence = evidence_of(world, row, version=7, summary="PUT 200")
    assert evidence.fields == {**FIELDS, "tier": 7}
    assert verbs(row) == ["submit", "claim", "confirm"]
    assert [effect.operation_id for effect in world.effects()] == [row.operation_id]
    assert world.looks() == 0


def test_after_a_time_out_the_same_version_is_found_by_the_key_and_confirmed(each_world: World) -> None:
    world = each_world
    in_the_dark(world, "close_after")
    world.sweep(SETTLED)
    row = world.row()
    assert (row.status, row.remote_id) == (Status.CONFIRMED, world.customer)
    answered = "200, at version 7, applied 1"
    assert verdict_of(world, row, VerdictKind.CORRECT).answered == answered
    assert evidence_of(world, row, version=7, summary=answered).fields == {**FIELDS, "tier": 7}
    assert verbs(row) == ["submit", "claim", "await", "confirm_by_proof"]
    assert (len(world.effects()), len(world.calls()), world.looks()) == (1, 1, 1)


def test_after_a_time_out_what_is_absent_is_sent_again_once_it_may_be(each_world: World) -> None:
    world = each_world
    in_the_dark(world, "close_before")
    assert world.sweep()["acted"] == {}, "absence does not count yet, so nobody asks"
    world.sweep(SETTLED)
    requeued = world.row()
    assert requeued.status is Status.RETRY_SCHEDULED
    assert verdict_of(world, requeued, VerdictKind.MISSING).answered == "404 unknown_customer"
    world.deliver()
    row = world.row()
    assert (row.status, row.remote_id, row.attempt) == (Status.CONFIRMED, world.customer, 2)
    assert row.verdict is None, "it was of the attempt before"
    evidence_of(world, row, version=7, summary="PUT 200")
    assert verbs(row) == ["submit", "claim", "await", "requeue", "claim", "confirm"]
    assert [call.applied for call in world.calls()] == [False, True]
    assert len(world.effects()) == 1


def test_after_a_time_out_another_version_goes_to_a_person_and_is_not_overwritten(each_world: World) -> None:
    world = each_world
    in_the_dark(world, "close_after")
    world.crm.client.change_elsewhere(world.customer, version=9, fields={**FIELDS, "tier": 9})
    world.sweep(SETTLED)
    row = world.row()
    assert row.status is Status.MANUAL_REVIEW
    differing = (
        Difference(field="version", expected="7", observed="9"),
        Difference(field="tier", expected="7", observed="9"),
    )
    verdict_of(world, row, VerdictKind.DIVERGENT, *differing)
    assert evidence_of(world, row, version=9, summary="200, at version 9, applied 1").fields["tier"] == 9
    world.deliver()
    world.sweep(SETTLED)
    assert world.row() == row
    assert (world.version(), len(world.calls())) == (9, 1)
