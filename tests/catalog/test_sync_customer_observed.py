"""Does a look at the CRM say what is there, and never take a bad answer for an absence?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from makegood import Absent, Found, Unknown
from makegood.domain.evidence import VerdictKind
from makegood.domain.judge import Again, Judged
from makegood_cli.local.crm_faults import Fault
from makegood_cli.local.crm_misreadings import MISREADINGS, misreading

from tests.case import case
from tests.catalog.calling import claimed, effect_key, judged, said, seen, undoing
from tests.catalog.scripted import scripted

if TYPE_CHECKING:
    from makegood import Observed, Operation

    from tests.local_crm import LocalCrm

SECRET = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"  # noqa: S105 - nobody's


def applied(crm: LocalCrm) -> Operation:
    """Return an operation whose version 7 the CRM has, over version 6."""
    operation = claimed(crm.stranger())
    crm.put(operation.entity.removeprefix("customer/"), key=f"{operation.entity}-old", version=6)
    said(crm.url, operation)
    return operation


def kind_of(operation: Operation, observed: Observed) -> VerdictKind | None:
    """Return the verdict on what was seen; None if it is too early for one."""
    judgement = judged(operation, observed)
    return judgement.verdict.kind if isinstance(judgement, Judged) else None


def test_what_was_applied_is_found_with_all_that_proves_it(crm: LocalCrm) -> None:
    operation = applied(crm)
    customer = operation.entity.removeprefix("customer/")
    there = seen(crm.url, operation)
    assert there == Found(
        version=7,
        fields={"plan": "gold"},
        remote_id=customer,
        asked=f"GET /customers/{customer} by the idempotency key",
        summary="200, at version 7, applied 1",
    )
    judgement = judged(operation, there)
    assert isinstance(judgement, Judged)
    assert (judgement.verdict.kind, judgement.verdict.policy_version) == (VerdictKind.CORRECT, 2)
    assert judgement.verdict.compared == ("version", "plan")
    assert judgement.evidence is not None
    assert (judgement.evidence.remote_id, judgement.evidence.version) == (customer, 7)


def test_nobody_and_an_older_version_without_our_key_are_absences(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    nobody = seen(crm.url, operation)
    assert isinstance(nobody, Absent)
    assert nobody.summary == "404 unknown_customer"
    crm.put(operation.entity.removeprefix("customer/"), key=f"{operation.entity}-another", version=6)
    older = seen(crm.url, operation)
    assert isinstance(older, Absent)
    assert older.summary == "200, at version 6, applied 0"
    assert {kind_of(operation, look) for look in (nobody, older)} == {VerdictKind.MISSING}


@case("F051")
@pytest.mark.parametrize("whom", ["nobody", "somebody"])
@pytest.mark.parametrize("name", MISREADINGS)
def test_a_look_that_fails_is_unknown_whether_the_effect_is_there_or_not(crm: LocalCrm, name: str, whom: str) -> None:
    operation = applied(crm) if whom == "somebody" else claimed(crm.stranger())
    crm.client.set_fault(misreading(name, key=effect_key(operation)))
    answer = seen(crm.url, operation)
    assert isinstance(answer, Unknown)
    assert str(answer.asked).startswith("GET /customers/c")
    assert kind_of(operation, answer) is None


@case("F051")
@pytest.mark.parametrize(
    "fault",
    [Fault(kind="hang_read", seconds=30), Fault(kind="drop_read"), Fault(kind="down"), Fault(kind="down", seconds=9)],
)
def test_silence_is_unknown_within_the_time_of_the_look(crm: LocalCrm, fault: Fault) -> None:
    operation = applied(crm)
    crm.client.set_fault(fault)
    answer = seen(crm.url, operation, seconds=0.3)
    assert isinstance(answer, Unknown)
    assert answer.asked is not None
    assert isinstance(judged(operation, answer), Again)


def test_a_crm_that_cannot_be_reached_is_unknown() -> None:
    answer = seen("http://127.0.0.1:1", claimed("452"))
    assert isinstance(answer, Unknown)
    assert "cannot be reached" in answer.why


@case("F052")
def test_a_read_that_lags_and_flickers_is_correct_as_soon_as_it_is_found(crm: LocalCrm) -> None:
    operation = applied(crm)
    key = effect_key(operation)
    crm.client.set_fault(Fault(kind="behind", key=key, count=2))
    assert [type(seen(crm.url, operation)) for _ in range(3)] == [Absent, Absent, Found]
    crm.client.set_fault(Fault(kind="behind", key=key, count=1))
    assert isinstance(seen(crm.url, operation), Absent)
    assert crm.client.applications()[key] == 1


@case("F054")
def test_a_tombstone_is_never_correct(crm: LocalCrm) -> None:
    operation = applied(crm)
    crm.client.set_fault(Fault(kind="tombstone", key=effect_key(operation)))
    answer = seen(crm.url, operation)
    assert isinstance(answer, Found)
    assert answer.deleted
    assert kind_of(operation, answer) is VerdictKind.DIVERGENT
    assert kind_of(undoing(operation), answer) is VerdictKind.MISSING


@case("F054")
def test_a_tombstone_at_an_older_version_is_no_absence_to_be_sent_over(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    crm.put(operation.entity.removeprefix("customer/"), key=f"{operation.entity}-another", version=6)
    crm.client.set_fault(Fault(kind="tombstone", key=effect_key(operation)))
    assert kind_of(operation, seen(crm.url, operation)) is VerdictKind.DIVERGENT


@case("F056")
@pytest.mark.parametrize(
    ("version", "fields", "verdict", "differing"),
    [
        (8, {"plan": "gold"}, VerdictKind.DIVERGENT, ["version"]),
        (6, {"plan": "gold"}, VerdictKind.DIVERGENT, ["version"]),
        (7, {"plan": "silver"}, VerdictKind.DIVERGENT, ["plan"]),
        (7, {"note": "new", "plan": "gold"}, VerdictKind.CORRECT, []),
    ],
)
def test_what_somebody_else_made_of_it_is_compared(
    crm: LocalCrm, version: int, fields: dict[str, str], verdict: VerdictKind, differing: list[str]
) -> None:
    operation = applied(crm)
    customer = operation.entity.removeprefix("customer/")
    crm.client.change_elsewhere(customer, version=version, fields=fields)
    judgement = judged(operation, seen(crm.url, operation))
    assert isinstance(judgement, Judged)
    assert judgement.verdict.kind is verdict
    assert [difference.field for difference in judgement.verdict.differences] == differing


def test_two_applications_under_one_key_are_counted(crm: LocalCrm) -> None:
    operation = claimed(crm.stranger())
    crm.client.set_fault(Fault(kind="forget_keys", key=effect_key(operation)))
    for _ in range(2):
        said(crm.url, operation)
    answer = seen(crm.url, operation)
    assert isinstance(answer, Found)
    assert answer.count == 2
    assert kind_of(operation, answer) is VerdictKind.DIVERGENT


@pytest.mark.parametrize(
    "body",
    [
        '{"id": "ID", "version": 7, "fields": {"plan": "gold"}}',
        '{"id": "ID", "version": 7, "fields": {}, "applied": -1}',
        '{"id": "ID", "version": 7, "fields": {}, "applied": true}',
        '{"id": "ID", "version": true, "fields": {}, "applied": 0}',
        '{"id": "ID", "version": null, "fields": {}, "applied": 0}',
        '{"id": "ID", "version": 6, "fields": [], "applied": 0}',
        '{"id": "another", "version": 6, "fields": {}, "applied": 0}',
        '{"code": "unknown_customer"}',
    ],
)
def test_an_answer_that_lacks_a_part_or_is_of_another_is_unknown(crm: LocalCrm, body: str) -> None:
    operation = claimed(crm.stranger())
    whole = body.replace("ID", operation.entity.removeprefix("customer/"))
    crm.client.set_fault(Fault(kind="misread", body=whole, key=effect_key(operation)))
    assert isinstance(seen(crm.url, operation), Unknown)


def test_a_look_sends_the_effects_key_and_who_asks_and_nothing_to_change() -> None:
    operation = claimed("452")
    with scripted(b"HTTP/1.1 404 No\r\n\r\n") as remote:
        seen(remote.url, operation, credential=SECRET)
        seen(remote.url, undoing(operation), credential=SECRET)
    lines = remote.request.split("\r\n")
    assert lines[0] == f"GET /customers/452?key={effect_key(operation)} HTTP/1.1"
    assert {f"Authorization: Bearer {SECRET}", f"X-Operation-Id: {operation.operation_id}"} <= set(lines)
    assert not {line.split(":")[0].lower() for line in lines} & {"idempotency-key", "content-type", "content-length"}
    assert remote.heard[1].startswith(lines[0].encode())


def test_an_answer_that_repeats_the_secret_leaves_nothing_of_it(crm: LocalCrm) -> None:
    for status in (200, 403, 404, 500):
        body = f'{{"code": "{SECRET}", "message": "Bearer {SECRET}"}}'
        crm.client.set_fault(Fault(kind="misread", status=status, body=body))
        assert SECRET not in repr(seen(crm.url, claimed(crm.stranger()), credential=SECRET))
