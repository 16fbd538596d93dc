"""What a result file came to, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from makegood_cli.json_text import as_data
from makegood_cli.reasons import words

if TYPE_CHECKING:
    from makegood.flows.check import Checked, Report


def report_data(report: Report, *, dry_run: bool) -> dict[str, Any]:
    """Describe what became of a whole file."""
    return {
        "dry_run": dry_run,
        "checked": [_checked(each) for each in report.checked],
        "unmatched_lines": list(report.unmatched),
        "not_mentioned": report.silent,
        "counts": as_data(report.tally.counts()),
    }


def _checked(each: Checked) -> dict[str, Any]:
    return {
        "operation_id": each.operation.operation_id,
        "entity": each.operation.entity,
        "lines": list(each.lines),
        "verdict": each.verdict,
        "reason": each.reason,
        "words": words(each.reason),
        "verb": each.verb.value,
        "would": f"would_{each.would.value}" if each.would else None,
        "written": each.landed,
        "held_back": each.held_back,
    }
