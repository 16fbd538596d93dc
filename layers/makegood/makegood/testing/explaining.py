"""An operation in words: what a failed assertion tells of it."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import assert_never

from makegood.domain import history
from makegood.domain.decide import Action, Dispatch, Escalate, Leave, Observe, Release, decide
from makegood.domain.document import render
from makegood.domain.evidence import Evidence, Verdict
from makegood.domain.history import Entry
from makegood.domain.instant import Instant, between
from makegood.domain.operation import Intent, Operation
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason

_WORDS = {reason.value: reason.words for reason in Reason}


def told(operation: Operation, *, now: Instant, terms: Terms, queued: Sequence[str]) -> str:
    """Tell an operation: where it stands, what is known of its effect, how it came there, what a sweep would do now."""
    lines = _facts(operation, now, terms, queued)
    return "\n".join(f"  {name:<10} {words}" for name, words in lines)


def _facts(operation: Operation, now: Instant, terms: Terms, queued: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "operation", f"{operation.operation_type} {operation.operation_id}"
    yield "promised", f"{operation.entity}, version {operation.expected_version}, {render(operation.expected_fields)}"
    yield "status", ", ".join(_standing(operation, terms))
    count = list(queued).count(operation.operation_id)
    yield "messages", f"{count} queued" if count else "none queued"
    if operation.last_error:
        yield "error", operation.last_error
    yield "evidence", evidence_words(operation.evidence)
    yield "verdict", verdict_words(operation.verdict)
    for entry in history.read(operation.history):
        yield "history", _entry(entry, operation.created_at) if isinstance(entry, Entry) else str(entry)
    yield "a sweep", f"now would {_would(decide(operation, now=now, terms=terms), now)}"


def evidence_words(evidence: Evidence | None) -> str:
    """Say what proof is stored."""
    if evidence is None:
        return "none"
    shown = f"remote id {evidence.remote_id}, version {evidence.version}, fields {render(evidence.fields)}"
    return f"{shown} ({evidence.summary})" if evidence.summary else shown


def verdict_words(verdict: Verdict | None) -> str:
    """Say what was judged, and by what."""
    if verdict is None:
        return "none"
    differing = "; ".join(
        f"{each.field}: {each.expected} expected, {each.observed} seen" for each in verdict.differences
    )
    recommended = f"; recommended: {verdict.recommendation}" if verdict.recommendation else ""
    return f"{verdict.kind}, asked {verdict.asked}, answered {verdict.answered}{recommended}" + (
        f"; {differing}" if differing else ""
    )


def _standing(operation: Operation, terms: Terms) -> Iterator[str]:
    yield operation.status.value
    yield f"attempt {operation.attempt} of {terms.max_attempts}"
    if operation.intent is Intent.COMPENSATION:
        yield "its effect is being undone"
    if operation.uncertain:
        yield "may have been applied"
    if operation.cancel_reason is not None:
        yield f"cancellation asked for ({operation.cancel_reason})"
    if operation.closure is not None:
        yield f"closed by {operation.closure.by}: {operation.closure.reason}"


def _entry(entry: Entry, since: Instant) -> str:
    words = _WORDS.get(entry.reason, entry.reason)
    return f"{_span(between(since, entry.at)):>9}  {entry.verb} → {entry.target}  by {entry.actor}: {words}"


def _would(action: Action, now: Instant) -> str:
    match action:
        case Leave(reason=reason, until=None):
            return f"leave it alone: {reason.words}"
        case Leave(reason=reason, until=until):
            return f"leave it alone: {reason.words}; look again {_span(between(now, until or now))}"
        case Release(reason=reason) | Observe(reason=reason) | Dispatch(reason=reason) | Escalate(reason=reason):
            return f"{type(action).__name__.lower()}: {reason.words}"
        case _:
            assert_never(action)


def _span(duration: timedelta) -> str:
    seconds = duration.total_seconds()
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"+{seconds:g} s"
    return f"+{seconds / 60:.4g} min" if seconds < 3600 else f"+{seconds / 3600:.4g} h"  # noqa: PLR2004 - an hour
