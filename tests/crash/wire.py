"""The wire between a process and the world, at the level of botocore: it notes every request, and can cut one off.

A hard stop is an exception that no `except Exception` sees, raised where the request leaves or where its answer comes
in. From then on the process is dead: not one more request of its invocation passes, whatever a clean-up may try.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

ANY = "any"  #: where requests race, which one has a number is chance
REMOTE = "remote"  #: the outside system is on the wire too, though no SDK repeats a call to it


class Killed(BaseException):
    """The process is gone: nothing catches this, nothing cleans up."""


class Kind(StrEnum):
    """What happens to one request."""

    BEFORE = "killed before it"
    AFTER = "killed after it"
    REPEATED = "its reply lost, the SDK repeats it"
    UNANSWERED = "every reply to it lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """One request of a recording, and what happens to it."""

    number: int  #: 1 is the first
    request: str  #: service and operation, such as dynamodb.UpdateItem
    kind: Kind

    def __str__(self) -> str:
        """Name the blow for people."""
        return f"request {self.number} ({self.request}): {self.kind}"


def blows(recording: list[str]) -> list[Blow]:
    """Return everything that can happen to each request of a recording."""
    return [
        Blow(number=number, request=request, kind=kind)
        for number, request in enumerate(recording, start=1)
        for kind in Kind
        if kind is not Kind.REPEATED or not request.startswith(REMOTE)
    ]


class Wire:
    """Hooks in some clients."""

    def __init__(self) -> None:
        self.recording: list[str] = []
        self.struck = False
        self._blow: Blow | None = None
        self._runs = False  #: what the test itself asks is no request of a process
        self._dead = False

    @contextmanager
    def between(self, *clients: Any) -> Iterator[None]:
        """Listen to these clients."""
        hooks: dict[str, Callable[..., Any]] = {
            "before-call": self._leaves,
            "needs-retry": self._answered,
            "after-call": self._arrives,
        }
        for client in clients:
            for event, hook in hooks.items():
                client.meta.events.register_first(event, hook)
        try:
            yield
        finally:
            for client in clients:
                for event, hook in hooks.items():
                    client.meta.events.unregister(event, hook)

    def listen(self, blow: Blow | None = None) -> None:
        """Begin a new recording; the blow falls in it."""
        self.recording, self.struck, self._blow = [], False, blow

    @contextmanager
    def process(self) -> Iterator[None]:
        """Run one invocation: it may be killed, and the next one is a new process."""
        self._runs, self._dead = True, False
        try:
            yield
        finally:
            self._runs = False

    @property
    def repeats(self) -> bool:
        """Say whether the SDK is to repeat the request that has just left."""
        blow = self._blow
        at_hand = blow is not None and (blow.kind, blow.number) == (Kind.REPEATED, len(self.recording))
        return at_hand and self._runs and not self.struck

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Let another process do something in the middle of this one; it is neither recorded nor hit."""
        runs, self._runs = self._runs, False
        try:
            yield
        finally:
            self._runs = runs

    def call(self, name: str, call: Callable[[], T]) -> T:
        """Put a call to the outside system on the wire."""
        self._enter(f"{REMOTE}.{name}")
        try:
            return call()
        finally:
            self._comes_back(TimeoutError("no answer"))

    def _leaves(self, model: Any, **_: object) -> None:  # noqa: ANN401 - as above
        self._enter(f"{model.service_model.service_name}.{model.name}")

    def _enter(self, request: str) -> None:
        if not self._runs:
            return
        if self._dead:
            raise Killed(f"{request} after the end")
        self.recording.append(request)
        if self._falls(Kind.BEFORE):
            self._die()

    def _answered(self, **_: object) -> int | None:
        """Let botocore believe, once, that no answer came: 0 is the wait before it asks again."""
        return 0 if self._falls(Kind.REPEATED) else None

    def _arrives(self, **_: object) -> None:
        self._comes_back(ReadTimeoutError(endpoint_url="the wire"))

    def _comes_back(self, silence: Exception) -> None:
        if self._falls(Kind.UNANSWERED):
            raise silence
        if self._falls(Kind.AFTER):
            self._die()

    def _falls(self, kind: Kind) -> bool:
        blow, at = self._blow, len(self.recording)
        if not self._runs or self.struck or blow is None or (blow.kind, blow.number) != (kind, at):
            return False
        assert blow.request in (self.recording[-1], ANY), f"{blow}, but the request is {self.recording[-1]}"
        self.struck = True
        return True

    def _die(self) -> None:
        self._dead = True
        raise Killed
