"""Alarms are judged by datapoints and missing data as CloudWatch's documentation tabulates it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from makegood_cli.local.alarms import Alarm, State, judge, window

X, O = 5.0, 0.0  # a datapoint that breaches, and one that does not  # noqa: E741
ALARM = Alarm(
    name="halted",
    namespace="Makegood",
    metric="SweepHalted",
    dimensions=(("stack", "mine"),),
    statistic="Maximum",
    period=60,
    periods=3,
    to_alarm=3,
    threshold=1.0,
    comparison="GreaterThanOrEqualToThreshold",
    missing="missing",
    state="OK",
    reason="",
)


@pytest.mark.parametrize(
    ("points", "missing", "ignore", "breaching", "not_breaching"),
    [
        # the rows of "alarms and missing data", 3 out of 3, as far as three periods show them
        ([O, X, X], "OK", "OK", "OK", "OK"),
        ([None, None, O], "OK", "OK", "OK", "OK"),
        ([None, None, None], "INSUFFICIENT_DATA", "KEPT", "ALARM", "OK"),
        ([X, X, X], "ALARM", "ALARM", "ALARM", "ALARM"),
        ([X, None, None], "ALARM", "KEPT", "ALARM", "OK"),
    ],
)
def test_three_out_of_three(
    points: list[float | None], missing: str, ignore: str, breaching: str, not_breaching: str
) -> None:
    expected = {"missing": missing, "ignore": ignore, "breaching": breaching, "notBreaching": not_breaching}
    for state in ("OK", "ALARM"):
        judged = {how: judge(replace(ALARM, missing=how, state=state), points) for how in expected}
        assert judged == {how: state if word == "KEPT" else word for how, word in expected.items()}


@pytest.mark.parametrize(
    ("points", "expected"), [([X, O, X], "ALARM"), ([O, X, O], "OK"), ([O, None, O], "OK"), ([X, None, X], "ALARM")]
)
def test_two_out_of_three(points: list[float | None], expected: State) -> None:
    assert judge(replace(ALARM, to_alarm=2, missing="notBreaching"), points) == expected


@pytest.mark.parametrize(
    ("comparison", "at_threshold"),
    [
        ("GreaterThanOrEqualToThreshold", "ALARM"),
        ("GreaterThanThreshold", "OK"),
        ("LessThanThreshold", "OK"),
        ("LessThanOrEqualToThreshold", "ALARM"),
    ],
)
def test_the_threshold_itself_breaches_only_where_the_comparison_says_so(comparison: str, at_threshold: State) -> None:
    assert judge(replace(ALARM, periods=1, to_alarm=1, comparison=comparison), [1.0]) == at_threshold


def test_the_running_period_counts_once_it_has_data() -> None:
    assert window(ALARM, now=600.0, newest=None) == [420, 480, 540]
    assert window(ALARM, now=659.9, newest=540.0) == [420, 480, 540]
    assert window(ALARM, now=659.9, newest=600.0) == [480, 540, 600]
