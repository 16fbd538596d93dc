"""What does a life cost: requests, write units, bytes? The figures are the design's."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters import dynamodb_rows as rows
from makegood.adapters.memory import ManualClock, MemoryQueue, SeededEntropy
from makegood.domain import transitions
from makegood.domain.history import Role
from makegood.domain.instant import after
from makegood.domain.limits import SweepLimits
from makegood.domain.policy import Policy
from makegood.domain.reason import Reason
from makegood.domain.registry import Registry
from makegood.domain.run import RunOutcome
from makegood.flows.order import SweepOrder
from makegood.flows.sweep import Sweep
from makegood.ports import Applied, Claimed, NotClaimed

from tests.contract import builders as a
from tests.contract.sizes import UNIT, item_bytes
from tests.contract.worlds import Dynamo, dynamo, hooked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients
    from makegood.domain.operation import Operation

pytestmark = pytest.mark.xdist_group("engine")
SOON = after(a.NOW, timedelta(seconds=1))
MANY = Policy(idempotent=True, max_attempts=100).under(a.LIMITS)
ERROR = "TransientError: 503 Service Unavailable: the CRM is being updated, try again in a minute"


@pytest.fixture
def table(engine_clients: AwsClients) -> Iterator[Dynamo]:
    """Return an empty table in the engine, whose capacity figures are right for single items; moto's are not."""
    with dynamo(engine_clients) as created:
        yield created


@contextmanager
def metered(table: Dynamo) -> Iterator[Counter[str]]:
    """Count requests and write units."""
    spent: Counter[str] = Counter()

    def ask(params: dict[str, Any], **_: object) -> None:
        params["ReturnConsumedCapacity"] = "INDEXES"

    def note(parsed: dict[str, Any], **_: object) -> None:
        spent["requests"] += 1
        spent["units"] += parsed.get("ConsumedCapacity", {}).get("CapacityUnits", 1)

    with ExitStack() as hooks:
        for operation in ("PutItem", "UpdateItem"):
            hooks.enter_context(hooked(table.client, f"provide-client-params.dynamodb.{operation}", ask))
            hooks.enter_context(hooked(table.client, f"after-call.dynamodb.{operation}", note))
        yield spent


def promised() -> Operation:
    """Return an ordinary promise: its id derived, two fields expected, a small payload."""
    fields = {"email": "ada.lovelace@example.org", "name": "Ada Lovelace", "tier": "gold"}
    return a.promised(operation_id=None, expected_fields=fields, payload={"source": "checkout", "locale": "en-GB"})


def submitted(table: Dynamo) -> Operation:
    """Add an ordinary promise."""
    row = promised()
    table.store.add(row)
    return row


def claimed(table: Dynamo, row: Operation) -> Operation:
    """Claim a row, as soon as it may be."""
    answer = table.store.claim(a.claim(row, now=max(row.not_before or SOON, row.updated_at)))
    assert isinstance(answer, Claimed)
    return answer.operation


def applied(table: Dynamo, before: Operation, moved: Operation) -> Operation:
    """Apply a move."""
    assert table.store.apply(before, moved) == Applied(moved)
    return moved


def confirmed(held: Operation) -> Operation:
    """Return a held row as its worker confirms it."""
    evidence = replace(a.EVIDENCE, fields=held.expected_fields)
    return transitions.confirm(held, a.hand(now=held.updated_at, terms=MANY), evidence=evidence)


def failed(held: Operation) -> Operation:
    """Return a held row as its worker puts it off."""
    return transitions.schedule_retry(
        held, a.hand(now=held.updated_at, terms=MANY), wait=timedelta(seconds=9), error=ERROR
    )


def test_the_happy_path_costs_three_requests_and_five_units(table: Dynamo) -> None:
    with metered(table) as spent:
        held = claimed(table, submitted(table))
        applied(table, held, confirmed(held))
    assert table.requests.total() == spent["requests"] == 3
    assert spent["units"] == 5


def test_one_more_attempt_costs_two_requests_and_two_units(table: Dynamo) -> None:
    row = submitted(table)
    with metered(table) as spent:
        held = claimed(table, row)
        applied(table, held, failed(held))
    assert spent == {"requests": 2, "units": 2}


def test_a_rescued_lost_dispatch_costs_four_requests_and_eight_units(table: Dynamo) -> None:
    with metered(table) as spent:
        row = submitted(table)
        touch = transitions.touch(row, a.hand(role=Role.RECONCILER), reason=Reason.LOST_DISPATCH)
        held = claimed(table, applied(table, row, touch))
        applied(table, held, confirmed(held))
    assert spent == {"requests": 4, "units": 8}


def test_a_duplicate_delivery_costs_one_request_and_one_unit(table: Dynamo) -> None:
    row = submitted(table)
    claimed(table, row)
    with metered(table) as spent:
        assert isinstance(table.store.claim(a.claim(row)), NotClaimed)
    assert spent == {"requests": 1, "units": 1}


def test_an_idle_sweep_costs_a_query_for_each_shard_the_lease_and_its_record(table: Dynamo) -> None:
    for _ in range(3):
        submitted(table)
    table.requests.clear()
    sweep = Sweep(
        store=table.store,
        ledger=table.ledger,
        queue=MemoryQueue(),
        clock=ManualClock(SOON),
        entropy=SeededEntropy(),
        registry=Registry([], limits=a.LIMITS, remotes=NoRemotes()),
        limits=a.LIMITS,
        sweep_limits=SweepLimits(),
    )
    swept = sweep(SweepOrder(run_id="idle", until=a.LATER))
    assert swept.record.outcome is RunOutcome.COMPLETED
    assert table.requests == {"Query": a.LIMITS.shards, "UpdateItem": 2, "PutItem": 1}


def test_a_large_payload_makes_no_transition_dearer(table: Dynamo) -> None:
    row = a.promised(payload={"text": "x" * 100_000})
    table.store.add(row)
    with metered(table) as spent:
        held = claimed(table, row)
        applied(table, held, failed(held))
    assert spent == {"requests": 2, "units": 2}


class NoRemotes:
    """A deployment without remotes."""

    def url(self, name: str) -> str:
        """Know none."""
        raise LookupError(name)

    def secret(self, name: str) -> str | None:
        """Know none."""
        raise LookupError(name)


def life(attempts: int) -> Iterator[Operation]:
    """Walk an ordinary promise through so many attempts, confirmed at the last."""
    row = promised()
    yield row
    for number in range(1, attempts + 1):
        now = max(row.not_before or SOON, row.updated_at)
        row = transitions.claim(row, a.hand(now=now, terms=MANY), token="t" * 12)
        yield row
        row = confirmed(row) if number == attempts else failed(row)
        yield row


def test_an_ordinary_row_stays_within_one_unit_through_four_attempts() -> None:
    sizes = [item_bytes(rows.item_of(row)) for row in life(4)]
    assert max(sizes) <= UNIT, sizes


def test_a_history_at_its_bound_stays_within_two_units() -> None:
    sizes = [item_bytes(rows.item_of(row)) for row in life(40)]
    assert max(sizes) <= 2 * UNIT, sizes


def test_no_attempt_moves_the_index() -> None:
    *open_rows, last = life(1)
    assert {(row.due_shard, row.due_at) for row in open_rows} == {(open_rows[0].due_shard, open_rows[0].due_at)}
    assert (last.due_shard, last.due_at) == (None, None)
