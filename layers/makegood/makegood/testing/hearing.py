"""One call of a type's code, as the double knows it better, held to the contract."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Operation, idempotency_key_for
from makegood.domain.outcome import Accepted, Done, NotApplicable, OutageError, RejectedError, TransientError
from makegood.domain.policy import Capability, Policy
from makegood.domain.verdict import compare
from makegood.testing.contract import Clause, Finding, Harm, broken
from makegood.testing.double import NO_KEY, Fault, Seen

_SILENT = frozenset({Fault.TIME_OUT_AFTER, Fault.TIME_OUT_BEFORE, Fault.APPLY_LATE})
_INSTEAD = {  #: of an answer
    Fault.ERRORS_TO_LOOKS: "an error",
    Fault.PAGES_TO_LOOKS: "a page",
    Fault.DOWN: "no answer",
}


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
    is_bait: bool = False  #: it was asked for other fields than those that were promised and made

    @property
    def words(self) -> str:
        """Say what was said: `perform raised TimeoutError`."""
        verb = "raised" if isinstance(self.said, BaseException) else "said"
        version = f"(version {self.said.version})" if isinstance(self.said, Done | Found) else ""
        return f"{self.method} {verb} {'nothing' if self.said is None else type(self.said).__name__}{version}"

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


def breaches(heard: Heard) -> Iterator[Finding]:
    """Yield each line of the contract that one call broke, with what was wrong in words."""
    if heard.is_bait:
        yield from _of_bait(heard)
        return
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
        case BaseException():
            return  # it may have been applied: that is always safe to say
        case _:
            yield broken(Clause.PROOF, f"{heard.words}, which is none of Done, Accepted and NotApplicable")


def _of_bait(heard: Heard) -> Iterator[Finding]:
    """Find what agrees with fields that were asked for and never made: it was taken from the question."""
    promised = heard.operation.expected_fields
    if heard.gained or not isinstance(heard.said, Done | Found) or not isinstance(heard.said.fields, Mapping):
        return
    if compare(promised, heard.said.fields):
        return
    clause = Clause.FOUND if isinstance(heard.said, Found) else Clause.DONE
    words = f"{heard.words} with the fields that it was asked for, and the remote has others"
    yield broken(clause, words, harm=Harm.MISJUDGES)


def _of_calls(heard: Heard) -> Iterator[Finding]:
    for key in heard.gained:
        if key == NO_KEY and not heard.policy.idempotent:
            continue  # a remote that takes no keys: nothing is sent to it twice unless a person says so
        if key == NO_KEY:
            yield broken(Clause.KEY, f"{heard.method} made its effect without an idempotency key")
        elif key != heard.key:
            whose = "the effect's key" if key == heard.effect_key else "a key of its own making"
            yield broken(Clause.KEY, f"{heard.method} called under {whose}, not under attempt.idempotency_key")
    tries = heard.policy.client_tries
    if heard.calls > tries:
        yield broken(Clause.ONCE, f"{heard.method} called {heard.calls} times in one attempt; client_tries is {tries}")


def _of_certainty(heard: Heard) -> Iterator[Finding]:
    name = type(heard.said).__name__
    clause = Clause.RULED_OUT if isinstance(heard.said, NotApplicable) else Clause.DONE
    if heard.is_unanswered:
        yield broken(clause, f"{heard.method} said {name}, and no answer had come")
    elif Fault.ERROR_AFTER in heard.faults and heard.calls:
        yield broken(clause, f"{heard.method} said {name}, and what came was an error")
    elif Fault.DOWN in heard.faults:
        yield broken(clause, f"{heard.method} said {name}, and the remote was down")
    elif Fault.REFUSE in heard.faults:
        yield broken(clause, f"{heard.method} said {name}, and the remote had refused")
    elif isinstance(heard.said, Done):
        yield from _of_done(heard, heard.said)


def _of_done(heard: Heard, said: Done) -> Iterator[Finding]:
    if not heard.after.effects:
        yield broken(Clause.DONE, f"{heard.method} said Done, and nothing was applied")
    elif heard.method == "perform" and _is_made_up(heard, said):
        yield broken(Clause.DONE, f"perform said Done(version {said.version}), and the remote stands at {heard.stands}")
    elif heard.calls and _is_taken_for_another(heard, said):
        words = f"{heard.method} said Done, and its call made nothing under attempt.idempotency_key: it sent another"
        yield broken(Clause.KEY, words, harm=Harm.LOSES)


def _is_made_up(heard: Heard, said: Done) -> bool:
    """Say whether an answer was not read but made of the promise. A recorded answer of before is a real one."""
    if heard.stands is None or said.version in (None, heard.stands):
        return False
    if heard.gained.get(heard.key):
        return heard.before.versions.get(heard.operation.entity) != heard.stands
    return not heard.after.effects.get(heard.key)


def _is_taken_for_another(heard: Heard, said: Done) -> bool:
    """Say whether the remote knew the call by a key that is not this attempt's, and answered as it did before."""
    made = heard.after.effects
    if not heard.policy.idempotent or heard.gained or made.get(heard.key) or Fault.CHANGED_ELSEWHERE in heard.faults:
        return False
    expected = heard.operation.expected_version
    if heard.method == "perform":
        return said.version is None or said.version <= expected
    return bool(made.get(heard.effect_key)) and heard.stands in (None, expected)


