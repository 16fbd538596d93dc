"""Worlds for the auditor: a walk through the life cycle is written as `su:p cl:w cf:C`, the rest follows from it.

Moves happen a second apart, from the second 1 on; a move's reason may be given behind it: `es:m:divergent`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from makegood.domain.evidence import Difference, Verdict, VerdictKind
from makegood.domain.operation import Status
from makegood.flows.review import Case as Waiting
from makegood_cli.demo.auditor import lifecycle
from makegood_cli.demo.auditor.case import Capped, Case
from makegood_cli.demo.auditor.lifecycle import Entry
from makegood_cli.demo.auditor.rows import Row
from makegood_cli.demo.auditor.world import World
from makegood_cli.demo.plan import Cause, Plan
from makegood_cli.demo.story import Told

from tests.support.rows import NOW, operation

_NAMES = {letter: name for name, letter in lifecycle.STATUSES.items()}
_OWNERS = {"su": "p", "ca": "p", **dict.fromkeys(("cl", "cf", "cd", "aw", "sr"), "w"), "rt": "o"}  # others: a sweep
_REASONS = {"es": "not_observable", "to": "lost_dispatch", "aw": "uncertain", "sr": "outage"}
_VERDICTS = {"cp": "correct", "dp": "missing", "not_observable": "ambiguous", "divergent": "divergent"}
FIELDS = {"tier": "gold"}
EVIDENCE = {"at": 5_000, "remote_id": "452", "version": 7, "fields": FIELDS, "summary": "PUT 200"}
SECOND = 1_000


def row(identifier: str, walk: str, **changes: Any) -> Row:
    """Return the row that this walk leaves behind."""
    entries = tuple(_entries(walk))
    state, verb, reason = entries[-1].target, entries[-1].verb, entries[-1].reason
    usual = Row(
        operation_id=identifier,
        operation_type="sync_customer",
        status=_NAMES[state],
        queue="default",
        entity=f"customer/{identifier}",
        version=7,
        fields=FIELDS,
        key=f"key-{identifier}",
        revision=len(entries),
        attempt=lifecycle.attempts(entries),
        claimed=state == "w",
        due=None if state in lifecycle.TERMINAL else ("review" if state == "m" else "open#00", 1_000),
        half_due=False,
        evidence=EVIDENCE if state in "CX" else None,
        verdict=verdict(kind) if (kind := _VERDICTS.get(verb) or _VERDICTS.get(reason)) else None,
        entries=entries,
        text=f"{identifier} after {walk}",
    )
    return replace(usual, **changes)


def _entries(walk: str) -> Iterator[Entry]:
    for position, move in enumerate(walk.split(), start=1):
        verb, target, *reason = move.split(":")
        yield Entry(
            verb=verb,
            target=target,
            role=_OWNERS.get(verb, "r"),
            reason=reason[0] if reason else _REASONS.get(verb, "agreed"),
            at=position * SECOND,
        )


def verdict(kind: str) -> dict[str, Any]:
    """Return a verdict as a row keeps it, with all that it rests on."""
    compared = {"compared": ["version", "tier"]} if kind in {"correct", "divergent"} else {}
    differing = {"differences": [{"field": "tier", "expected": "gold"}]} if kind == "divergent" else {}
    return {"kind": kind, "asked": "GET", "answered": "200", "at": 5_000, "policy_version": 2, **compared, **differing}


def call(of: Row, *, applied: bool = True, at: int = 2 * SECOND, **changes: Any) -> dict[str, Any]:
    """Return a call that the CRM logged for a row and answered."""
    usual = {"number": at // 100, "kind": "change", "received_at": at, "answered": True}
    told = {"key": of.key, "operation_id": of.operation_id, "entity": of.entity, "applied": applied}
    return {**usual, **told, **changes}


def read(of: Row, *, at: int, status: int | None = 200, fault: str = "") -> dict[str, Any]:
    """Return a question about a row that the CRM logged."""
    return {"key": of.key, "entity": of.entity, "received_at": at, "status": status, "fault": fault}


def effect(of: Row) -> dict[str, Any]:
    """Return what the CRM shows if it applied what the row promises."""
    return {"entity": of.entity, "version": of.version, "fields": dict(of.fields), "withdrawn": of.state == "X"}


def run(run_id: str, outcome: str = "completed", **counts: Any) -> dict[str, Any]:
    """Return a sweep's record."""
    usual: dict[str, Any] = {
        "run_id": run_id,
        "outcome": outcome,
        "dry_run": False,
        "sent": 0,
        "anomalies": {},
        "acted": {},
        "verdicts": {},
        "not_asked": {},
    }
    return usual | {"acknowledged_by": None, "halted_why": None} | counts


def world(*rows: Row, **changes: Any) -> World:
    """Return a world in which the index, the CRM and the queues fit these rows."""
    called = [each for each in rows if each.count(lifecycle.CLAIM)]
    usual = World(
        rows={each.operation_id: each for each in rows},
        digest="".join(each.text for each in rows),
        index={each.operation_id: each.due for each in rows if each.due},
        depths={"high": 0, "default": 0, "low": 0},
        calls=tuple(call(each, applied=each.state == "C") for each in called),
        effects={each.key: (effect(each),) for each in called if each.state == "C"},
    )
    return replace(usual, **changes)


