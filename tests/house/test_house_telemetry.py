"""Does the page on telemetry say what the code writes and what the template watches?"""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from makegood import telemetry
from makegood.domain.history import Verb
from makegood.domain.instant import Instant
from makegood.domain.operation import Status
from makegood.domain.reason import Reason
from makegood.domain.run import RunOutcome, RunRecord
from makegood.flows.result import Move
from makegood.flows.work import Fate, Worked

from tests.house.docs_reading import between, code, fenced, rows
from tests.house.template_reading import of_type, properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from aws_lambda_powertools import Logger

PAGE = "telemetry.md"
OF_EVERY_LINE = {"level", "location", "message", "timestamp", "service", "event"}
OF_THE_DOOR = {Reason.MALFORMED, Reason.FAILED}  #: said of what could not be worked on at all
MOVE = Move(
    operation_id="op-1",
    operation_type="probe",
    verb=Verb.CLAIM,
    source=Status.PENDING,
    target=Status.PROCESSING,
    reason="delivered",
    attempt=1,
    would="would_requeue",
)
WORKED = Worked(operation_id="op-1", operation_type="probe", fate=Fate.DONE, reason=Reason.ORPHAN, error="none")
RECORD = RunRecord(
    run_id="r",
    started_at=Instant(0),
    ended_at=Instant(1),
    outcome=RunOutcome.COMPLETED,
    halted_why="too many",
    send_trouble="AccessDenied",
    acknowledged_by="alice",
)
HALTED = replace(RECORD, outcome=RunOutcome.HALTED)


def said(speak: Callable[[Logger], None]) -> dict[str, Any]:
    """Let the code write one line, and read it."""
    log = telemetry.logger("makegood-house")
    log.registered_handler.stream = paper = StringIO()  # type: ignore[attr-defined]
    speak(log)
    (line,) = paper.getvalue().splitlines()
    return dict(json.loads(line))


def lines() -> list[dict[str, Any]]:
    """Return a line of each kind with all that it can hold, in the order of the page."""
    return [
        said(lambda log: telemetry.log_moves(log, [MOVE])),
        said(lambda log: telemetry.log_worked(log, WORKED)),
        said(lambda log: telemetry.log_failed(log, "m-1", Reason.MALFORMED, ValueError("no"))),
        said(lambda log: telemetry.log_sweep(log, RECORD, [])),
    ]


def record_fields() -> set[str]:
    return {name for cell, _ in rows(between(PAGE, "record")) for name in code(cell)}


@pytest.mark.parametrize("number", range(4))
def test_each_line_holds_the_fields_of_the_page(number: int) -> None:
    event, _, _, fields = rows(between(PAGE, "lines"))[number]
    line = lines()[number]
    documented = set(code(fields)) | (record_fields() if "run record" in fields else set())
    assert code(event) == [line["event"]]
    assert set(line) - OF_EVERY_LINE == documented


def test_the_run_record_has_the_fields_of_the_page() -> None:
    assert set(telemetry.summary(RECORD)) == record_fields()


def test_the_levels_are_those_of_the_page() -> None:
    unknown = said(lambda log: telemetry.log_sweep(log, RECORD, ["of_tomorrow"]))
    down = said(lambda log: telemetry.log_sweep(log, replace(RECORD, not_asked={"probe": "503"}), []))
    halted = said(lambda log: telemetry.log_sweep(log, HALTED, []))
    found = [line["level"] for line in (*lines(), unknown, down, halted)]
    assert found == ["INFO", "INFO", "ERROR", "INFO", "WARNING", "WARNING", "ERROR"]


def test_the_reasons_that_need_somebody_are_warnings() -> None:
    found = {
        reason.value
        for reason in set(Reason) - OF_THE_DOOR
        if said(lambda log, why=reason: telemetry.log_worked(log, replace(WORKED, reason=why)))["level"] == "WARNING"  # type: ignore[misc]
    }
    assert found == set(code(between(PAGE, "warnings")))


def test_the_examples_are_lines_as_the_code_writes_them() -> None:
    known = [(line["event"], set(line)) for line in lines()]
    examples = [json.loads(line) for line in fenced(between(PAGE, "examples"))[0].splitlines()]
    assert {line["event"] for line in examples} == {event for event, _ in known}
    for line in examples:
        assert any(line["event"] == event and set(line) <= fields for event, fields in known), line


def test_the_page_lists_every_series() -> None:
    assert [code(name)[0] for name, _ in rows(between(PAGE, "series"))] == list(telemetry.SERIES)


def test_the_page_lists_every_alarm_and_what_it_watches() -> None:
    listed = {code(name)[0]: watches for name, watches, *_ in rows(between(PAGE, "alarms"))}
    assert sorted(listed) == sorted(of_type("AWS::CloudWatch::Alarm"))
    for alarm, watches in listed.items():
        ours = properties(alarm)["Namespace"] == telemetry.NAMESPACE
        assert not ours or code(watches) == [properties(alarm)["MetricName"]]
