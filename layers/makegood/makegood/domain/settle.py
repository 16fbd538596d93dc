"""What follows from what `perform` said: one pure step from a claimed operation to where it belongs."""

from datetime import timedelta
from typing import TypeAlias

from makegood.domain import document, transitions
from makegood.domain.answer import COMPARED_LIMIT, compared_names, differences, kept_fields, kept_id, whole_version
from makegood.domain.document import Document
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import Difference, Evidence, Verdict, VerdictKind
from makegood.domain.instant import after, between
from makegood.domain.latest import BehindError
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Operation
from makegood.domain.outcome import Accepted, Done, NotApplicable, OutageError, Outcome, RejectedError, TransientError
from makegood.domain.reason import Reason
from makegood.domain.scrub import error_line, scrubbed

Said: TypeAlias = Outcome | BaseException

ASKED = "perform's own answer"


def settle(operation: Operation, said: Said, hand: Hand, *, fraction: float) -> Operation:
    """Move a claimed operation by what its attempt said. `fraction` is the draw for the jitter of a retry."""
    match said:
        case Done():
            return _done(operation, said, hand)
        case Accepted():
            return transitions.await_proof(operation, hand, reason=Reason.ACCEPTED, remote_id=kept_id(said.remote_id))
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
        version, fields = whole_version(done.version), document.accept(done.fields, what="the answer's fields")
    except InvalidInput as error:
        return transitions.await_proof(
            operation, hand, reason=Reason.UNPROVEN, remote_id=kept_id(done.remote_id), error=error_line(error)
        )
    evidence = _evidence(operation, done, fields, hand)
    if operation.intent is Intent.COMPENSATION:
        return _undone(operation, hand, evidence)
    differing = differences(operation, version, fields, hand.terms)
    if any(difference.observed is not None for difference in differing):
        return _divergent(operation, hand, evidence, differing)
    if differing or version is None:
        return _awaiting(operation, hand, Reason.UNPROVEN, evidence)
    if operation.cancel_reason is not None:
        return _awaiting(operation, hand, Reason.CANCELLED, evidence)
    return transitions.confirm(operation, hand, evidence=evidence)


def _undone(operation: Operation, hand: Hand, evidence: Evidence) -> Operation:
    """End a compensation whose answer bears witness; an answer that still shows the effect, or nothing, does not."""
    differing = differences(operation, evidence.version, evidence.fields, hand.terms)
    shows = evidence.version is not None or bool(evidence.fields)
    if shows and all(difference.observed is None for difference in differing):
        return _awaiting(operation, hand, Reason.DISAGREED, evidence)
    if not evidence.remote_id:
        return _awaiting(operation, hand, Reason.UNPROVEN, evidence)
    return transitions.compensated(operation, hand, evidence=evidence)


def _divergent(operation: Operation, hand: Hand, evidence: Evidence, differing: tuple[Difference, ...]) -> Operation:
    verdict = Verdict(
        kind=VerdictKind.DIVERGENT,
        at=hand.now,
        asked=ASKED,
        answered=evidence.summary,
        compared=compared_names(operation),
        differences=differing[:COMPARED_LIMIT],
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
    words = error_line(error)
    asked = _asked(error.retry_after, most=hand.terms.outage_limit)
    if lasting := _outage(operation, error, hand):
        wait = hand.terms.policy.backoff.wait_in_outage(lasting, fraction=fraction, at_least=asked)
        return _in_time(operation, hand, wait, words) or transitions.put_off(
            operation, hand, wait=wait, error=words, reason=_put_off_reason(error)
        )
    if operation.attempt >= hand.terms.max_attempts:
        return transitions.escalate(operation, hand, reason=Reason.ATTEMPTS_USED, error=words)
    wait = hand.terms.policy.backoff.wait(operation.attempt, fraction=fraction, at_least=asked)
    return _in_time(operation, hand, wait, words) or transitions.schedule_retry(operation, hand, wait=wait, error=words)


def _outage(operation: Operation, error: TransientError, hand: Hand) -> timedelta | None:
    """Say how long the remote has taken no call of this operation, while that is no case for a person."""
    if not isinstance(error, OutageError) or operation.first_claimed_at is None:
        return None
    lasting = between(operation.first_claimed_at, hand.now)
    return max(lasting, timedelta(milliseconds=1)) if lasting < hand.terms.outage_limit else None


def _put_off_reason(error: TransientError) -> Reason:
    return Reason.BEHIND_ANOTHER if isinstance(error, BehindError) else Reason.OUTAGE


def _in_time(operation: Operation, hand: Hand, wait: timedelta, words: str) -> Operation | None:
    """Give up an operation whose next attempt would come too late."""
    if operation.deadline_at is None or after(hand.now, wait) < operation.deadline_at:
        return None
    return transitions.escalate(operation, hand, reason=Reason.DEADLINE_PASSED, error=words)


def _cancelled(operation: Operation, hand: Hand) -> Operation | None:
    """Close an operation that is wanted no more and certainly never had its effect."""
    if operation.cancel_reason is None or operation.uncertain or operation.intent is Intent.COMPENSATION:
        return None
    return transitions.close(operation, hand, reason=Reason.CANCELLED, words=operation.cancel_reason)


def _evidence(operation: Operation, done: Done, fields: Document, hand: Hand) -> Evidence:
    return Evidence(
        at=hand.now,
        remote_id=kept_id(done.remote_id),
        version=done.version,
        fields=kept_fields(operation, fields, hand.terms),
        summary=scrubbed(str(done.summary)) if done.summary else None,
    )


def _asked(retry_after: object, *, most: timedelta) -> timedelta:
    """Wait as long as the remote asked, but not for years because it said so."""
    asked = retry_after if isinstance(retry_after, timedelta) else timedelta()
    return min(max(asked, timedelta()), most)


def _line(said: object) -> str:
    return error_line(said) if isinstance(said, BaseException) else f"perform returned {type(said).__name__}"
