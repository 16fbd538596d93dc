"""The report: the auditor's figures, what was meant to happen and did not, and every invariant. Plain JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from makegood_cli.demo import doubts
from makegood_cli.demo.auditor import audit, figures
from makegood_cli.demo.doubts import ids_of
from makegood_cli.demo.healing import OURS
from makegood_cli.demo.plan import DISPATCH_LOST, Cause
from makegood_cli.json_case import case_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from makegood_cli.demo.auditor import Finding
    from makegood_cli.demo.story import Told

REPORT_FORMAT = 1


def reported(told: Told, *, seed: int, fault: str | None, seconds: float) -> dict[str, Any]:
    """Judge the story and put the report together; `ok` says whether the demo has shown what it promises."""
    findings = audit(told.case)
    losing, doubting, refusing = _losing(told), doubts.doubting(told), _refusing(told)
    meant = (*_meant(told, losing, refusing), *doubts.meant(told, doubting))
    missing = [words for happened, words in meant if not happened]  # then it has shown less than it says
    return {
        "format": REPORT_FORMAT,
        "ok": not missing and all(finding.holds for finding in findings),
        "seed": seed,
        "fault": fault,
        "seconds": round(seconds, 1),
        "losing": losing,
        "doubting": doubting,
        "refusing": refusing,
        "standing": {"promised": len(told.case.promised), **figures.standing(told.now, told.case.promised)},
        "double_effects": figures.double_effects(told.now),
        "lost": figures.lost(told.now, told.case.promised),
        "missing": missing,
        "invariants": [_invariant(finding) for finding in findings],
        "exceptions": [case_data(each) for each in told.exceptions],
    }


def _losing(told: Told) -> dict[str, Any]:
    """Tell the first part, as it stood at its end."""
    runs = told.capped.before.runs
    return {
        "submitted": sum(identifier in told.healed.rows for identifier in told.ids),
        "lost_by_cause": {
            **{
                cause.value: figures.lost_dispatches(told.lost, told.healed, ids_of(told, cause))
                for cause in DISPATCH_LOST
            },
            Cause.WORKER_KILLED.value: figures.dead_claims(told.lost, told.healed, ids_of(told, Cause.WORKER_KILLED)),
        },
        "delivered_twice": _delivered(told, told.plan.twice),
        "delivered_again_later": _delivered(told, told.plan.again),
        "found_by_sweeps": figures.found(runs),
        "sweeps": figures.sweeps(runs, ours=OURS),
        **figures.standing(told.healed, told.ids),
    }


def _refusing(told: Told) -> dict[str, Any]:
    """Tell the second part."""
    capped, given = told.capped, told.now.acknowledgement or {}
    drains = [run["sent"] for run in told.now.runs if run["acknowledged_by"] and run["sent"]]
    return {
        "lost": sum(figures.lost_dispatches(capped.before, capped.before, [identifier]) for identifier in told.wave),
        "cap": capped.cap,
        "outcomes": [run["outcome"] for run in capped.runs],
        "why": next((run["halted_why"] for run in capped.runs if run["halted_why"]), None),
        "table_before": capped.before.digest,
        "table_after": capped.after.digest,
        "messages": sum(capped.after.depths.values()),
        "halts_in_series": capped.halts,
        "alarm": capped.alarm,
        "acknowledged_by": given.get("by"),
        "drain_rate": given.get("drain_rate"),
        "drained": drains,
        **figures.standing(told.now, told.wave),
    }


def _delivered(told: Told, lines: frozenset[int]) -> dict[str, Any]:
    return figures.delivered_again(told.now, (told.ids[line] for line in sorted(lines)))


def _meant(told: Told, losing: Mapping[str, Any], refusing: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    lines, wave = len(told.plan.order), len(told.wave)
    yield losing["submitted"] == lines, f"{losing['submitted']} of {lines} operations were stored"
    for cause, seen in losing["lost_by_cause"].items():
        wanted = len(told.plan.of(Cause(cause)))
        yield seen == wanted, f"{cause}: {wanted} were to be lost, {seen} were"
    for what, planned in (("delivered_twice", told.plan.twice), ("delivered_again_later", told.plan.again)):
        seen = losing[what]["operations"]
        yield seen == len(planned), f"{what}: {len(planned)} operations were to get another message, {seen} did"
    yield losing["sweeps"]["by_schedule"] > 0, "EventBridge's own schedule started no sweep"
    for kind in ("lost_dispatch", "dead_claim"):
        yield losing["found_by_sweeps"].get(kind, 0) > 0, f"no sweep found a {kind}"
    lost, cap = refusing["lost"], refusing["cap"]
    yield lost == wave > cap, f"{lost} messages were lost against the cap of {cap}"
    confirmed = refusing["confirmed"]
    yield confirmed == wave, f"{confirmed} of {wave} were confirmed after the acknowledgement"


def _invariant(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.invariant.name,
        "says": finding.invariant.says,
        "design": finding.invariant.design,
        "holds": finding.holds,
        "breaches": [{"operation_id": breach.operation_id, "words": breach.words} for breach in finding.breaches],
    }
