"""The auditor of the demo: it trusts nobody. It reads the table and the CRM's own log by itself, and imports no flow.

`look` reads all there is at a moment; `audit` holds a case of such moments against the invariants of the design.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from makegood_cli.demo.auditor.invariants import INVARIANTS

if TYPE_CHECKING:
    from makegood_cli.demo.auditor.case import Breach, Case, Invariant


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What became of one invariant."""

    invariant: Invariant
    breaches: tuple[Breach, ...]

    @property
    def holds(self) -> bool:
        """Say whether nothing speaks against it."""
        return not self.breaches


def audit(case: Case) -> tuple[Finding, ...]:
    """Check every invariant, in their order."""
    return tuple(Finding(invariant=each, breaches=tuple(each.check(case))) for each in INVARIANTS)
