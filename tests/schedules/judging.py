"""Judging what was played: by the demo's auditor, and by what only these schedules can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood_cli.demo.auditor import audit
from makegood_cli.demo.auditor.case import Breach, Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


#: what the auditor holds against the demo's own story and cannot hold here, and why
LEFT_OUT: Mapping[str, str] = {
    "the halt is heard": "the demo waits for the series and the alarm; here nobody has the time",
}
#: breaches of these do not count for an operation whose calls the remote really refused to the end, as schedules draw
EXCUSED = "an outage is nobody's question"


def breaches(case: Case) -> list[str]:
    """Say in words what does not hold, each with the operation it is about."""
    found = [
        _told(finding.invariant.name, breach)
        for finding in audit(case)
        if finding.invariant.name not in LEFT_OUT
        for breach in finding.breaches
        if not (finding.invariant.name == EXCUSED and _was_refused(case, breach))
    ]
    return [*found, *(_told("not applicable is true", breach) for breach in _not_applicable_is_true(case))]


def _told(name: str, breach: Breach) -> str:
    return f"{name}: {breach.operation_id or 'the whole'}: {breach.words}"


def _was_refused(case: Case, breach: Breach) -> bool:
    """Say whether the remote broke down in a call for it, and answered every further one the same."""
    return any(call["operation_id"] == breach.operation_id and call["status"] == 500 for call in case.now.calls)


def _not_applicable_is_true(case: Case) -> Iterator[Breach]:
    """Find what ended as not applicable, by no person's hand, while its effect stands at the remote."""
    for row in case.rows():
        if row.state != "N" or row.entries[-1].role == "o":
            continue
        effects = [each for call in case.calls(row) for each in case.now.effects.get(call["key"], ())]
        if any(not each["withdrawn"] and each["kind"] != "withdraw" for each in effects):
            yield Breach(operation_id=row.operation_id, words="it is not applicable, but the CRM has its effect")
