"""Lines in CloudWatch's embedded metric format, read as data.

Format: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Datum:
    """What one line says about one series."""

    namespace: str
    name: str
    dimensions: Mapping[str, str]
    values: tuple[float, ...]
    unit: str
    at: int  #: epoch milliseconds


def read(line: str) -> tuple[Datum, ...]:
    """Return the data of a log line, one for each metric and dimension set; none for any other line."""
    if '"_aws"' not in line:
        return ()
    try:
        return tuple(_data(json.loads(line)))
    except (ValueError, TypeError, KeyError, AttributeError):
        return ()  # CloudWatch drops what it cannot read, and so do we


def _data(document: Mapping[str, Any]) -> Iterator[Datum]:
    about = document["_aws"]
    for directive in about["CloudWatchMetrics"]:
        for names in directive["Dimensions"]:
            for metric in directive["Metrics"]:
                value = document[metric["Name"]]
                yield Datum(
                    namespace=directive["Namespace"],
                    name=metric["Name"],
                    dimensions={name: str(document[name]) for name in names},
                    values=tuple(float(one) for one in (value if isinstance(value, list) else [value])),
                    unit=metric.get("Unit", "None"),
                    at=int(about["Timestamp"]),
                )
