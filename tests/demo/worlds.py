"""Worlds for the auditor: a walk through the life cycle is written as `su:p cl:w cf:C`, the rest follows from it."""

from dataclasses import replace
from typing import Any

from makegood_cli.demo.auditor import lifecycle
from makegood_cli.demo.auditor.case import Capped, Case
from makegood_cli.demo.auditor.lifecycle import Entry
from makegood_cli.demo.auditor.rows import Row
from makegood_cli.demo.auditor.world import World
from makegood_cli.demo.plan import Cause, Plan
from makegood_cli.demo.story import Told

_NAMES = {letter: name for name, letter in lifecycle.STATUSES.items()}
_OWNERS = {"su": "p", "cl": "w", "cf": "w", "aw": "w", "to": "r", "rl": "r", "es": "r", "rt": "o"}
_REASONS = {"es": "not_observed_yet", "to": "lost_dispatch", "aw": "uncertain"}
FIELDS = {"tier": "gold"}


def row(identifier: str, walk: str, **changes: Any) -> Row:
    """Return the row that this walk leaves behind."""
    moves = [move.split(":") for move in walk.split()]
    entries = tuple(
        Entry(verb=verb, target=target, role=_OWNERS[verb], reason=_REASONS.get(verb, "agreed"))
        for verb, target in moves
    )
    state = entries[-1].target
    usual = Row(
        operation_id=identifier,
        status=_NAMES[state],
        queue="default",
        entity=f"customer/{identifier}",
        version=7,
        fields=FIELDS,
        key=f"key-{identifier}",
        revision=len(entries),
        attempt=sum(entry.verb == lifecycle.CLAIM for entry in entries),
        claimed=state == "w",
        due=None if state in lifecycle.TERMINAL else ("review" if state == "m" else "open#00", 1_000),
        half_due=False,
        evidence={"version": 7} if state == "C" else None,
        entries=entries,
        text=f"{identifier} after {walk}",
    )
    return replace(usual, **changes)


def call(of: Row, *, applied: bool = True) -> dict[str, Any]:
    """Return a call that the CRM logged for a row."""
    return {"key": of.key, "operation_id": of.operation_id, "entity": of.entity, "applied": applied}


def effect(of: Row) -> dict[str, Any]:
    """Return what the CRM shows if it applied what the row promises."""
    return {"entity": of.entity, "version": of.version, "fields": dict(of.fields)}


def run(run_id: str, outcome: str = "completed", **counts: Any) -> dict[str, Any]:
    """Return a sweep's record."""
    usual: dict[str, Any] = {
        "run_id": run_id,
        "outcome": outcome,
        "dry_run": False,
        "sent": 0,
        "anomalies": {},
        "acted": {},
    }
    return usual | {"acknowledged_by": None, "halted_why": None} | counts


def world(*rows: Row, **changes: Any) -> World:
    """Return a world in which the index, the CRM and the queues fit these rows."""
    called = [each for each in rows if each.attempt]
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
    plain, waits = row("plain", "su:p cl:w cf:C"), row("waits", "su:p cl:w aw:a es:m")
    rescued = row("rescued", "su:p to:p cl:w cf:C")
    before = world(plain, row("rescued", "su:p"), row("waits", "su:p cl:w aw:a"))
    runs = (run("demo-1", sent=1, anomalies={"lost_dispatch": 1}, acted={"touch": 1}), run("demo-2", "halted"))
    halted = replace(before, runs=runs[1:])
    now = world(plain, rescued, waits, runs=runs)
    capped = Capped(cap=2, before=before, after=halted, halts=1, alarm="ALARM")
    return Case(promised=("plain", "rescued", "waits"), moments=(before,), now=now, capped=capped)


PLAN = Plan(
    order=(0, 1, 2, 3),
    causes={1: Cause.SEND_LOST, 2: Cause.ANSWER_LOST, 3: Cause.WORKER_KILLED},
    twice=frozenset({0}),
    again=frozenset({0}),
)
IDS, WAVE = ("plain", "rescued", "waits", "killed"), ("wave-1", "wave-2", "wave-3")
LOST = (
    row("plain", "su:p cl:w cf:C"),
    row("rescued", "su:p"),
    row("waits", "su:p cl:w aw:a"),
    row("killed", "su:p cl:w"),
)
HEALED = (
    row("plain", "su:p cl:w cf:C"),
    row("rescued", "su:p to:p cl:w cf:C"),
    row("waits", "su:p cl:w aw:a es:m"),
    row("killed", "su:p cl:w rl:a es:m"),
)
RUNS = (
    run("of-the-schedule", sent=1, anomalies={"lost_dispatch": 1, "dead_claim": 1}, acted={"touch": 1}),
    run("demo-1", acted={"escalate": 1}),
)
HALT = run("demo-2", "halted", halted_why="more than 2 anomalies are due", anomalies={"lost_dispatch": 3})
DRAIN = run("demo-3", sent=3, acted={"touch": 3}, anomalies={"lost_dispatch": 3}, acknowledged_by="me")


def good_told() -> Told:
    """Return a small story in which all that was meant to happen did: four promises, then three above a cap of two."""
    before = world(*HEALED, *(row(name, "su:p") for name in WAVE), runs=RUNS)
    halted = replace(before, runs=(*RUNS, HALT))
    now = world(
        *HEALED,
        *(row(name, "su:p to:p cl:w cf:C") for name in WAVE),
        runs=(*RUNS, HALT, DRAIN),
        acknowledgement={"by": "me", "drain_rate": 3},
        turned_away={"plain": ("terminal", "terminal")},
    )
    return Told(
        plan=PLAN,
        ids=IDS,
        wave=WAVE,
        lost=world(*LOST),
        healed=world(*HEALED, runs=RUNS),
        capped=Capped(cap=2, before=before, after=halted, halts=1, alarm="ALARM"),
        now=now,
    )
