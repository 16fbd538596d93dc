"""Can releases with and without outcome reconciliation stand at one table, and one after the other?"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters import dynamodb_records, dynamodb_rows
from makegood.domain import transitions
from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Role, last
from makegood.domain.latest import Left
from makegood.domain.operation import Operation, Status
from makegood.domain.reason import Reason
from makegood.domain.review import Action, Wish, resolved
from makegood.domain.run import RunOutcome

from tests.contract import builders as a
from tests.contract.test_ledger import MINE, UNTIL, finish, run
from tests.contract.test_line import PAST, entry
from tests.contract.worlds import Dynamo, dynamo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients

ADDED = {"region": {"S": "eu"}, "tags": {"L": [{"NULL": True}, {"N": "3"}]}}
CONTROL = (dynamodb_records.CONTROL, dynamodb_records.SWEEP)
#: what the release before this one knew of a run, and of a decision
RUN_BEFORE = {"verdicts", "would", "not_asked"}
DECISION_BEFORE = {"verdict", "recommended", "policy_version"}


@pytest.fixture
def table(double_clients: AwsClients) -> Iterator[Dynamo]:
    """Return an empty table."""
    with dynamo(double_clients) as created:
        yield created


def read(item: Any) -> Operation:  # noqa: ANN401 - an item of any release
    """Read a row, which must be possible."""
    found = dynamodb_rows.read(item)
    assert isinstance(found, Operation), found
    return found


def without(document: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """Return a document as a release wrote it that knew nothing of these names."""
    return {name: value for name, value in document.items() if name not in names}


def text(value: object) -> dict[str, str]:
    """Write JSON as an attribute."""
    return {"S": json.dumps(value, separators=(",", ":"))}


# -- the release before, and this one
def test_a_row_of_the_former_release_is_read_as_never_observed() -> None:
    item = dict(dynamodb_rows.item_of(replace(a.full(), absences=0)))
    assert "absences" not in item
    decisions = [without(one, DECISION_BEFORE) for one in json.loads(item["decisions"]["S"])]
    row = read(item | {"decisions": text(decisions)})
    assert row.absences == 0
    assert [(one.verdict, one.recommended, one.policy_version) for one in row.decisions] == [(None, None, None)] * 2


def test_a_run_of_the_former_release_judged_nothing(table: Dynamo) -> None:
    item = dict(dynamodb_records.run_item(run(0, sent=7)))
    table.place_item(item | {"record": text(without(json.loads(item["record"]["S"]), RUN_BEFORE))})
    [record] = table.ledger.runs(5)
    assert (record.sent, record.verdicts, record.would, record.not_asked) == (7, {}, {}, {})


def test_what_the_former_release_put_in_front_of_a_person_is_decided_here() -> None:
    waiting = transitions.await_proof(a.claimed(), a.hand(), reason=Reason.UNCERTAIN)
    escalated = transitions.escalate(waiting, a.hand(role=Role.RECONCILER), reason=Reason.NOT_OBSERVED)
    wish = Wish(
        operation_id=escalated.operation_id,
        action=Action.CLOSE,
        reason="seen in their log: never applied",
        seen_revision=escalated.revision,
    )
    ended = resolved(read(dynamodb_rows.item_of(escalated)), wish, None, a.hand(role=Role.OPERATOR))
    assert (ended.status, ended.decisions[-1].outcome) == (Status.NOT_APPLICABLE, "not_applicable")
    assert last(escalated.history).reason == "not_observed_yet"


# -- this release, and the next one
@pytest.mark.parametrize("place", ["in the record", "in the attribute", "in both"])
def test_a_run_that_ended_as_no_run_of_this_release_does_is_stepped_over(table: Dynamo, place: str) -> None:
    good, item = run(0), dict(dynamodb_records.run_item(run(5)))
    if place != "in the attribute":
        item["record"] = text(json.loads(item["record"]["S"]) | {"outcome": "of_tomorrow"})
    if place != "in the record":
        item["outcome"] = {"S": "of_tomorrow"}
    table.place_item(item)
    finish(table, good)
    assert good in table.ledger.runs(5)
    assert len(table.ledger.runs(1)) == 1
    assert all(isinstance(record.outcome, RunOutcome) for record in table.ledger.runs(5))


def test_counts_that_this_release_does_not_know_cost_the_record_nothing(table: Dynamo) -> None:
    item = dict(dynamodb_records.run_item(run(0, sent=7, verdicts={"correct": 2})))
    table.place_item(item | {"record": text(json.loads(item["record"]["S"]) | {"dreamt": {"a": 1}})})
    [record] = table.ledger.runs(5)
    assert (record.sent, record.verdicts) == (7, {"correct": 2})


def test_a_kind_of_verdict_of_tomorrow_is_counted_under_its_name(table: Dynamo) -> None:
    item = dict(dynamodb_records.run_item(run(0)))
    table.place_item(item | {"record": text(json.loads(item["record"]["S"]) | {"verdicts": {"half_there": 3}})})
    assert table.ledger.runs(5)[0].verdicts == {"half_there": 3}


def test_the_control_row_keeps_what_another_release_put_there_through_a_whole_run(table: Dynamo) -> None:
    table.ledger.take_lease(now=a.NOW, token=MINE, until=UNTIL)
    table.place_item(table.item(*CONTROL) | ADDED)
    table.ledger.asking(token=MINE, identifiers=[a.promised().operation_id])
    table.ledger.finish(token=MINE, record=run(0, RunOutcome.OBSERVED))
    now = table.item(*CONTROL)
    assert {name: now[name] for name in ADDED} == ADDED
    assert not {"lease_token", "asking"} & set(now)


def test_an_entity_s_item_keeps_what_another_release_put_there(table: Dynamo) -> None:
    place = f"entity#{a.TYPE}#customer/452", "latest"
    table.line.enter(entry(7))
    table.place_item(table.item(*place) | ADDED)
    table.line.leave(entry(7), busy_until=None, behind=Left.EFFECT)
    assert table.line.enter(entry(6)) is not None
    assert table.line.enter(entry(8, now=PAST)) is None
    now = table.item(*place)
    assert {name: now[name] for name in ADDED} == ADDED
    assert now["version"] == {"N": "8"}


def test_a_verdict_of_a_kind_that_this_release_does_not_know_makes_its_row_another_release_s() -> None:
    item = dict(dynamodb_rows.item_of(a.full()))
    verdict = json.loads(item["verdict"]["S"])
    odd = dynamodb_rows.read(item | {"verdict": text(verdict | {"kind": "half_there"})})
    assert not isinstance(odd, Operation)
    assert odd.operation_id == item["pk"]["S"]


def test_an_outcome_that_is_written_into_another_release_s_decision_takes_nothing_from_it() -> None:
    item = dict(dynamodb_rows.item_of(a.full()))
    theirs = without(json.loads(item["decisions"]["S"])[0], {"outcome"}) | {"of_tomorrow": {"kept": [1, None]}}
    row = read(item | {"decisions": text([theirs])})
    verdict = replace(a.VERDICT, kind=VerdictKind.MISSING)
    hand = a.hand(role=Role.RECONCILER)
    review = transitions.escalate(row, hand, reason=Reason.ATTEMPTS_USED, verdict=verdict)
    [written] = json.loads(dynamodb_rows.item_of(review)["decisions"]["S"])
    assert written == theirs | {"outcome": "manual_review"}
