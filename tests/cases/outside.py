"""An outside system with a script behind the real doors: it is called, asked, and cut off as a test says."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from makegood import bootstrap
from makegood.domain import history
from makegood.domain.history import Actor, Role
from makegood.domain.instant import after, between
from makegood.domain.operation import Status
from makegood.domain.policy import Capability, Mode
from makegood.domain.review import Action, Wish
from makegood.settings import StackSettings

from tests.cases.scene import submitted
from tests.contract.builders import fresh
from tests.doors.world import T, message
from tests.support import rows
from tests.support.remote import Remote, calling

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    import pytest
    from makegood.bootstrap import Parts
    from makegood.domain.operation import Operation
    from makegood.domain.operation_type import Attempt, OperationType
    from makegood.domain.outcome import Outcome
    from makegood.flows.cancel import Cancelled, Refused
    from makegood.flows.review import Taken

    from tests.doors.world import Doors
    from tests.support.remote import Sight

CATALOG = "a_catalog_of_cases"
ALICE = Actor(role=Role.OPERATOR, name="alice")
POLICY_VERSION = 3
LOOKS = 10


class Killed(BaseException):
    """The worker is gone: no handler, no clean-up, no answer."""


@dataclass(kw_only=True)
class Outside:
    """The doors, and the outside system that their one operation type calls."""

    doors: Doors
    remote: Remote

    def promised(self, **facts: Any) -> Operation:
        """Promise one operation."""
        usual = {"operation_type": "sync", "entity": "customer/452", "expected_fields": {"plan": "gold"}}
        return submitted(**{**usual, **facts}).operation

    def deliver(self, row: Operation, *replies: Callable[[Attempt], Outcome]) -> Operation:
        """Hand the row's message to the worker, whose call is answered so; return the row as it stands then."""
        self.remote.script[:] = replies
        self.doors.work(message(row))
        return self.row(row)

    def look(self, row: Operation, *sights: Sight) -> Operation:
        """Let sweeps look, each when the row is next due, and see this; return the row as it stands then."""
        for sight in sights:
            self.remote.sights[:] = [sight]
            self.to(self.row(row).due_at)
            self.doors.sweep()
            assert self.remote.sights == [], "nobody looked"
        return self.row(row)

    def settled(self, row: Operation) -> Operation:
        """Let sweeps look at what is there until they have come to a verdict; return the row as it stands then."""
        for _ in range(LOOKS):
            if self.row(row).status is not Status.AWAITING_CONFIRMATION:
                return self.row(row)
            self.look(row, self.remote.truth)
        raise AssertionError(f"no verdict after {LOOKS} looks")

    def row(self, row: Operation) -> Operation:
        """Read a row as it stands."""
        return self.doors.row(row)

    def later(self, duration: timedelta) -> None:
        """Let time pass."""
        self.doors.clock.advance(duration)

    def to(self, instant: Any) -> None:  # noqa: ANN401 - an instant, or none for a row that is due no more
        """Let time pass until an instant, if that is to come."""
        assert instant is not None, "nobody looks at this row any more"
        self.later(max(between(self.doors.clock.now(), instant), T * 0))

    def calls(self, row: Operation) -> int:
        """Say how many calls that make the effect the remote saw for this operation."""
        return self.remote.calls[row.operation_id]

    def effects(self, row: Operation) -> int:
        """Say how often the effect is there."""
        return self.remote.effects[row.operation_id]

    @cached_property
    def parts(self) -> Parts:
        """What people's flows are put together from."""
        return bootstrap.parts(StackSettings.read())

    def decide(self, row: Operation, action: str, *, seen: Operation | None = None, **said: Any) -> Taken | Refused:
        """Let a person decide upon the row as they saw it last."""
        revision = (seen or self.row(row)).revision
        wish = {"operation_id": row.operation_id, "action": Action(action), "seen_revision": revision}
        return self.parts.review().decide(Wish(**{"reason": "looked into", **wish, **said}), actor=ALICE)

    def cancel(self, row: Operation) -> Cancelled | Refused:
        """Let a person want the operation no more."""
        return self.parts.cancel()(row.operation_id, reason="ordered twice", actor=ALICE)


def outside(doors: Doors, patch: pytest.MonkeyPatch, *more: type[OperationType], **policy: Any) -> Outside:
    """Put an outside system behind the doors. Its type `sync` does all by itself unless the policy says otherwise."""
    remote = Remote()
    usual = {"idempotent": True, "capability": Capability.BY_KEY, "mode": Mode.CORRECT, "version": POLICY_VERSION}
    catalog = ModuleType(CATALOG)
    catalog.OPERATION_TYPES = (calling(remote, **{**usual, **policy}), *more)  # type: ignore[attr-defined]
    patch.setitem(sys.modules, CATALOG, catalog)
    patch.setenv("MAKEGOOD_CATALOG", CATALOG)
    return Outside(doors=doors, remote=remote)


def placed(world: Outside, status: Status, **facts: object) -> Operation:
    """Put a row in this status, as the flows leave one."""
    row = rows.operation(status, **{"operation_id": fresh("op"), "operation_type": "sync", **facts})
    world.doors.table.place(row)
    return row


def applied_then(remote: Remote, error: BaseException) -> Callable[[Attempt], Outcome]:
    """Return a reply that makes the effect and then fails to say so."""

    def reply(attempt: Attempt) -> Outcome:
        remote.apply(attempt)
        raise error

    return reply


def verbs(row: Operation) -> list[str]:
    """Name what happened to a row, in order."""
    return [entry.verb.value for entry in history.read(row.history) if isinstance(entry, history.Entry)]


def reasons(row: Operation) -> list[str]:
    """Return the reasons' codes of what happened to a row, in order."""
    return [str(entry.reason) for entry in history.read(row.history) if isinstance(entry, history.Entry)]


def elapsed(row: Operation, duration: timedelta) -> Any:  # noqa: ANN401 - an instant
    """Return the instant so long after the row's last attempt ended."""
    assert row.attempt_ended_at is not None
    return after(row.attempt_ended_at, duration)
