"""Does the auditor read, with its own eyes, what the store writes, and know the life cycle as the domain does?"""

import json
from decimal import Decimal

import pytest
from makegood.adapters.dynamodb_rows import item_of
from makegood.domain import history, table
from makegood.domain.evidence import Difference, Evidence, Verdict, VerdictKind
from makegood.domain.operation import Operation, Status
from makegood_cli.demo.auditor import lifecycle, rows
from makegood_cli.demo.auditor.rows import Unreadable

from tests.support.rows import NOW, operation


def read(written: Operation) -> rows.Row:
    """Write an operation as the store does and read it as the auditor does."""
    return rows.read(item_of(written))


@pytest.mark.parametrize("status", list(Status))
def test_a_row_of_every_status_is_read(status: Status) -> None:
    written = operation(status)
    found = read(written)
    assert (found.status, found.is_terminal) == (status.value, status.is_terminal)
    assert (found.key, found.revision, found.attempt) == (written.idempotency_key, written.revision, written.attempt)
    assert found.claimed == written.is_claimed
    assert found.due == (None if written.due_at is None else (written.due_shard, written.due_at))


def test_numbers_of_the_promise_stay_exact() -> None:
    found = read(operation(expected_fields={"rate": Decimal("0.1"), "huge": 10**30}))
    assert found.fields == {"rate": Decimal("0.1"), "huge": Decimal(10**30)}


def test_evidence_is_read() -> None:
    proof = Evidence(at=NOW, remote_id="452", version=7, fields={"plan": "gold"})
    found = read(operation(Status.CONFIRMED, evidence=proof))
    assert found.evidence is not None
    assert found.evidence["version"] == 7


def test_a_verdict_is_read_with_all_that_it_rests_on() -> None:
    differing = Difference(field="plan", expected='"gold"', observed='"basic"')
    verdict = Verdict(
        kind=VerdictKind.DIVERGENT,
        at=NOW,
        asked="GET",
        answered="200",
        compared=("plan",),
        differences=(differing,),
        policy_version=2,
    )
    found = read(operation(Status.MANUAL_REVIEW, verdict=verdict)).verdict
    assert found is not None
    assert {"kind", "at", "asked", "answered", "compared", "differences", "policy_version"} <= found.keys()
    assert (found["kind"], found["at"], found["policy_version"]) == ("divergent", NOW, 2)


def test_an_entry_says_when_it_was() -> None:
    assert read(operation()).entries[0].at == int(operation().history[0].split(" ")[0], 36)


def test_a_row_that_lacks_something_is_named_with_what_it_lacks() -> None:
    item = {name: value for name, value in item_of(operation()).items() if name != "idempotency_key"}
    with pytest.raises(Unreadable, match="idempotency_key"):
        rows.read(item)


def test_the_same_item_is_always_written_down_in_the_same_way() -> None:
    item = item_of(operation())
    assert rows.text_of(dict(sorted(item.items(), reverse=True))) == rows.text_of(item)
    assert json.loads(rows.text_of(item)) == item


def test_its_table_of_moves_is_the_domains() -> None:
    domain = {
        (
            history.VERB_CODES[line.verb],
            history.STATUS_CODES[source] if source else "-",
            history.STATUS_CODES[target],
            owner.value[0],
        )
        for line in table.TABLE
        for source in (line.sources or {None})
        for owner in line.owners
        if (target := line.target or source) is not None
    }
    assert domain == lifecycle.PERMITTED


def test_its_letters_of_the_statuses_are_the_domains() -> None:
    assert {status.value: code for status, code in history.STATUS_CODES.items()} == lifecycle.STATUSES
    assert {code for status, code in history.STATUS_CODES.items() if status.is_terminal} == lifecycle.TERMINAL


def test_the_mark_of_a_cut_history_counts_what_was_left_out() -> None:
    mark = lifecycle.read("~ 37 r")
    assert (mark.moves, mark.target) == (37, "r")


@pytest.mark.parametrize("packed", ["", "cl w w delivered", "!! cl w w delivered", "~ many r"])
def test_what_is_no_entry_is_refused(packed: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        lifecycle.read(packed)
