"""Faults to plant: small changes of the code that gets deployed, each of which the auditor must notice.

They are made in a copy below the demo's own state; the sources are never touched.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from makegood_cli.local.places import Places

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_HOUSE = "layers/makegood/makegood"
_UNCERTAIN = "            return transitions.await_proof(operation, hand, reason=Reason.UNCERTAIN, error=_line(said))\n"
_LANDED = "            after = self.land(item.operation, partial(self._after, item.operation, item.action), tally)\n"
_COPIED = ("template.yaml", "functions", "layers")


class PlantError(Exception):
    """A fault that is not known, or no longer fits the code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One change of one file."""

    says: str  #: what is wrong then
    file: str
    old: str  #: stands there once
    new: str


FAULTS: Mapping[str, Fault] = {
    "no-touch": Fault(
        says="the sweep dispatches rows without touching them",
        file=f"{_HOUSE}/flows/act.py",
        old=_LANDED,
        new="            after: Operation | None = item.operation\n"
        f"            if not isinstance(item.action, Dispatch):\n    {_LANDED}",
    ),
    "trim-instead-of-halt": Fault(
        says="above the cap the sweep acts on as many rows as it may, instead of refusing",
        file=f"{_HOUSE}/flows/survey.py",
        old="        if total > self.halt_cap:\n",
        new="        if total > self.halt_cap and not self.room:\n",
    ),
    "double-send": Fault(
        says="the worker claims whatever a message names, also what another has claimed",
        file=f"{_HOUSE}/adapters/dynamodb_claim.py",
        old="    yield f\"{name('status')} IN ({', '.join(waiting)})\"  # it waits for an attempt\n"
        "    yield f\"attribute_not_exists({name('claim_token')})\"  # nobody holds it\n",
        new="    yield f\"({name('status')} IN ({', '.join(waiting)}) OR attribute_exists({name('status')}))\"\n",
    ),
    "confirm-without-evidence": Fault(
        says="a call that timed out counts as done",
        file=f"{_HOUSE}/domain/settle.py",
        old=_UNCERTAIN,
        new="            version, fields = operation.expected_version, operation.expected_fields\n"
        "            hoped = Done(remote_id=operation.entity, version=version, fields=fields)\n"
        "            return _done(operation, hoped, hand)\n",
    ),
    "resend-ambiguous": Fault(
        says="a call that may have been applied is sent again without a look",
        file=f"{_HOUSE}/domain/settle.py",
        old=_UNCERTAIN,
        new="            wait = hand.terms.policy.backoff.wait(operation.attempt, fraction=fraction)\n"
        "            return transitions.schedule_retry(operation, hand, wait=wait, error=_line(said))\n",
    ),
    "error-as-absent": Fault(
        says="a look without an answer counts as proof that nothing is there",
        file=f"{_HOUSE}/domain/judge.py",
        old="            case Unknown():\n                return self.of_unknown(observed)\n",
        new="            case Unknown():\n                return self.of_absent(Absent(asked=observed.asked))\n",
    ),
    "overwrite": Fault(
        says="what somebody else changed counts as missing, and is written again",
        file=f"{_HOUSE}/domain/judge.py",
        old="        return self._compared(found, version, fields)\n",
        new="        judged = self._compared(found, version, fields)\n"
        "        return self.of_absent(Absent(asked=found.asked)) if judged.verdict.differences else judged\n",
    ),
}


def fault_named(name: str) -> Fault:
    """Return the fault of that name; a PlantError names those there are."""
    if name not in FAULTS:
        raise PlantError(f"there is no fault {name!a} to plant; there are {', '.join(FAULTS)}")
    return FAULTS[name]


def overlay(places: Places, fault: Fault, root: Path) -> Places:
    """Copy what gets deployed to that root and plant the fault in the copy; return the places that deploy it.

    Raises:
        PlantError: the code has changed, so that the fault no longer fits.
    """
    for name in _COPIED:
        source, target = places.root / name, root / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            root.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    (root / ".venvs").symlink_to(places.root / ".venvs")
    file = root / fault.file
    file.write_text(planted(file.read_text(encoding="utf-8"), fault), encoding="utf-8")
    return Places(root=root, state=places.state, cache=places.cache)


def planted(text: str, fault: Fault) -> str:
    """Return a file's text with the fault in it.

    Raises:
        PlantError: what is to be changed does not stand there exactly once.
    """
    if text.count(fault.old) != 1:
        raise PlantError(
            f"the fault no longer fits {fault.file}: what it changes stands there {text.count(fault.old)} times"
        )
    return text.replace(fault.old, fault.new)
