"""Is a result file read whole or not at all, and judged as any look, line by line?"""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from makegood.domain.errors import InvalidInput
from makegood.domain.history import Verb
from makegood.domain.instant import Instant, iso
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import Intent, Status
from makegood.domain.policy import Mode
from makegood.domain.reason import Reason
from makegood.domain.result_file import read
from makegood.flows.check import Check, Report

from tests.flows.test_observe import CORRECT
from tests.support.deployment import Deployment
from tests.support.faults import BrokenRows
from tests.support.rows import HOUR, LIMITS, MINUTE, NOW, SETTLED, ago, ahead, operation

A = Status.AWAITING_CONFIRMATION
TOLD: dict[str, Any] = {"version": 7, "fields": {"plan": "gold"}, "remote_id": "crm-9"}


def standing(count: int = 1, *, policy: Mapping[str, Any] = CORRECT, **facts: Any) -> Deployment:
    house = Deployment(**policy)
    for number in range(1, count + 1):
        name = f"op-{number}"
        house.store.rows[name] = operation(A, **{"operation_id": name, "remote_id": f"crm-{number}", **facts})
    return house


def line(name: str | None = "op-1", **said: Any) -> str:
    return json.dumps({**({"operation_id": name} if name else {}), **said})


def checked(
    house: Deployment,
    *lines: str,
    name: str = "sync",
    dry_run: bool = False,
    store: Any = None,  # noqa: ANN401 - a store
    rate: int = 200,
    written_at: Instant | None = None,
) -> Report:
    check = Check(
        store=store or house.store,
        ledger=house.ledger,
        queue=house.queue,
        clock=house.clock,
        entropy=house.entropy,
        registry=house.registry,
        limits=LIMITS,
        drain_rate=rate,
    )
    return check(name, read(lines, name="results.jsonl", written_at=written_at), dry_run=dry_run, by="alice")


