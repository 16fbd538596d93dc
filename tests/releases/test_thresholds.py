"""May any number of a deployment be raised or lowered while operations are under way?

The numbers are read from the code: whatever is added to the limits is tried here by itself. While a deployment rolls
out, the two doors go by different ones.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.domain.errors import SettingsError, UnsafePolicy
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import OPEN
from makegood.domain.run import RunOutcome
from makegood.settings import SweepSettings, variables

from tests.crash import catalog, healing, remote
from tests.crash.story import LARGE, killed_in_its_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.crash.house import House
    from tests.crash.remote import Reply

LOWER = (0.25, 0.5, 0.7, 0.9, 0.95, 0.99)
HIGHER = (3.0, 2.0, 1.5, 1.2, 1.1, 1.02)
UNITS: dict[str, Any] = {"_SECONDS": timedelta(seconds=1), "_DAYS": timedelta(days=1), "": 1}
FIXED = {("batch_window", "lower"), ("max_receive_count", "lower")}  #: already as low as they may be
NAMES = [field.name for limits in (Limits, SweepLimits) for field in fields(limits)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A number of a deployment before and after, by its variable as `House.deploy` takes it."""

    before: dict[str, int]
    after: dict[str, int]


def changed(name: str, direction: str) -> Change | None:
    """Return the first value in that direction with which all other numbers still agree."""
    limits: Any = Limits() if hasattr(Limits(), name) else SweepLimits()
    [(variable, unit)] = [(found, unit) for found, unit in _candidates(name) if found in variables(SweepSettings)]
    short, now = variable.removeprefix("MAKEGOOD_"), getattr(limits, name)
    for factor in LOWER if direction == "lower" else HIGHER:
        whole = int(now * factor / unit) or int(direction == "higher")
        if whole * unit != now and _agrees(replace(limits, **{name: whole * unit})):
            return Change(before={short: int(now / unit)}, after={short: whole})
    return None


def _candidates(name: str) -> Iterator[tuple[str, Any]]:
    return ((f"MAKEGOOD_{name.upper()}{ending}", unit) for ending, unit in UNITS.items())


def _agrees(limits: Limits | SweepLimits) -> bool:
    with suppress(SettingsError, UnsafePolicy):
        limits.check()
        if isinstance(limits, Limits):
            [cls.policy.under(limits) for cls in catalog.OPERATION_TYPES]
        return True
    return False


def under_way(home: House) -> set[str]:
    """Leave operations in every status that a worker can bring about; return the names of those that are open."""
    home.submit("op-1")
    killed_in_its_call(home)  # a claim whose worker is gone
    replies: dict[str, Reply] = {
        "waits-long": remote.busy,
        "waits-a-little": remote.transient,
        "uncertain": home.remote.times_out,
        "rejected": remote.rejected,
        "ruled-out": remote.ruled_out,
        "done": home.remote.done,
    }
    for name, reply in replies.items():
        home.remote.script[name] = [reply]
        home.submit(name, payload=LARGE if name == "waits-long" else {})
    home.deliver()
    home.submit("on-its-way")
    home.submit("later", not_before=home.clock.now() + 3_600_000)
    home.sweep()
    return {name for name, row in home.rows().items() if row.status in OPEN}


def goes_on(home: House, worker: dict[str, int], reconciler: dict[str, int]) -> None:
    """Deliver and sweep, each door by its own numbers, until every operation has ended."""
    for _ in range(healing.ROUNDS):
        home.deploy(**worker)
        home.deliver()
        if all(row.status in healing.ENDED for row in home.rows().values()):
            return
        home.wait(healing.TICK)
        home.deploy(**reconciler)
        if home.sweep()["outcome"] == RunOutcome.HALTED:
            home.acknowledge()
    raise AssertionError(f"not ended after {healing.ROUNDS} rounds: {home.rows()}")


@pytest.mark.parametrize("who", ["both", "worker", "reconciler"])
@pytest.mark.parametrize("direction", ["lower", "higher"])
@pytest.mark.parametrize("name", NAMES)
def test_a_number_may_change_while_operations_are_under_way(home: House, name: str, direction: str, who: str) -> None:
    change = changed(name, direction)
    assert (change is None) is ((name, direction) in FIXED)
    if change is None:
        return
    was_open = under_way(home)
    ended = {row: home.table.item(row) for row in home.rows() if row not in was_open}
    goes_on(
        home,
        worker=change.before if who == "reconciler" else change.after,
        reconciler=change.before if who == "worker" else change.after,
    )
    healing.inquest(home)
    assert {row: home.table.item(row) for row in ended} == ended
    assert set(ended) == {"done", "ruled-out"}
