"""What the auditor says of a case, and cases that differ from the good one in a row or a world."""

from dataclasses import replace
from typing import Any

from makegood_cli.demo.auditor import audit
from makegood_cli.demo.auditor.case import Case
from makegood_cli.demo.auditor.rows import Row

from tests.demo.worlds import good_case, world


def broken(case: Case) -> set[str]:
    """Name the invariants that do not hold."""
    return {finding.invariant.name for finding in audit(case) if not finding.holds}


def breaches(case: Case, name: str) -> list[str]:
    """Return what speaks against one invariant: each place and its words."""
    finding = next(finding for finding in audit(case) if finding.invariant.name == name)
    return [f"{breach.operation_id}: {breach.words}" for breach in finding.breaches]


def with_now(*rows: Row, **changes: Any) -> Case:
    """Return the good case with these rows instead of its own, and a world that fits them but for the changes."""
    case = good_case()
    kept = [each for each in case.now.rows.values() if each.operation_id not in {new.operation_id for new in rows}]
    return replace(case, now=world(*kept, *rows, **{"runs": case.now.runs} | changes))


def with_calls(of: Row, calls: tuple[Any, ...], **changes: Any) -> Case:
    """Return the good case with one row more, for which the CRM logged these calls."""
    case = with_now(of)
    others = tuple(each for each in case.now.calls if each["operation_id"] != of.operation_id)
    return replace(case, now=replace(case.now, calls=(*others, *calls), **changes))
