"""What an operation type promises to Makegood, line by line, and how one call is held to it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, TypeAlias

from makegood.domain.observation import Absent, Found
from makegood.domain.operation import Intent, Operation, idempotency_key_for
from makegood.domain.outcome import Accepted, Done, NotApplicable, OutageError, RejectedError, TransientError
from makegood.domain.policy import Capability, Policy
from makegood.testing.double import NO_KEY, Fault, Seen


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

    KEY = "every call carries attempt.idempotency_key; a compensation's is another than the effect's", Harm.DOUBLES
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
    VERSIONS = "an older version never lands on a newer one: the remote refuses it, or supersedes=True", Harm.LOSES
    FOUND = "Found carries the version, fields and count that the remote shows, not those promised", Harm.MISJUDGES
    LOOK = "observe asks and changes nothing", Harm.MISJUDGES
    PROOF = "Done carries id, version and fields of the answer; without them nothing is proven", Harm.GIVES_UP
    REJECTED = "RejectedError means that the remote itself refused this for good", Harm.GIVES_UP
    OUTAGE = "a remote that takes no calls is an OutageError, which costs no attempt", Harm.GIVES_UP
    MAKEGOOD = "this one is Makegood's to keep, not the type's: please report it", Harm.LOSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One call of a type's code: what it said, and what the double knows that it could not."""

    method: str  #: perform, compensate or observe
    operation: Operation
    policy: Policy
    key: str  #: the attempt's own; of a look the effect's
    said: Any  #: what it returned or raised
    before: Seen
    after: Seen
    faults: frozenset[Fault]  #: that were on

    @property
    def words(self) -> str:
        """Say what was said: `perform raised TimeoutError`."""
        verb = "raised" if isinstance(self.said, BaseException) else "said"
        version = f"(version {self.said.version})" if isinstance(self.said, Done | Found) else ""
        return f"{self.method} {verb} {type(self.said).__name__}{version}"

    @property
    def effect_key(self) -> str:
        """Return the key that the effect is made under, also where a compensation is the intent."""
        return idempotency_key_for(self.operation.operation_id, Intent.EFFECT)

    @property
    def calls(self) -> int:
        """Count the changing calls that reached the remote meanwhile."""
        return self.after.calls - self.before.calls

    @property
    def gained(self) -> Counter[str]:
        """Return the effects that came meanwhile, by key."""
        return Counter(self.after.effects) - Counter(self.before.effects)

    @property
    def stands(self) -> int | None:
        """Return the version at which the entity stands, if the remote keeps versions."""
        return self.after.versions.get(self.operation.entity)

    @property
    def is_unanswered(self) -> bool:
        """Say whether the one call of an attempt got no answer."""
        return self.calls == 1 and bool(self.faults & _SILENT)


Breach: TypeAlias = tuple[Clause, str]
_SILENT = frozenset({Fault.TIME_OUT_AFTER, Fault.TIME_OUT_BEFORE, Fault.APPLY_LATE})
_INSTEAD = {  #: of an answer
    Fault.ERRORS_TO_LOOKS: "an error",
    Fault.PAGES_TO_LOOKS: "a page",
    Fault.DOWN: "no answer",
}


def breaches(heard: Heard) -> Iterator[Breach]:
    """Yield each line of the contract that one call broke, with what was wrong in words."""
    if heard.method == "observe":
        yield from _of_look(heard)
        return
    yield from _of_calls(heard)
    match heard.said:
        case RejectedError():
            yield from _of_refusal(heard)
        case TransientError():
            yield from _of_transient(heard)
        case Done() | Accepted() | NotApplicable():
            yield from _of_certainty(heard)
        case _:
            return  # it may have been applied: that is always safe to say


def _of_calls(heard: Heard) -> Iterator[Breach]:
    for key in heard.gained:
        if key == NO_KEY:
            yield Clause.KEY, f"{heard.method} made its effect without an idempotency key"
        elif key != heard.key:
            whose = "the effect's key" if key == heard.effect_key else "a key of its own making"
            yield Clause.KEY, f"{heard.method} called under {whose}, not under attempt.idempotency_key"
    tries = heard.policy.client_tries
    if heard.calls > tries:
        yield Clause.ONCE, f"{heard.method} called {heard.calls} times in one attempt; client_tries is {tries}"


