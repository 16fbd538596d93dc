"""What the telemetry bridge reads from the engine's services and writes to its CloudWatch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from makegood_cli.local import emf
from makegood_cli.local.alarms import Alarm, State, judge, window
from makegood_cli.local.emf import Datum

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from makegood_cli.local.clients import Clients


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The resources of a stack that telemetry is about, by physical id."""

    log_groups: tuple[str, ...]
    queues: tuple[str, ...]
    alarms: tuple[str, ...]


def watched(clients: Clients, stack: str) -> Watched:
    """Return what the stack has."""
    pages = clients.of("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]

    def ids(resource_type: str) -> tuple[str, ...]:
        return tuple(item["PhysicalResourceId"] for item in resources if item["ResourceType"] == resource_type)

    return Watched(
        log_groups=ids("AWS::Logs::LogGroup"),
        queues=ids("AWS::SQS::Queue"),
        alarms=ids("AWS::CloudWatch::Alarm"),
    )


def logged(
    clients: Clients, log_groups: Sequence[str], *, since: int, read: Collection[str]
) -> tuple[list[Datum], dict[str, int]]:
    """Return the metrics logged since that instant (epoch milliseconds), and the streams they came from.

    Streams that were read before are passed over.
    """
    data: list[Datum] = []
    streams: dict[str, int] = {}
    for group in log_groups:
        request = {"logGroupName": group, "startTime": since, "filterPattern": '"CloudWatchMetrics"'}
        for event in clients.of("logs").filter_log_events(**request)["events"]:
            if event["logStreamName"] not in read:
                data.extend(emf.read(event["message"]))
                streams[event["logStreamName"]] = event["timestamp"]
    return data, streams


def depths(clients: Clients, queues: Sequence[str], *, now: float) -> list[Datum]:
    """Return how many messages each queue shows, as SQS would publish it."""
    return [
        Datum(
            namespace="AWS/SQS",
            name="ApproximateNumberOfMessagesVisible",
            dimensions={"QueueName": queue.rpartition("/")[2]},
            values=(float(_attributes(clients, queue)["ApproximateNumberOfMessages"]),),
            unit="Count",
            at=int(now * 1000),
        )
        for queue in queues
    ]


def publish(clients: Clients, alarms: Sequence[str], data: Sequence[Datum]) -> list[Alarm]:
    """Write the data to their series; return the alarms as they were before.

    The engine judges every alarm by itself at each write, and wrongly. So meanwhile no alarm may act, and each is put
    back to what it was.
    """
    client = clients.of("cloudwatch")
    before = _described(client, alarms)
    client.disable_alarm_actions(AlarmNames=list(alarms))
    for namespace, of_namespace in groupby(sorted(data, key=_namespace), key=_namespace):
        client.put_metric_data(Namespace=namespace, MetricData=[_metric_datum(datum) for datum in of_namespace])
    for was, is_now in zip(before, _described(client, alarms), strict=True):
        if was.state != is_now.state:
            client.set_alarm_state(AlarmName=was.name, StateValue=was.state, StateReason=was.reason)
    client.enable_alarm_actions(AlarmNames=list(alarms))
    return before


def settle(clients: Clients, alarms: Sequence[Alarm], *, now: float) -> dict[str, State]:
    """Judge each alarm and set its state where that changes, with its actions; return the states by name."""
    states = {}
    for alarm in alarms:
        points = _points(clients, alarm, now=now)
        states[alarm.name] = state = judge(alarm, points)
        if state != alarm.state:
            reason = f"{alarm.statistic} of the last {alarm.periods} period(s) of {alarm.period} s: {points}"
            clients.of("cloudwatch").set_alarm_state(AlarmName=alarm.name, StateValue=state, StateReason=reason)
    return states


def _points(clients: Clients, alarm: Alarm, *, now: float) -> list[float | None]:
    """Return the alarm's datapoints, one for each period that counts now."""
    answer = clients.of("cloudwatch").get_metric_statistics(
        Namespace=alarm.namespace,
        MetricName=alarm.metric,
        Dimensions=[{"Name": name, "Value": value} for name, value in alarm.dimensions],
        Statistics=[alarm.statistic],
        Period=alarm.period,
        StartTime=datetime.fromtimestamp(now - alarm.period * (alarm.periods + 2), UTC),
        EndTime=datetime.fromtimestamp(now + 1, UTC),
    )
    points = {int(point["Timestamp"].timestamp()): point[alarm.statistic] for point in answer["Datapoints"]}
    return [points.get(start) for start in window(alarm, now=now, newest=max(points, default=None))]


def _described(client: Any, names: Sequence[str]) -> list[Alarm]:  # noqa: ANN401
    described = client.describe_alarms(AlarmNames=list(names))["MetricAlarms"] if names else []
    return sorted((Alarm.of(alarm) for alarm in described), key=lambda alarm: alarm.name)


def _attributes(clients: Clients, queue: str) -> dict[str, str]:
    answer = clients.of("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["ApproximateNumberOfMessages"])
    attributes: dict[str, str] = answer["Attributes"]
    return attributes


def _namespace(datum: Datum) -> str:
    return datum.namespace


def _metric_datum(datum: Datum) -> dict[str, Any]:
    return {
        "MetricName": datum.name,
        "Dimensions": [{"Name": name, "Value": value} for name, value in datum.dimensions.items()],
        "Timestamp": datetime.fromtimestamp(datum.at / 1000, UTC),
        "Values": list(datum.values),
        "Unit": datum.unit,
    }
