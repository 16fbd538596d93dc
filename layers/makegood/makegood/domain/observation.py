"""What `observe` may say of the outside system. It looks and never changes anything there.

Found      it is there: at this version, with these fields, so many times
Absent     it certainly is not there, and the answer was complete
Unknown    nobody can say: an error, a time-out, a partial listing; every exception means the same
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeAlias

from makegood.domain.operation import Operation

NOTHING = "nothing"  #: what was asked, where nobody was


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What `observe` gets to work with."""

    operation: Operation
    effect_key: str  #: the idempotency key that the effect was made under, also where a compensation is looked for
    time_limit: timedelta  #: nobody waits longer for the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The outside system has it."""

    version: int | None = None  #: `None` if it does not say; then nothing can be proven
    fields: Any = field(default_factory=dict)  #: a JSON object, as the remote shows it
    remote_id: str | None = None
    count: int = 1  #: how many match; more than one by the exact key is a doubled effect
    deleted: bool = False  #: a tombstone: it was there and was taken away
    asked: str | None = None  #: what was asked, such as GET /customers/452
    summary: str | None = None  #: the answer in short; scrubbed and capped before it is stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """The outside system certainly does not have it. Only a complete answer may say so."""

    asked: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Nobody can say whether it is there."""

    why: str
    asked: str | None = None  #: `NOTHING` where no look was taken; `None` where one ended before it could say


Observed: TypeAlias = Found | Absent | Unknown
