"""Does each condition of each line of the design's table refuse by itself, and name itself?"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from makegood.domain import transitions
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.evidence import Difference, VerdictKind
from makegood.domain.history import Role, Verb
from makegood.domain.operation import Intent, Status

from tests.domain.design_table import LINES, Case, permitted_case
from tests.support.rows import (
    HOUR,
    LIMITS,
    MINUTE,
    NOW,
    SECOND,
    SETTLED,
    ago,
    ahead,
    decision,
    evidence,
    hand,
    operation,
    verdict,
)

MS = SECOND / 1000

BREAKS: Mapping[str, Callable[[Case], Case]] = {
    "unclaimed": lambda case: case.with_row(claim_token="claim-1"),  # noqa: S106
    "allowed now": lambda case: case.with_row(not_before=ahead(MS)),
    "attempts left": lambda case: case.with_row(attempt=LIMITS.max_attempts),
    "key fresh": lambda case: case.with_row(uncertain=True, first_claimed_at=ago(24 * HOUR - 4 * MINUTE)),
    "for effect": lambda case: case.with_row(intent=Intent.COMPENSATION),
    "for compensation": lambda case: case.with_row(intent=Intent.EFFECT),
    "not cancelled": lambda case: case.with_row(cancel_reason="wanted no more"),
    "still wanted": lambda case: case.with_row(cancel_reason="wanted no more"),
    "agrees": lambda case: case.with_given(evidence=evidence(version=8)),
    "evidence": lambda case: case.with_given(evidence=None),
    "reason": lambda case: case.with_given(words="", decision=decision(reason="")),
    "certain": lambda case: case.with_row(uncertain=True),
    "due": lambda case: case.with_row(due_at=ahead(MS)),
    "lease over": lambda case: case.with_row(lease_ends_at=ago(LIMITS.skew_margin)),
    "correct": lambda case: case.with_given(verdict=verdict(VerdictKind.DIVERGENT)),
    "gone": lambda case: case.with_given(verdict=verdict(VerdictKind.CORRECT)),
    "found": lambda case: case.with_given(verdict=verdict(VerdictKind.MISSING)),
    "resend": lambda case: case.with_given(verdict=verdict(VerdictKind.AMBIGUOUS)),
    "idempotent": lambda case: replace(case, hand=hand(Role.RECONCILER, idempotent=False)),
    "settled": lambda case: case.with_row(attempt_ended_at=ago(SETTLED - MS)),
    "checked": lambda case: case.with_row(uncertain=True),
}
FIXED_BY_TYPE = {Verb.ESCALATE}  #: takes a `Reason`, so it cannot be without one


def every_condition() -> Iterator[tuple[Verb, Status, Role, str]]:
    for line in LINES:
        if line.verb not in FIXED_BY_TYPE:
            places = [(status, role) for status in sorted(line.sources) for role in sorted(line.owners)]
            yield from ((line.verb, status, role, word) for word in line.conditions for status, role in places)


@pytest.mark.parametrize(("verb", "status", "role", "condition"), list(every_condition()))
def test_a_move_is_refused_when_one_condition_does_not_hold(
    verb: Verb, status: Status, role: Role, condition: str
) -> None:
    case = BREAKS[condition](permitted_case(verb, status, role))
    if verb is Verb.REQUEST_CANCEL and condition == "certain":
        assert case.moved(verb).status is status, "what may have been applied only remembers the wish"
        return
    with pytest.raises(ImpossibleTransition, match="it lacks: "):
        case.moved(verb)


def test_a_refusal_says_what_was_asked_from_where_and_everything_that_is_missing() -> None:
    case = permitted_case(Verb.CLAIM, Status.PENDING, Role.WORKER).with_row(attempt=8, not_before=ahead(MS))
    with pytest.raises(ImpossibleTransition) as refused:
        case.moved(Verb.CLAIM)
    assert str(refused.value) == (
        "op-1: claim from pending is not possible; it lacks: not_before has come, attempts left"
    )


EDGES: Mapping[str, tuple[Verb, Status, Role, Mapping[str, Any]]] = {
    "not_before is now": (Verb.CLAIM, Status.PENDING, Role.WORKER, {"not_before": NOW}),
    "one attempt is left": (Verb.CLAIM, Status.RETRY_SCHEDULED, Role.WORKER, {"attempt": 7}),
    "the key has a millisecond more than the reserve": (
        Verb.CLAIM,
        Status.RETRY_SCHEDULED,
        Role.WORKER,
        {"uncertain": True, "first_claimed_at": ago(24 * HOUR - 4 * MINUTE - MS)},
    ),
    "a certain row's key may be as old as it likes": (
        Verb.CLAIM,
        Status.RETRY_SCHEDULED,
        Role.WORKER,
        {"uncertain": False, "first_claimed_at": ago(240 * HOUR)},
    ),
    "due_at is now": (Verb.TOUCH, Status.PENDING, Role.RECONCILER, {"due_at": NOW}),
    "the lease is over by a millisecond more than the margin": (
        Verb.RELEASE,
        Status.PROCESSING,
        Role.RECONCILER,
        {"lease_ends_at": ago(LIMITS.skew_margin + MS)},
    ),
    "the settle window ends now": (
        Verb.REQUEUE,
        Status.AWAITING_CONFIRMATION,
        Role.RECONCILER,
        {"attempt_ended_at": ago(SETTLED)},
    ),
}


@pytest.mark.parametrize("edge", EDGES)
def test_a_move_is_allowed_at_the_very_edge(edge: str) -> None:
    verb, status, role, facts = EDGES[edge]
    assert permitted_case(verb, status, role).with_row(**facts).moved(verb).revision == 2


VERDICTS: Mapping[tuple[Verb, Intent], set[VerdictKind]] = {
    (Verb.CONFIRM_BY_PROOF, Intent.EFFECT): {VerdictKind.CORRECT},
    (Verb.CONFIRM_BY_PROOF, Intent.COMPENSATION): set(),
    (Verb.COMPENSATED_BY_PROOF, Intent.EFFECT): set(),
    (Verb.COMPENSATED_BY_PROOF, Intent.COMPENSATION): {VerdictKind.MISSING},
    (Verb.REQUEUE, Intent.EFFECT): {VerdictKind.MISSING},
    (Verb.REQUEUE, Intent.COMPENSATION): {VerdictKind.CORRECT, VerdictKind.DIVERGENT},
    (Verb.COMPENSATE, Intent.EFFECT): {VerdictKind.CORRECT, VerdictKind.DIVERGENT},
    (Verb.COMPENSATE, Intent.COMPENSATION): set(),
}


@pytest.mark.parametrize(("verb", "intent"), VERDICTS)
def test_only_these_verdicts_allow_the_move(verb: Verb, intent: Intent) -> None:
    case = permitted_case(verb, Status.AWAITING_CONFIRMATION, Role.RECONCILER).with_row(intent=intent)
    assert {kind for kind in VerdictKind if _allows(case.with_given(verdict=verdict(kind)), verb)} == VERDICTS[
        verb, intent
    ]
    assert not _allows(case.with_given(verdict=None), verb), "a stored verdict is not a fresh one"


def _allows(case: Case, verb: Verb) -> bool:
    try:
        case.moved(verb)
    except ImpossibleTransition:
        return False
    return True


def test_ambiguity_never_becomes_a_send_without_a_persons_statement() -> None:
    case = permitted_case(Verb.RETRY, Status.MANUAL_REVIEW, Role.OPERATOR).with_row(uncertain=True)
    ambiguous = case.with_given(verdict=verdict(VerdictKind.AMBIGUOUS))
    assert not _allows(ambiguous, Verb.RETRY)
    assert _allows(ambiguous.with_given(decision=decision(stated="asked them by phone: not there")), Verb.RETRY)


@pytest.mark.parametrize("kind", [VerdictKind.CORRECT, VerdictKind.DIVERGENT])
def test_a_persons_retry_is_refused_where_the_effect_was_just_found(kind: VerdictKind) -> None:
    certain = permitted_case(Verb.RETRY, Status.MANUAL_REVIEW, Role.OPERATOR).with_row(uncertain=False)
    assert not _allows(certain.with_given(verdict=verdict(kind)), Verb.RETRY)
    assert _allows(certain.with_given(verdict=verdict(VerdictKind.MISSING)), Verb.RETRY)


@pytest.mark.parametrize(
    "differs",
    [
        Difference(field="deleted", expected="false", observed="true"),
        Difference(field="version", expected="7", observed="6"),
    ],
    ids=["taken away", "an older version"],
)
def test_what_is_not_there_is_not_undone(differs: Difference) -> None:
    seen = replace(verdict(VerdictKind.DIVERGENT), differences=(differs,))
    row = operation(Status.AWAITING_CONFIRMATION)
    with pytest.raises(ImpossibleTransition, match="found the effect"):
        transitions.compensate(row, hand(Role.RECONCILER), verdict=seen, shard="open#00")


def test_a_newer_version_than_was_promised_may_be_undone() -> None:
    newer = Difference(field="version", expected="7", observed="8")
    seen = replace(verdict(VerdictKind.DIVERGENT), differences=(newer,))
    row = operation(Status.AWAITING_CONFIRMATION)
    undoing = transitions.compensate(row, hand(Role.RECONCILER), verdict=seen, shard="open#00")
    assert undoing.intent is Intent.COMPENSATION
