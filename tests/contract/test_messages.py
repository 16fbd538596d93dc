"""Is a message read for the operation that it names, whichever release wrote it, and for nothing else?"""

from __future__ import annotations

import json

import pytest
from makegood.domain import hint
from makegood.domain.errors import InvalidInput
from makegood_cli.local.places import CHECKOUT


def test_a_message_holds_an_id_and_a_format_and_nothing_else() -> None:
    assert json.loads(hint.render("op-1")) == {"operation_id": "op-1", "format": 1}
    assert hint.parse(hint.render("op-1")) == "op-1"


@pytest.mark.parametrize(
    "body",
    [
        '{"operation_id":"op-1","format":1}',
        '{"operation_id":"op-1"}',
        '{"operation_id":"op-1","format":99,"trace":{"id":[1,2]},"price":1.10}',
        '{"operation_id":"op-1","format":"two"}',
        ' {\n"operation_id" : "op-1" } ',
    ],
)
def test_any_format_that_names_an_operation_is_as_good_a_hint(body: str) -> None:
    assert hint.parse(body) == "op-1"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "op-1",
        "{",
        "null",
        "[]",
        '["op-1"]',
        "{}",
        '{"operation_id":null}',
        '{"operation_id":1}',
        '{"operation_id":""}',
        '{"operation_id":"two words"}',
        '{"operation_id":"op-1\\n"}',
        '{"operation_id":"' + "x" * 129 + '"}',
        '{"operation_id":"op-1","operation_id":"op-2"}',
        '{"operation_id":"op-1","x":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"operation_id":"op-1","x":NaN}',
        '{"operationId":"op-1"}',
    ],
)
def test_what_names_no_operation_is_refused_by_one_error(body: str) -> None:
    with pytest.raises(InvalidInput):
        hint.parse(body)


@pytest.mark.parametrize("name", ["sqs_good", "sqs_older_format", "sqs_newer_format", "sqs_duplicate"])
def test_the_events_that_we_keep_name_operations(name: str) -> None:
    event = json.loads((CHECKOUT / "events" / f"{name}.json").read_text())
    assert all(hint.parse(record["body"]) for record in event["Records"])
