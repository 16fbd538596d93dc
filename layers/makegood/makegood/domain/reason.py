"""Why something was decided: a short code for rows, logs and metrics, and the words for a person on call."""

from enum import StrEnum
from typing import Self


class Reason(StrEnum):
    """A code of at most 24 characters; `words` says it to people."""

    words: str

    def __new__(cls, code: str, words: str) -> Self:
        """Make a member whose value is the code."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.words = words
        return member

    # why a row moved
    SUBMITTED = "submitted", "a producer promised this work"
    DELIVERED = "delivered", "a message named it and it was free"
    AGREED = "agreed", "the remote's answer agrees with what was expected"
    ACCEPTED = "accepted", "the remote took it but cannot prove it yet"
    DISAGREED = "disagreed", "the remote's answer differs from what was expected"
    UNPROVEN = "unproven", "the remote's answer does not prove the effect"
    UNCERTAIN = "uncertain", "the attempt may have been applied; it is observed before anything else"
    TRANSIENT = "transient", "the attempt certainly had no effect; it is tried again later"
    REJECTED = "rejected", "the remote refused for good"
    RULED_OUT = "ruled_out", "the operation type says that it no longer applies"
    LOST_DISPATCH = "lost_dispatch", "never claimed since the last dispatch"
    SCHEDULED = "scheduled", "it was promised for later, its time has come, and it is sent now"
    RETRY_DUE = "retry_due", "its retry is due and is sent now"
    RETRY_UNCLAIMED = "retry_unclaimed", "its retry was dispatched and not claimed"
    LEASE_OVER = "lease_over", "its worker's lease is over; the effect is unknown"
    ATTEMPTS_USED = "attempts_used", "all its attempts are used up"
    DISPATCHES_USED = "dispatches_used", "it was dispatched again and again and never claimed"
    DEADLINE_PASSED = "deadline_passed", "its deadline has passed"
    KEY_TOO_OLD = "key_too_old", "the remote may have forgotten its idempotency key; sending could double the effect"
    UNSENDABLE = "unsendable", "the queue refuses its message for what it holds"
    NOT_OBSERVED = "not_observed_yet", "its outcome was uncertain and nothing observed it"  # of releases before
    PROVEN = "proven", "the outside system proves it"
    MISSING = "missing", "the outside system certainly does not have the effect"
    STILL_UNKNOWN = "still_unknown", "the outside system gave no certain answer"
    OUTAGE = "outage", "the outside system takes no calls at the moment; the attempt is not counted"
    NOT_SETTLED = "not_settled", "a call may still land; what is not there yet does not count"
    SEEN_ABSENT = "seen_absent", "it is not there, but has not been seen absent often enough in a row"
    NOT_ASKED = "not_asked", "the outside system does not answer; it is asked again later"
    KILLED_A_RUN = "killed_a_run", "the run that asked for it died; it is asked again later"
    DIVERGENT = "divergent", "the outside system has something else than was promised"
    NOT_OBSERVABLE = "not_observable", "it may have been applied, and its type cannot be observed"
    UNKNOWN_TOO_LONG = "unknown_too_long", "the outside system has given no certain answer for too long"
    SEVERAL = "several_candidates", "several things there may be it, and nobody can tell which"
    NO_VERSION = "no_version", "it is there, but shows no version to compare"
    SUPERSEDED = "superseded", "a newer version of the same entity has taken its place"
    ONLY_OBSERVING = "only_observing", "its type's mode leaves this step to a person"
    NOT_PERMITTED = "not_permitted", "the policy's step is not permitted as things stand"
    BEHIND_ANOTHER = "behind_another", "another version of the same entity is being applied; one follows the other"
    NEWER_BEGUN = "newer_begun", "a newer version of the same entity was begun and its end is not known"
    ACKNOWLEDGED = "acknowledged", "the remote's signed acknowledgement proves it"
    STILL_THERE = "still_there", "its effect was to be undone and is still there"
    CANCELLED = "cancelled", "its cancellation was asked for"
    DECIDED = "decided", "a person decided"
    COMPENSATION = "compensation", "its effect is to be undone"

    # why a row was left alone
    TERMINAL = "terminal", "already terminal"
    NOT_DUE = "not_due", "touched or moved a moment ago, not due yet"
    IN_REVIEW = "in_review", "it waits for a person"
    LEASE_RUNNING = "lease_running", "claimed, and the lease is still running"
    TOO_EARLY = "too_early", "its next attempt is not allowed yet"
    MOVED = "moved", "it moved since the index was read"
    GONE = "gone", "the index names it but the table has no such row"
    UNKNOWN_TYPE = "unknown_type", "this release does not know its operation type"
    NEWER_FORMAT = "newer_format", "a newer release wrote this row"
    UNREADABLE = "unreadable", "its row cannot be understood"
    AWAITING = "awaiting", "its outcome is being established"
    OUT_OF_TIME = "out_of_time", "too little time is left in this run"
    OVER_DRAIN_RATE = "over_drain_rate", "this run has acted on as many rows as it may"
    TYPE_HALTED = "type_halted", "its type is above its own halt cap"
    ORPHAN = "orphan", "no operation has this id"
    MALFORMED = "malformed", "the message does not name an operation"
    FAILED = "failed", "an error inside Makegood or its store; the message comes again"
    LATE_WRITE = "late_write", "the claim had passed on; the late worker's write was refused"