def good_case() -> Case:
    """Return a case in which nothing is wrong: one went well, one was lost and rescued, one waits for a person."""
    plain, waits = row("plain", "su:p cl:w cf:C"), row("waits", "su:p cl:w aw:a es:m:divergent")
    rescued = row("rescued", "su:p to:p cl:w cf:C")
    before = world(plain, row("rescued", "su:p"), row("waits", "su:p cl:w aw:a"))
    runs = (run("demo-1", sent=1, anomalies={"lost_dispatch": 1}, acted={"touch": 1}), run("demo-2", "halted"))
    halted = replace(before, runs=runs[1:])
    now = world(plain, rescued, waits, runs=runs)
    capped = Capped(cap=2, before=before, after=halted, halts=1, alarm="ALARM")
    return Case(promised=("plain", "rescued", "waits"), moments=(before,), now=now, capped=capped)


PLAN = Plan(
    order=(0, 1, 2, 3, 4),
    causes={1: Cause.SEND_LOST, 2: Cause.CHANGED, 3: Cause.WORKER_KILLED, 4: Cause.TURNED_AWAY},
    twice=frozenset({0}),
    again=frozenset({0}),
)
IDS, WAVE = ("plain", "rescued", "changed", "killed", "away"), ("wave-1", "wave-2", "wave-3")
LOST = (
    row("plain", "su:p cl:w cf:C"),
    row("rescued", "su:p"),
    row("changed", "su:p cl:w aw:a"),
    row("killed", "su:p cl:w"),
)
HEALED = (
    row("plain", "su:p cl:w cf:C"),
    row("rescued", "su:p to:p cl:w cf:C"),
    row("changed", "su:p cl:w aw:a es:m:divergent"),
    row("killed", "su:p cl:w rl:a cp:C"),
    row("away", "su:p cl:w sr:r cl:w cf:C"),
)
RUNS = (
    run("of-the-schedule", sent=1, anomalies={"lost_dispatch": 1, "dead_claim": 1}, acted={"touch": 1}),
    run("demo-1", acted={"escalate": 1}, verdicts={"divergent": 1, "correct": 1}, not_asked={"sync_customer": "503"}),
)
HALT = run("demo-2", "halted", halted_why="more than 2 anomalies are due", anomalies={"lost_dispatch": 3})
DRAIN = run("demo-3", sent=3, acted={"touch": 3}, anomalies={"lost_dispatch": 3}, acknowledged_by="me")


def healed(**changes: Any) -> World:
    """Return how it stood at the end of the first part."""
    return _looked(world(*HEALED, runs=RUNS, **changes))


def _looked(now: World) -> World:
    """Add what the CRM knows of the two whose call it did not answer."""
    changed, killed = now.rows["changed"], now.rows["killed"]
    unheard = {changed.operation_id: {"applied": False}, killed.operation_id: {"applied": True}}
    told = {name: {"answered": False, **changes} for name, changes in unheard.items()}
    return replace(
        now,
        calls=tuple({**each, **told.get(each["operation_id"], {})} for each in now.calls),
        reads=(read(changed, at=3_500), read(killed, at=3_500), read(killed, at=3_200, status=503, fault="down")),
        **others_wrote(changed),
    )


def others_wrote(of: Row, **now: Any) -> dict[str, Any]:
    """Return what a world shows where somebody else changed a row's customer, after its call and before the look."""
    theirs = {"entity": of.entity, "version": 8, "fields": {"tier": "basic"}}
    stands: Mapping[str, Any] = {name: theirs[name] for name in ("version", "fields")} | now
    return {"elsewhere": (theirs | {"applied_at": 3_000},), "customers": {of.entity: stands}}


def good_told() -> Told:
    """Return a small story in which all that was meant to happen did: five promises, then three above a cap of two."""
    before = healed()
    before = replace(before, rows={**before.rows, **{name: row(name, "su:p") for name in WAVE}})
    halted = replace(before, runs=(*RUNS, HALT))
    now = _looked(
        world(
            *HEALED,
            *(row(name, "su:p to:p cl:w cf:C") for name in WAVE),
            runs=(*RUNS, HALT, DRAIN),
            acknowledgement={"by": "me", "drain_rate": 3},
            turned_away={"plain": ("terminal", "terminal")},
        )
    )
    return Told(
        plan=PLAN,
        ids=IDS,
        wave=WAVE,
        lost=world(*LOST),
        healed=healed(),
        capped=Capped(cap=2, before=before, after=halted, halts=1, alarm="ALARM"),
        now=now,
        exceptions=(waiting(),),
        ended_at=NOW,
    )


def waiting() -> Waiting:
    """Return what the review lists of the one that somebody else changed."""
    difference = Difference(field="city", expected='"Graz"', observed='"Cork"')
    seen = Verdict(kind=VerdictKind.DIVERGENT, at=NOW, asked="GET /customers/452", differences=(difference,))
    return Waiting(
        operation=operation(Status.MANUAL_REVIEW, operation_id="changed", verdict=seen),
        age=timedelta(minutes=2),
        waiting=timedelta(minutes=1),
        destination="the CRM",
        risk="none: no attempt may have been applied",
        recommended=None,
        advice="find out who changed it there",
    )
