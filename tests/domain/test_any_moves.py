"""Whatever moves a row takes, in whatever order: do the row and its history, read back, tell the same?"""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from makegood.domain import history
from makegood.domain.evidence import Decision
from makegood.domain.history import FIRST_KEPT, LAST_KEPT, Entry, LeftOut, Verb
from makegood.domain.instant import Instant
from makegood.domain.operation import REVIEW_SHARD, Intent, Operation, Status, shard_of
from makegood.domain.policy import Policy, Terms
from makegood.domain.reason import Reason

from tests.support.any_moves import DECIDES, MOVES, Chance, Course, Made
from tests.support.policies import accepted
from tests.support.rows import LIMITS

COURSES, TRIES = 6, 60  #: for each policy; moves that are tried in one
ENDS = (Verb.AWAIT, Verb.RELEASE)  #: of an attempt, without a certain answer
ANEW = (Verb.SCHEDULE_RETRY, Verb.REQUEUE, Verb.RETRY)  #: from here on it can be claimed anew

seen: Counter[str] = Counter()


def test_a_row_and_its_history_tell_the_same_after_any_sequence_of_moves() -> None:
    seen.clear()
    _any_course()
    assert not [verb for verb in MOVES if seen[verb] < 5], seen
    assert seen["beyond the cut"] > 200


@settings(max_examples=150)
@given(accepted.map(lambda said: Policy(**said).under(LIMITS)), st.integers(0, 2**30))
def _any_course(terms: Terms, seed: int) -> None:
    for number in range(COURSES):
        _takes_its_course(Course(terms, Chance(Random(seed * COURSES + number))))  # noqa: S311 - drawn by Hypothesis


def _takes_its_course(course: Course) -> None:
    row = course.first()
    log = [_entry(row, None)]
    _agree(row, log)
    for made in course.moves(row, TRIES):
        log.append(_entry(made.row, made))
        seen[made.verb] += 1
        seen["beyond the cut"] += len(log) > FIRST_KEPT + LAST_KEPT
        _written(made)
        _agree(made.row, log)


def _entry(row: Operation, made: Made | None) -> Entry:
    """Write down a move as the history should tell it."""
    told = history.last(row.history)
    return Entry(
        at=made.hand.now if made else row.created_at,
        verb=made.verb if made else Verb.SUBMIT,
        source=made.before.status if made else None,
        target=row.status,
        actor=told.actor,
        reason=told.reason,
    )


def _written(made: Made) -> None:
    """Hold what a move writes beside what the log tells: its own mark, one revision more, no time turned back."""
    before, row = made.before, made.row
    assert (row.revision, row.write_id) == (before.revision + 1, made.hand.write_id)
    assert row.updated_at == max(before.updated_at, made.hand.now)
    assert not before.is_terminal, "terminal is for ever"
    assert history.last(row.history).actor.split(" ")[0] == made.hand.actor.role
    kept = ("operation_id", "entity", "expected_version", "expected_fields", "payload", "fingerprint", "created_at")
    assert [getattr(row, name) for name in kept] == [getattr(before, name) for name in kept]
    if before.cancel_reason is not None:
        assert row.cancel_reason is not None, "a wish to cancel is not forgotten"


def _agree(row: Operation, log: Sequence[Entry]) -> None:
    """Hold that the row stands as its moves say, and that its history, read back, tells those moves."""
    told = list(history.read(row.history))
    dropped = len(log) - FIRST_KEPT - LAST_KEPT
    cut = [*log[:FIRST_KEPT], LeftOut(dropped), *log[-LAST_KEPT:]]
    assert told == (cut if dropped > 0 else list(log))
    intent = _since(log, Verb.COMPENSATE)
    assert row.revision == len(log)
    assert row.status is log[-1].target
    assert (row.intent is Intent.COMPENSATION) is (len(intent) < len(log))
    assert row.attempt == _attempts(intent)
    assert row.dispatches == _count(_since(intent, *ANEW), Verb.TOUCH)
    assert row.uncertain is any(entry.verb in ENDS for entry in intent)
    assert (row.cancel_reason is not None) is any(entry.verb is Verb.REQUEST_CANCEL for entry in log)
    assert row.first_claimed_at == _at(intent, lambda entry: entry.verb is Verb.CLAIM, first=0)
    assert row.attempt_ended_at == _at(
        intent, lambda entry: entry.source is Status.PROCESSING and entry.target is not Status.PROCESSING, first=-1
    )
    _claim_agrees(row, intent)
    _place_agrees(row)
    _decisions_agree(row.decisions, log)


def _since(log: Sequence[Entry], *verbs: Verb) -> Sequence[Entry]:
    """Return what came after the last of these moves; all, if there was none."""
    last = max((number for number, entry in enumerate(log) if entry.verb in verbs), default=-1)
    return log[last + 1 :]


def _count(log: Sequence[Entry], verb: Verb) -> int:
    return sum(entry.verb is verb for entry in log)


def _attempts(intent: Sequence[Entry]) -> int:
    """Count the attempts since a person last began anew, but for those that an outage gave back."""
    counted = _since(intent, Verb.RETRY)
    given_back = sum(entry.reason == Reason.OUTAGE for entry in counted)
    return _count(counted, Verb.CLAIM) - given_back


def _at(log: Sequence[Entry], wanted: Callable[[Entry], bool], *, first: int) -> Instant | None:
    times = [entry.at for entry in log if wanted(entry)]
    return times[first] if times else None


def _claim_agrees(row: Operation, intent: Sequence[Entry]) -> None:
    claim = (row.claim_token, row.claimed_at, row.lease_ends_at)
    if row.status is not Status.PROCESSING:
        assert claim == (None, None, None)
        return
    claimed_at = _at(intent, lambda entry: entry.verb is Verb.CLAIM, first=-1)
    assert claimed_at is not None
    assert claim[1:] == (claimed_at, claimed_at + LIMITS.lease.total_seconds() * 1000)
    assert row.claim_token is not None


def _place_agrees(row: Operation) -> None:
    """Hold that an open row is in the index, in its shard and before its deadline, and a terminal one is not."""
    if row.is_terminal:
        assert (row.due_shard, row.due_at, row.not_before) == (None, None, None)
        assert (row.expires_at is None) is bool(row.decisions), "what a person decided is kept for ever"
        return
    in_review = row.status is Status.MANUAL_REVIEW
    assert row.due_shard == (REVIEW_SHARD if in_review else shard_of(row.operation_id, LIMITS.shards))
    assert row.due_at is not None
    assert row.expires_at is None
    assert in_review or row.deadline_at is None or row.due_at <= row.deadline_at


def _decisions_agree(decisions: Sequence[Decision], log: Sequence[Entry]) -> None:
    """Hold that each decision of an operator is there, in order, with what came of it once that is known."""
    taken = [n for n, entry in enumerate(log) if entry.actor.startswith("operator") and entry.verb in DECIDES]
    assert [each.at for each in decisions] == [log[n].at for n in taken]
    for decision, number in zip(decisions, taken, strict=True):
        stops = [e.target for e in log[number:] if e.target.is_terminal or e.target is Status.MANUAL_REVIEW]
        assert decision.outcome == (stops[0].value if stops else None)
