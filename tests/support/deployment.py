"""A whole Makegood in memory: its flows, what they run on, and an outside system with a script."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NoReturn

from makegood.adapters.memory import (
    InlineLookout,
    ManualClock,
    MemoryLedger,
    MemoryLine,
    MemoryQueue,
    MemoryStore,
    SeededEntropy,
)
from makegood.domain.instant import after
from makegood.domain.limits import Limits, SweepLimits
from makegood.domain.operation import Operation, OperationId
from makegood.domain.operation_type import OperationType
from makegood.domain.promise import Promise
from makegood.domain.registry import Registry
from makegood.flows.cancel import Cancel
from makegood.flows.order import SweepOrder
from makegood.flows.review import Review
from makegood.flows.submit import Submit, Submitted
from makegood.flows.sweep import Sweep, Swept
from makegood.flows.work import Fate, Work, Worked

from tests.support.remote import Nowhere, Remote, calling
from tests.support.rows import LIMITS, MINUTE, T

INVOCATION = MINUTE  #: how long a worker's invocation may take


class Deployment:
    """The doors' flows over the memory twins, at one clock."""

    def __init__(
        self,
        *types: type[OperationType],
        limits: Limits = LIMITS,
        sweep_limits: SweepLimits = SweepLimits(),  # noqa: B008 - frozen
        **policy: Any,
    ) -> None:
        self.remote = Remote()
        self.clock, self.entropy = ManualClock(), SeededEntropy()
        self.store, self.queue, self.ledger = MemoryStore(), MemoryQueue(), MemoryLedger()
        own = types or (calling(self.remote, **policy),)
        self.registry = Registry(own, limits=limits, remotes=Nowhere())
        parts: dict[str, Any] = {
            "store": self.store,
            "queue": self.queue,
            "clock": self.clock,
            "entropy": self.entropy,
            "registry": self.registry,
        }
        self.submit = Submit(**parts)
        self.line, self.lookout = MemoryLine(), InlineLookout()
        self.work = Work(**parts, limits=limits, line=self.line)
        self.sweep_flow = Sweep(
            **parts, ledger=self.ledger, limits=limits, sweep_limits=sweep_limits, lookout=self.lookout
        )
        self.review = Review(**parts, lookout=self.lookout)
        self.cancel = Cancel(store=self.store, clock=self.clock, entropy=self.entropy, registry=self.registry)

    def submitted(self, name: str = "op-1", operation_type: str = "sync", **facts: Any) -> Operation:
        """Promise one operation and dispatch it."""
        return self.promised(name, operation_type, **facts).operation

    def promised(self, name: str = "op-1", operation_type: str = "sync", **facts: Any) -> Submitted:
        """Promise one operation and say what submit said."""
        usual = {"operation_type": operation_type, "entity": f"customer/{name}", "expected_version": 7}
        return self.submit(Promise(**{**usual, "operation_id": name, "expected_fields": {"plan": "gold"}, **facts}))

    def lost(self, count: int, prefix: str = "op", operation_type: str = "sync") -> list[str]:
        """Promise operations, lose their messages, and let them become stale; return their ids."""
        names = [f"{prefix}-{number:03}" for number in range(count)]
        for name in names:
            self.submitted(name, operation_type)
        self.queue.take()
        self.clock.advance(T)
        return names

    def claimed(self, name: str = "op-1") -> Operation:
        """Promise an operation whose worker was killed in the middle of its call."""
        self.submitted(name)
        self.remote.script.insert(0, _killed)
        try:
            self.worked(name)
        except Killed:
            self.queue.take()
            return self.row(name)
        raise AssertionError("the worker survived")

    def worked(self, name: str = "op-1", *, time_left: timedelta = INVOCATION, flow: Work | None = None) -> Worked:
        """Work on one message."""
        return (flow or self.work)(OperationId(name), until=after(self.clock.now(), time_left))

    def delivered(self) -> list[Worked]:
        """Work on every message that is queued; what is handed back waits in the queue again."""
        messages = self.queue.take()
        done = [self.worked(message.operation_id) for message in messages]
        self.queue.messages += [m for m, worked in zip(messages, done, strict=True) if worked.fate is Fate.HAND_BACK]
        return done

    def swept(self, *, time_left: timedelta = 4 * MINUTE, flow: Sweep | None = None, **order: Any) -> Swept:
        """Sweep once."""
        until = after(self.clock.now(), time_left)
        return (flow or self.sweep_flow)(SweepOrder(**{"run_id": "run", "until": until, **order}))

    def row(self, name: str = "op-1") -> Operation:
        """Return a row as it stands."""
        return self.store.rows[name]

    def change(self, name: str, **facts: Any) -> Operation:
        """Let somebody else write a row."""
        found = self.store.rows[name]
        changed = replace(found, **{"revision": found.revision + 1, "write_id": "another's", **facts})
        self.store.rows[name] = changed
        return changed

    def queued(self) -> list[str]:
        """Name the operations whose messages are queued."""
        return [message.operation_id for message in self.queue.messages]

    def picture(self, names: Sequence[str] | None = None) -> bytes:
        """Return rows, all or these, to the last byte."""
        rows = self.store.rows
        return repr([(name, rows.get(name)) for name in sorted(rows if names is None else names)]).encode()


class Killed(BaseException):
    """The process is gone: no handler, no clean-up, nothing after this."""


def _killed(_: object) -> NoReturn:
    raise Killed
