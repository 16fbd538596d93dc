"""Is a look judged rightly: proof, absence, difference, doubt; whatever a type's `observe` may hand over?"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain.document import Json
from makegood.domain.evidence import VerdictKind
from makegood.domain.judge import Again, Judged, Judgement, judge, unasked
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.policy import Capability
from makegood.domain.reason import Reason

from tests.support.rows import HOUR, LIMITS, NOW, SECOND, SETTLED, ago, evidence, operation, terms, verdict

MS = SECOND / 1000
KEY, BUSINESS_KEY = Capability.BY_KEY, Capability.BY_BUSINESS_KEY
EFFECT, COMPENSATION = Intent.EFFECT, Intent.COMPENSATION


class Broken:
    """A value whose own code is broken."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")


def awaiting(**facts: Any) -> Operation:
    return operation(Status.AWAITING_CONFIRMATION, **facts)


def seen(observed: object, row: Operation | None = None, **policy: Any) -> Judgement:
    return judge(row or awaiting(), observed, now=NOW, terms=terms(**{"capability": KEY, **policy}))


def kind(judgement: Judgement) -> VerdictKind | None:
    return judgement.verdict.kind if isinstance(judgement, Judged) else None


def there(**facts: Any) -> Found:
    return Found(**{"version": 7, "fields": {"plan": "gold"}, "remote_id": "crm-9", **facts})


NOT_YET = ago(SETTLED - MS)
VERDICTS: Mapping[str, tuple[object, Intent, Capability, VerdictKind | Reason]] = {
    "version and fields agree": (there(), EFFECT, KEY, VerdictKind.CORRECT),
    "more fields than were asked for": (there(fields={"plan": "gold", "age": 5}), EFFECT, KEY, VerdictKind.CORRECT),
    "another version": (there(version=8), EFFECT, KEY, VerdictKind.DIVERGENT),
    "an older version": (there(version=6), EFFECT, KEY, VerdictKind.DIVERGENT),
    "another field": (there(fields={"plan": "free"}), EFFECT, KEY, VerdictKind.DIVERGENT),
    "a field is not there": (there(fields={}), EFFECT, KEY, VerdictKind.DIVERGENT),
    "a tombstone": (there(deleted=True), EFFECT, KEY, VerdictKind.DIVERGENT),
    "a tombstone without a version": (there(deleted=True, version=None), EFFECT, KEY, VerdictKind.DIVERGENT),
    "two by the exact key": (there(count=2), EFFECT, KEY, VerdictKind.DIVERGENT),
    "two by the exact key without a version": (there(count=2, version=None), EFFECT, KEY, VerdictKind.DIVERGENT),
    "two by business key": (there(count=2), EFFECT, BUSINESS_KEY, VerdictKind.AMBIGUOUS),
    "no version to compare": (there(version=None), EFFECT, KEY, VerdictKind.AMBIGUOUS),
    "absent": (Absent(), EFFECT, KEY, VerdictKind.MISSING),
    "unknown": (Unknown(why="502"), EFFECT, KEY, Reason.STILL_UNKNOWN),
    "nobody knows whether it is a tombstone": (there(deleted="no"), EFFECT, KEY, Reason.STILL_UNKNOWN),
    "to be undone, perhaps a tombstone": (there(deleted="no"), COMPENSATION, KEY, Reason.STILL_UNKNOWN),
    "a version that is none": (there(version="7"), EFFECT, KEY, Reason.STILL_UNKNOWN),
    "fields that are none": (there(fields=[1]), EFFECT, KEY, Reason.STILL_UNKNOWN),
    "no count of matches": (there(count=0), EFFECT, KEY, Reason.STILL_UNKNOWN),
    "undone and gone": (Absent(), COMPENSATION, KEY, VerdictKind.MISSING),
    "undone and marked as deleted": (there(deleted=True), COMPENSATION, KEY, VerdictKind.MISSING),
    "to be undone and still there": (there(), COMPENSATION, KEY, VerdictKind.CORRECT),
    "to be undone and there otherwise": (there(version=9), COMPENSATION, KEY, VerdictKind.DIVERGENT),
    "to be undone, and two are there": (there(count=2, deleted=True), COMPENSATION, KEY, VerdictKind.DIVERGENT),
    "to be undone, and nobody can say": (Unknown(why="502"), COMPENSATION, KEY, Reason.STILL_UNKNOWN),
}  # fmt: skip


