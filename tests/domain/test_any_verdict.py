"""Is every look judged, under every policy, and does it matter neither how an answer is ordered nor how written?"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from random import Random
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st
from makegood.domain import document
from makegood.domain.document import Document, Json
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import VerdictKind
from makegood.domain.judge import Again, Judged, Judgement, judge, unasked
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.policy import Capability, Policy, Terms

from tests.domain.strategies import documents, numbers, values
from tests.support.policies import accepted
from tests.support.rows import HOUR, LIMITS, NOW, SECOND, ago, evidence, operation, terms, verdict

Content: TypeAlias = tuple[Document, Mapping[str, int | Decimal]]  #: fields, and those that are declared numbers
EXAMPLES = settings(max_examples=150)
NUMBER_FIELDS = frozenset({"sum", "fee"})
BY = terms(capability=Capability.BY_KEY, numbers=NUMBER_FIELDS)


class Broken:
    """A value whose own code is broken."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __eq__(self, _: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


anything = st.one_of(values, st.sampled_from([Broken(), b"7", 0.5, float("nan"), 2**70, -1, True, {1: 2}, object()]))
looks = st.one_of(
    anything,
    st.builds(Absent, asked=anything, summary=anything),
    st.builds(Unknown, why=anything, asked=anything),
    st.builds(
        Found,
        version=st.integers(6, 8) | anything,
        fields=documents | anything,
        remote_id=anything,
        count=st.integers(1, 2) | anything,
        deleted=st.booleans() | anything,
        asked=anything,
        summary=anything,
    ),
)
ended = st.sampled_from([None, NOW, ago(SECOND), ago(HOUR), ago(30 * HOUR), ago(1_000 * HOUR)])
rows = st.builds(
    operation,
    st.just(Status.AWAITING_CONFIRMATION) | st.just(Status.MANUAL_REVIEW),
    intent=st.sampled_from(Intent),
    attempt_ended_at=ended,
    observations=st.integers(0, 3),
    absences=st.integers(0, 3),
    cancel_reason=st.none() | st.just("wanted no more"),
    expected_fields=documents,
    evidence=st.none() | st.just(evidence()),
    verdict=st.none() | st.sampled_from(VerdictKind).map(verdict),
)


@EXAMPLES
@given(looks, rows, accepted.map(lambda said: Policy(**said).under(LIMITS)))
def test_every_look_at_every_row_under_every_policy_has_a_verdict_or_another_look(
    seen: object, row: Operation, by: Terms
) -> None:
    for judged in (judge(row, seen, now=NOW, terms=by), unasked(row, now=NOW, terms=by)):
        assert isinstance(judged, Judged | Again)
    if not isinstance(seen, Absent | Found):
        assert _kind(judge(row, seen, now=NOW, terms=by)) in (None, VerdictKind.AMBIGUOUS), "nobody has seen anything"


def _forms(number: int | Decimal) -> list[Json]:
    """Write a number in other ways that mean the same: as a whole one, with zeros behind, with an exponent."""
    sign, digits, exponent = Decimal(number).as_tuple()
    assert isinstance(exponent, int)
    written: list[Json] = [number, Decimal(number), Decimal((sign, (*digits, 0), exponent - 1))]
    if digits[-1] == 0:
        written.append(Decimal((sign, digits[:-1] or (0,), exponent + 1)))
    if 0 <= exponent < 38 - len(digits):
        written.append(int(Decimal(number)))
    return [form for form in written if _is_taken(form)]


def _is_taken(value: Json) -> bool:
    try:
        document.accept({"x": value}, what="a form")
    except InvalidInput:
        return False
    return True


def _written_otherwise(value: Json, chance: Random) -> Json:
    """Write a value with its keys in another order and its numbers in another form, at any depth."""
    if isinstance(value, Mapping):
        names = chance.sample(list(value), len(value))
        return {name: _written_otherwise(value[name], chance) for name in names}
    if isinstance(value, list | tuple):
        return [_written_otherwise(item, chance) for item in value]
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return chance.choice(_forms(value))
    return value


def _two_ways(plain: Document, sums: Mapping[str, int | Decimal], chance: Random) -> Sequence[Document]:
    """Write a document twice; a field that is declared a number may be the text of one."""
    written = []
    for _ in range(2):
        numbers = {name: _written_otherwise(number, chance) for name, number in sums.items()}
        as_said = {name: chance.choice([number, str(number)]) for name, number in numbers.items()}
        content = {name: _written_otherwise(value, chance) for name, value in {**plain, **as_said}.items()}
        written.append({name: content[name] for name in chance.sample(list(content), len(content))})
    return written


contents: st.SearchStrategy[Content] = st.tuples(
    documents, st.dictionaries(st.sampled_from(sorted(NUMBER_FIELDS)), numbers, max_size=2)
)


@EXAMPLES
@given(contents, st.none() | contents, st.integers(0, 2**30))
def test_neither_key_order_nor_the_form_of_a_number_changes_a_verdict(
    wanted: Content, changed: Content | None, seed: int
) -> None:
    chance = Random(seed)  # noqa: S311 - drawn by Hypothesis, and quicker than to draw each form
    found = wanted if changed is None else ({**wanted[0], **changed[0]}, {**wanted[1], **changed[1]})
    expected, observed = _two_ways(*wanted, chance), _two_ways(*found, chance)
    told = [_told(one, two) for one in expected for two in observed]
    assert all(each == told[0] for each in told), (expected, observed, told)
    assert changed is not None or told[0] == (VerdictKind.CORRECT, set())


def _told(expected: Document, observed: Document) -> tuple[VerdictKind | None, set[str]]:
    """Judge an answer; return its verdict and the names of the fields that differ."""
    row = operation(Status.AWAITING_CONFIRMATION, expected_fields=expected)
    judged = judge(row, Found(version=7, fields=observed), now=NOW, terms=BY)
    names = {each.field for each in judged.verdict.differences} if isinstance(judged, Judged) else set()
    return _kind(judged), names


def _kind(judged: Judgement) -> VerdictKind | None:
    return judged.verdict.kind if isinstance(judged, Judged) else None
