"""The remote's double in a team's tests: what the fault kit asks of it, and the faults that it can be told."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from makegood.domain.operation_type import Remotes
from makegood.domain.promise import Promise

NO_KEY = ""  #: under which a double counts what came without an idempotency key


class Fault(StrEnum):
    """What can be wrong with a remote. The first four strike the next changing call; the others last until lifted."""

    TIME_OUT_AFTER = "apply, then time out"
    TIME_OUT_BEFORE = "time out before applying"
    APPLY_LATE = "time out, and apply late"  #: when the faults are lifted
    ERROR_AFTER = "apply, then answer with an error"  #: such as a gateway's 502
    REFUSE = "refuse every change for good"
    DOWN = "be down for calls and looks"
    ERRORS_TO_LOOKS = "answer looks with an error"  #: such as 500
    PAGES_TO_LOOKS = "answer looks with a page"  #: such as a proxy's 404 in HTML
    LAG = "answer looks as if nothing had been applied yet"
    CHANGED_ELSEWHERE = "let somebody else write the next version"  #: at once, and for good


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a double knows of itself since it was reset."""

    effects: Mapping[str, int] = field(default_factory=dict)
    """How many effects were made under each idempotency key; what came without one is counted under `NO_KEY`.

    A call that the remote recognised by its key and answered as before is no effect. Withdrawing an effect does not
    take it out of this count; it is an effect under the compensation's own key.
    """
    calls: int = 0  #: changing calls that reached it, whatever came of them
    versions: Mapping[str, int] = field(default_factory=dict)
    """The version at which each entity stands, by the promise's name for it, such as `customer/452`.

    A remote that keeps no versions leaves this empty.
    """


class RemoteDouble(Protocol):
    """A stand-in for the outside system: a fake in memory, a small server, a sandbox of the real one."""

    @property
    def can(self) -> Collection[Fault]:
        """Name the faults that it can be told. A trial that needs another is left out, and the report says so."""
        ...

    def reset(self) -> Remotes:
        """Forget every effect, call and fault, and say where the operation type finds it."""
        ...

    def tell(self, fault: Fault, promise: Promise) -> None:
        """Let one more thing go wrong from now on, for the entity of this promise or for all."""
        ...

    def lift(self) -> None:
        """End every fault. What was told to apply late is applied now."""
        ...

    def seen(self) -> Seen:
        """Say what was applied. No fault strikes here."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses(Remotes):
    """Remotes as a test names them; a name that is not there is a mistake in the test and says so."""

    urls: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)

    def url(self, name: str) -> str:
        """Return the address of this name.

        Raises:
            LookupError: naming what is known.
        """
        if name not in self.urls:
            known = ", ".join(sorted(self.urls)) or "none"
            raise LookupError(f"the test names no remote {name!a}; known are: {known}. Give it in Addresses(urls=…)")
        return self.urls[name]

    def secret(self, name: str) -> str | None:
        """Return the secret of this name, or `None`."""
        return self.secrets.get(name)
