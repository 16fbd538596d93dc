"""What stands at one moment, read by the auditor itself: the table and its index, queues, the CRM, the worker's log.

Raw scans and raw HTTP; nothing of Makegood's own code reads for it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from makegood_cli.demo.auditor import remote, rows
from makegood_cli.demo.auditor.rows import Row, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from makegood_cli.demo.auditor.rows import Item

_COUNTS = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Whom the auditor asks: plain clients, and the names of things."""

    dynamodb: Any
    sqs: Any
    logs: Any
    cloudwatch: Any
    table: str
    queues: Mapping[str, str]  #: URLs, by name
    worker_log: str  #: the log group
    halted_alarm: str
    stack: str  #: the dimension of every series
    crm_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """All of it, at about one moment."""

    rows: Mapping[str, Row] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)  #: why, by operation id
    digest: str = ""  #: of all operations, byte for byte
    index: Mapping[str, tuple[str, int]] = field(default_factory=dict)  #: shard and instant, by operation id
    runs: tuple[Mapping[str, Any], ...] = ()  #: records of sweeps, oldest first
    acknowledgement: Mapping[str, Any] | None = None  #: that was given last
    depths: Mapping[str, int] = field(default_factory=dict)  #: messages waiting, in flight or delayed, by queue
    calls: tuple[Mapping[str, Any], ...] = ()  #: the CRM's own log, each with whether it was answered
    reads: tuple[Mapping[str, Any], ...] = ()  #: the CRM's own log of questions
    effects: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)  #: by idempotency key
    elsewhere: tuple[Mapping[str, Any], ...] = ()  #: what somebody else changed, oldest first
    customers: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)  #: that others changed, or we undid
    turned_away: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  #: why messages led to no call, by id


def look(where: Where) -> World:
    """Read everything there is."""
    items = list(scan(where))
    operations = [item for item in items if item["sk"]["S"] in {"operation", "payload"}]
    read, unreadable = _read([item for item in operations if item["sk"]["S"] == "operation"])
    calls, elsewhere = tuple(remote.calls(where.crm_url)), remote.elsewhere(where.crm_url)
    undone = {call["entity"] for call in calls if call["kind"] == "withdraw"}
    return World(
        rows=read,
        unreadable=unreadable,
        digest=_digest(operations),
        index=index(where),
        runs=_records(items),
        acknowledgement=_acknowledgement(items),
        depths={name: depth(where, name) for name in where.queues},
        calls=calls,
        reads=tuple(remote.reads(where.crm_url)),
        effects=remote.effects(where.crm_url, sorted({call["key"] for call in calls if call["applied"]})),
        elsewhere=elsewhere,
        customers=remote.customers(where.crm_url, sorted(undone | {effect["entity"] for effect in elsewhere})),
        turned_away=_turned_away(where),
    )


def scan(where: Where) -> Iterator[Item]:
    """Read every item of the table, of whatever kind."""
    for page in where.dynamodb.get_paginator("scan").paginate(TableName=where.table, ConsistentRead=True):
        yield from page["Items"]


def statuses(where: Where) -> Mapping[str, str]:
    """Return every operation's status by its id."""
    return {item["pk"]["S"]: item["status"]["S"] for item in scan(where) if item["sk"]["S"] == "operation"}


def runs(where: Where) -> tuple[Mapping[str, Any], ...]:
    """Return the records of sweeps, oldest first."""
    return _records(list(scan(where)))


def index(where: Where) -> dict[str, tuple[str, int]]:
    """Return all that the index of open operations names, with shard and instant."""
    pages = where.dynamodb.get_paginator("scan").paginate(TableName=where.table, IndexName="due")
    return {
        item["pk"]["S"]: (item["due_shard"]["S"], int(item["due_at"]["N"])) for page in pages for item in page["Items"]
    }


def depth(where: Where, queue: str) -> int:
    """Count the messages of a queue, those in a worker's hands and delayed ones with them."""
    found = where.sqs.get_queue_attributes(QueueUrl=where.queues[queue], AttributeNames=list(_COUNTS))["Attributes"]
    return sum(int(found.get(name, 0)) for name in _COUNTS)


def halts_in_series(where: Where, *, since: float, until: float) -> int:
    """Count the sweeps that the series SweepHalted calls halted, between two instants in epoch seconds."""
    answer = where.cloudwatch.get_metric_statistics(
        Namespace="Makegood",
        MetricName="SweepHalted",
        Dimensions=[{"Name": "stack", "Value": where.stack}],
        Statistics=["Sum"],
        Period=60,
        StartTime=since // 60 * 60,
        EndTime=until,
    )
    return int(sum(point["Sum"] for point in answer["Datapoints"]))


def alarm_state(where: Where) -> str:
    """Return the state of the alarm on halts: OK, ALARM or INSUFFICIENT_DATA."""
    alarms = where.cloudwatch.describe_alarms(AlarmNames=[where.halted_alarm])["MetricAlarms"]
    return str(alarms[0]["StateValue"]) if alarms else "missing"


def _read(items: list[Item]) -> tuple[dict[str, Row], dict[str, str]]:
    read: dict[str, Row] = {}
    unreadable: dict[str, str] = {}
    for item in items:
        identifier = item["pk"]["S"]
        try:
            read[identifier] = rows.read(item)
        except Unreadable as error:
            unreadable[identifier] = str(error)
    return read, unreadable


def _digest(items: list[Item]) -> str:
    return sha256("\n".join(sorted(rows.text_of(item) for item in items)).encode()).hexdigest()


def _records(items: list[Item]) -> tuple[Mapping[str, Any], ...]:
    records = sorted((item for item in items if item["pk"]["S"] == "#sweeps"), key=lambda item: str(item["sk"]["S"]))
    return tuple(json.loads(item["record"]["S"]) for item in records)


def _acknowledgement(items: list[Item]) -> Mapping[str, Any] | None:
    texts = (
        item["acknowledgement"]["S"] for item in items if item["pk"]["S"] == "#control" and "acknowledgement" in item
    )
    return next((json.loads(text) for text in texts), None)


def _turned_away(where: Where) -> dict[str, tuple[str, ...]]:
    """Read from the worker's log why messages led to no call."""
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    pages = where.logs.get_paginator("filter_log_events").paginate(
        logGroupName=where.worker_log, filterPattern='"fate"'
    )
    for page in pages:
        for event in page["events"]:
            for line in event["message"].splitlines():
                said = _said(line)
                if said.get("event") == "message" and said.get("operation_id"):
                    reasons[said["operation_id"]].append(str(said.get("reason")))
    return {identifier: tuple(found) for identifier, found in reasons.items()}


def _said(line: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
