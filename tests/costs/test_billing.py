"""Are the rules those of the price list? The examples are the developer guide's own, and our index's."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from tests.costs import billing
from tests.costs.metered import INDEXES

[DUE] = INDEXES
ROW = {
    "pk": {"S": "op-1"},
    "sk": {"S": "operation"},
    "due_shard": {"S": "open#01"},
    "due_at": {"N": "1790000900000"},
    "operation_type": {"S": "sync_customer"},
    "created_at": {"N": "1790000000000"},
    "status": {"S": "pending"},
}


def text_of(size: int) -> dict[str, dict[str, Any]]:
    """Return an item of so many bytes."""
    return {"a": {"S": "x" * (size - 1)}}


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "naïve"}, 6),
        ({"N": "0"}, 1),
        ({"N": "27"}, 2),
        ({"N": "-27"}, 3),
        ({"N": "1790000123457"}, 8),
        ({"N": "1790000000000"}, 3),
        ({"N": "0.0012"}, 2),
        ({"B": b64encode(b"12345").decode()}, 5),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"L": []}, 3),
        ({"M": {}}, 3),
        ({"L": [{"S": "ab"}, {"N": "27"}]}, 3 + 1 + 2 + 1 + 2),
        ({"M": {"key": {"S": "ab"}}}, 3 + 1 + 3 + 2),
        ({"SS": ["ab", "c"]}, 3),
    ],
)
def test_a_value_has_the_bytes_that_the_guide_says(value: dict[str, Any], size: int) -> None:
    assert billing.value_bytes(value) == size


@pytest.mark.parametrize(("size", "units"), [(1, 1), (1024, 1), (1025, 2), (3500, 4)])
def test_a_write_costs_one_unit_for_each_kilobyte_begun(size: int, units: int) -> None:
    assert billing.write_units(None, text_of(size)) == units


def test_an_update_costs_the_larger_of_the_two_images() -> None:
    assert billing.write_units(text_of(2048), text_of(10)) == billing.write_units(text_of(10), text_of(2048)) == 2


def test_a_refused_write_costs_the_row_that_was_in_the_way_and_one_unit_at_least() -> None:
    assert (billing.refused_units(text_of(3000)), billing.refused_units(None)) == (3, 1)


@pytest.mark.parametrize(
    ("changes", "units"),
    [
        ({"status": {"S": "processing"}}, 0),
        ({"due_at": {"N": "1790000900001"}}, 2),
        ({"due_shard": {"S": "review"}}, 2),
        ({"operation_type": {"S": "another"}}, 1),
    ],
)
def test_an_index_costs_what_changes_in_it(changes: dict[str, Any], units: int) -> None:
    assert DUE.units(ROW, ROW | changes) == units


def test_an_index_costs_one_write_when_a_row_enters_or_leaves_it() -> None:
    outside = {name: value for name, value in ROW.items() if not name.startswith("due")}
    assert (DUE.units(None, ROW), DUE.units(outside, ROW), DUE.units(ROW, outside), DUE.units(None, outside)) == (
        (1, 1, 1, 0)
    )


def test_the_index_holds_what_the_template_says_and_a_small_row_of_it_is_one_unit() -> None:
    assert set(DUE.entry(ROW) or {}) == set(ROW) - {"status"}


@pytest.mark.parametrize(
    ("sizes", "consistent", "units"),
    [
        ([], False, 0.5),
        ([], True, 1),
        ([3500], True, 1),
        ([3500], False, 0.5),
        ([4097], True, 2),
        ([2000] * 5, True, 3),
    ],
)
def test_a_read_costs_the_sum_of_what_it_reads_in_steps_of_four_kilobytes(
    sizes: list[int], *, consistent: bool, units: float
) -> None:
    assert billing.read_units([text_of(size) for size in sizes], consistent=consistent) == units


@pytest.mark.parametrize(("size", "requests"), [(0, 1), (65_536, 1), (65_537, 2), (256 * 1024, 4)])
def test_a_queue_bills_each_64_kilobytes_as_a_request(size: int, requests: int) -> None:
    assert billing.sqs_requests(size) == requests