MALFORMED: Mapping[str, tuple[str, str]] = {
    "no JSON": ("plan=gold", "line 1: it: "),
    "no object": ("[1]", "line 1: it: a JSON object is wanted"),
    "a key twice": ('{"operation_id": "a", "operation_id": "b"}', "line 1: it: "),
    "not a number": ('{"operation_id": "a", "version": NaN}', "line 1: it: "),
    "a key nobody knows": (line(versoin=7), "line 1: unknown keys versoin; known are absent, at, fields, operation_id"),
    "names nothing": (line(None, version=7), "line 1: operation_id or remote_id is wanted"),
    "names it by nothing": (line(None, remote_id=" ", absent=True), "line 1: operation_id or remote_id is wanted"),
    "a remote id that is none": (line(None, remote_id=["crm-1"], absent=True), "line 1: remote_id: "),
    "an id that is none": (line("op 1"), "line 1: operation_id "),
    "an id that is no text": ('{"operation_id": 5}', "line 1: operation_id "),
    "a version that is none": (line(version="7"), "line 1: the answer's version"),
    "fields that are none": (line(fields=[1]), "line 1: fields: a JSON object is wanted"),
    "a time that is none": (line(at="yesterday"), "line 1: at: "),
    "a time without a zone": (line(at="2026-09-21T14:00:00"), "line 1: at: "),
    "a time that is no text": (line(at=1790000000), "line 1: at: "),
    "absent, perhaps": (line(absent="yes"), "line 1: absent: true or false is wanted"),
    "absent and there": (line(absent=True, version=7), "line 1: it is said to be absent and to have"),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_line_that_cannot_be_read_refuses_the_whole_file_and_is_named(what: str) -> None:
    text, words = MALFORMED[what]
    with pytest.raises(InvalidInput, match=r"results.jsonl: ") as refused:
        read([text], name="results.jsonl")
    assert words in str(refused.value)


def test_the_first_ten_bad_lines_are_named_and_the_others_counted() -> None:
    with pytest.raises(InvalidInput, match=r"line 11: .*; and 2 more$") as refused:
        read(["", *["{"] * 12], name="results.jsonl")
    assert "line 12" not in str(refused.value)


def test_empty_lines_and_exact_numbers_are_read_as_they_are() -> None:
    first, second = read(["", line(fields={"sum": 1}).replace("1}", "10.00}"), " \n", line(absent=True)], name="f")
    assert (first.number, second.number) == (2, 4)
    assert isinstance(first.observed, Found)
    assert str(first.observed.fields["sum"]) == "10.00"
    assert second.observed == Absent(asked="f, line 4")


BY_ID = line(None, **{**TOLD, "remote_id": "crm-1"})
OUTCOMES: Mapping[str, tuple[list[str], str | None, Verb, Status]] = {
    "proven": ([line(**TOLD)], "correct", Verb.CONFIRM_BY_PROOF, Status.CONFIRMED),
    "proven, by the remote's id": ([BY_ID], "correct", Verb.CONFIRM_BY_PROOF, Status.CONFIRMED),
    "another version": ([line(**{**TOLD, "version": 8})], "divergent", Verb.ESCALATE, Status.MANUAL_REVIEW),
    "no version": ([line(remote_id="crm-9")], "ambiguous", Verb.ESCALATE, Status.MANUAL_REVIEW),
    "twice there": ([line(**TOLD), line(**TOLD)], "divergent", Verb.ESCALATE, Status.MANUAL_REVIEW),
    "there and not there": ([line(absent=True), line(**TOLD)], "correct", Verb.CONFIRM_BY_PROOF, Status.CONFIRMED),
    "not there": ([line(absent=True)], "missing", Verb.REQUEUE, Status.RETRY_SCHEDULED),
}  # fmt: skip


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_a_file_says_is_judged_and_followed_as_any_look(outcome: str) -> None:
    lines, kind, verb, status = OUTCOMES[outcome]
    house = standing()
    before = house.picture()
    foreseen = checked(house, *lines, dry_run=True)
    assert (house.picture(), house.queued(), foreseen.checked[0].landed) == (before, [], False)
    report = checked(house, *lines)
    told = report.checked[0]
    assert (told.verdict, told.verb, told.landed, house.row().status) == (kind, verb, True, status)
    assert (foreseen.checked[0].verdict, foreseen.checked[0].verb) == (kind, verb)
    assert house.queued() == (["op-1"] if status is Status.RETRY_SCHEDULED else [])
    assert house.row().verdict is not None
    assert (house.row().verdict.asked or "").startswith("results.jsonl, line ")  # type: ignore[union-attr]


def test_a_doubled_effect_says_how_many_lines_there_were() -> None:
    house = standing()
    report = checked(house, *[line(**TOLD)] * 3)
    assert report.checked[0].lines == (1, 2, 3)
    assert house.row().verdict is not None
    assert [(each.field, each.observed) for each in house.row().verdict.differences] == [("count", "3")]  # type: ignore[union-attr]


def test_absence_before_the_settle_window_is_over_is_another_look() -> None:
    house = standing(attempt_ended_at=NOW)
    told = checked(house, line(absent=True)).checked[0]
    assert (told.verdict, told.verb, house.row().status) == (None, Verb.OBSERVE_AGAIN, A)


def test_a_line_is_judged_by_the_time_it_names() -> None:
    settled_at = ago(MINUTE)
    for at, kind in ((ago(2 * MINUTE), None), (settled_at, "missing"), (ahead(HOUR), "missing")):
        house = standing(attempt_ended_at=ago(SETTLED, settled_at))
        told = checked(house, line(absent=True, at=iso(at))).checked[0]
        assert told.verdict == kind


STALE: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "an older version": ({}, {**TOLD, "version": 6}),
    "no version": ({}, {"remote_id": "crm-9"}),
    "still there": ({"intent": Intent.COMPENSATION}, TOLD),
    "as promised, before it was tried": ({"first_claimed_at": ago(HOUR)}, TOLD),
}


