"""What must hold where nobody knew what had happened: told from the CRM's own logs, and by what the rows keep of it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from makegood_cli.demo.auditor import lifecycle
from makegood_cli.demo.auditor.case import Breach, Invariant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from makegood_cli.demo.auditor.case import Case
    from makegood_cli.demo.auditor.rows import Row

ANSWERS = frozenset({200, 404})  #: statuses of a read that say what is there, or that it is not
_AMBIGUOUS = frozenset({"not_observable", "unknown_too_long", "several_candidates", "no_version"})
NO_ANSWER = frozenset({"unknown_too_long", "attempts_used", "dispatches_used"})  #: reasons of a row in review
_KINDS = {"divergent": "divergent", **dict.fromkeys(_AMBIGUOUS, "ambiguous")}  #: of a verdict, by why it is in review


def looked_at_before_sent_again(case: Case) -> Iterator[Breach]:
    """Find calls that followed one without an answer, though the CRM was never asked in between, or gave no answer."""
    for row in case.rows():
        calls = case.calls(row)
        keys = {call["key"] for call in calls}
        asked = [read["received_at"] for read in case.now.reads if read["key"] in keys and _is_answer(read)]
        for earlier, later in pairwise(calls):
            since, until = earlier["received_at"], later["received_at"]
            if earlier["answered"] or row.is_decided(since, until) or any(since <= at <= until for at in asked):
                continue
            words = f"call {earlier['number']} had no answer, and nobody had looked when call {later['number']} came"
            yield Breach(operation_id=row.operation_id, words=words)


def ambiguous_is_never_sent_again(case: Case) -> Iterator[Breach]:
    """Find calls for what nobody could know, without a person's decision."""
    for row in case.rows():
        calls = case.calls(row)
        for since, why in _in_doubt(row, calls):
            later = [call for call in calls if call["received_at"] > since]
            if later and not row.is_decided(since, later[0]["received_at"]):
                words = f"{why}, and call {later[0]['number']} followed without a person's decision"
                yield Breach(operation_id=row.operation_id, words=words)


