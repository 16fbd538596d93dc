"""Crash points: a process dies at its n-th request to what is around it, or the reply to that request is lost."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from makegood.domain.errors import StoreError
from makegood.ports import Sent
from makegood.testing.in_memory import Ports

ALIKE = 4  #: so many of the same request are cut off; the next would be like them
_READS = ("store.due", "store.find", "store.with_payload", "ledger.control", "the type's observe")


class Crash(BaseException):
    """The process is gone: nothing catches this in it, nothing cleans up."""


class Manner(StrEnum):
    """How a request goes wrong."""

    BEFORE = "before it"
    AFTER = "right after it"
    REPLY_LOST = "its reply lost"  #: it landed, and the process goes on without knowing


@dataclass(slots=True, kw_only=True)
class Fuse:
    """Counts requests and blows at one of them, once."""

    at: int | None = None  #: 1 is the first request; `None` only counts
    manner: Manner = Manner.BEFORE
    requests: list[str] = field(default_factory=list)  #: in words: who asked what
    who: str = "somebody"  #: which flow is at work

    def guard(self, ports: Ports) -> Ports:
        """Return the ports with this fuse at each of their requests."""
        guarded: dict[str, Any] = {
            "store": _Guarded(ports.store, "store", self),
            "queue": _Guarded(ports.queue, "queue", self),
            "ledger": _Guarded(ports.ledger, "ledger", self),
            "line": _Guarded(ports.line, "line", self),
        }
        return Ports(**guarded, lookout=ports.lookout)

    def request(self, name: str, call: Callable[[], Any], *, lost: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - passed on
        """Pass a request on, or blow. `lost` is what the caller gets when the reply does not come: mostly it raises."""
        self.requests.append(f"{self.who}: {name}")
        blows = len(self.requests) == self.at
        if blows and self.manner is Manner.BEFORE:
            raise Crash
        answer = call()
        if blows and self.manner is Manner.AFTER:
            raise Crash
        return lost(answer) if blows else answer


class _Guarded:
    """A port with a fuse; it stays what it was."""

    def __init__(self, port: object, name: str, fuse: Fuse) -> None:
        self._port, self._name, self._fuse = port, name, fuse

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        method, lost = getattr(self._port, verb), _unsent if verb == "send" else _unanswered
        name = f"{self._name}.{verb}"
        return lambda *arguments, **named: self._fuse.request(name, lambda: method(*arguments, **named), lost=lost)


def every_crash(requests: Sequence[str]) -> Iterator[Fuse]:
    """Yield a fuse for each way in which one of these requests can go wrong.

    A read that changed nothing leaves the same behind whether the process died before it or after, and of the same
    request made again and again the first few are enough.
    """
    made: Counter[str] = Counter()
    for at, name in enumerate(requests, start=1):
        made[name] += 1
        if made[name] > ALIKE:
            continue
        for manner in Manner:
            if manner is not Manner.AFTER or not name.endswith(_READS):
                yield Fuse(at=at, manner=manner)


def _unanswered(_: object) -> Any:  # noqa: ANN401 - it never returns
    raise StoreError("no answer")


def _unsent(answers: list[Sent]) -> list[Sent]:
    """Say of every message that it was not taken: a queue never raises."""
    return [Sent("failed", "no answer") for _ in answers]
