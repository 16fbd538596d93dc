"""The events in events/ have the shape that AWS sends."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest

from tests.house.template_reading import ROOT

#: every event, and how many records it has if it comes from a queue
EVENTS = {
    "sqs_good": 1,
    "sqs_duplicate": 2,
    "sqs_poison": 3,
    "sqs_older_format": 1,
    "sqs_newer_format": 1,
    "schedule": 0,
    "schedule_overrides": 0,
    "schedule_dry_run": 0,
}
BATCHES = [name for name, records in EVENTS.items() if records]
RECORD = {
    *("messageId", "receiptHandle", "body", "attributes", "messageAttributes", "md5OfBody"),
    *("eventSource", "eventSourceARN", "awsRegion"),
}
ATTRIBUTES = {"ApproximateReceiveCount", "SentTimestamp", "SenderId", "ApproximateFirstReceiveTimestamp"}
OVERRIDES = {"source", "scheduled_at", "limit", "minutes", "operation_types", "dry_run"}


def _event(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((ROOT / "events" / f"{name}.json").read_text())
    return event


def test_no_event_lies_there_that_this_page_does_not_know() -> None:
    assert {path.stem for path in (ROOT / "events").glob("*.json")} == set(EVENTS)


def test_every_event_is_put_to_the_real_sam_cli() -> None:
    tests = "".join(path.read_text() for path in (ROOT / "tests/sam").glob("*.py"))
    assert [name for name in EVENTS if f'"{name}"' not in tests] == []


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_looks_as_sqs_sends_it(name: str) -> None:
    records = _event(name)["Records"]
    assert len(records) == EVENTS[name]
    assert len({record["messageId"] for record in records}) == len(records)
    for record in records:
        assert set(record) == RECORD
        assert set(record["attributes"]) == ATTRIBUTES
        assert all(isinstance(value, str) for value in record["attributes"].values()), "SQS sends text"
        assert record["md5OfBody"] == hashlib.md5(record["body"].encode(), usedforsecurity=False).hexdigest()
        assert record["eventSource"] == "aws:sqs"
        assert re.fullmatch(r"arn:aws:sqs:eu-west-1:123456789012:[\w-]+", record["eventSourceARN"])


def test_the_good_one_names_an_operation_in_the_format_of_today() -> None:
    (record,) = _event("sqs_good")["Records"]
    body = json.loads(record["body"])
    assert set(body) == {"operation_id", "format"}
    assert re.fullmatch(r"[A-Za-z0-9._:-]{1,128}", body["operation_id"])
    assert body["format"] == 1


def test_the_duplicate_is_the_same_hint_in_two_messages() -> None:
    first, second = _event("sqs_duplicate")["Records"]
    assert first["body"] == second["body"]


def test_the_poison_lies_between_two_good_messages() -> None:
    bodies = [record["body"] for record in _event("sqs_poison")["Records"]]
    assert json.loads(bodies[0]) != json.loads(bodies[2])
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(bodies[1])


@pytest.mark.parametrize(("name", "written"), [("sqs_older_format", None), ("sqs_newer_format", 2)])
def test_the_other_formats_differ_in_the_format_alone(name: str, written: int | None) -> None:
    (record,), (good,) = _event(name)["Records"], _event("sqs_good")["Records"]
    body, today = json.loads(record["body"]), json.loads(good["body"])
    assert body.get("format") == written
    assert body["operation_id"] == today["operation_id"]


@pytest.mark.parametrize("name", [name for name in EVENTS if name not in BATCHES])
def test_a_sweep_s_event_holds_known_words_only(name: str) -> None:
    assert set(_event(name)) <= OVERRIDES
