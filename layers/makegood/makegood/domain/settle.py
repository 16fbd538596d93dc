"""What follows from what `perform` said: one pure step from a claimed operation to where it belongs."""

from datetime import timedelta
from typing import TypeAlias

from makegood.domain import document, transitions
from makegood.domain.document import Document, Json
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import Difference, Evidence, Verdict, VerdictKind
from makegood.domain.instant import after
from makegood.domain.moving import Hand
from makegood.domain.operation import VERSION_LIMIT, Intent, Operation
from makegood.domain.outcome import Accepted, Done, NotApplicable, Outcome, RejectedError, TransientError
from makegood.domain.reason import Reason
from makegood.domain.scrub import error_line, one_line, scrubbed
from makegood.domain.verdict import compare, compare_versions

Said: TypeAlias = Outcome | BaseException

ASKED = "perform's own answer"
ID_LIMIT = 256  #: characters of a remote's id that are kept
COMPARED_LIMIT = 20  #: fields that a stored verdict lists
VALUE_LIMIT = 256  #: characters of an observed value that differs


def settle(operation: Operation, said: Said, hand: Hand, *, fraction: float) -> Operation:
    """Move a claimed operation by what its attempt said. `fraction` is the draw for the jitter of a retry."""
    match said:
        case Done():
            return _done(operation, said, hand)
        case Accepted():
            return transitions.await_proof(
                operation, hand, reason=Reason.ACCEPTED, remote_id=_remote_id(said.remote_id)
            )
        case NotApplicable():
            return _ruled_out(operation, scrubbed(str(said.reason)) or Reason.RULED_OUT.words, hand)
        case TransientError():
            return _transient(operation, said, hand, fraction)
        case RejectedError():
            return _cancelled(operation, hand) or transitions.escalate(
                operation, hand, reason=Reason.REJECTED, error=error_line(said)
            )
        case _:
            return transitions.await_proof(operation, hand, reason=Reason.UNCERTAIN, error=_line(said))


def _done(operation: Operation, done: Done, hand: Hand) -> Operation:
    try:
        version, fields = _version(done.version), document.accept(done.fields, what="the answer's fields")
    except InvalidInput as error:
        return transitions.await_proof(
            operation, hand, reason=Reason.UNPROVEN, remote_id=_remote_id(done.remote_id), error=error_line(error)
        )
    evidence = _evidence(operation, done, fields, hand)
    if operation.intent is Intent.COMPENSATION:
        return transitions.compensated(operation, hand, evidence=evidence)
    differences = _differences(operation, version, fields)
    if any(difference.observed is not None for difference in differences):
        return _divergent(operation, hand, evidence, differences)
    if differences or version is None:
        return _awaiting(operation, hand, Reason.UNPROVEN, evidence)
    if operation.cancel_reason is not None:
        return _awaiting(operation, hand, Reason.CANCELLED, evidence)
    return transitions.confirm(operation, hand, evidence=evidence)


def _divergent(operation: Operation, hand: Hand, evidence: Evidence, differences: tuple[Difference, ...]) -> Operation:
    verdict = Verdict(
        kind=VerdictKind.DIVERGENT,
        at=hand.now,
        asked=ASKED,
        answered=evidence.summary,
        compared=("version", *operation.expected_fields)[:COMPARED_LIMIT],
        differences=differences[:COMPARED_LIMIT],
        policy_version=hand.terms.policy.version,
    )
    return transitions.await_proof(
        operation, hand, reason=Reason.DISAGREED, remote_id=evidence.remote_id, evidence=evidence, verdict=verdict
    )


def _awaiting(operation: Operation, hand: Hand, reason: Reason, evidence: Evidence) -> Operation:
    return transitions.await_proof(operation, hand, reason=reason, remote_id=evidence.remote_id, evidence=evidence)


def _ruled_out(operation: Operation, words: str, hand: Hand) -> Operation:
    if operation.intent is Intent.COMPENSATION:
        return transitions.escalate(operation, hand, reason=Reason.RULED_OUT, error=words)
    if operation.uncertain:
        return transitions.await_proof(operation, hand, reason=Reason.RULED_OUT, error=words)
    return transitions.close(operation, hand, reason=Reason.RULED_OUT, words=words)


def _transient(operation: Operation, error: TransientError, hand: Hand, fraction: float) -> Operation:
    if closed := _cancelled(operation, hand):
        return closed
    if operation.attempt >= hand.terms.max_attempts:
        return transitions.escalate(operation, hand, reason=Reason.ATTEMPTS_USED, error=error_line(error))
    asked = _asked(error.retry_after, most=hand.terms.limits.outage_limit)
    wait = hand.terms.policy.backoff.wait(operation.attempt, fraction=fraction, at_least=asked)
    if operation.deadline_at is not None and after(hand.now, wait) >= operation.deadline_at:
        return transitions.escalate(operation, hand, reason=Reason.DEADLINE_PASSED, error=error_line(error))
    return transitions.schedule_retry(operation, hand, wait=wait, error=error_line(error))


def _cancelled(operation: Operation, hand: Hand) -> Operation | None:
    """Close an operation that is wanted no more and certainly never had its effect."""
    if operation.cancel_reason is None or operation.uncertain or operation.intent is Intent.COMPENSATION:
        return None
    return transitions.close(operation, hand, reason=Reason.CANCELLED, words=operation.cancel_reason)


def _differences(operation: Operation, version: int | None, fields: Document) -> tuple[Difference, ...]:
    by_version = () if version is None else compare_versions(operation.expected_version, version)
    return (*by_version, *compare(operation.expected_fields, fields))


def _evidence(operation: Operation, done: Done, fields: Document, hand: Hand) -> Evidence:
    return Evidence(
        at=hand.now,
        remote_id=_remote_id(done.remote_id),
        version=done.version,
        fields=_compared(operation.expected_fields, fields),
        summary=scrubbed(str(done.summary)) if done.summary else None,
    )


def _compared(wanted: Document, found: Document) -> Document:
    """Keep what was compared and nothing else: what agrees as it was expected, and the first of what differs, cut."""
    agreed = {name: value for name, value in wanted.items() if not compare({name: value}, found)}
    differing = [name for name in wanted if name in found and name not in agreed]
    return {**agreed, **{name: _cut(found[name]) for name in differing[:COMPARED_LIMIT]}}


def _cut(value: Json) -> Json:
    text = document.render({"": value})[4:-1]
    return value if len(text) <= VALUE_LIMIT else text[: VALUE_LIMIT - 1] + "…"


def _version(version: object) -> int | None:
    """Take a version as a whole number; a team's code may hand on whatever the remote wrote."""
    if version is None:
        return None
    if isinstance(version, bool) or not isinstance(version, int) or not 0 <= version <= VERSION_LIMIT:
        raise InvalidInput(f"the answer's version ({type(version).__name__}) is no whole number up to 2^63-1")
    return version


def _asked(retry_after: object, *, most: timedelta) -> timedelta:
    """Wait as long as the remote asked, but not for years because it said so."""
    asked = retry_after if isinstance(retry_after, timedelta) else timedelta()
    return min(max(asked, timedelta()), most)


def _remote_id(remote_id: object) -> str | None:
    return one_line(str(remote_id), limit=ID_LIMIT) if remote_id is not None else None


def _line(said: object) -> str:
    return error_line(said) if isinstance(said, BaseException) else f"perform returned {type(said).__name__}"