@pytest.mark.parametrize("sight", VERDICTS)
def test_a_sight_has_its_verdict(sight: str) -> None:
    observed, intent, capability, expected = VERDICTS[sight]
    judged = seen(observed, awaiting(intent=intent), capability=capability)
    assert (judged.reason if isinstance(judged, Again) else judged.verdict.kind) == expected


def test_a_verdict_tells_what_was_asked_what_came_what_was_compared_when_and_by_which_policy() -> None:
    judged = seen(there(version=8, fields={"plan": "free"}, asked="GET /customers/452", summary="200"), version=3)
    assert isinstance(judged, Judged)
    told = judged.verdict
    assert (told.asked, told.answered, told.at, told.policy_version) == ("GET /customers/452", "200", NOW, 3)
    assert told.compared == ("version", "plan")
    assert [(each.field, each.expected, each.observed) for each in told.differences] == [
        ("version", "7", "8"),
        ("plan", '"gold"', '"free"'),
    ]
    assert judged.evidence is not None
    assert (judged.evidence.remote_id, judged.evidence.version, judged.evidence.at) == ("crm-9", 8, NOW)


def test_a_doubled_effect_says_how_many_there_are() -> None:
    judged = seen(there(count=3))
    assert isinstance(judged, Judged)
    assert [(each.field, each.observed) for each in judged.verdict.differences] == [("count", "3")]


def test_secrets_in_an_answer_are_masked_before_they_are_kept() -> None:
    judged = seen(there(summary="authorization: Bearer abcdefghijkl", asked="GET /c?token=abcdefghijkl"))
    assert isinstance(judged, Judged)
    assert "abcdefghijkl" not in repr(judged)


@pytest.mark.parametrize("intent", Intent)
def test_absence_before_the_settle_window_is_over_is_no_verdict(intent: Intent) -> None:
    early = seen(Absent(), awaiting(attempt_ended_at=NOT_YET, intent=intent))
    assert early == Again(reason=Reason.NOT_SETTLED)
    assert kind(seen(Absent(), awaiting(attempt_ended_at=ago(SETTLED), intent=intent))) == "missing"


def test_proof_counts_before_the_settle_window_is_over() -> None:
    assert kind(seen(there(), awaiting(attempt_ended_at=NOW))) is VerdictKind.CORRECT


def test_a_policy_may_want_several_absences_in_a_row() -> None:
    assert seen(Absent(), awaiting(absences=0), absences=3) == Again(reason=Reason.SEEN_ABSENT, absences=1)
    assert seen(Absent(), awaiting(absences=1), absences=3) == Again(reason=Reason.SEEN_ABSENT, absences=2)
    assert kind(seen(Absent(), awaiting(absences=2), absences=3)) is VerdictKind.MISSING
    early = seen(Absent(), awaiting(absences=2, attempt_ended_at=NOT_YET), absences=3)
    assert early == Again(reason=Reason.NOT_SETTLED), "one that does not count yet breaks the row"


def test_an_unknown_between_absences_starts_the_row_anew() -> None:
    assert seen(Unknown(why="503"), awaiting(absences=2), absences=3) == Again(reason=Reason.STILL_UNKNOWN, absences=0)


def test_unknown_becomes_ambiguous_at_the_outage_limit_and_not_before() -> None:
    row = awaiting(attempt_ended_at=ago(LIMITS.outage_limit), observations=1)
    assert kind(seen(Unknown(why="503"), row)) is VerdictKind.AMBIGUOUS
    row = awaiting(attempt_ended_at=ago(LIMITS.outage_limit - MS), observations=1)
    assert seen(Unknown(why="503"), row) == Again(reason=Reason.STILL_UNKNOWN)
    row = awaiting(attempt_ended_at=ago(HOUR), observations=1)
    assert kind(seen(Unknown(why="503"), row, outage_limit=HOUR)) == "ambiguous"


def test_the_first_silence_is_no_outage_however_late_the_look_comes() -> None:
    row = awaiting(attempt_ended_at=ago(2 * LIMITS.outage_limit))
    assert seen(Unknown(why="503"), row) == Again(reason=Reason.STILL_UNKNOWN)


def test_a_type_that_cannot_be_observed_is_ambiguous_at_once() -> None:
    assert kind(unasked(awaiting(), now=NOW, terms=terms(capability=Capability.NOT_OBSERVABLE))) == "ambiguous"


