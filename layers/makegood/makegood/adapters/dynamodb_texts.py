"""What a row keeps as JSON text, field by field: evidence, verdicts, closures, decisions.

What is `None` or empty is left out. A key that this release does not know is stepped over, and kept where the text is
one that grows (decisions; the others are only ever replaced whole); one that is needed and missing, or of another kind,
is a ValueError, KeyError or TypeError, which makes the row unreadable and nothing else.
"""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from makegood.domain import document
from makegood.domain.document import Document, Json
from makegood.domain.evidence import Closure, Decision, Difference, Evidence, Verdict, VerdictKind
from makegood.domain.instant import Instant

Read: TypeAlias = Mapping[str, Any]


_OF_A_DECISION = frozenset(
    {"at", "by", "seen_revision", "action", "reason", "stated", "verdict", "recommended", "policy_version", "outcome"}
)


def of_evidence(evidence: Evidence) -> str:
    """Write evidence."""
    return _text(
        at=evidence.at,
        remote_id=evidence.remote_id,
        version=evidence.version,
        fields=evidence.fields,
        summary=evidence.summary,
        reference=evidence.reference,
    )


def evidence(text: str) -> Evidence:
    """Read evidence."""
    read = _object(text)
    return Evidence(
        at=_instant(read, "at"),
        remote_id=_words(read, "remote_id"),
        version=_whole(read, "version"),
        fields=document.accept(read.get("fields", {}), what="evidence.fields"),
        summary=_words(read, "summary"),
        reference=_words(read, "reference"),
    )


def of_verdict(verdict: Verdict) -> str:
    """Write a verdict."""
    return _text(
        kind=verdict.kind.value,
        at=verdict.at,
        asked=verdict.asked,
        answered=verdict.answered,
        compared=verdict.compared,
        differences=[_difference(difference) for difference in verdict.differences],
        policy_version=verdict.policy_version,
        recommendation=verdict.recommendation,
    )


def verdict(text: str) -> Verdict:
    """Read a verdict."""
    read = _object(text)
    return Verdict(
        kind=VerdictKind(read["kind"]),
        at=_instant(read, "at"),
        asked=_said(read, "asked"),
        answered=_words(read, "answered"),
        compared=tuple(str(name) for name in read.get("compared", ())),
        differences=tuple(
            Difference(field=_said(one, "field"), expected=_said(one, "expected"), observed=_words(one, "observed"))
            for one in read.get("differences", ())
        ),
        policy_version=_number(read, "policy_version"),
        recommendation=_words(read, "recommendation"),
    )


def of_closure(closure: Closure) -> str:
    """Write a closure."""
    return _text(reason=closure.reason, by=closure.by)


def closure(text: str) -> Closure:
    """Read a closure."""
    read = _object(text)
    return Closure(reason=_said(read, "reason"), by=_said(read, "by"))


def of_decisions(decisions: Sequence[Decision]) -> str:
    """Write decisions, oldest first."""
    return f"[{','.join(_of_decision(decision) for decision in decisions)}]"


def decisions(text: str) -> tuple[Decision, ...]:
    """Read decisions."""
    return tuple(
        Decision(
            at=_instant(read, "at"),
            by=_said(read, "by"),
            seen_revision=_number(read, "seen_revision"),
            action=_said(read, "action"),
            reason=_said(read, "reason"),
            stated=_words(read, "stated"),
            verdict=_words(read, "verdict"),
            recommended=_words(read, "recommended"),
            policy_version=_whole(read, "policy_version"),
            outcome=_words(read, "outcome"),
            more={name: read[name] for name in read if name not in _OF_A_DECISION},
        )
        for read in json.loads(text, parse_float=Decimal)
    )


def _of_decision(decision: Decision) -> str:
    return _text(
        at=decision.at,
        by=decision.by,
        seen_revision=decision.seen_revision,
        action=decision.action,
        reason=decision.reason,
        stated=decision.stated,
        verdict=decision.verdict,
        recommended=decision.recommended,
        policy_version=decision.policy_version,
        outcome=decision.outcome,
        **decision.more,
    )


def _difference(difference: Difference) -> Document:
    return _present(field=difference.field, expected=difference.expected, observed=difference.observed)


def _text(**fields: Json) -> str:
    return document.render(_present(**fields))


def _present(**fields: Json) -> Document:
    return {name: value for name, value in fields.items() if value is not None and value not in ({}, [], ())}


def _object(text: str) -> Read:
    read = json.loads(text, parse_float=Decimal)
    if not isinstance(read, dict):
        raise TypeError("a JSON object is wanted")
    return read


def _said(read: Read, key: str) -> str:
    if not isinstance(read[key], str):
        raise TypeError(f"{key} is not text")
    return str(read[key])


def _words(read: Read, key: str) -> str | None:
    return _said(read, key) if key in read else None


def _number(read: Read, key: str) -> int:
    if type(read[key]) is not int:
        raise TypeError(f"{key} is not a whole number")
    return int(read[key])


def _whole(read: Read, key: str) -> int | None:
    return _number(read, key) if key in read else None


def _instant(read: Read, key: str) -> Instant:
    return Instant(_number(read, key))
