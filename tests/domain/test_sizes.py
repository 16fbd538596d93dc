"""Can nothing that an outside system says make a row too large to move?"""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from makegood.domain import document
from makegood.domain.document import Document
from makegood.domain.history import Role
from makegood.domain.operation import Operation, Status
from makegood.domain.outcome import Accepted, Done, NotApplicable, RejectedError, TransientError
from makegood.domain.promise import FIELDS_LIMIT
from makegood.domain.settle import Said, settle

from tests.case import case
from tests.support.rows import hand, operation

LONG = "x" * 300_000
ROOM = 96 * 1024  #: bytes that a row may take beyond its payload; DynamoDB's item ends at 400 KB
MANY: Document = {f"f{number:04}": 1 for number in range(FIELDS_LIMIT // 10)}

ANSWERS: dict[str, tuple[Document, object]] = {
    "a nested object brings more than was asked": ({"a": {"b": 1}}, {"a": {"b": 1, "c": LONG}}),
    "a list of objects brings more than was asked": ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": LONG}]}),
    "a text differs and is long": ({"a": "b"}, {"a": LONG}),
    "every one of many fields differs and is long": (MANY, dict.fromkeys(MANY, LONG[:500])),
    "every one of many numbers is written with hundreds of zeros": (
        MANY,
        dict.fromkeys(MANY, Decimal("1." + "0" * 390)),
    ),
    "every one of many fields is missing": (MANY, {}),
}


def size(row: Operation) -> int:
    return len(repr(replace(row, payload={})).encode())


def settled(said: object, **facts: Any) -> Operation:
    answer: Said = said  # type: ignore[assignment]
    return settle(operation(Status.PROCESSING, **facts), answer, hand(Role.WORKER), fraction=0.5)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_leaves_only_what_was_compared_and_that_is_capped(name: str) -> None:
    expected, fields = ANSWERS[name]
    assert document.byte_length(document.render(expected)) <= FIELDS_LIMIT
    row = settled(Done(remote_id="r", version=7, fields=fields), expected_fields=expected)
    assert size(row) < ROOM


@pytest.mark.parametrize(
    "said",
    [
        TransientError(LONG),
        RejectedError(LONG),
        ValueError(LONG),
        NotApplicable(reason=LONG),
        Accepted(remote_id=LONG),
        Done(remote_id=LONG, version=7, fields={"plan": "gold"}, summary=LONG),
    ],
)
def test_errors_reasons_ids_and_summaries_are_cut(said: object) -> None:
    assert size(settled(said)) < 4 * 1024


@case("F071")
def test_sixty_attempts_with_a_long_error_each_stay_small() -> None:
    row = operation(Status.PROCESSING)
    for _ in range(60):
        failed = settle(row, TransientError("e" * 10_000), hand(Role.WORKER), fraction=0.0)
        row = replace(failed, status=Status.PROCESSING, claim_token="claim-1")  # noqa: S106
    assert size(row) < 4 * 1024


def test_what_agrees_is_still_evidence_after_it_was_cut() -> None:
    row = settled(
        Done(remote_id="r", version=7, fields={"a": {"b": 1, "c": LONG}, "d": LONG}), expected_fields={"a": {"b": 1}}
    )
    assert row.status is Status.CONFIRMED
    assert row.evidence is not None
    assert row.evidence.fields == {"a": {"b": 1}}
