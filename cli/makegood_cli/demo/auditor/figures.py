"""The figures of the report, counted by the auditor from what it read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from makegood_cli.demo.auditor import lifecycle
from makegood_cli.demo.auditor.case import is_stranded
from makegood_cli.demo.auditor.outcomes import ANSWERS, NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from makegood_cli.demo.auditor.rows import Row
    from makegood_cli.demo.auditor.world import World

_TURNED_AWAY = frozenset({"terminal", "lease_running", "awaiting", "in_review", "moved"})  #: no call followed
_KINDS = ("correct", "missing", "divergent", "ambiguous", "not_applicable")
_ASKED = frozenset({"divergent", "not_observable"})  #: reasons of a question to a person that a verdict led to
_FOLLOWED = {
    lifecycle.PROVE: "confirmed",
    lifecycle.PROVE_UNDONE: "proven_undone",
    lifecycle.REQUEUE: "sent_again",
    lifecycle.COMPENSATE: "taken_back",
}
_FOUND_LATE = (lifecycle.TOUCH, "lost_dispatch")  #: a sweep met it, stale and unclaimed


def standing(world: World, identifiers: Iterable[str]) -> dict[str, Any]:
    """Count how the operations stand, and why those in review are there."""
    rows = [world.rows[identifier] for identifier in identifiers if identifier in world.rows]
    return {
        "confirmed": sum(row.state == "C" for row in rows),
        "compensated": sum(row.state == "X" for row in rows),
        "not_applicable": sum(row.state == "N" for row in rows),
        "in_review": dict(Counter(row.why for row in rows if row.state == "m")),
        "open": sum(not row.is_terminal and row.state != "m" for row in rows),
    }


def lost_dispatches(moment: World, now: World, identifiers: Iterable[str]) -> int:
    """Count whose message was lost: it waited while no message was there, or a sweep found it stale."""
    return sum(_is_lost(identifier, moment, now) for identifier in identifiers)


def dead_claims(moment: World, now: World, identifiers: Iterable[str]) -> int:
    """Count whose worker died: its call had reached the CRM, and the claim outlived it."""
    called = {call["operation_id"] for call in now.calls}
    return sum(identifier in called and _is_dead(identifier, moment, now) for identifier in identifiers)


def unanswered(now: World, identifiers: Iterable[str]) -> dict[str, int]:
    """Count who got no answer to a call, and how many of these calls the CRM had applied all the same."""
    wanted = set(identifiers)
    lost = [call for call in now.calls if call["operation_id"] in wanted and not call["answered"]]
    applied = {call["operation_id"] for call in lost if call["applied"]}
    return {"operations": len({call["operation_id"] for call in lost}), "applied": len(applied)}


def turned_away(now: World, identifiers: Iterable[str]) -> int:
    """Count whose call the CRM did not take while it was down, and whose attempt was given back."""
    rows = (now.rows.get(identifier) for identifier in identifiers)
    return sum(row is not None and _has(row, lifecycle.RETRY_LATER, "outage") for row in rows)


def verdicts(runs: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Add up the verdicts that sweeps gave, by kind."""
    kinds: Counter[str] = Counter()
    for run in runs:
        kinds.update(run["verdicts"])
    return {kind: kinds[kind] for kind in _KINDS if kinds[kind]}


def followed(now: World, identifiers: Iterable[str]) -> dict[str, int]:
    """Count what verdicts led to, by what the rows' own histories say."""
    entries = [(row, entry) for name in identifiers if (row := now.rows.get(name)) for entry in row.entries]
    by_sweeps = [entry for row, entry in entries if entry.role == "r"]
    counts = Counter(_FOLLOWED[entry.verb] for entry in by_sweeps if entry.verb in _FOLLOWED)
    counts.update(entry.reason for entry in by_sweeps if entry.verb == lifecycle.ESCALATE and entry.reason in _ASKED)
    return dict(counts)


def looks(now: World) -> dict[str, int]:
    """Count the questions that the CRM was asked, and those that it did not answer."""
    in_vain = sum(read["status"] not in ANSWERS for read in now.reads)
    return {"asked": len(now.reads), "in_vain": in_vain}


def for_want_of_an_answer(now: World) -> int:
    """Count who is in front of a person only because a remote did not answer for a while."""
    return sum(row.state == "m" and row.why in NO_ANSWER for row in now.rows.values())


def stopped_asking(runs: Iterable[Mapping[str, Any]]) -> int:
    """Count the sweeps that stopped asking for a type."""
    return sum(bool(run["not_asked"]) for run in runs)


def delivered_again(now: World, identifiers: Iterable[str]) -> dict[str, Any]:
    """Count whose further messages came to a worker and were turned away, with its reasons."""
    reasons = {identifier: _TURNED_AWAY.intersection(now.turned_away.get(identifier, ())) for identifier in identifiers}
    counts = Counter(reason for found in reasons.values() for reason in found)
    return {"operations": sum(bool(found) for found in reasons.values()), "turned_away": dict(counts)}


def found(runs: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Add up the anomalies that sweeps found and acted on, by kind."""
    kinds: Counter[str] = Counter()
    for run in runs:
        if run["outcome"] == "completed" and not run["dry_run"]:
            kinds.update(run["anomalies"])
    return dict(kinds)


def sweeps(runs: Iterable[Mapping[str, Any]], *, ours: str) -> dict[str, int]:
    """Count the runs by who started them; the demo's own carry ids that begin in a way of their own."""
    by: Counter[str] = Counter("demo" if run["run_id"].startswith(ours) else "schedule" for run in runs)
    return {"by_schedule": by["schedule"], "by_demo": by["demo"]}


def double_effects(now: World) -> int:
    """Count the idempotency keys under which the CRM applied more than one call."""
    applied = Counter(call["key"] for call in now.calls if call["applied"])
    return sum(times > 1 for times in applied.values())


def lost(now: World, identifiers: Iterable[str]) -> int:
    """Count the promises that have neither ended nor come in front of a person."""
    rows = (now.rows.get(identifier) for identifier in identifiers)
    return sum(row is None or not (row.is_terminal or row.state == "m") for row in rows)


def _is_lost(identifier: str, moment: World, now: World) -> bool:
    then, row = moment.rows.get(identifier), now.rows.get(identifier)
    return (then is not None and is_stranded(then, moment)) or (row is not None and _has(row, *_FOUND_LATE))


def _is_dead(identifier: str, moment: World, now: World) -> bool:
    then, row = moment.rows.get(identifier), now.rows.get(identifier)
    return (then is not None and then.claimed) or (row is not None and row.count(lifecycle.RELEASE) > 0)


def _has(row: Row, verb: str, reason: str) -> bool:
    return any((entry.verb, entry.reason) == (verb, reason) for entry in row.entries)
