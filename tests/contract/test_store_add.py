"""Does a new row take its id once, and never twice?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from makegood.domain.operation import Status
from makegood.ports import Added, Present

from tests.contract import builders as a

if TYPE_CHECKING:
    from tests.contract.worlds import World


def test_an_added_row_reads_back_equal(world: World) -> None:
    operation = a.promised(payload={"note": "hello"})
    assert world.store.add(operation) == Added(operation)
    assert world.store.find([operation.operation_id]) == {operation.operation_id: operation}


def test_a_row_with_every_attribute_reads_back_equal(world: World) -> None:
    operation = a.full()
    world.place(operation)
    assert world.store.find([operation.operation_id]) == {operation.operation_id: operation}


def test_adding_again_with_the_same_write_id_is_the_same_add(world: World) -> None:
    operation = a.promised()
    world.store.add(operation)
    assert world.store.add(operation) == Added(operation)
    assert world.count() == 1


def test_a_taken_id_is_shown_and_stays_as_it_was(world: World) -> None:
    first = a.promised()
    world.store.add(first)
    other = replace(first, write_id=a.fresh(), entity="customer/999")
    assert world.store.add(other) == Present(first)
    assert world.store.find([first.operation_id]) == {first.operation_id: first}


@pytest.mark.parametrize("status", Status)
def test_an_id_stays_taken_in_every_status(world: World, status: Status) -> None:
    standing = a.in_status(status)
    world.place(standing)
    again = a.promised(operation_id=standing.operation_id)
    assert world.store.add(again) == Present(standing)


@pytest.mark.parametrize("entity", ["customer/452", "Kunde/Zoë", "客户/四五二"])
def test_text_of_any_script_survives(world: World, entity: str) -> None:
    operation = a.promised(entity=entity, payload={"name": entity, "": "", "emoji": "🙂"})
    world.store.add(operation)
    assert world.store.find([operation.operation_id]) == {operation.operation_id: operation}