def test_an_acknowledgement_is_waited_for_until_the_outage_limit() -> None:
    waits = terms(capability=Capability.ACKNOWLEDGEMENT_ONLY, outage_limit=HOUR)
    assert unasked(awaiting(), now=NOW, terms=waits) == Again(reason=Reason.STILL_UNKNOWN)
    assert (
        kind(unasked(awaiting(attempt_ended_at=ago(HOUR), observations=1), now=NOW, terms=waits))
        is VerdictKind.AMBIGUOUS
    )


def test_the_answer_of_the_call_itself_stays_divergent_where_nobody_can_be_asked() -> None:
    row = awaiting(verdict=verdict(VerdictKind.DIVERGENT), evidence=evidence(version=8))
    judged = unasked(row, now=NOW, terms=terms())
    assert judged == Judged(verdict=verdict(VerdictKind.DIVERGENT), reason=Reason.DIVERGENT, evidence=row.evidence)


SUM = frozenset({"sum"})
EQUAL: Sequence[tuple[Json, Json, frozenset[str]]] = [
    ("10.00", 10, SUM),
    ("10.00", "10", SUM),
    (Decimal("10.00"), 10, frozenset()),
    (10, "10.00", frozenset()),
    ("ten", "ten", SUM),
]
UNEQUAL: Sequence[tuple[Json, Json, frozenset[str]]] = [
    ("10.00", 10, frozenset()),
    ("10.00", "10", frozenset()),
    ("10.00", "10.01", SUM),
    (1, True, SUM),
]


@pytest.mark.parametrize(("expected", "observed", "numbers"), [*EQUAL, *UNEQUAL])
def test_numbers_are_equal_by_value_where_they_are_known_to_be_numbers(
    expected: Json, observed: Json, numbers: frozenset[str]
) -> None:
    judged = seen(there(fields={"sum": observed}), awaiting(expected_fields={"sum": expected}), numbers=numbers)
    agrees = (expected, observed, numbers) in EQUAL
    assert kind(judged) is (VerdictKind.CORRECT if agrees else VerdictKind.DIVERGENT)


def test_a_newer_version_takes_the_place_of_older_ones_only_where_the_type_says_so() -> None:
    assert kind(seen(there(version=8), supersedes=True)) is VerdictKind.NOT_APPLICABLE
    assert kind(seen(there(version=6), supersedes=True)) is VerdictKind.DIVERGENT
    assert kind(seen(there(version=8, deleted=True), supersedes=True)) is VerdictKind.DIVERGENT
    assert kind(seen(there(version=8, count=2), supersedes=True)) is VerdictKind.DIVERGENT
    assert kind(seen(there(version=8), awaiting(intent=COMPENSATION), supersedes=True)) is VerdictKind.DIVERGENT


nonsense = st.sampled_from([None, True, 0, 1, 2, -1, 7, 2**70, 0.5, "", "7", b"7", [7], {}, {"plan": "gold"}, Broken()])
sights: st.SearchStrategy[object] = st.one_of(
    st.builds(
        Found, version=nonsense, fields=nonsense, remote_id=nonsense, count=nonsense,
        deleted=nonsense, asked=nonsense, summary=nonsense,
    ),
    st.builds(Unknown, why=nonsense, asked=nonsense),
    nonsense,
)  # fmt: skip
absences = st.builds(Absent, asked=nonsense, summary=nonsense)
rows = st.builds(
    awaiting, intent=st.sampled_from(Intent), attempt_ended_at=st.sampled_from([NOT_YET, ago(HOUR), ago(25 * HOUR)])
)


@given(sights | absences, rows, st.sampled_from([KEY, BUSINESS_KEY]))
def test_whatever_observe_returns_is_judged(observed: object, row: Operation, capability: Capability) -> None:
    assert isinstance(seen(observed, row, capability=capability), Judged | Again)


@given(sights, rows)
def test_only_an_absence_is_ever_missing_and_of_an_undoing_a_tombstone(observed: object, row: Operation) -> None:
    if row.intent is EFFECT:
        assert kind(seen(observed, row)) is not VerdictKind.MISSING


SUMS = st.sampled_from([10, "10.0", Decimal("10.00"), Decimal("1E+1")])


@given(st.permutations(["plan", "sum", "since", "note"]), SUMS)
def test_neither_the_order_of_keys_nor_the_form_of_a_number_matters(names: list[str], number: Json) -> None:
    said = {"plan": "gold", "sum": number, "since": {"b": 1, "a": [2]}, "note": None}
    row = awaiting(expected_fields={"note": None, "since": {"a": [2], "b": 1}, "sum": 10, "plan": "gold"})
    assert kind(seen(there(fields={name: said[name] for name in names}), row)) is VerdictKind.CORRECT
