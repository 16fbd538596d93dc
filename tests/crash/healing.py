"""After a blow: sweeps and deliveries alone go on, and whatever was promised must come to its end."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from makegood.adapters.dynamodb_models import DUE_INDEX
from makegood.domain import history
from makegood.domain.history import Role, Verb
from makegood.domain.limits import Limits
from makegood.domain.operation import REVIEW_SHARD, TERMINAL, Operation, Status, open_shards
from makegood.domain.run import RunOutcome
from makegood.domain.table import rows_for

from tests.contract.worlds import TABLE

if TYPE_CHECKING:
    from tests.crash.house import House

Portrait: TypeAlias = dict[str, tuple[str | int, ...]]  #: what became of each row, without times and tokens

TICK = Limits().stale_after + Limits().skew_margin
ROUNDS = 12
ENDED = TERMINAL | {Status.MANUAL_REVIEW}
DECIDED = frozenset({Verb.RETRY, Verb.CONFIRM_BY_PROOF, Verb.COMPENSATED_BY_PROOF, Verb.COMPENSATE, Verb.CLOSE})
SHARDS = {*open_shards(100), REVIEW_SHARD}  #: as many as the template allows


def heal(house: House) -> None:
    """Deliver and sweep until every operation has ended; a person acknowledges what halts."""
    for _ in range(ROUNDS):
        house.deliver()
        if all(row.status in ENDED for row in house.rows().values()):
            return
        house.wait(TICK)
        if house.sweep().get("outcome") == RunOutcome.HALTED:
            house.acknowledge()
    raise AssertionError(f"not healed after {ROUNDS} rounds: {house.rows()}")


def nothing_moves_any_more(house: House) -> None:
    """See that what is left in the queues, and one more sweep, change nothing, and that sweeps are not locked out."""
    before = house.doors.bytes()
    house.wait(timedelta(days=1))
    house.deliver()
    swept = house.sweep()
    assert swept["outcome"] == RunOutcome.COMPLETED, swept
    assert house.doors.bytes() == before


def inquest(house: House) -> Portrait:
    """Hold every row, the index and the remote to what is promised of them, and return what became of each row."""
    rows = house.rows()
    assert house.promised <= rows.keys()
    assert all(count == 1 for count in house.remote.by_key.values()), house.remote.by_key
    _applied_in_order(house, rows)
    for row in rows.values():
        _effect_and_status_agree(house, row)
        _history_is_complete(row)
        _audited(row)
        _attributes_fit(house, row)
    _index_agrees(house, rows)
    return {
        name: (row.status.value, row.attempt, row.dispatches, house.remote.effects[name], *_verbs(row))
        for name, row in sorted(rows.items())
    }


def _effect_and_status_agree(house: House, row: Operation) -> None:
    """There is one effect at most; a terminal status says truly whether there is one."""
    effects = house.remote.effects[row.operation_id]
    assert row.status in ENDED
    assert 0 <= effects <= 1, row.operation_id
    if row.status is not Status.MANUAL_REVIEW:
        assert effects == (row.status is Status.CONFIRMED), (row.operation_id, row.status, effects)


def _applied_in_order(house: House, rows: dict[str, Operation]) -> None:
    """See that no older version was ever applied behind a newer one, where that is promised."""
    for entity in {row.entity for row in rows.values() if row.operation_type == "ordered"}:
        assert house.remote.order[entity] == sorted(house.remote.order[entity]), house.remote.order[entity]


def _audited(row: Operation) -> None:
    """See that what people did and what is recorded of it are the same: acted and audited, or neither."""
    entries = [entry for entry in history.read(row.history) if isinstance(entry, history.Entry)]
    decided = [entry for entry in entries if entry.verb in DECIDED and entry.actor == "operator alice"]
    assert [decision.by for decision in row.decisions] == ["alice"] * len(decided), (row.decisions, decided)
    assert [decision.at for decision in row.decisions] == [entry.at for entry in decided]
    assert (row.cancel_reason is not None) is any(entry.verb is Verb.REQUEST_CANCEL for entry in entries)
    if row.decisions:
        assert row.decisions[-1].outcome == row.status.value, row.decisions[-1]


def _history_is_complete(row: Operation) -> None:
    """Every move is in the table, none is missing, and each follows from the one before."""
    entries = list(history.read(row.history))
    assert len(entries) == row.revision, (row.operation_id, row.history)
    status: Status | None = None
    at = row.created_at
    for entry in entries:
        assert isinstance(entry, history.Entry)
        assert entry.source is status
        role = Role(entry.actor.split(" ")[0])
        lines = rows_for(entry.verb, entry.source, role)
        assert any((line.target or entry.source) is entry.target for line in lines), (row.operation_id, entry)
        assert entry.at >= at
        at, status = entry.at, entry.target
    assert status is row.status
    assert [isinstance(entry, history.Entry) and entry.verb for entry in entries].count(Verb.SUBMIT) == 1


def _attributes_fit(house: House, row: Operation) -> None:
    """See that no claim is left, and that an ended row expires, its payload with it, unless a person decided."""
    assert (row.claim_token, row.claimed_at, row.lease_ends_at) == (None, None, None)
    assert (row.due_at is None) is (row.due_shard is None) is row.is_terminal
    assert (row.expires_at is not None) is (row.is_terminal and not row.decisions)
    if row.payload_bytes is not None:
        expiry = house.table.item(row.operation_id, "payload").get("expires_at")
        assert expiry == ({"N": str(row.expires_at)} if row.expires_at else None)


def _index_agrees(house: House, rows: dict[str, Operation]) -> None:
    """Open rows are in the index, each in its place, and no others."""
    found = house.table.client.scan(TableName=TABLE, IndexName=DUE_INDEX)["Items"]
    places = {(row.due_shard, name) for name, row in rows.items() if not row.is_terminal}
    assert {(item["due_shard"]["S"], item["pk"]["S"]) for item in found} == places
    assert {shard for shard, _ in places} <= SHARDS


def _verbs(row: Operation) -> tuple[str, ...]:
    return tuple(entry.split(" ")[1] for entry in row.history)
