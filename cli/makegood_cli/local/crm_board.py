"""The faults that are switched on at the CRM, and the draw of the one that strikes."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from makegood_cli.local.crm_faults import NO_FAULT, as_document

if TYPE_CHECKING:
    from makegood_cli.local.crm_faults import Fault, Stage
    from makegood_cli.local.crm_records import Call, Question


class FaultBoard:
    """The faults that are switched on. They are the process's own: a restarted CRM has none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[str, Fault] = {}
        self._hits: Counter[str] = Counter()
        self._seen: Counter[tuple[str, str]] = Counter()

    def put(self, name: str, fault: Fault) -> None:
        """Switch a fault on under a name, afresh if the name was taken."""
        with self._lock:
            self._forget(name)
            self._faults[name] = fault

    def remove(self, name: str) -> bool:
        """Switch a fault off; False if there was none of that name."""
        with self._lock:
            return self._forget(name)

    def clear(self) -> None:
        """Switch every fault off."""
        with self._lock:
            for name in list(self._faults):
                self._forget(name)

    def listed(self) -> dict[str, dict[str, Any]]:
        """Return the faults by name, each with how often it struck."""
        with self._lock:
            return {name: as_document(fault) | {"hits": self._hits[name]} for name, fault in self._faults.items()}

    def draw(self, stage: Stage, call: Call | Question) -> tuple[str, Fault]:
        """Return, with its name, the first fault that matches, is not used up and is drawn; or `NO_FAULT`."""
        with self._lock:
            for name, fault in self._faults.items():
                if fault.stage is stage and fault.matches(call) and self._strikes(name, fault, call.key):
                    self._hits[name] += 1
                    return name, fault
        return "", NO_FAULT

    def _strikes(self, name: str, fault: Fault, key: str) -> bool:
        if fault.count is not None and self._hits[name] >= fault.count:
            return False
        self._seen[name, key] += 1
        return fault.strikes(key, self._seen[name, key])

    def _forget(self, name: str) -> bool:
        self._hits.pop(name, None)
        for seen in [pair for pair in self._seen if pair[0] == name]:
            del self._seen[seen]
        return self._faults.pop(name, None) is not None
