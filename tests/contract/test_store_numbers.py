"""Do numbers come back as they were given, to the last digit?"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from makegood.domain import document
from makegood.domain.operation import VERSION_LIMIT, Operation
from makegood.ports import Claimed

from tests.case import case
from tests.contract import builders as a

if TYPE_CHECKING:
    from makegood.domain.document import Document

    from tests.contract.worlds import World

WIDE = ["9" * 38, "-" + "9" * 38, f"0.{'9' * 38}", str(2**53 + 1)]
NUMBERS = ["0.1", "1.10", "100.00", "0", "-0.0", "1E+20", "1e-30", *WIDE]


@case("F067", "F069")
@pytest.mark.parametrize("bulk", ["", "x" * 600], ids=["inline", "large"])
def test_numbers_survive_digit_by_digit(world: World, bulk: str) -> None:
    given = document.parse(f'{{"numbers":[{",".join(NUMBERS)}],"bulk":"{bulk}"}}', what="payload")
    row = a.promised(payload=given, expected_fields={"numbers": given["numbers"]})
    world.store.add(row)
    answer = world.store.claim(a.claim(row))
    assert isinstance(answer, Claimed)
    for read in (answer.operation.payload, answer.operation.expected_fields):
        assert document.render({"numbers": read["numbers"]}) == document.render({"numbers": given["numbers"]})


def test_numbers_in_evidence_survive_too(world: World) -> None:
    fields: Document = {"price": Decimal("1.10"), "big": 2**53 + 1, "nested": [{"x": Decimal("0.1")}]}
    row = replace(a.full(), evidence=replace(a.EVIDENCE, version=VERSION_LIMIT, fields=fields))
    world.place(row)
    (found,) = world.store.find([row.operation_id]).values()
    assert isinstance(found, Operation)
    assert found == row
    assert found.evidence
    assert str(found.evidence.fields["price"]) == "1.10"


def test_evidence_holds_fields_as_deep_as_a_promise_may(world: World) -> None:
    deep = document.parse('{"x":' * 32 + "1" + "}" * 32, what="fields")
    row = replace(a.full(), expected_fields=deep, evidence=replace(a.EVIDENCE, fields=deep))
    world.place(row)
    assert world.store.find([row.operation_id]) == {row.operation_id: row}


def test_the_largest_version_survives(world: World) -> None:
    row = a.promised(expected_version=VERSION_LIMIT)
    world.store.add(row)
    assert world.store.find([row.operation_id]) == {row.operation_id: row}
