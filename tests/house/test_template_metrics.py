"""Every alarm and every widget watches a series that somebody really emits."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
from makegood import telemetry
from makegood.domain.acknowledging import Received
from makegood.domain.instant import Instant
from makegood.domain.run import RunOutcome, RunRecord

from tests.house.template_reading import RESOURCES, of_type, properties, variables_of

#: the series of AWS services that the template watches: (namespace, metric) and its one dimension
SERVICE_SERIES = {
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): "QueueName",
    ("AWS/Lambda", "Invocations"): "FunctionName",
    ("AWS/Lambda", "Errors"): "FunctionName",
    ("AWS/Lambda", "Throttles"): "FunctionName",
    ("AWS/Lambda", "Duration"): "FunctionName",
}

#: how a dimension's value must be written, and the type of what it names
VALUES = {
    "stack": (r"\$\{AWS::StackName\}", None),
    "QueueName": (r"\$\{(\w+)\.QueueName\}", "AWS::SQS::Queue"),
    "FunctionName": (r"\$\{(\w+)\}", "AWS::Serverless::Function"),
}


@dataclass(frozen=True, slots=True)
class Watched:
    """One series that an alarm or a widget watches; dimension values written as in Fn::Sub."""

    by: str
    namespace: str
    metric: str
    dimensions: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """Name the case for the test report."""
        return f"{self.by}-{self.metric}-{'-'.join(value for _, value in self.dimensions)}"


def _as_sub(value: dict[str, Any]) -> str:
    """Write a Ref or GetAtt as it would stand in Fn::Sub."""
    return "${" + (value["Ref"] if "Ref" in value else ".".join(value["Fn::GetAtt"])) + "}"


def _alarmed(name: str) -> Watched:
    alarm = properties(name)
    pairs = tuple((dimension["Name"], _as_sub(dimension["Value"])) for dimension in alarm["Dimensions"])
    return Watched(name, alarm["Namespace"], alarm["MetricName"], pairs)


def _widgets() -> list[dict[str, Any]]:
    body: dict[str, Any] = json.loads(properties("Dashboard")["DashboardBody"]["Fn::Sub"])
    return [dict(widget) for widget in body["widgets"]]


def _lines(widget: dict[str, Any]) -> list[tuple[list[str], dict[str, Any]]]:
    """Return a widget's lines: the words that name a series, none where it is calculated, and the options."""
    written = widget["properties"].get("metrics", [])
    return [(line[:-1], line[-1]) if isinstance(line[-1], dict) else (line, {}) for line in written]


def _drawn(widget: dict[str, Any]) -> list[Watched]:
    return [
        Watched(widget["properties"]["title"], words[0], words[1], tuple(zip(words[2::2], words[3::2], strict=True)))
        for words, _ in _lines(widget)
        if words
    ]


ALARMED = [_alarmed(name) for name in of_type("AWS::CloudWatch::Alarm")]
DRAWN = [series for widget in _widgets() for series in _drawn(widget)]


@pytest.mark.parametrize("watched", ALARMED + DRAWN, ids=str)
def test_somebody_emits_what_is_watched(watched: Watched) -> None:
    names = {name for name, _ in watched.dimensions}
    if watched.namespace == telemetry.NAMESPACE:
        assert watched.metric in telemetry.SERIES, f"no code emits {watched.metric}"
        assert names == telemetry.SERIES[watched.metric]
    else:
        assert names == {SERVICE_SERIES[watched.namespace, watched.metric]}


@pytest.mark.parametrize("watched", ALARMED + DRAWN, ids=str)
def test_a_dimension_s_value_names_what_it_says(watched: Watched) -> None:
    for name, value in watched.dimensions:
        pattern, wanted = VALUES[name]
        match = re.fullmatch(pattern, value)
        assert match, f"{name} is {value}"
        assert wanted is None or RESOURCES[match[1]]["Type"] == wanted


def test_the_code_prints_the_series_that_it_says_it_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE"):
        monkeypatch.setenv(name, variables_of("ReconcilerFunction").get(name, "another"))
    record = RunRecord(run_id="1", started_at=Instant(0), ended_at=Instant(1), outcome=RunOutcome.COMPLETED)
    telemetry.emit_sweep(record, stack="makegood-prod")
    telemetry.emit_acknowledgement(Received.ACCEPTED, stack="makegood-prod")
    printed: dict[str, frozenset[str]] = {}
    for line in map(json.loads, capsys.readouterr().out.splitlines()):
        (directive,) = line["_aws"]["CloudWatchMetrics"]
        (dimensions,) = directive["Dimensions"]
        assert directive["Namespace"] == telemetry.NAMESPACE
        assert line["stack"] == "makegood-prod"
        printed |= {metric["Name"]: frozenset(dimensions) for metric in directive["Metrics"]}
    assert printed == telemetry.SERIES


@pytest.mark.parametrize("metric", telemetry.SERIES)
def test_every_series_of_ours_carries_the_stack_s_name(metric: str) -> None:
    assert "stack" in telemetry.SERIES[metric]


@pytest.mark.parametrize("metric", telemetry.SERIES)
def test_everything_that_the_code_emits_is_on_the_dashboard(metric: str) -> None:
    assert metric in {series.metric for series in DRAWN if series.namespace == telemetry.NAMESPACE}


def test_every_alarm_is_on_the_dashboard() -> None:
    (widget,) = (widget for widget in _widgets() if widget["type"] == "alarm")
    assert sorted(widget["properties"]["alarms"]) == sorted(
        f"${{{name}.Arn}}" for name in of_type("AWS::CloudWatch::Alarm")
    )


def test_widgets_neither_overlap_nor_leave_the_page() -> None:
    cells = [
        (x, y)
        for widget in _widgets()
        for x in range(widget["x"], widget["x"] + widget["width"])
        for y in range(widget["y"], widget["y"] + widget["height"])
    ]
    assert len(cells) == len(set(cells)), "two widgets lie on each other"
    assert max(x for x, _ in cells) < 24, "CloudWatch's page is 24 wide"


def test_every_widget_with_figures_says_which_region_and_what_it_shows() -> None:
    for widget in _widgets():
        assert widget["properties"]["title"]
        assert widget["type"] == "alarm" or widget["properties"]["region"] == "${AWS::Region}"


def test_every_line_has_a_statistic() -> None:
    for widget in _widgets():
        for words, options in _lines(widget):
            assert {"stat", "expression"} & set(options) or "stat" in widget["properties"], words


def test_what_is_calculated_is_made_of_lines_of_the_same_widget() -> None:
    calculated = 0
    for widget in _widgets():
        options = [options for _, options in _lines(widget)]
        known = {one["id"] for one in options if "id" in one}
        assert len(known) == sum("id" in one for one in options), "two lines of one id"
        for one in options:
            calculated += "expression" in one
            assert set(re.findall(r"\b[a-z]\w*", one.get("expression", ""))) <= known
    assert calculated


def test_the_rate_of_divergence_counts_every_kind_of_verdict() -> None:
    (lines,) = ([*_lines(widget)] for widget in _widgets() if "verdicts" in {o.get("id") for _, o in _lines(widget)})
    series = {options["id"]: words[1] for words, options in lines if words}
    (summed,) = (options["expression"].split(" + ") for _, options in lines if options["id"] == "verdicts")
    assert {series[name] for name in summed} == {name for name in telemetry.SERIES if name.startswith("Verdict")}