def _of_certainty(heard: Heard) -> Iterator[Breach]:
    name = type(heard.said).__name__
    if heard.is_unanswered:
        yield Clause.DONE, f"{heard.method} said {name}, and no answer had come"
    elif Fault.DOWN in heard.faults:
        yield Clause.DONE, f"{heard.method} said {name}, and the remote was down"
    elif isinstance(heard.said, Done) and not heard.after.effects:
        yield Clause.DONE, f"{heard.method} said Done, and nothing was applied"
    elif isinstance(heard.said, Done) and heard.method == "perform" and _is_made_up(heard):
        yield Clause.DONE, f"perform said Done(version {heard.said.version}), and the remote stands at {heard.stands}"


def _is_made_up(heard: Heard) -> bool:
    """Say whether an answer was not read but made of the promise. A recorded answer of before is a real one."""
    if heard.stands is None or heard.said.version is None or heard.after.effects.get(heard.key):
        return False
    return bool(heard.said.version != heard.stands)


def _of_transient(heard: Heard) -> Iterator[Breach]:
    name = type(heard.said).__name__
    if heard.gained:
        yield Clause.TRANSIENT, f"{heard.method} raised {name}, and its effect had been made"
    elif heard.is_unanswered:
        yield Clause.TRANSIENT, f"{heard.method} raised {name}, and no answer had come: the call may land yet"
    elif Fault.REFUSE in heard.faults and not isinstance(heard.said, OutageError):
        yield Clause.REJECTED, f"{heard.method} raised {name} for a refusal: it is sent again and again"


def _of_refusal(heard: Heard) -> Iterator[Breach]:
    if heard.gained:
        yield Clause.REJECTED, f"{heard.method} raised RejectedError, and its effect had been made"
    elif heard.is_unanswered:
        yield Clause.REJECTED, f"{heard.method} raised RejectedError, and no answer had come"
    elif Fault.DOWN in heard.faults:
        yield Clause.REJECTED, f"{heard.method} raised RejectedError, and the remote was only down"


def _of_look(heard: Heard) -> Iterator[Breach]:
    if heard.gained or heard.calls:
        yield Clause.LOOK, "observe changed something at the remote"
    odd = [words for fault, words in _INSTEAD.items() if fault in heard.faults]
    match heard.said:
        case Absent() if odd:
            yield Clause.ABSENT, f"observe said Absent, and what it got was {odd[0]}"
        case Absent() if _is_there(heard):
            yield (
                Clause.ABSENT,
                f"observe said Absent, and the remote has it at version {heard.operation.expected_version}",
            )
        case Found() if odd:
            yield Clause.FOUND, f"observe said Found, and what it got was {odd[0]}"
        case Found() if heard.operation.intent is Intent.EFFECT and Fault.LAG not in heard.faults:
            yield from _of_found(heard, heard.said)


def _is_there(heard: Heard) -> bool:
    if (
        Fault.LAG in heard.faults
        or heard.operation.intent is not Intent.EFFECT
        or not heard.after.effects.get(heard.key)
    ):
        return False
    return heard.stands is None or heard.stands == heard.operation.expected_version


def _of_found(heard: Heard, found: Found) -> Iterator[Breach]:
    count = heard.after.effects.get(heard.key, 0)
    if not heard.after.effects and heard.stands is None:
        yield Clause.FOUND, "observe said Found, and nothing is there"
    elif heard.stands is not None and found.version not in (None, heard.stands):
        yield Clause.FOUND, f"observe said Found(version {found.version}), and the remote stands at {heard.stands}"
    elif count > 1 and found.count == 1 and heard.policy.capability is Capability.BY_KEY:
        yield Clause.FOUND, f"observe said that it is there once, and it was made {count} times"
