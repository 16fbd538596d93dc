"""What must hold around a sweep that finds more than it may act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.demo.auditor.case import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood_cli.demo.auditor.case import Case
    from makegood_cli.demo.auditor.rows import Row


def nothing_moves(case: Case) -> Iterator[Breach]:
    """Find operations that were written while the sweep had to stand still."""
    if case.capped is None or case.capped.before.digest == case.capped.after.digest:
        return
    before, after = case.capped.before.rows, case.capped.after.rows
    for identifier in sorted(before.keys() | after.keys()):
        was, stands = before.get(identifier), after.get(identifier)
        if was is None or stands is None or was.text != stands.text:
            words = f"{_status(was)} before the sweep that had to stand still, {_status(stands)} after it"
            yield Breach(operation_id=identifier, words=words)


def nothing_is_sent(case: Case) -> Iterator[Breach]:
    """Find runs that did not halt, and messages that they sent."""
    if case.capped is None:
        return
    runs = case.capped.runs
    if not any(run["outcome"] == "halted" for run in runs):
        ended = ", ".join(run["outcome"] for run in runs) or "no run at all"
        yield Breach(operation_id=None, words=f"no sweep halted above the cap of {case.capped.cap}; there was {ended}")
    if sent := sum(run["sent"] for run in runs):
        yield Breach(operation_id=None, words=f"sweeps above the cap sent {sent} messages")
    for name, depth in case.capped.after.depths.items():
        if depth:
            yield Breach(operation_id=None, words=f"the queue {name} holds {depth} messages after the halt")


def it_is_heard(case: Case) -> Iterator[Breach]:
    """Find a halt that nobody hears of."""
    if case.capped is None:
        return
    if not case.capped.halts:
        yield Breach(operation_id=None, words="the series SweepHalted shows no halt")
    if case.capped.alarm != "ALARM":
        yield Breach(operation_id=None, words=f"the alarm on halts is {case.capped.alarm}")


def the_rate_is_kept(case: Case) -> Iterator[Breach]:
    """Find runs that acted above the cap without leave, or beyond their drain rate."""
    for run in case.now.runs:
        if run["dry_run"]:
            continue
        anomalies, acted = sum(run["anomalies"].values()), sum(run["acted"].values())
        rate = _rate(case) if run["acknowledged_by"] else None
        if rate is not None and acted > rate:
            yield Breach(operation_id=None, words=f"run {run['run_id']} acted on {acted} rows; {rate} were allowed")
        if rate is None and case.capped is not None and acted and anomalies > case.capped.cap:
            words = f"run {run['run_id']} met {anomalies} anomalies, above the cap, and acted on {acted} rows"
            yield Breach(operation_id=None, words=words)


def _rate(case: Case) -> int:
    given = case.now.acknowledgement
    return int(given["drain_rate"]) if given else 0


def _status(row: Row | None) -> str:
    return f"{row.status} with revision {row.revision}" if row else "not there"
