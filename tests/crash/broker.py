"""Standard queues with an event source mapping, answering in SQS's place at a time that the test sets.

At least once, after the delay, again after the visibility time-out, at most so often; then the message is a dead
letter. No engine has a clock that a test could set.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from makegood.domain.instant import Instant, after
from makegood.domain.limits import Limits, SweepLimits

from tests.double.answers import answered

if TYPE_CHECKING:
    from botocore.awsrequest import AWSResponse
    from makegood.adapters.memory import ManualClock

VISIBILITY = Limits().visibility
MOST_RECEIVES = SweepLimits().max_receive_count


@dataclass(slots=True, kw_only=True)
class Held:
    """One message in a queue."""

    body: str
    visible_at: Instant
    receives: int = 0


class Broker:
    """All queues as one: which of them a message is in makes no difference to what becomes of it."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._held: list[Held] = []
        self.dead_letters = 0

    def answer(self, request: Any, **_: object) -> AWSResponse:  # noqa: ANN401 - a hook of `before-send.sqs`
        """Take a batch of messages."""
        entries = json.loads(request.body)["Entries"]
        now = self._clock.now()
        self._held += [
            Held(body=entry["MessageBody"], visible_at=Instant(now + 1000 * entry["DelaySeconds"])) for entry in entries
        ]
        taken = [{"Id": entry["Id"], "MessageId": entry["Id"], "MD5OfMessageBody": "-"} for entry in entries]
        return answered(request, {"Successful": taken})

    def put(self, body: str) -> None:
        """Put one more message in."""
        self._held.append(Held(body=body, visible_at=self._clock.now()))

    def receive(self) -> Held | None:
        """Hand out the message that has waited longest; it is invisible from now on, until it is deleted or lapses."""
        now = self._clock.now()
        for held in sorted(self._held, key=lambda one: one.visible_at):
            if held.visible_at > now:
                return None
            if held.receives == MOST_RECEIVES:
                self._held.remove(held)
                self.dead_letters += 1
                continue
            held.receives += 1
            held.visible_at = after(now, VISIBILITY)
            return held
        return None

    def delete(self, held: Held) -> None:
        """Forget a message that has served."""
        self._held.remove(held)

    def purge(self) -> None:
        """Lose every message."""
        self._held.clear()
