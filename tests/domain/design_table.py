"""DESIGN's section 4 written down a second time, line by line, and how a test asks for each of its moves.

Beside the design stand: a cancel and the sweep's close are for effects alone; the sweep confirms nothing that was
cancelled, which a person may; what was cancelled is sent again only to be undone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from makegood.domain import transitions
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Role, Verb
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.reason import Reason

from tests.support.rows import MINUTE, ago, decision, evidence, hand, operation, verdict

CLAIM_2 = "claim-2"

#: verb | from | to | owner | conditions, as the design has them; "awaiting" stands for awaiting_confirmation
DESIGN = """
claim | pending, retry_scheduled | processing | worker | unclaimed; allowed now; attempts left; key fresh
confirm | processing | confirmed | worker | for effect; not cancelled; agrees
compensated | processing | compensated | worker | for compensation; evidence
await | processing | awaiting | worker |
schedule_retry | processing | retry_scheduled | worker | attempts left
escalate | processing | manual_review | worker | reason
escalate | pending, retry_scheduled, awaiting | manual_review | reconciler | reason
close | processing | not_applicable | worker | reason; certain; for effect
close | pending, retry_scheduled, awaiting, manual_review | not_applicable | reconciler | reason; certain; for effect
close | pending, retry_scheduled, awaiting, manual_review | not_applicable | operator | reason
touch | pending, retry_scheduled | same | reconciler | unclaimed; due; allowed now
release | processing | awaiting | reconciler | lease over
confirm_by_proof | awaiting, manual_review | confirmed | reconciler | for effect; not cancelled; correct; evidence
confirm_by_proof | awaiting, manual_review | confirmed | operator | for effect; correct; evidence
compensated_by_proof | awaiting, manual_review | compensated | reconciler, operator | for compensation; gone
requeue | awaiting | retry_scheduled | reconciler | idempotent; attempts left; key fresh; settled; still wanted; resend
observe_again | awaiting | same | reconciler |
retry | manual_review | retry_scheduled | operator | reason; still wanted; checked
compensate | awaiting, manual_review | pending | operator, reconciler | for effect; found; settled
request_cancel | pending, retry_scheduled | not_applicable | producer, operator | reason; certain; for effect
request_cancel | processing, awaiting, manual_review | same | producer, operator | reason; for effect
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the design's table."""

    verb: Verb
    sources: frozenset[Status]
    target: Status | None  #: `None` where it says "same"
    owners: frozenset[Role]
    conditions: tuple[str, ...]


def _line(text: str) -> Line:
    text = text.replace("awaiting", Status.AWAITING_CONFIRMATION)
    verb, sources, target, owners, conditions = (part.strip() for part in text.split("|"))
    return Line(
        Verb(verb),
        frozenset(Status(name) for name in sources.split(", ")),
        None if target == "same" else Status(target),
        frozenset(Role(name) for name in owners.split(", ")),
        tuple(words.strip() for words in conditions.split(";") if words),
    )


LINES = tuple(_line(text) for text in DESIGN.strip().splitlines())


@dataclass(frozen=True, slots=True)
class Case:
    """A row, a hand and whatever else a move rests on."""

    row: Operation
    hand: Hand
    given: Mapping[str, Any]

    def with_row(self, **facts: Any) -> "Case":
        """Return the case with another row."""
        return replace(self, row=replace(self.row, **facts))

    def with_given(self, **facts: Any) -> "Case":
        """Return the case with other facts beside the row."""
        return replace(self, given={**self.given, **facts})

    def moved(self, verb: Verb) -> Operation:
        """Make the move."""
        return MOVES[verb](self.row, self.hand, self.given)


def permitted_case(verb: Verb, status: Status, role: Role) -> Case:
    """Return a case in which every condition of the verb holds, whatever the status."""
    facts: dict[str, Any] = {"uncertain": False, **_FACTS.get(verb, {})}
    if verb is Verb.RELEASE and status is Status.PROCESSING:
        facts["lease_ends_at"] = ago(2 * MINUTE)
    row = operation(status, **facts)
    return Case(row, hand(role, idempotent=True), {"words": "wanted no more", **_GIVEN.get(verb, {})})


_FACTS: Mapping[Verb, Mapping[str, Any]] = {
    Verb.COMPENSATED: {"intent": Intent.COMPENSATION},
    Verb.COMPENSATED_BY_PROOF: {"intent": Intent.COMPENSATION},
}
_GIVEN: Mapping[Verb, Mapping[str, Any]] = {
    Verb.CONFIRM: {"evidence": evidence()},
    Verb.COMPENSATED: {"evidence": evidence()},
    Verb.CONFIRM_BY_PROOF: {"evidence": evidence(), "verdict": verdict(VerdictKind.CORRECT)},
    Verb.COMPENSATED_BY_PROOF: {"verdict": verdict(VerdictKind.MISSING)},
    Verb.REQUEUE: {"verdict": verdict(VerdictKind.MISSING)},
    Verb.RETRY: {"verdict": None, "decision": decision()},
    Verb.COMPENSATE: {"verdict": verdict(VerdictKind.DIVERGENT)},
}

Move = Callable[[Operation, Hand, Mapping[str, Any]], Operation]

MOVES: Mapping[Verb, Move] = {
    Verb.CLAIM: lambda row, by, _: transitions.claim(row, by, token=CLAIM_2),
    Verb.CONFIRM: lambda row, by, given: transitions.confirm(row, by, evidence=given["evidence"]),
    Verb.COMPENSATED: lambda row, by, given: transitions.compensated(row, by, evidence=given["evidence"]),
    Verb.AWAIT: lambda row, by, _: transitions.await_proof(row, by, reason=Reason.ACCEPTED),
    Verb.SCHEDULE_RETRY: lambda row, by, _: transitions.schedule_retry(row, by, wait=MINUTE, error="TransientError"),
    Verb.ESCALATE: lambda row, by, _: transitions.escalate(row, by, reason=Reason.REJECTED),
    Verb.CLOSE: lambda row, by, given: transitions.close(row, by, reason=Reason.RULED_OUT, words=given["words"]),
    Verb.TOUCH: lambda row, by, _: transitions.touch(row, by, reason=Reason.LOST_DISPATCH),
    Verb.RELEASE: lambda row, by, _: transitions.release(row, by),
    Verb.CONFIRM_BY_PROOF: lambda row, by, given: transitions.confirm_by_proof(
        row, by, verdict=given["verdict"], evidence=given["evidence"]
    ),
    Verb.COMPENSATED_BY_PROOF: lambda row, by, given: transitions.compensated_by_proof(
        row, by, verdict=given["verdict"]
    ),
    Verb.REQUEUE: lambda row, by, given: transitions.requeue(row, by, verdict=given["verdict"], wait=timedelta()),
    Verb.OBSERVE_AGAIN: lambda row, by, _: transitions.observe_again(row, by, wait=MINUTE),
    Verb.RETRY: lambda row, by, given: transitions.retry(
        row, by, decision=given["decision"], verdict=given["verdict"], shard="open#00"
    ),
    Verb.COMPENSATE: lambda row, by, given: transitions.compensate(row, by, verdict=given["verdict"], shard="open#00"),
    Verb.REQUEST_CANCEL: lambda row, by, given: transitions.request_cancel(row, by, words=given["words"]),
}