@pytest.mark.parametrize("what", STALE)
def test_what_was_so_before_the_attempt_is_no_verdict_on_it(what: str) -> None:
    facts, told = STALE[what]
    house = standing(attempt_ended_at=ago(HOUR), **facts)
    found = checked(house, line(**told, at=iso(ago(2 * HOUR)))).checked[0]
    assert (found.verdict, found.verb, house.row().status) == (None, Verb.OBSERVE_AGAIN, A)
    assert checked(house, line(**told, at=iso(ago(MINUTE)))).checked[0].verdict is not None


def test_what_names_nothing_that_is_awaited_is_named_and_what_is_not_named_is_counted() -> None:
    house = standing(3)
    house.change("op-2", status=Status.CONFIRMED, due_shard=None, due_at=None)
    report = checked(house, line("op-9", **TOLD), line("op-2", **TOLD), line(None, remote_id="crm-77"), line(**TOLD))
    assert (report.unmatched, report.silent, len(report.checked)) == ((1, 2, 3), 1, 1)
    assert house.row("op-3").status is A


def test_a_remote_id_that_several_operations_share_says_the_same_of_each() -> None:
    house = standing(2, remote_id="crm-452")
    house.change("op-2", expected_version=8)
    checked(house, line(None, **{**TOLD, "version": 8, "remote_id": "crm-452"}))
    assert (house.row("op-1").status, house.row("op-2").status) == (Status.MANUAL_REVIEW, Status.CONFIRMED)


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.CONFIRM])
def test_a_types_mode_is_respected_and_what_it_withholds_is_told(mode: Mode) -> None:
    house = standing(policy={**CORRECT, "mode": mode})
    told = checked(house, line(absent=True)).checked[0]
    assert (house.row().status, house.queued(), told.would) == (Status.MANUAL_REVIEW, [], Verb.REQUEUE)


def test_a_row_that_cannot_be_written_is_named_and_the_others_are_judged() -> None:
    house = standing(3)
    store = BrokenRows(house.store, unwritable=["op-2"])
    report = checked(house, *[line(f"op-{number}", **TOLD) for number in (1, 2, 3)], store=store)
    assert [each.landed for each in report.checked] == [True, False, True]
    assert list(report.tally.errors) == ["op-2"]


def test_a_type_nobody_knows_is_refused_and_another_types_rows_are_not_touched() -> None:
    house = standing(operation_type="other")
    with pytest.raises(InvalidInput, match="is not known here"):
        checked(house, line(**TOLD), name="gone")
    assert checked(house, line(**TOLD)).unmatched == (1,)


def test_a_compensation_is_undone_only_where_the_file_says_that_it_is_gone() -> None:
    house = standing(intent=Intent.COMPENSATION)
    assert checked(house, line(absent=True)).checked[0].verb is Verb.COMPENSATED_BY_PROOF
    assert house.row().status is Status.COMPENSATED


def test_a_file_sends_again_no_more_at_once_than_a_sweep_would_and_the_next_check_goes_on() -> None:
    house = standing(3)
    absent = [line(name, absent=True) for name in ("op-1", "op-2", "op-3")]
    held = checked(house, *absent, rate=2)
    assert [each.landed for each in held.checked] == [True, True, False]
    assert (held.checked[2].reason, house.row("op-3").status) == (Reason.OVER_DRAIN_RATE, A)
    assert [each.landed for each in checked(house, *absent, rate=2).checked] == [True]


def test_a_dry_run_foretells_what_the_drain_rate_holds_back() -> None:
    house = standing(3)
    absent = [line(name, absent=True) for name in ("op-1", "op-2", "op-3")]
    foretold = checked(house, *absent, rate=2, dry_run=True)
    done = checked(house, *absent, rate=2)
    assert [(each.reason, each.held_back) for each in foretold.checked] == [
        (each.reason, each.held_back) for each in done.checked
    ]
    assert foretold.checked[2].reason is Reason.OVER_DRAIN_RATE
