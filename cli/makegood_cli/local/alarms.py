"""The template's own metric alarms, judged as CloudWatch would: by dimensions, datapoints and missing data.

The engine's own judgement mixes all series of a name and never recovers by time, so the local stack does not use it.
How CloudWatch does it: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

State = Literal["OK", "ALARM", "INSUFFICIENT_DATA"]

COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """A metric alarm on one series."""

    name: str
    namespace: str
    metric: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str
    period: int  #: seconds
    periods: int  #: how many of them are looked at
    to_alarm: int  #: how many of those must breach
    threshold: float
    comparison: str
    missing: str  #: missing, ignore, breaching or notBreaching
    state: State
    reason: str  #: why it is in that state

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Alarm:
        """Take an alarm as DescribeAlarms gives it."""
        return cls(
            name=described["AlarmName"],
            namespace=described["Namespace"],
            metric=described["MetricName"],
            dimensions=tuple(sorted((pair["Name"], pair["Value"]) for pair in described["Dimensions"])),
            statistic=described["Statistic"],
            period=described["Period"],
            periods=described["EvaluationPeriods"],
            to_alarm=described.get("DatapointsToAlarm", described["EvaluationPeriods"]),
            threshold=described["Threshold"],
            comparison=described["ComparisonOperator"],
            missing=described.get("TreatMissingData", "missing"),
            state=described["StateValue"],
            reason=described.get("StateReason", ""),
        )


def window(alarm: Alarm, *, now: float, newest: float | None) -> list[int]:
    """Return the starts of the periods to judge, oldest first, in epoch seconds.

    The running period counts only once it has data; CloudWatch, too, sees a datapoint before its period is over.
    It looks back a little further than that when data is late, which nothing here needs.
    """
    running = int(now) // alarm.period * alarm.period
    last = running if newest is not None and newest >= running else running - alarm.period
    return [last - alarm.period * back for back in reversed(range(alarm.periods))]


def judge(alarm: Alarm, points: Sequence[float | None]) -> State:
    """Say what state the alarm's datapoints call for, one for each period; None where there is none."""
    breaches = COMPARISONS[alarm.comparison]
    known = [breaches(point, alarm.threshold) for point in points if point is not None]
    gaps = len(points) - len(known)
    breaching, fine = known.count(True), known.count(False)
    match alarm.missing:
        case "breaching":
            return "ALARM" if breaching + gaps >= alarm.to_alarm else "OK"
        case "notBreaching":
            return "ALARM" if breaching >= alarm.to_alarm else "OK"
        case "ignore":
            return _ignoring(alarm, breaching, fine)
        case _:
            if not known:
                return "INSUFFICIENT_DATA"
            return "ALARM" if breaching >= min(alarm.to_alarm, len(known)) else "OK"


def _ignoring(alarm: Alarm, breaching: int, fine: int) -> State:
    """Keep the state unless the data that is there decides alone."""
    if breaching >= alarm.to_alarm:
        return "ALARM"
    return "OK" if fine > alarm.periods - alarm.to_alarm else alarm.state
