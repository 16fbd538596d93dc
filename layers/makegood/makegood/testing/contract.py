"""What an operation type promises to Makegood, line by line, and what comes of a line that is broken."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Harm(StrEnum):
    """What comes of a broken line."""

    DOUBLES = "DOUBLES"  #: the effect is made more than once
    LOSES = "LOSES"  #: an effect, or what somebody else wrote, is gone and nobody is told
    MISJUDGES = "MISJUDGES"  #: what is recorded is not what is there
    GIVES_UP = "GIVES UP"  #: a person is asked where none was needed


class Clause(StrEnum):
    """A line of the contract."""

    harm: Harm

    def __new__(cls, words: str, harm: Harm) -> Self:
        """Make a line whose value is its words."""
        member = str.__new__(cls, words)
        member._value_, member.harm = words, harm
        return member

    KEY = (
        "every call carries attempt.idempotency_key, if the remote takes keys; a compensation has its own",
        Harm.DOUBLES,
    )
    ONCE = "perform calls once, or as often as client_tries says; trying again is Makegood's to decide", Harm.DOUBLES
    TRANSIENT = (
        "TransientError means that the attempt certainly had no effect; silence says nothing",
        Harm.DOUBLES,
    )
    ABSENT = (
        "Absent means that the remote itself said so; an error, a page, silence are Unknown",
        Harm.DOUBLES,
    )
    IDEMPOTENT = "idempotent=True means that the remote applies one key once, however often it is sent", Harm.DOUBLES
    DONE = "Done means that the remote's own answer shows the effect; no answer is an UncertainError", Harm.LOSES
    RULED_OUT = "NotApplicable means that a rule wants it no more; a refusal is a RejectedError", Harm.LOSES
    VERSIONS = "an older version never lands on a newer one: the remote refuses it, or supersedes=True", Harm.LOSES
    FOUND = "Found carries the version, fields and count that the remote shows, not those promised", Harm.MISJUDGES
    LOOK = "observe asks and changes nothing", Harm.MISJUDGES
    PROOF = "Done carries id, version and fields of the answer; without them nothing is proven", Harm.GIVES_UP
    READ = "what a remote answers to a look is read: Found or Absent; Unknown is for what nobody can say", Harm.GIVES_UP
    REJECTED = "RejectedError means that the remote itself refused this for good", Harm.GIVES_UP
    OUTAGE = "a remote that takes no calls is an OutageError, which costs no attempt", Harm.GIVES_UP
    MAKEGOOD = "this one is Makegood's to keep, not the type's: please report it", Harm.LOSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a trial showed to be wrong."""

    clause: Clause  #: the line that is broken
    happened: str
    harm: Harm


def broken(clause: Clause, happened: str, *, harm: Harm | None = None) -> Finding:
    """Say what was broken, and by what; the harm is the one that follows as a rule if it is not given."""
    return Finding(clause=clause, happened=happened, harm=harm or clause.harm)
