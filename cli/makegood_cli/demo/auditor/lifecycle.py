"""The life cycle as the auditor knows it: its own small copy of the table, and the packed history it is written in.

    mhk2z1ab cl w w delivered      instant in base 36, verb, new status, actor, reason
    ~ 37 r                         37 entries were left out here; the status then was r

Statuses: `p`ending, processing `w`, `a`waiting confirmation, `r`etry scheduled, `m`anual review; confirmed `C`,
compensated `X`, not applicable `N`. Roles: `p`roducer, `w`orker, `r`econciler, `o`perator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STATUSES = {
    "pending": "p",
    "processing": "w",
    "awaiting_confirmation": "a",
    "retry_scheduled": "r",
    "manual_review": "m",
    "confirmed": "C",
    "compensated": "X",
    "not_applicable": "N",
}
TERMINAL = frozenset("CXN")
CLAIM, TOUCH, RELEASE, ESCALATE = "cl", "to", "rl", "es"
CANCEL = "ca"
AWAIT, RETRY_LATER, PROVE, PROVE_UNDONE, REQUEUE, COMPENSATE, DECIDE_RETRY = "aw", "sr", "cp", "dp", "rq", "co", "rt"
SENDING = frozenset({TOUCH, REQUEUE, COMPENSATE})  #: moves that a sweep's message may follow
_GIVEN_BACK = frozenset({"outage", "behind_another"})  #: reasons of a retry whose attempt is not counted

#: verb, from, to, owners; `-` is nothing, `=` is the status it had.
_TABLE = """
    su  -      p  p
    cl  pr     w  w
    cf  w      C  w
    cd  w      X  w
    aw  w      a  w
    sr  w      r  w
    es  w      m  w
    es  pra    m  r
    cs  w      N  w
    cs  pram   N  ro
    to  pr     =  r
    rl  w      a  r
    cp  am     C  ro
    dp  am     X  ro
    rq  a      r  r
    ob  a      =  r
    rt  m      r  o
    co  am     p  ro
    ca  pr     N  po
    ca  pwram  =  po
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One move, or a mark that some were left out."""

    verb: str  #: `~` for the mark
    target: str
    role: str = ""
    reason: str = ""
    at: int = 0  #: epoch milliseconds
    left_out: int = 0

    @property
    def moves(self) -> int:
        """How many moves it stands for."""
        return self.left_out or 1


def _permitted() -> frozenset[tuple[str, str, str, str]]:
    lines = (line.split() for line in _TABLE.strip().splitlines())
    return frozenset(
        (verb, source, source if target == "=" else target, role)
        for verb, sources, target, owners in lines
        for source in sources
        for role in owners
    )


PERMITTED = _permitted()


def read(packed: str) -> Entry:
    """Read one entry.

    Raises:
        ValueError: it is none.
    """
    if packed.startswith("~ "):
        _, count, target = packed.split(" ")
        return Entry(verb="~", target=target, left_out=int(count))
    at, verb, target, actor, reason = packed.split(" ")
    return Entry(verb=verb, target=target, role=actor[0], reason=reason, at=int(at, 36))


def attempts(entries: Sequence[Entry]) -> int:
    """Count the attempts of the present intent: claims, but for those given back, since a person or an undoing."""
    count = 0
    for entry in entries:
        if entry.verb in {COMPENSATE, DECIDE_RETRY}:
            count = 0
        given_back = entry.verb == RETRY_LATER and entry.reason in _GIVEN_BACK
        count += (entry.verb == CLAIM) - given_back
    return count


def faults(entries: Sequence[Entry]) -> Iterator[str]:
    """Say in words which moves of a history the table does not know."""
    source = "-"
    for entry in entries:
        if entry.verb != "~" and (entry.verb, source, entry.target, entry.role) not in PERMITTED:
            yield f"no such move: {entry.verb} from {source} to {entry.target} by {entry.role}"
        source = entry.target
