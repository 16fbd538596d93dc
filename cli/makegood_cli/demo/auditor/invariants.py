"""The promises of the design as checks that can fail. Each yields the places where it does not hold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from makegood_cli.demo.auditor import above_the_cap, lifecycle, outcomes
from makegood_cli.demo.auditor.case import Breach, Invariant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood_cli.demo.auditor.case import Case
    from makegood_cli.demo.auditor.rows import Row


def nobody_lost(case: Case) -> Iterator[Breach]:
    """Find promises that have neither ended nor come in front of a person."""
    for identifier in case.promised:
        row = case.now.rows.get(identifier)
        if row is None:
            yield Breach(operation_id=identifier, words=case.now.unreadable.get(identifier, "it has no row"))
        elif not (row.is_terminal or row.state == "m"):
            yield Breach(operation_id=identifier, words=f"it is still {row.status}")


def no_double_effect(case: Case) -> Iterator[Breach]:
    """Find keys under which the CRM applied more than one call."""
    applied = Counter(call["key"] for call in case.now.calls if call["applied"])
    owners = {call["key"]: call["operation_id"] for call in case.now.calls}
    for key, times in applied.items():
        if times > 1:
            yield Breach(operation_id=owners[key], words=f"the CRM applied it {times} times, under the key {key}")


def every_send_has_a_claim(case: Case) -> Iterator[Breach]:
    """Find operations with more calls than claims: what may have been applied was sent again."""
    for row in case.rows():
        calls, claims = len(case.calls(row)), row.count(lifecycle.CLAIM)
        if calls > claims and not row.is_cut:
            words = f"{calls} calls reached the CRM, but it was claimed {claims} times"
            yield Breach(operation_id=row.operation_id, words=words)


def touched_before_dispatched(case: Case) -> Iterator[Breach]:
    """Find operations that were dispatched anew, though no sweep had touched them."""
    for identifier in sorted(
        {identifier for identifier, then in case.stranded() if _is_untouched(identifier, then, case)}
    ):
        words = "its message was lost, yet it was claimed later: somebody dispatched it without a touch"
        yield Breach(operation_id=identifier, words=words)
    sent = sum(run["sent"] for run in case.now.runs)
    touches = sum(row.count(*lifecycle.SENDING) for row in case.rows())
    if sent > touches and not any(row.is_cut for row in case.rows()):
        yield Breach(operation_id=None, words=f"sweeps sent {sent} messages, but touched or requeued {touches} times")


def _is_untouched(identifier: str, then: Row, case: Case) -> bool:
    now = case.now.rows.get(identifier)
    return now is not None and now.attempt > then.attempt and now.count(lifecycle.TOUCH) <= then.count(lifecycle.TOUCH)


def ended_is_for_ever(case: Case) -> Iterator[Breach]:
    """Find what had ended at a moment on the way and is not the same now."""
    for moment in case.moments:
        for identifier, then in moment.rows.items():
            now = case.now.rows.get(identifier)
            if then.is_terminal and (now is None or now.text != then.text):
                stands = "it is gone" if now is None else f"it is {now.status} with revision {now.revision}"
                words = f"it had ended as {then.status} with revision {then.revision}; now {stands}"
                yield Breach(operation_id=identifier, words=words)


def confirmed_is_true(case: Case) -> Iterator[Breach]:
    """Find confirmed operations whose effect the CRM does not show."""
    for row in case.rows():
        if row.state == "C" and (words := "; ".join(_unproven(row, case))):
            yield Breach(operation_id=row.operation_id, words=f"it is confirmed, but {words}")


def _unproven(row: Row, case: Case) -> Iterator[str]:
    if row.evidence is None:
        yield "it has no evidence"
    effects = case.now.effects.get(row.key, ())
    if not effects:
        yield "the CRM has no effect under its key"
    for effect in effects[:1]:
        shown, wanted = (effect["entity"], int(effect["version"])), (row.entity, row.version)
        if shown != wanted:
            yield f"the CRM shows {shown[0]} version {shown[1]}, not {wanted[0]} version {wanted[1]}"
        if effect["withdrawn"]:
            yield "the CRM has it withdrawn"
        differing = sorted(name for name, value in row.fields.items() if effect["fields"].get(name) != value)
        if differing:
            yield f"the CRM shows other values of {', '.join(differing)}"


def every_move_is_written(case: Case) -> Iterator[Breach]:
    """Find histories that are no walk through the table of transitions, or not the whole walk."""
    for row in case.rows():
        if words := "; ".join(_unwritten(row)):
            yield Breach(operation_id=row.operation_id, words=words)


def _unwritten(row: Row) -> Iterator[str]:
    yield from lifecycle.faults(row.entries)
    moves, attempts = sum(entry.moves for entry in row.entries), lifecycle.attempts(row.entries)
    if moves != row.revision:
        yield f"it was written {row.revision} times, but its history holds {moves} moves"
    if row.entries and row.entries[-1].target != row.state:
        yield f"it is {row.status}, but its history ends in {row.entries[-1].target}"
    if attempts != row.attempt and not row.is_cut:
        yield f"it counts {row.attempt} attempts, but its history holds {attempts}"


def the_index_holds_what_is_open(case: Case) -> Iterator[Breach]:
    """Find open rows that the index lacks or misplaces, and ended ones that it still holds."""
    for row in case.rows():
        found = case.now.index.get(row.operation_id)
        if row.is_terminal and (row.due is not None or row.half_due or found is not None):
            yield Breach(operation_id=row.operation_id, words=f"it is {row.status}, and still due")
        elif not row.is_terminal and (row.due is None or found != row.due):
            words = f"it is {row.status}, but the index has it at {found}, and the row at {row.due}"
            yield Breach(operation_id=row.operation_id, words=words)
        elif row.due is not None and (row.due[0] == "review") != (row.state == "m"):
            yield Breach(operation_id=row.operation_id, words=f"it is {row.status} in the shard {row.due[0]}")
    for identifier in sorted(case.now.index.keys() - case.now.rows.keys() - case.now.unreadable.keys()):
        yield Breach(operation_id=identifier, words="the index names it, but it has no row")


def review_has_a_reason(case: Case) -> Iterator[Breach]:
    """Find rows in review that do not say why."""
    for row in case.rows():
        if row.state == "m" and not (row.last and row.last.verb == lifecycle.ESCALATE):
            yield Breach(operation_id=row.operation_id, words="it is in review, but nobody wrote down why")


def claims_end(case: Case) -> Iterator[Breach]:
    """Find claims without an attempt that runs, and attempts without a claim."""
    for row in case.rows():
        if row.claimed != (row.state == "w"):
            words = f"it is {row.status} {'with' if row.claimed else 'without'} a claim"
            yield Breach(operation_id=row.operation_id, words=words)


INVARIANTS = (
    Invariant(
        "nobody is lost", "14.1", "every promise has a row that has ended or is in front of a person", nobody_lost
    ),
    Invariant("no effect is doubled", "14.2", "the CRM applied each idempotency key once at most", no_double_effect),
    Invariant(
        "every send has its claim", "14.3", "no call reached the CRM without a claim of its own", every_send_has_a_claim
    ),
    Invariant(
        "touched before dispatched",
        "7.4",
        "what a sweep dispatches it has touched before, or every sweep would dispatch it again",
        touched_before_dispatched,
    ),
    Invariant("ended is for ever", "14.5", "what has ended stays as it is, byte for byte", ended_is_for_ever),
    Invariant(
        "confirmed is true",
        "14.10",
        "confirmed is only what the CRM shows under that key, with the promised version and fields",
        confirmed_is_true,
    ),
    Invariant(
        "every move is written",
        "14.7",
        "a history is a walk through the table of transitions, complete to the last write",
        every_move_is_written,
    ),
    Invariant(
        "the index holds what is open",
        "3",
        "every open row is in the index where it says, and nothing that has ended is",
        the_index_holds_what_is_open,
    ),
    Invariant("review has a reason", "9", "whatever waits for a person says why it does", review_has_a_reason),
    Invariant("claims end", "4", "a claim is held while an attempt runs, and no longer", claims_end),
    *outcomes.INVARIANTS,
    Invariant(
        "nothing moves above the cap",
        "14.6",
        "above the cap the table is the same before and after, byte for byte",
        above_the_cap.nothing_moves,
    ),
    Invariant(
        "nothing is sent above the cap",
        "14.6",
        "above the cap the sweep halts, and the queues stay empty",
        above_the_cap.nothing_is_sent,
    ),
    Invariant(
        "the halt is heard",
        "14.6",
        "a halt shows in the series SweepHalted, and the alarm on it fires",
        above_the_cap.it_is_heard,
    ),
    Invariant(
        "an acknowledged run keeps its rate",
        "7.3",
        "above the cap nobody acts without an acknowledgement, nor faster than it allows",
        above_the_cap.the_rate_is_kept,
    ),
)
