"""The stack that schedules are played on, and what has been seen there."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from makegood.domain.operation import QueueName
from makegood_cli.demo import producers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.domain.operation import Operation
    from makegood.flows.submit import Submit
    from makegood_cli.demo.stage import Stage

    from tests.schedules.plan import Act, Ordered


@dataclass(slots=True, kw_only=True)
class Scene:
    """The stack, what is promised on it, and what has been seen so far. Acts happen on it side by side."""

    stage: Stage
    orders: Mapping[str, Ordered]
    promised: dict[str, Operation] = field(default_factory=dict)  #: by name, once it is
    seen: Counter[str] = field(default_factory=Counter)
    began: float = field(default_factory=time.monotonic)
    happened: list[str] = field(default_factory=list)  #: each act, when it was done
    lock: Lock = field(default_factory=Lock)
    wrong: list[str] = field(default_factory=list)  #: what must never happen, noticed on the way

    @property
    def submit(self) -> Submit:
        """The producer who loses nothing."""
        return self.stage.stack.rooms.submit

    @property
    def urls(self) -> dict[QueueName, str]:
        """The queues' addresses."""
        return producers.urls(self.stage.outputs)

    def saw(self, what: str, times: int = 1) -> None:
        """Count what was seen; acts happen side by side."""
        with self.lock:
            self.seen[what] += times

    def tells(self, act: Act) -> None:
        """Keep when an act was done; what it waited for may have taken its time."""
        with self.lock:
            self.happened.append(f"done at {time.monotonic() - self.began:5.1f} s: {act}")

    def send(self, queue: str, body: str, *, delay: int = 0) -> None:
        """Send any message at all, past the library."""
        url = self.urls[QueueName(queue)]
        self.stage.clients.of("sqs").send_message(QueueUrl=url, MessageBody=body, DelaySeconds=delay)
