"""What is said about the work: one JSON line for each transition and each sweep, and a fixed set of metric series.

    line        when                                  fields beside operation_id and operation_type
    transition  a move landed                         verb, from, to, reason, attempt
    message     a message led to no call              fate, reason, error
    sweep       a run ended                           the run record

No payload, no secret, no whole event is ever logged. Every metric series carries the stack's name and nothing else,
so the number of series is fixed whatever runs (CloudWatch bills each combination of dimensions).
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from makegood.domain.acknowledging import Received
from makegood.domain.evidence import VerdictKind
from makegood.domain.instant import iso
from makegood.domain.reason import Reason
from makegood.domain.run import RunOutcome, RunRecord
from makegood.domain.scrub import error_line
from makegood.flows.result import Move
from makegood.flows.tally import Planned
from makegood.flows.work import Worked

NAMESPACE = "Makegood"
DIMENSION = "stack"
SERIES: Mapping[str, frozenset[str]] = dict.fromkeys(
    (
        "SweepCompleted",
        "SweepHalted",
        "SweepScanned",
        "SweepAnomalies",
        "SweepActed",
        "SweepSkipped",
        "SweepSendFailures",
        "SweepErrors",
        "SweepNotUnderstood",
        "SweepRemaining",
        "SweepObserving",
        "SweepRemotesDown",
        "VerdictMissing",
        "VerdictCorrect",
        "VerdictDivergent",
        "VerdictAmbiguous",
        "VerdictNotApplicable",
        "WouldHaveActed",
        "AcknowledgementsAccepted",
        "AcknowledgementsRefused",
    ),
    frozenset({DIMENSION}),
)

#: why a row waits for another release, or for somebody to mend it: no sweep of this one will ever move it
NOT_UNDERSTOOD = (Reason.UNKNOWN_TYPE, Reason.NEWER_FORMAT, Reason.UNREADABLE)

_ALARMING = frozenset(
    {Reason.UNKNOWN_TYPE, Reason.NEWER_FORMAT, Reason.UNREADABLE, Reason.LATE_WRITE, Reason.MALFORMED}
)


def logger(service: str) -> Logger:
    """Return a door's logger; the level is POWERTOOLS_LOG_LEVEL."""
    return Logger(service=service, use_rfc3339=True, utc=True)


def log_moves(log: Logger, moves: Iterable[Move]) -> None:
    """Write one line for each transition that landed."""
    for move in moves:
        log.info(
            "transition",
            extra={
                "event": "transition",
                "operation_id": move.operation_id,
                "operation_type": move.operation_type,
                "verb": move.verb.value,
                "from": move.source.value if move.source else None,
                "to": move.target.value,
                "reason": move.reason,
                "attempt": move.attempt,
            }
            | ({"would": move.would} if move.would else {}),
        )


def log_worked(log: Logger, worked: Worked) -> None:
    """Write what became of one message: its transitions, or why there were none."""
    log_moves(log, worked.moves)
    settled = len(worked.moves) > 1 or (worked.moves and not worked.called)
    if settled and worked.error is None:
        return
    write = log.warning if worked.reason in _ALARMING else log.info
    write(
        "message",
        extra={
            "event": "message",
            "operation_id": worked.operation_id,
            "operation_type": worked.operation_type,
            "fate": worked.fate.value,
            "reason": str(worked.reason),
            "error": worked.error,
        },
    )


def log_failed(log: Logger, message_id: str, reason: Reason, error: BaseException) -> None:
    """Write why a message could not be worked on at all; it is handed back."""
    extra = {"event": "message", "message_id": message_id, "reason": reason.value, "error": error_line(error)}
    log.error("message", extra=extra)


def log_sweep(log: Logger, record: RunRecord, unknown_types: Iterable[str]) -> None:
    """Write one line for a run."""
    unknown = list(unknown_types)
    halted = record.outcome is RunOutcome.HALTED or bool(record.halted_types)
    odd = record.error_count or unknown or record.not_asked
    write = log.error if halted else log.warning if odd else log.info
    write("sweep", extra={"event": "sweep", "unknown_types": unknown, **summary(record)})


def summary(record: RunRecord) -> dict[str, object]:
    """Return a run record as a small JSON-serialisable mapping, instants as people read them."""
    return {
        **asdict(record),
        "outcome": record.outcome.value,
        "started_at": iso(record.started_at),
        "ended_at": iso(record.ended_at),
    }


def planned(item: Planned) -> dict[str, str]:
    """Say in plain values what a dry run would do with one row."""
    return {
        "operation_id": item.operation.operation_id,
        "operation_type": item.operation.operation_type,
        "entity": item.operation.entity,
        "status": item.operation.status.value,
        "action": type(item.action).__name__.lower(),
        "reason": item.action.reason.value,
    }


def emit_sweep(record: RunRecord, *, stack: str) -> None:
    """Write a run's metrics in the embedded metric format.

    Dry and overlapped runs emit none: neither says anything of the world. The heartbeat, which a dead-man alarm
    watches, is only given for a run that looked at everything, halted or not.
    """
    if record.dry_run or record.outcome is RunOutcome.OVERLAPPED:
        return
    _emit(_values(record), stack)


def _values(record: RunRecord) -> dict[str, int]:
    halted = record.outcome is RunOutcome.HALTED or bool(record.halted_types)
    heartbeat = {} if record.partial else {"SweepCompleted": 1}
    state = {} if record.partial and not halted else {"SweepHalted": int(halted)}  # a partial look ends no halt
    return (
        heartbeat
        | state
        | _of_looks(record)
        | {
            "SweepScanned": record.scanned,
            "SweepAnomalies": sum(record.anomalies.values()),
            "SweepActed": sum(record.acted.values()),
            "SweepSkipped": sum(record.skipped.values()),
            "SweepSendFailures": record.send_failures,
            "SweepErrors": record.error_count,
            "SweepNotUnderstood": sum(record.skipped.get(reason, 0) for reason in NOT_UNDERSTOOD),
            "SweepRemaining": record.remaining,
            "WouldHaveActed": sum(record.would.values()),
        }
        | {_SERIES_OF[kind]: record.verdicts.get(kind.value, 0) for kind in VerdictKind}
    )


def _of_looks(record: RunRecord) -> dict[str, int]:
    """Return what only a run that looked outside can know; a halted one ends neither a watch nor an outage."""
    if record.outcome is RunOutcome.HALTED:
        return {}
    return {
        "SweepObserving": int(record.outcome is RunOutcome.OBSERVED),
        "SweepRemotesDown": len(record.not_asked),
    }


_SERIES_OF = {kind: "Verdict" + kind.value.title().replace("_", "") for kind in VerdictKind}


def emit_acknowledgement(received: Received, *, stack: str) -> None:
    """Count one acknowledgement of a remote: whether it changed anything, or was refused."""
    accepted = received is Received.ACCEPTED
    _emit({"AcknowledgementsAccepted": int(accepted), "AcknowledgementsRefused": int(not accepted)}, stack)


def _emit(values: Mapping[str, int], stack: str) -> None:
    # `Metrics` keeps dimensions for the whole process; without `service=""` POWERTOOLS_SERVICE_NAME becomes one too
    metrics = EphemeralMetrics(namespace=NAMESPACE, service="")
    metrics.set_default_dimensions(**{DIMENSION: stack})
    for name, value in values.items():
        metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)
    metrics.flush_metrics()
