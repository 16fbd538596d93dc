"""The local profile: the template's parameters as the local stack sets them (docs: the design's numbers, right column).

Everything is quick, so that a person sees a rescue within a minute; the relations between the clocks are those of
production, and settings.py checks them here as there.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

STACK_NAME = "makegood-local"

LOCAL: Mapping[str, str] = {
    "ScheduleIntervalSeconds": "60",  # the engine looks every 10 s, and a rate is whole minutes
    "SweepTimeoutSeconds": "50",
    "StaleAfterSeconds": "40",
    "WorkerTimeoutSeconds": "4",
    "PerformDeadlineSeconds": "3",
    "LeaseSeconds": "10",
    "VisibilitySeconds": "25",
    "SettleWindowSeconds": "2",
    "OutageLimitSeconds": "120",
    "SkewMarginSeconds": "1",
    "MaximumConcurrencyHigh": "2",  # each run at a time is a process of its own on this machine
    "MaximumConcurrencyDefault": "2",
    "MaximumConcurrencyLow": "2",
}


NOTHING: Mapping[str, str] = MappingProxyType({})


class Sweeps(StrEnum):
    """What the sweeps of a stack do: the template's parameter of this name."""

    ACT = "act"
    OBSERVE = "observe"


def parameters(*, crm_url: str, sweeps: Sweeps = Sweeps.ACT, numbers: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Return the template's parameters for a local stack whose CRM, and payment side, answer at that address.

    `numbers` are parameters that are to differ from the local profile.
    """
    return {**LOCAL, **numbers, "CrmUrl": crm_url, "PaymentsUrl": crm_url, "Sweeps": sweeps.value}
