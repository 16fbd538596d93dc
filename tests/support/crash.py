"""A process that dies at its n-th call of a port: just before the call, or just after it had its effect."""

from collections.abc import Callable, Iterator
from typing import Any


class Crash(BaseException):
    """The process is gone: nothing catches this, nothing cleans up."""


class Fuse:
    """Counts the calls of every port that it guards, and blows at one of them."""

    def __init__(self, *, at: int | None = None, after: bool = False) -> None:
        self.calls, self._at, self._after = 0, at, after

    def guard(self, port: Any) -> Any:  # noqa: ANN401 - any port, and it stays what it was
        """Return the port with this fuse before and behind each of its methods."""
        return _Guarded(port, self)

    def call(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as above
        """Pass a call on, or die."""
        self.calls += 1
        blows = self.calls == self._at
        if blows and not self._after:
            raise Crash
        answer = method(*arguments, **named)
        if blows:
            raise Crash
        return answer


class _Guarded:
    def __init__(self, port: Any, fuse: Fuse) -> None:  # noqa: ANN401 - as above
        self._port, self._fuse = port, fuse

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._port, name)
        return lambda *arguments, **named: self._fuse.call(method, *arguments, **named)


def every_crash(calls: int) -> Iterator[Fuse]:
    """Yield a fuse for each place at which so many calls can be cut off."""
    for at in range(1, calls + 1):
        yield Fuse(at=at)
        yield Fuse(at=at, after=True)
