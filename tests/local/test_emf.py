"""Metric lines are read as CloudWatch reads them."""

from __future__ import annotations

import json

import pytest
from makegood_cli.local import emf
from makegood_cli.local.emf import Datum


def line(**document: object) -> str:
    about = {
        "Timestamp": 1_700_000_000_000,
        "CloudWatchMetrics": [
            {"Namespace": "Makegood", "Dimensions": [["stack"]], "Metrics": [{"Name": "SweepHalted", "Unit": "Count"}]}
        ],
    }
    return json.dumps({"_aws": about, "stack": "mine", "SweepHalted": [1.0], **document})


def test_a_metric_line_is_one_datum_for_each_metric_and_dimension_set() -> None:
    (datum,) = emf.read(line())
    assert datum == Datum(
        namespace="Makegood",
        name="SweepHalted",
        dimensions={"stack": "mine"},
        values=(1.0,),
        unit="Count",
        at=1_700_000_000_000,
    )


def test_a_single_value_and_a_list_of_values_are_both_read() -> None:
    assert emf.read(line(SweepHalted=3))[0].values == (3.0,)
    assert emf.read(line(SweepHalted=[3, 4]))[0].values == (3.0, 4.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "START RequestId: 1",
        '{"event": "sweep"}',
        '{"_aws": ',
        '{"_aws": 1}',
        '{"_aws": {"Timestamp": 1, "CloudWatchMetrics": [{}]}}',
        line(SweepHalted="many"),
        line(SweepHalted=None),
        '["_aws"]',
    ],
)
def test_any_other_line_is_no_metric(text: str) -> None:
    assert emf.read(text) == ()
