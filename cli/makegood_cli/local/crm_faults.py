"""Faults that can be switched on at the remote, each for the calls it matches. The table of kinds stands in crm.py."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from decimal import Decimal
from enum import StrEnum
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from makegood.domain import document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from makegood_cli.local.crm_records import Call, Question

LONGEST_WAIT_SECONDS = 600
PATIENCE_SECONDS = 30.0  #: of a fault that hangs without saying how long


class Stage(StrEnum):
    """Where in a call a fault strikes. A call can be hit once at each stage."""

    GATE = "gate"  #: before anything, calls and reads alike
    DOOR = "door"  #: before anything is looked up
    KEY = "key"  #: when the key is looked up
    EXECUTION = "execution"  #: when a call that is not a replay is executed
    DELIVERY = "delivery"  #: when the answer, first or replayed, goes out
    READ = "read"  #: when a caller reads


KINDS: Mapping[str, tuple[Stage, frozenset[str]]] = {
    "down": (Stage.GATE, frozenset({"seconds", "as_date"})),
    "in_progress": (Stage.DOOR, frozenset()),
    "throttle": (Stage.DOOR, frozenset({"seconds", "as_date"})),
    "unavailable": (Stage.DOOR, frozenset({"seconds", "as_date"})),
    "swallow": (Stage.DOOR, frozenset({"seconds"})),
    "forget_keys": (Stage.KEY, frozenset()),
    "close_before": (Stage.EXECUTION, frozenset()),
    "hang_before": (Stage.EXECUTION, frozenset({"seconds"})),
    "refuse": (Stage.EXECUTION, frozenset({"message", "echo"})),
    "error": (Stage.EXECUTION, frozenset({"applied"})),
    "accept": (Stage.EXECUTION, frozenset({"seconds"})),
    "lag": (Stage.EXECUTION, frozenset({"seconds"})),
    "close_after": (Stage.DELIVERY, frozenset()),
    "hang_after": (Stage.DELIVERY, frozenset({"seconds"})),
    "garble": (Stage.DELIVERY, frozenset({"status", "headers", "body"})),
    "drop_read": (Stage.READ, frozenset()),
    "hang_read": (Stage.READ, frozenset({"seconds"})),
    "misread": (Stage.READ, frozenset({"status", "headers", "body"})),
    "behind": (Stage.READ, frozenset()),
    "tombstone": (Stage.READ, frozenset()),
}


class FaultError(ValueError):
    """A fault that cannot be switched on: what was given, what is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault, whom it strikes, and how."""

    kind: str
    entity: str = "*"  #: strikes calls whose entity matches this pattern (`*`, `?`, `[…]`)
    key: str = "*"  #: and whose idempotency key matches this one
    count: int | None = None  #: strikes so often, then no more; None strikes for ever
    probability: float = 1.0  #: of striking a call that matches
    seed: int = 0  #: the draws follow from seed, key and the how-manieth call of that key; not from the order of calls
    seconds: float | None = None  #: of waiting, of lagging, or to be named in Retry-After (None: no such header)
    as_date: bool = False  #: write Retry-After as a date
    applied: bool = True  #: whether the effect is there in spite of the error
    message: str = "the CRM refuses this change"
    echo: bool = False  #: the refusal repeats the request's headers, as careless servers do
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""

    def __post_init__(self) -> None:
        """Refuse what could never strike, or strike for too long."""
        if self.kind not in KINDS and self.kind != "none":
            raise FaultError(f"fault {self.kind!r} is not known; known are: {', '.join(KINDS)}")
        if not 0 <= self.probability <= 1:
            raise FaultError(f"probability {self.probability}: a number from 0 to 1 is wanted")
        if not 0 <= (self.seconds or 0) <= LONGEST_WAIT_SECONDS:
            raise FaultError(f"seconds {self.seconds}: a number from 0 to {LONGEST_WAIT_SECONDS} is wanted")
        if self.count is not None and self.count < 1:
            raise FaultError(f"count {self.count}: a whole number from 1 is wanted, or none at all")

    @property
    def stage(self) -> Stage:
        """Return where in a call it strikes."""
        return KINDS[self.kind][0]

    @property
    def patience(self) -> float:
        """Return for how many seconds a fault that hangs does so."""
        return PATIENCE_SECONDS if self.seconds is None else self.seconds

    def matches(self, call: Call | Question) -> bool:
        """Say whether it is meant for this call."""
        return fnmatchcase(call.entity, self.entity) and fnmatchcase(call.key, self.key)

    def strikes(self, key: str, nth: int) -> bool:
        """Draw for the nth call (1 is the first) of a key: the same answer every time."""
        digest = sha256(f"{self.seed}:{key}:{nth}".encode()).digest()
        return int.from_bytes(digest[:8]) < self.probability * 2**64


NO_FAULT = Fault(kind="none")  #: all is well; it cannot be switched on


def fault_of(asked: Mapping[str, Any]) -> Fault:
    """Read a fault from a JSON object; FaultError names what its kind does not take."""
    kind = str(asked.get("kind"))
    if kind not in KINDS:
        raise FaultError(f"fault {kind!r} is not known; known are: {', '.join(KINDS)}")
    taken = _COMMON | KINDS[kind][1]
    if strange := set(asked) - taken:
        raise FaultError(
            f"fault {kind} does not take {', '.join(sorted(strange))}; it takes {', '.join(sorted(taken))}"
        )
    try:
        return Fault(**{name: _READERS[name](value) for name, value in asked.items()})
    except (TypeError, ValueError) as error:
        raise FaultError(f"fault {kind}: {error}") from error


def as_document(fault: Fault) -> dict[str, Any]:
    """Write a fault as a JSON object that `fault_of` reads back: what differs from the defaults."""
    usual = asdict(Fault(kind=fault.kind))
    unusual = {name: value for name, value in asdict(fault).items() if value != usual[name]}
    return dict(document.accept({"kind": fault.kind} | unusual, what="the fault"))


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not an object")
    return {_text(name): _text(item) for name, item in value.items()}


_COMMON = frozenset({"kind", "entity", "key", "count", "probability", "seed"})
_READERS: Mapping[str, Callable[[object], Any]] = {
    **dict.fromkeys(("kind", "entity", "key", "message", "body"), _text),
    **dict.fromkeys(("count", "seed", "status"), _whole),
    **dict.fromkeys(("probability", "seconds"), _number),
    **dict.fromkeys(("as_date", "applied", "echo"), _truth),
    "headers": _texts,
}
