"""Is a row of a newer format left alone, counted and alarmed, until a release comes that knows it?"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters import dynamodb_claim, dynamodb_rows
from makegood.domain import hint
from makegood.domain.limits import Limits
from makegood.domain.operation import ROW_FORMAT, Status

from tests.crash import remote
from tests.house.template_reading import of_type, properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.crash.house import House

STALE = Limits().stale_after
NEWER = {"format": {"N": str(ROW_FORMAT + 1)}}
UNKNOWN = {"operation_type": {"S": "of_tomorrow"}}
BROKEN = {"created_at": {"S": "yesterday"}}


def promised(home: House, changes: dict[str, Any], name: str = "op-1") -> None:
    """Let a row stand there as another release has written it."""
    home.submit(name)
    home.table.place_item(home.table.item(name) | changes)


def series(printed: str) -> dict[str, float]:
    """Return the metrics that were printed last."""
    [*_, line] = [json.loads(line) for line in printed.splitlines() if '"_aws"' in line]
    [told] = line["_aws"]["CloudWatchMetrics"]
    return {metric["Name"]: sum(line[metric["Name"]]) for metric in told["Metrics"]}


@contextmanager
def a_newer_release() -> Iterator[None]:
    """Be the release that knows the next format."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (dynamodb_claim, dynamodb_rows):
            patch.setattr(module, "ROW_FORMAT", ROW_FORMAT + 1)
        yield


@pytest.mark.parametrize("changes", [NEWER, UNKNOWN, BROKEN], ids=["newer format", "unknown type", "broken"])
def test_it_is_neither_claimed_nor_swept_but_counted_and_alarmed(
    home: House, changes: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    promised(home, changes)
    before = home.doors.bytes()
    home.deliver()
    home.wait(STALE)
    swept = home.sweep()
    assert home.doors.bytes() == before
    assert home.remote.effects.total() == 0
    assert (swept["sent"], sum(swept["skipped"].values())) == (0, 1)
    assert series(capsys.readouterr().out)["SweepNotUnderstood"] == 1


def test_a_sweep_that_understands_everything_says_so(home: House, capsys: pytest.CaptureFixture[str]) -> None:
    home.submit()
    home.wait(STALE)
    home.sweep()
    assert series(capsys.readouterr().out)["SweepNotUnderstood"] == 0


def test_an_alarm_watches_that_count() -> None:
    alarms = map(properties, of_type("AWS::CloudWatch::Alarm"))
    [alarm] = [alarm for alarm in alarms if alarm["MetricName"] == "SweepNotUnderstood"]
    assert (alarm["Threshold"], alarm["Statistic"], alarm["EvaluationPeriods"]) == (1, "Maximum", 1)
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"


def test_its_message_comes_again_until_it_is_a_dead_letter_and_others_are_not_held_up(home: House) -> None:
    promised(home, NEWER)
    home.submit("op-2")
    for _ in range(6):
        home.deliver()
        home.wait(Limits().visibility)
    home.deliver()
    assert home.broker.dead_letters == 1
    assert home.table.store.find(["op-2"])["op-2"].status is Status.CONFIRMED  # type: ignore[list-item,index,union-attr]


def test_the_release_that_knows_it_finds_it_due_and_works_on_it(home: House) -> None:
    promised(home, NEWER)
    home.broker.purge()
    home.wait(STALE)
    home.sweep()
    with a_newer_release():
        home.sweep()
        home.deliver()
        assert home.rows()["op-1"].status is Status.CONFIRMED


def test_a_newer_release_works_on_rows_of_the_former_and_leaves_them_its_format(home: House) -> None:
    home.submit()
    home.remote.script["op-1"] = [remote.transient, remote.transient]
    with a_newer_release():
        home.deliver()
    home.wait(STALE)
    home.sweep()
    home.deliver()  # the former again, while the deployment rolls out
    home.wait(STALE)
    with a_newer_release():
        home.sweep()
        home.deliver()
    row = home.rows()["op-1"]
    assert (row.status, row.format, row.attempt) == (Status.CONFIRMED, ROW_FORMAT, 3)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"operation_id": "op-1"}),
        json.dumps({"operation_id": "op-1", "format": 0}),
        json.dumps({"operation_id": "op-1", "format": hint.FORMAT + 1, "urgency": "high", "trace": {"a": [1, None]}}),
    ],
    ids=["of the former release", "with an older format", "of a newer release"],
)
def test_a_message_of_another_release_is_as_good_a_hint(home: House, body: str) -> None:
    home.submit()
    home.broker.purge()
    home.broker.put(body)
    home.deliver()
    assert home.rows()["op-1"].status is Status.CONFIRMED


def test_a_message_that_names_its_operation_otherwise_is_lost_and_its_row_is_not(home: House) -> None:
    home.submit()
    home.broker.purge()
    home.broker.put(json.dumps({"format": 2, "operations": ["op-1"]}))
    home.deliver()
    home.wait(STALE)
    home.sweep()
    home.deliver()
    assert home.rows()["op-1"].status is Status.CONFIRMED