def _of_transient(heard: Heard) -> Iterator[Finding]:
    name = type(heard.said).__name__
    if heard.gained:
        yield broken(Clause.TRANSIENT, f"{heard.method} raised {name}, and its effect had been made")
    elif heard.is_unanswered:
        yield broken(Clause.TRANSIENT, f"{heard.method} raised {name}, and no answer had come: the call may land yet")
    elif Fault.REFUSE in heard.faults and not isinstance(heard.said, OutageError):
        yield broken(Clause.REJECTED, f"{heard.method} raised {name} for a refusal: it is sent again and again")


def _of_refusal(heard: Heard) -> Iterator[Finding]:
    if heard.gained:
        yield broken(Clause.REJECTED, f"{heard.method} raised RejectedError, and its effect had been made")
    elif heard.is_unanswered:
        yield broken(Clause.REJECTED, f"{heard.method} raised RejectedError, and no answer had come")
    elif Fault.DOWN in heard.faults:
        yield broken(Clause.REJECTED, f"{heard.method} raised RejectedError, and the remote was only down")


def _of_look(heard: Heard) -> Iterator[Finding]:
    if heard.gained or heard.calls:
        yield broken(Clause.LOOK, "observe changed something at the remote")
    expected = heard.operation.expected_version
    odd = [words for fault, words in _INSTEAD.items() if fault in heard.faults]
    match heard.said:
        case Absent() if odd:
            yield broken(Clause.ABSENT, f"observe said Absent, and what it got was {odd[0]}")
        case Absent() if _is_made(heard) and heard.stands in (None, expected):
            yield broken(Clause.ABSENT, f"observe said Absent, and it is there at version {expected}")
        case Absent() if _is_made(heard) and (heard.stands or 0) > expected:
            words = f"it was made, and version {heard.stands} was written over it"
            yield broken(Clause.ABSENT, f"observe said Absent, and {words}")
        case Found() if odd:
            yield broken(Clause.FOUND, f"observe said Found, and what it got was {odd[0]}")
        case Found() if Fault.LAG not in heard.faults:
            yield from _of_found(heard, heard.said)
        case Found() | Absent() | Unknown() | BaseException():
            return
        case _:
            yield broken(Clause.READ, f"{heard.words}, which is none of Found, Absent and Unknown")


def _is_made(heard: Heard) -> bool:
    """Say whether the effect was made, was not taken back, and can be seen."""
    undone = heard.operation.intent is Intent.COMPENSATION and heard.after.effects.get(heard.operation.idempotency_key)
    return Fault.LAG not in heard.faults and not undone and bool(heard.after.effects.get(heard.key))


def _of_found(heard: Heard, found: Found) -> Iterator[Finding]:
    count = heard.after.effects.get(heard.key, 0)
    if not heard.after.effects and heard.stands is None:
        yield broken(Clause.FOUND, "observe said Found, and nothing is there")
    elif heard.stands is not None and found.version not in (None, heard.stands):
        yield broken(
            Clause.FOUND, f"observe said Found(version {found.version}), and the remote stands at {heard.stands}"
        )
    elif count > 1 and found.count == 1 and heard.policy.capability is Capability.BY_KEY:
        yield broken(Clause.FOUND, f"observe said that it is there once, and it was made {count} times")
