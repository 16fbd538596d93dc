"""The claim as one conditional write without a read: what `transitions.claim` checks and sets, in DynamoDB's words.

A contract test compares the row it leaves with the one that the domain function makes. One thing differs: an expression
can add to a list but not cut it, so a history at its bound holds one entry more until the next write.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

from makegood.adapters import dynamodb_rows as rows
from makegood.adapters.chunks import chunks
from makegood.adapters.dynamodb_changes import TOLD, Request
from makegood.adapters.dynamodb_expression import Words
from makegood.domain import history
from makegood.domain.history import Actor, Role, Verb
from makegood.domain.instant import after
from makegood.domain.operation import ROW_FORMAT, Intent, Status
from makegood.domain.policy import Terms
from makegood.domain.reason import Reason
from makegood.ports import Claim

K = TypeVar("K")

WORKER = Actor(role=Role.WORKER)
IN_LIMIT = 100  #: operands of IN; DynamoDB developer guide, "Comparison operator and function reference"
EXPRESSION_LIMIT = 4096  #: bytes of an expression; DynamoDB developer guide, "Constraints", "Expression parameters"

# What a row must hold to be understood, beside what is compared by value: what cannot be read is not claimed.
_TYPES = {
    "entity": "S",
    "expected_version": "N",
    "expected_fields": "S",
    "fingerprint": "S",
    "idempotency_key": "S",
    "revision": "N",
    "write_id": "S",
    "created_at": "N",
    "updated_at": "N",
    "due_at": "N",
    "due_shard": "S",
    "history": "L",
}


def claiming(table: str, claim: Claim) -> Request:
    """Take an operation for one attempt; asks for the row as it stands then, or for the one that was in the way."""
    words = Words()
    return {
        "TableName": table,
        "Key": rows.key(claim.operation_id),
        "UpdateExpression": _moves(claim, words),
        "ConditionExpression": " AND ".join(_conditions(claim, words)),
        "ExpressionAttributeNames": words.names,
        "ExpressionAttributeValues": words.values,
        "ReturnValues": "ALL_NEW",
        **TOLD,
    }


def is_too_long(request: Request) -> bool:
    """Say whether DynamoDB would refuse the request because too many types have numbers of their own (some 30 have)."""
    return len(request["ConditionExpression"]) > EXPRESSION_LIMIT


def _moves(claim: Claim, words: Words) -> str:
    """Say what changes, as `transitions.claim` does."""
    lease_ends_at = after(claim.now, _lease(claim.terms))
    entry = history.pack(at=claim.now, verb=Verb.CLAIM, target=Status.PROCESSING, actor=WORKER, reason=Reason.DELIVERED)
    name, now, one = words.name, words.number(claim.now), words.number(1)
    sets = (
        f"{name('status')} = {words.text(Status.PROCESSING.value)}",
        f"{name('attempt')} = if_not_exists({name('attempt')}, {words.number(0)}) + {one}",
        f"{name('revision')} = {name('revision')} + {one}",
        f"{name('write_id')} = {words.text(claim.write_id)}",
        f"{name('claim_token')} = {words.text(claim.token)}",
        f"{name('claimed_at')} = {now}",
        f"{name('lease_ends_at')} = {words.number(lease_ends_at)}",
        f"{name('first_claimed_at')} = if_not_exists({name('first_claimed_at')}, {now})",
        f"{name('updated_at')} = {now}",
        f"{name('history')} = list_append({name('history')}, {words.value({'L': [{'S': entry}]})})",
    )
    return f"SET {', '.join(sets)} REMOVE {name('verdict')}"


def _conditions(claim: Claim, words: Words) -> Iterator[str]:
    """Say when a claim is allowed. Each line is true of a row that waits, and false of one that does not exist."""
    name, now = words.name, words.number(claim.now)
    for attribute, kind in _TYPES.items():
        yield f"attribute_type({name(attribute)}, {words.text(kind)})"
    waiting = (words.text(Status.PENDING.value), words.text(Status.RETRY_SCHEDULED.value))
    yield f"{name('status')} IN ({', '.join(waiting)})"  # it waits for an attempt
    yield f"attribute_not_exists({name('claim_token')})"  # nobody holds it
    yield f"(attribute_not_exists({name('not_before')}) OR {name('not_before')} <= {now})"  # its time has come
    intents = (words.text(intent.value) for intent in Intent)
    yield f"{name('intent')} IN ({', '.join(intents)})"  # we know what it is for
    yield f"{name('format')} <= {words.number(ROW_FORMAT)}"  # no newer release wrote it
    yield f"{name('updated_at')} <= {now}"  # by our clock it was not written in the future
    yield _either(_of_types(claim.terms, words))  # this release knows its type
    yield _either(_attempts_left(claim.terms, words))
    yield _either(_safe_to_send(claim, words))


def _attempts_left(terms: Mapping[str, Terms], words: Words) -> Iterator[str]:
    attempt = words.name("attempt")
    yield f"attribute_not_exists({attempt})"
    for most, types in _alike(terms, lambda one: one.max_attempts).items():
        for some in _of_types(types, words):
            yield f"({some} AND {attempt} < {words.number(most)})"


def _safe_to_send(claim: Claim, words: Words) -> Iterator[str]:
    """No attempt may have been applied, or the remote still knows the key for longer than the reserve."""
    uncertain, first = words.name("uncertain"), words.name("first_claimed_at")
    yield f"attribute_not_exists({uncertain})"
    yield f"{uncertain} = {words.value({'BOOL': False})}"
    yield f"attribute_not_exists({first})"
    for fresh_for, types in _alike(claim.terms, lambda one: one.policy.key_lifetime - one.key_reserve).items():
        for some in _of_types(types, words):
            yield f"({some} AND {first} > {words.number(after(claim.now, -fresh_for))})"


def _of_types(types: Iterable[str], words: Words) -> Iterator[str]:
    for some in chunks(types, IN_LIMIT):
        yield f"{words.name('operation_type')} IN ({', '.join(words.text(name) for name in some)})"


def _either(conditions: Iterable[str]) -> str:
    """Join alternatives; DynamoDB refuses redundant parentheses."""
    alternatives = list(conditions)
    return f"({' OR '.join(alternatives)})" if len(alternatives) > 1 else alternatives[0]


def _alike(terms: Mapping[str, Terms], number: Callable[[Terms], K]) -> Mapping[K, Sequence[str]]:
    """Put types together that are judged by the same number."""
    groups: defaultdict[K, list[str]] = defaultdict(list)
    for name, one in terms.items():
        groups[number(one)].append(name)
    return groups


def _lease(terms: Mapping[str, Terms]) -> timedelta:
    """Return the lease, which is the deployment's and so the same for every type."""
    leases = {one.limits.lease for one in terms.values()}
    if len(leases) != 1:
        raise ValueError(f"one lease is wanted for all operation types; these terms hold {len(leases)}")
    return leases.pop()
