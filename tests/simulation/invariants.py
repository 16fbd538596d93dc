"""What must hold after every event. A check looks at what the event changed, and knows what the remote really holds."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from makegood.domain.evidence import VerdictKind
from makegood.domain.history import Role, Verb, last
from makegood.domain.operation import REVIEW_SHARD, Operation, Status
from makegood.domain.table import TABLE

from tests.simulation.catalog import LIMITS, REGISTRY, SWEEP_LIMITS
from tests.simulation.engine import HOUR, MILLISECOND, START
from tests.simulation.fates import SLIP
from tests.simulation.grounds import Grounds
from tests.simulation.looks import LAG
from tests.simulation.queues import least_requests

if TYPE_CHECKING:
    from makegood.domain.run import RunRecord

    from tests.simulation.engine import Process
    from tests.simulation.remote import Call
    from tests.simulation.world import World

_LEADS: dict[tuple[Verb, Status | None, str], set[Status | None]] = defaultdict(set)
for _row in TABLE:
    for _source in _row.sources or {None}:
        for _role in _row.owners:
            _LEADS[_row.verb, _source, _role.value].add(_row.target or _source)

_ANOMALIES = {Verb.RELEASE: ("lease_over",), Verb.TOUCH: ("lost_dispatch", "retry_unclaimed")}
_LONGEST_WAIT = 30 * HOUR  #: no open row may be left alone for longer


class Invariants:
    """Watches one schedule; the first thing that does not hold is kept in words."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.broken: str | None = None
        self.grounds = Grounds(world)
        self.ambiguous: set[str] = set()  #: operations whose ambiguity nobody has decided yet

    def fails(self, number: int, words: str) -> None:
        """Remember what does not hold."""
        if self.broken is None:
            self.broken = f"invariant {number}: {words}"
            self.world.tell(f"BREAKS {self.broken}")

    def departs(self, call: Call, earlier: list[Call]) -> None:
        """Check that a call may be sent (2 and 3)."""
        operation = call.operation
        name = operation.operation_id
        if self.world.engine.now < self.world.plan.not_before.get(name, 0) - self.world.kind.skew:
            self.fails(1, f"{name} is sent before the time that its producer gave")
        if name in self.ambiguous:
            self.fails(3, f"{name} is sent although its outcome is ambiguous and nobody has decided")
        terms = REGISTRY.terms[operation.operation_type]
        if terms.policy.idempotent:
            self._is_remembered(operation, earlier, (terms.policy.key_lifetime - terms.key_reserve) // MILLISECOND)
            return
        decided = len(operation.decisions)
        for before in earlier:
            if before.may and len(before.operation.decisions) == decided:
                self.fails(2, f"{name} is sent again although a call of it may have been applied and nobody decided")

    def _is_remembered(self, operation: Operation, earlier: list[Call], within: int) -> None:
        """Check that the remote still knows the key when a call that follows an uncertain one lands (2)."""
        first = next((call for call in earlier if call.may), None)
        if first is None or not self.world.kind.keeps_windows:
            return
        slack = 2 * self.world.kind.skew + LIMITS.worker_timeout // MILLISECOND
        if self.world.engine.now - first.at > within + slack:
            self.fails(2, f"{operation.operation_id} is sent again when the remote may forget its key")

    def lands(self, call: Call, times: int) -> None:
        """Check what a call that takes effect does to the promises (2, 10, and the line of versions)."""
        operation, kind = call.operation, self.world.kind
        name = operation.operation_id
        policy = REGISTRY.terms[operation.operation_type].policy
        if policy.idempotent and times > 1 and kind.keeps_windows:
            self.fails(2, f"{name} takes effect for the {times}. time under one key")
        row = self.world.store.rows[name]
        if kind.keeps_truth and row.is_terminal and not row.decisions:
            self.fails(10, f"{name} takes effect although it is {row.status} already")
        if policy.supersedes:
            self._lands_in_line(row, call)

    def _lands_in_line(self, row: Operation, call: Call) -> None:
        """Check that no older version is put over a newer one, or undoes another that no person has decided upon."""
        state, rows = self.world.remote.state(row), self.world.store.rows.values()
        decided = any(each.decisions for each in rows if each.expected_version == state.version)
        kind = self.world.kind
        if not state.present or state.version is None or decided or not kind.keeps_windows or kind.people_lie:
            return
        if call.undoing and state.version != row.expected_version:
            self.fails(10, f"{row.operation_id} undoes version {state.version} where {row.expected_version} is its own")
        if not call.undoing and state.version > row.expected_version:
            self.fails(10, f"{row.operation_id} puts version {row.expected_version} over version {state.version}")

    def wrote(self, before: Operation | None, after: Operation) -> None:
        """Check one write that landed."""
        process = self.world.engine.process
        process.wrote += 1
        process.moved.add(after.operation_id)
        process.last_write = after.write_id
        entry = last(after.history)
        self.world.seen[f"verb {entry.verb}"] += 1
        self.world.tell(f"writes {after.operation_id}: {entry.verb} → {after.status} ({entry.reason})")
        if before is not None and before.is_terminal:
            self.fails(5, f"{after.operation_id} was {before.status} and is changed")
        self._of_the_table(before, after, entry.verb, entry.actor, process)
        self._of_the_row(before, after)
        if process.role == Role.WORKER and entry.verb is not Verb.CLAIM:
            holds = before is not None and before.claim_token == process.token
            if not holds:
                self.fails(4, f"{process.name} writes {after.operation_id}, whose claim has passed on")
        if entry.reason in _ANOMALIES.get(entry.verb, ()):
            process.acted += 1
        self._of_the_outcome(before, after, entry.verb, process)

    def _of_the_table(
        self, before: Operation | None, after: Operation, verb: Verb, actor: str, process: Process
    ) -> None:
        role = actor.partition(" ")[0]
        source = before.status if before else None
        if after.status not in _LEADS.get((verb, source, role), ()):
            self.fails(7, f"the table has no {verb} from {source} to {after.status} for the {role}")
        if role != process.role and not (role == Role.OPERATOR and process.role == Role.PRODUCER):
            self.fails(7, f"{process.name} writes in the name of the {role}")
        if before is None:
            return
        counted = len(after.history) > len(before.history) or after.history[4:5] != before.history[4:5]
        if after.revision != before.revision + 1 or after.write_id == before.write_id or not counted:
            self.fails(7, f"{after.operation_id} is written without revision, write id or history")
        if after.updated_at < before.updated_at or (
            after.decisions[: len(before.decisions)] and not _kept(before, after)
        ):
            self.fails(7, f"{after.operation_id} goes back in time or loses a decision")

    def _of_the_row(self, before: Operation | None, row: Operation) -> None:
        name, claimed = row.operation_id, row.status is Status.PROCESSING
        if claimed != (row.claim_token is not None) or claimed != (row.lease_ends_at is not None):
            self.fails(4, f"{name} is {row.status} and its claim does not fit that")
        if row.is_terminal != (row.due_at is None) or row.is_terminal != (row.due_shard is None):
            self.fails(1, f"{name} is {row.status} and its place in the index does not fit that")
        if not row.is_terminal and (row.status is Status.MANUAL_REVIEW) != (row.due_shard == REVIEW_SHARD):
            self.fails(1, f"{name} is {row.status} and lies in {row.due_shard}")
        if row.last_error is not None and SLIP in row.last_error:
            self.fails(7, f"{name} keeps a secret that the remote let slip: {row.last_error}")
        late = self.world.engine.now + _LONGEST_WAIT
        if row.due_at is not None and row.status is not Status.MANUAL_REVIEW and row.due_at > late:
            self.fails(1, f"nobody looks at {name} for more than a day")
        if before is not None and before.status is Status.PROCESSING and not claimed and row.attempt_ended_at is None:
            self.fails(7, f"{name} does not say when its attempt ended")

    def _of_the_outcome(self, before: Operation | None, after: Operation, verb: Verb, process: Process) -> None:
        decided = before is not None and len(after.decisions) > len(before.decisions)
        name = after.operation_id
        if after.verdict is not None and (before is None or after.verdict is not before.verdict):
            self.world.seen[f"verdict {after.verdict.kind}"] += 1
            if after.verdict.kind is VerdictKind.AMBIGUOUS:
                self.ambiguous.add(name)
        if decided:
            self.world.seen[f"decision {after.decisions[-1].action}"] += 1
            self.ambiguous.discard(name)
        if before is not None:
            self.grounds.of(before, after, verb, process)
            if decided:
                self.grounds.decided(before, after, process)
        if process.role == Role.OPERATOR and verb is not Verb.REQUEST_CANCEL and not decided:
            self.fails(3, f"{process.name} moves {name} and no decision is recorded")
        if after.is_terminal:
            self._of_the_end(after, verb, process, decided=decided)

    def _of_the_end(self, row: Operation, verb: Verb, process: Process, *, decided: bool) -> None:
        if row.status is Status.CONFIRMED and row.cancel_reason is not None and not decided:
            self.fails(10, f"{row.operation_id} was cancelled and is confirmed")
        if not self.world.kind.keeps_truth:
            return
        if row.status is Status.NOT_APPLICABLE:
            if not decided and self.world.remote.may_be_applied(row):
                self.fails(10, f"{row.operation_id} is not_applicable although a call may have been applied")
            return
        since = self._known_since(row, verb, process, decided=decided)
        states = self.world.remote.states_since(row, since)
        there = [state.present and state.version == row.expected_version for state in states]
        as_promised = [state.plan == "gold" for state in states]
        if row.status is Status.CONFIRMED and not any(map(all, zip(there, as_promised, strict=True))):
            self.fails(10, f"{row.operation_id} is confirmed by {verb}, and its effect is not there")
        if row.status is Status.COMPENSATED and all(there):
            self.fails(10, f"{row.operation_id} is compensated by {verb}, and its effect is there")

    def _known_since(self, row: Operation, verb: Verb, process: Process, *, decided: bool) -> int:
        """Return from when on the remote may have held what the end of a row rests on."""
        if verb is Verb.CONFIRM:
            return START  # a remote that knows the key says what it did then, whatever others have done since
        if decided:
            return process.started_at  # a person states what they saw when they came
        return process.asked.get(row.operation_id, (None, process.started_at, 0))[1] - LAG

    def swept(self, record: RunRecord, process: Process, tick: str) -> None:
        """Check a run that ended (6, 7, 8 and 9)."""
        if record.run_id != tick:
            self.fails(7, f"{process.name} is told as {record.run_id}, and its tick is {tick}")
        if record.outcome in ("halted", "overlapped") or record.dry_run or process.watches:
            if process.wrote or record.sent:
                self.fails(6, f"{process.name} ended {record.outcome} and wrote {process.wrote} rows")
        elif process.acted > SWEEP_LIMITS.halt_cap and record.acknowledged_by is None:
            self.fails(6, f"{process.name} acted on {process.acted} anomalies, above the cap")
        if process.failed:
            self.fails(6, f"{process.name} could not read and ended {record.outcome}")
        given = self.world.ledger.control().acknowledgement
        if record.acknowledged_by is not None and (given is None or given.until <= process.began_at):
            self.fails(6, f"{process.name} acts by a permission that is over")
        self._told(record, process)

    def _told(self, record: RunRecord, process: Process) -> None:
        if record.scanned > len(process.found):
            self.fails(8, f"{process.name} counts {record.scanned} rows and has read {len(process.found)}")
        if process.requests > (least := least_requests(process.sent)):
            self.fails(8, f"{process.name} makes {process.requests} requests to queues; {least} take as many messages")
        if record.outcome == "halted" and not record.halted_why:
            self.fails(6, f"{process.name} halted and does not say why")
        odd = [words for words in record.errors.values() if not words.startswith("StoreError")]
        if odd and not process.clock_set:  # a clock that goes back makes a row look early; it stays due
            self.fails(7, f"{process.name} met an error of its own: {odd[0]}")

    def ended(self) -> None:
        """Check the end of a schedule, when faults have stopped and time has passed (1)."""
        for row in self.world.store.rows.values():
            if not row.is_terminal and row.status is not Status.MANUAL_REVIEW:
                self.fails(1, f"{row.operation_id} is still {row.status}")


def _kept(before: Operation, after: Operation) -> bool:
    pairs = zip(before.decisions, after.decisions, strict=False)
    return len(after.decisions) >= len(before.decisions) and all(a.reason == b.reason for a, b in pairs)