def _in_doubt(row: Row, calls: list[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Yield since when nobody could know, and why."""
    for entry in row.entries:
        if entry.verb == lifecycle.ESCALATE and entry.reason in _AMBIGUOUS:
            yield entry.at, f"it was in review as {entry.reason}"
    for call in calls:
        if call["kind"] == "charge" and not call["answered"]:
            yield call["received_at"], f"charge {call['number']} had no answer, and charges cannot be looked up"


def what_others_wrote_stays(case: Case) -> Iterator[Breach]:
    """Find customers whom somebody else changed last, and who are no longer as they left them."""
    latest = {effect["entity"]: effect for effect in case.now.elsewhere}
    for row in case.rows():
        theirs = latest.get(row.entity)
        if theirs is None or row.is_decided(theirs["applied_at"], row.entries[-1].at):
            continue
        ours = [call for call in case.calls(row) if call["applied"] and call["received_at"] > theirs["applied_at"]]
        for call in ours[:1]:
            words = f"somebody else had changed {row.entity}, and call {call['number']} was applied over it"
            yield Breach(operation_id=row.operation_id, words=words)
        stands = case.now.customers.get(row.entity)
        if stands is None or (stands["version"], stands["fields"]) != (theirs["version"], theirs["fields"]):
            words = f"somebody else left {row.entity} at version {theirs['version']}; it is otherwise now"
            yield Breach(operation_id=row.operation_id, words=words)


def compensated_is_true(case: Case) -> Iterator[Breach]:
    """Find compensated operations whose effect the CRM still shows."""
    for row in case.rows():
        if row.state == "X" and (words := "; ".join(_not_undone(row, case))):
            yield Breach(operation_id=row.operation_id, words=f"it is compensated, but {words}")


def _not_undone(row: Row, case: Case) -> Iterator[str]:
    made = {call["key"] for call in case.calls(row) if call["kind"] == "change" and call["applied"]}
    if any(not effect["withdrawn"] for key in made for effect in case.now.effects.get(key, ())):
        yield "the CRM has its effect, and not withdrawn"
    stands = case.now.customers.get(row.entity)
    if (
        stands is not None
        and stands["version"] == row.version
        and {**stands["fields"], **row.fields} == stands["fields"]
    ):
        yield f"the CRM still shows {row.entity} at version {row.version}, as promised"
    if row.evidence is None and row.verdict is None:
        yield "it keeps no proof of it"


def an_outage_is_nobodys_question(case: Case) -> Iterator[Breach]:
    """Find rows in front of a person because a remote did not answer for a while."""
    for row in case.rows():
        if row.state == "m" and row.why in NO_ANSWER:
            yield Breach(operation_id=row.operation_id, words=f"it is in review as {row.why}")


def proof_says_what_it_rests_on(case: Case) -> Iterator[Breach]:
    """Find ends and questions whose stored evidence or verdict does not say what was asked, answered and compared."""
    for row in case.rows():
        if words := "; ".join(_untold(row)):
            yield Breach(operation_id=row.operation_id, words=words)


def _untold(row: Row) -> Iterator[str]:
    last = row.last.verb if row.last else ""
    if last == lifecycle.PROVE:
        yield from _unsaid(row, "correct")
    elif last == lifecycle.PROVE_UNDONE:
        yield from _unsaid(row, "missing")
    elif row.state == "m" and row.why in _KINDS:
        yield from _unsaid(row, _KINDS[row.why])
    if row.state == "C" or last == "cd":
        evidence = row.evidence or {}
        shown = () if _is_stated(row) else ("remote_id", *(("version", "fields") if row.state == "C" else ()))
        wanted = ("at", "summary", *shown)
        if lacking := [name for name in wanted if evidence.get(name) is None]:
            yield f"its evidence lacks {', '.join(lacking)}"
        if (
            row.state == "C"
            and not _is_stated(row)
            and not row.fields.keys() <= dict(evidence.get("fields") or {}).keys()
        ):
            yield "its evidence does not hold every promised field"


def _unsaid(row: Row, kind: str) -> Iterator[str]:
    verdict = row.verdict or {}
    if verdict.get("kind") != kind:
        yield f"its verdict is {verdict.get('kind', 'not kept')}, not {kind}"
    wanted = ("asked", "answered", "at", "policy_version")
    compared = {"correct": ("compared",), "divergent": ("compared", "differences")}
    more = () if _is_stated(row) else compared.get(kind, ())
    if lacking := [name for name in (*wanted, *more) if not verdict.get(name)]:
        yield f"its verdict lacks {', '.join(lacking)}"


def _is_stated(row: Row) -> bool:
    """Say whether a person said what they saw where no program could tell: their words are the proof then."""
    return row.last is not None and row.last.role == "o" and (row.verdict or {}).get("asked") == "a person"


def _is_answer(read: Mapping[str, Any]) -> bool:
    return read["status"] in ANSWERS and (not read["fault"] or read.get("told", False))


INVARIANTS = (
    Invariant(
        "looked at before sent again",
        "8",
        "after a call without an answer the CRM was asked, and had answered, before the next call came",
        looked_at_before_sent_again,
    ),
    Invariant(
        "ambiguous is never sent again",
        "14.3",
        "what nobody can know is a person's to decide; no call follows without their recorded decision",
        ambiguous_is_never_sent_again,
    ),
    Invariant(
        "what others wrote stays",
        "8",
        "a customer whom somebody else changed meanwhile is as they left it",
        what_others_wrote_stays,
    ),
    Invariant(
        "compensated is true",
        "14.10",
        "compensated is only what the CRM shows no more",
        compensated_is_true,
    ),
    Invariant(
        "an outage is nobody's question",
        "8",
        "nobody is in front of a person only because a remote did not answer for a while",
        an_outage_is_nobodys_question,
    ),
    Invariant(
        "proof says what it rests on",
        "8",
        "what is kept of an outcome says what was asked, answered and compared, when, and by which policy",
        proof_says_what_it_rests_on,
    ),
)
