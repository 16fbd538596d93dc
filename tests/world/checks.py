"""What must hold of every single write, whoever makes it."""

from collections import defaultdict

from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Role, Verb, last
from makegood.domain.operation import REVIEW_SHARD, Intent, Operation, Status
from makegood.domain.table import TABLE

from tests.world.kinds import LIMITS

_LEADS: dict[tuple[Verb, Status | None, str], set[Status | None]] = defaultdict(set)
for _row in TABLE:
    for _source in _row.sources or {None}:
        for _role in _row.owners:
            _LEADS[_row.verb, _source, _role.value].add(_row.target or _source)

_SENDS = frozenset({Status.PENDING, Status.RETRY_SCHEDULED, Status.PROCESSING})


def wrong_with(before: Operation, after: Operation, by: str) -> str | None:
    """Say which invariant a write breaks that turns one row into the other; `None` if none."""
    entry = last(after.history)
    role = entry.actor.partition(" ")[0]
    if before.is_terminal:
        return f"invariant 5: {before.status} is changed by {entry.verb}"
    if after.status not in _LEADS.get((entry.verb, before.status, role), ()) or entry.target is not after.status:
        return f"invariant 7: the table has no {entry.verb} from {before.status} to {after.status} for the {role}"
    if role != by:
        return f"invariant 7: the {by} writes in the name of the {role}"
    if after.revision != before.revision + 1 or after.write_id == before.write_id:
        return "invariant 7: a write without a revision or a write id of its own"
    if entry.verb is Verb.CLAIM and after.attempt != before.attempt + 1:
        return "invariant 7: a claim that is not counted"
    if after.attempt > LIMITS.max_attempts:
        return "invariant 1: more attempts than its type allows"
    return _of_the_row(after) or _of_the_outcome(before, after, entry.verb, role)


def _of_the_row(row: Operation) -> str | None:
    claimed = row.status is Status.PROCESSING
    if claimed != (row.claim_token is not None) or claimed != (row.lease_ends_at is not None):
        return f"invariant 4: it is {row.status}, and its claim does not fit that"
    if row.is_terminal != (row.due_at is None) or row.is_terminal != (row.due_shard is None):
        return f"invariant 1: it is {row.status}, and its place in the index does not fit that"
    if not row.is_terminal and (row.status is Status.MANUAL_REVIEW) != (row.due_shard == REVIEW_SHARD):
        return f"invariant 1: it is {row.status} and lies in {row.due_shard}"
    return None


def _of_the_outcome(before: Operation, after: Operation, verb: Verb, role: str) -> str | None:
    undecided = _is_ambiguous(before) and (after.verdict is None or _is_ambiguous(after)) and role != Role.OPERATOR
    if undecided and after.status in _SENDS:
        return f"invariant 3: {verb} leads from an ambiguous outcome to {after.status}, and nobody decided"
    decided = len(after.decisions) > len(before.decisions)
    if role == Role.OPERATOR and verb is not Verb.REQUEST_CANCEL and not decided:
        return "invariant 3: a person moves it, and no decision is recorded"
    if after.status is Status.CONFIRMED:
        if after.evidence is None or after.intent is not Intent.EFFECT:
            return "invariant 10: confirmed without evidence of its effect"
        if after.cancel_reason is not None and not decided:
            return "invariant 10: cancelled, and confirmed by itself"
    if after.status is Status.COMPENSATED and after.intent is not Intent.COMPENSATION:
        return "invariant 10: compensated, and nobody began to undo it"
    return None


def _is_ambiguous(row: Operation) -> bool:
    return row.verdict is not None and row.verdict.kind is VerdictKind.AMBIGUOUS
