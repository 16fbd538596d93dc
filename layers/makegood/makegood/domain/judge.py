"""The verdict: a pure function of what was expected, what was observed, the time, and the policy.

    correct          one match; its version and every compared field agree
    missing          certainly absent, often enough in a row, and the settle window since the last attempt is over
    divergent        found, but version or a field differs, it was deleted, or it is there more than once by the key
    ambiguous        nobody can say: unknown for too long, not observable, several candidates, no version to compare
    not_applicable   a newer version of the entity is there, and by the type's rule it takes the place of older ones

Before the settle window is over an absence is no verdict, because a call of ours may still land. For a compensation
the question is whether the effect is gone: `missing` says that it is; `correct` and `divergent` that it is still there.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from makegood.domain import document
from makegood.domain.answer import COMPARED_LIMIT, compared_names, differences, kept_fields, kept_id, whole_version
from makegood.domain.document import Document
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import Difference, Evidence, Verdict, VerdictKind
from makegood.domain.instant import Instant, after
from makegood.domain.observation import NOTHING, Absent, Found, Unknown
from makegood.domain.operation import Intent, Operation
from makegood.domain.policy import Capability, Terms
from makegood.domain.reason import Reason
from makegood.domain.scrub import scrubbed

LOOK = "observe"  #: what was asked, where a look ended before it could say: its time was over, or it raised


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """No verdict yet: look again later."""

    reason: Reason
    absences: int = 0  #: how many in a row have been seen by now


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict, with the evidence that came with it where something was found."""

    verdict: Verdict
    reason: Reason
    evidence: Evidence | None = None


Judgement: TypeAlias = Judged | Again


def judge(operation: Operation, observed: object, *, now: Instant, terms: Terms) -> Judgement:
    """Judge one look. Total: whatever a type's `observe` returns leads to a verdict or to another look."""
    case = _Case(operation, now, terms)
    try:
        return case.of(observed)
    except Exception as error:  # noqa: BLE001 - a team's values, whose own code may be broken
        return case.of_unknown(Unknown(why=f"what observe returned cannot be read ({type(error).__name__})"))


def unasked(operation: Operation, *, now: Instant, terms: Terms) -> Judgement:
    """Judge an operation whose outside system cannot be asked.

    One that acknowledges by itself is waited for; any other is ambiguous at once, unless its own answer was divergent.
    """
    case, known = _Case(operation, now, terms), operation.verdict
    if known is not None and known.kind is VerdictKind.DIVERGENT:
        return Judged(verdict=known, reason=Reason.DIVERGENT, evidence=operation.evidence)
    if terms.policy.capability is Capability.ACKNOWLEDGEMENT_ONLY:
        return case.of_unknown(Unknown(why="no acknowledgement has come", asked=NOTHING))
    return case.ambiguous(Unknown(why="its type cannot be observed", asked=NOTHING), Reason.NOT_OBSERVABLE)


