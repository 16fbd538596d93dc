"""Do the rights that the template gives each function suffice for what it asks of the table, and for nothing more?

The engine judges each request by the caller's policy, as AWS does; a transaction by the rights to each of its writes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters.aws import AwsAccess, AwsClients
from makegood.adapters.dynamodb_ledger import DynamoDbLedger
from makegood.adapters.dynamodb_line import DynamoDbLine
from makegood.adapters.dynamodb_store import DynamoDbStore
from makegood.domain import transitions
from makegood.domain.errors import StoreError
from makegood.domain.history import Role
from makegood.domain.latest import Left
from makegood.domain.operation import REVIEW_SHARD, Operation, Status
from makegood.domain.reason import Reason
from makegood.domain.run import Acknowledgement, RunOutcome, RunRecord
from makegood.ports import Added, Applied, Claimed
from makegood_cli.local import template
from makegood_cli.local.places import CHECKOUT

from tests.contract import builders as a
from tests.contract.test_line import entry
from tests.contract.worlds import TABLE, Dynamo, dynamo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.local_engine import LocalEngine

pytestmark = pytest.mark.xdist_group("engine")
LARGE = {"text": "x" * 600}


@pytest.fixture
def table(engine_clients: AwsClients) -> Iterator[Dynamo]:
    """Return an empty table in the engine."""
    with dynamo(engine_clients) as created:
        yield created


def granted(role: str, arn: str) -> list[dict[str, Any]]:
    """Return what the template grants on the table to a role, or to those who hold a policy of its own."""
    properties = template.load(CHECKOUT / "template.yaml")["Resources"][role]["Properties"]
    (policy,) = properties.get("Policies", [properties])
    statements = policy["PolicyDocument"]["Statement"]
    return [
        {**statement, "Resource": f"{arn}/index/due" if "index/due" in json.dumps(statement["Resource"]) else arn}
        for statement in statements
        if "dynamodb:" in json.dumps(statement["Action"])
    ]


def acting_as(role: str, table: Dynamo, engine: LocalEngine) -> AwsClients:
    """Return clients that may do what the template grants this role, and nothing else."""
    iam: Any = table.clients.of("iam")
    arn = table.client.describe_table(TableName=TABLE)["Table"]["TableArn"]
    policy = {"Version": "2012-10-17", "Statement": granted(role, arn)}
    iam.create_user(UserName=role)
    iam.put_user_policy(UserName=role, PolicyName="granted", PolicyDocument=json.dumps(policy))
    made = iam.create_access_key(UserName=role)["AccessKey"]
    return AwsClients(
        AwsAccess(
            region=engine.region,
            endpoint_url=engine.endpoint_url,
            access_key=made["AccessKeyId"],
            secret_key=made["SecretAccessKey"],
        )
    )


@pytest.mark.parametrize("payload", [{"x": 1}, LARGE], ids=["small", "large"])
def test_the_worker_may_claim_and_settle(table: Dynamo, engine: LocalEngine, payload: dict[str, Any]) -> None:
    row = a.promised(payload=payload)
    table.store.add(row)
    store = DynamoDbStore(acting_as("WorkerRole", table, engine), TABLE)
    held = store.claim(a.claim(row))
    assert isinstance(held, Claimed)
    confirmed = transitions.confirm(held.operation, a.hand(), evidence=a.EVIDENCE)
    assert store.apply(held.operation, confirmed) == Applied(confirmed)


def test_the_worker_may_stand_in_line_and_read_who_stands_before_it(table: Dynamo, engine: LocalEngine) -> None:
    clients = acting_as("WorkerRole", table, engine)
    newer = a.promised(operation_id="op-7")
    table.store.add(newer)
    store, line = DynamoDbStore(clients, TABLE), DynamoDbLine(clients, TABLE)
    assert line.enter(entry(7)) is None
    line.leave(entry(7), busy_until=None, behind=Left.EFFECT)
    in_the_way = line.enter(entry(6))
    assert in_the_way is not None
    assert store.find([in_the_way.operation_id]) == {newer.operation_id: newer}


def test_the_worker_may_make_no_row(table: Dynamo, engine: LocalEngine) -> None:
    store = DynamoDbStore(acting_as("WorkerRole", table, engine), TABLE)
    for row in (a.promised(), a.promised(payload=LARGE)):
        with pytest.raises(StoreError, match="AccessDenied"):
            store.add(row)
    assert table.count() == 0


def test_the_reconciler_may_sweep(table: Dynamo, engine: LocalEngine) -> None:
    row = a.promised()
    table.store.add(row)
    clients = acting_as("ReconcilerRole", table, engine)
    store, ledger = DynamoDbStore(clients, TABLE), DynamoDbLedger(clients, TABLE)
    assert ledger.take_lease(now=a.NOW, token="sweep", until=a.LATER)  # noqa: S106 - a fence, not a secret
    assert ledger.asking(token="sweep", identifiers=[row.operation_id])  # noqa: S106 - a fence, not a secret
    (key,) = store.due(str(row.due_shard), a.LATER)
    found = store.find([key.operation_id])[key.operation_id]
    assert isinstance(found, Operation)
    touched = transitions.touch(found, a.hand(role=Role.RECONCILER), reason=Reason.LOST_DISPATCH)
    assert store.apply(found, touched) == Applied(touched)
    record = RunRecord(run_id="r", started_at=a.NOW, ended_at=a.LATER, outcome=RunOutcome.COMPLETED)
    ledger.finish(token="sweep", record=record)  # noqa: S106 - a fence, not a secret
    assert table.ledger.runs(1) == [record]  # the operator reads them
    assert ledger.control().lease_ends_at is None


def test_the_reconciler_may_not_scan(table: Dynamo, engine: LocalEngine) -> None:
    store = DynamoDbStore(acting_as("ReconcilerRole", table, engine), TABLE)
    with pytest.raises(StoreError, match="AccessDenied"):
        list(store.scan())


def test_the_operator_may_decide_what_waits_for_a_person(table: Dynamo, engine: LocalEngine) -> None:
    row = a.in_status(Status.MANUAL_REVIEW)
    table.store.add(row)
    store = DynamoDbStore(acting_as("OperatorPolicy", table, engine), TABLE)
    assert [key.operation_id for key in store.due(REVIEW_SHARD, a.LATER)] == [row.operation_id]
    hand = a.hand(role=Role.OPERATOR)
    closed = transitions.close(row, hand, reason=Reason.DECIDED, words="done by hand", decision=a.DECISION)
    assert store.apply(row, closed) == Applied(closed)


def test_the_operator_may_submit_look_and_acknowledge(table: Dynamo, engine: LocalEngine) -> None:
    clients = acting_as("OperatorPolicy", table, engine)
    store, ledger = DynamoDbStore(clients, TABLE), DynamoDbLedger(clients, TABLE)
    row = a.promised(payload=LARGE)
    assert store.add(row) == Added(row)
    assert [found.operation_id for found in store.scan()] == [row.operation_id]
    assert [key.operation_id for key in store.due(str(row.due_shard), a.LATER)] == [row.operation_id]
    assert store.with_payload(row) == row
    given = Acknowledgement(by="alice", at=a.NOW, until=a.LATER, drain_rate=5, reason="I looked")
    ledger.acknowledge(given)
    assert ledger.control().acknowledgement == given
    assert ledger.runs(1) == []