@dataclass(frozen=True, slots=True)
class _Case:
    operation: Operation
    now: Instant
    terms: Terms

    def of(self, observed: object) -> Judgement:
        match observed:
            case Absent():
                return self.of_absent(observed)
            case Found():
                return self.of_found(observed)
            case Unknown():
                return self.of_unknown(observed)
            case _:
                return self.of_unknown(Unknown(why=f"observe returned {type(observed).__name__}"))

    def of_unknown(self, unknown: Unknown) -> Judgement:
        since = self.operation.attempt_ended_at or self.operation.updated_at
        first = not self.operation.observations  # nobody had asked before: one silence is no outage, however late
        if first or self.now < after(since, self.terms.outage_limit):
            return Again(reason=Reason.STILL_UNKNOWN)
        return self.ambiguous(unknown, Reason.UNKNOWN_TOO_LONG)

    def of_absent(self, absent: Absent) -> Judgement:
        ended_at = self.operation.attempt_ended_at
        if ended_at is not None and self.now < after(ended_at, self.terms.settled_after):
            return Again(reason=Reason.NOT_SETTLED)
        absences = self.operation.absences + 1
        if absences < self.terms.policy.absences:
            return Again(reason=Reason.SEEN_ABSENT, absences=absences)
        answered = _short(absent.summary) or "it is not there"
        return Judged(verdict=self._verdict(VerdictKind.MISSING, absent.asked, answered), reason=Reason.MISSING)

    def of_found(self, found: Found) -> Judgement:
        try:
            fields = document.accept(found.fields, what="the observed fields")
            version, count, deleted = whole_version(found.version), _count(found.count), _flag(found.deleted)
        except InvalidInput as error:
            return self.of_unknown(Unknown(why=str(error), asked=found.asked))
        if deleted and count == 1 and self.operation.intent is Intent.COMPENSATION:
            return self.of_absent(Absent(asked=found.asked, summary="it is marked as deleted"))
        if count > 1 and self.terms.policy.capability is not Capability.BY_KEY:
            words = f"{count} candidates by business key; nobody can tell which is ours"
            return self.ambiguous(Unknown(why=words, asked=found.asked), Reason.SEVERAL)
        if version is None and count == 1 and not deleted:
            words = "it is there, but shows no version to compare"
            return self.ambiguous(Unknown(why=words, asked=found.asked), Reason.NO_VERSION)
        return self._compared(found, version, fields)

    def ambiguous(self, unknown: Unknown, reason: Reason) -> Judged:
        answered = _short(unknown.why) or "no answer"
        return Judged(verdict=self._verdict(VerdictKind.AMBIGUOUS, unknown.asked, answered), reason=reason)

    def _compared(self, found: Found, version: int | None, fields: Document) -> Judged:
        evidence = Evidence(
            at=self.now,
            remote_id=kept_id(found.remote_id),
            version=version,
            fields=kept_fields(self.operation, fields, self.terms),
            summary=_short(found.summary),
        )
        differing = (*_oddities(found), *differences(self.operation, version, fields, self.terms))
        kind = VerdictKind.DIVERGENT if differing else VerdictKind.CORRECT
        if self._is_overtaken(found, version):
            kind = VerdictKind.NOT_APPLICABLE
        verdict = replace(
            self._verdict(kind, found.asked, evidence.summary or f"found at version {version}"),
            compared=compared_names(self.operation),
            differences=differing[:COMPARED_LIMIT],
        )
        return Judged(verdict=verdict, reason=_REASONS[kind], evidence=evidence)

    def _is_overtaken(self, found: Found, version: int | None) -> bool:
        newer = version is not None and version > self.operation.expected_version
        odd = found.count > 1 or found.deleted
        return self.terms.policy.supersedes and newer and not odd and self.operation.intent is Intent.EFFECT

    def _verdict(self, kind: VerdictKind, asked: str | None, answered: str) -> Verdict:
        return Verdict(
            kind=kind,
            at=self.now,
            asked=_short(asked) or LOOK,
            answered=answered,
            policy_version=self.terms.policy.version,
        )


def _oddities(found: Found) -> tuple[Difference, ...]:
    doubled = (Difference(field="count", expected="1", observed=str(found.count)),) if found.count > 1 else ()
    deleted = (Difference(field="deleted", expected="false", observed="true"),) if found.deleted else ()
    return (*doubled, *deleted)


def _count(count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidInput(f"the number of matches ({type(count).__name__}) is no whole number from 1")
    return count


def _flag(flag: object) -> bool:
    if not isinstance(flag, bool):
        raise InvalidInput(f"the mark of a deletion ({type(flag).__name__}) is neither true nor false")
    return flag


def _short(words: object) -> str | None:
    return scrubbed(str(words)) or None if words else None


_REASONS = {
    VerdictKind.CORRECT: Reason.PROVEN,
    VerdictKind.DIVERGENT: Reason.DIVERGENT,
    VerdictKind.NOT_APPLICABLE: Reason.SUPERSEDED,
}
