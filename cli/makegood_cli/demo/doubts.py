"""The report's part on what nobody knew: how the doubts arose, what was found out, and what that led to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from makegood_cli.demo.auditor import figures
from makegood_cli.demo.auditor.lifecycle import PROVE
from makegood_cli.demo.plan import EXCEPTIONS, UNANSWERED, Cause

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from makegood_cli.demo.auditor.rows import Row
    from makegood_cli.demo.story import Told

QUESTIONS = {Cause.CHANGED: "divergent", Cause.CHARGE_LOST: "not_observable"}  #: why these are a person's in the end
ENDS = {
    **dict.fromkeys((Cause.WORKER_KILLED, Cause.ANSWER_LOST, Cause.OUTAGE, Cause.TURNED_AWAY), "confirmed"),
    Cause.CANCELLED: "compensated",
}


def doubting(told: Told) -> dict[str, Any]:
    """Tell what nobody knew, as it stood when the first part was healed."""
    runs = told.capped.before.runs
    return {
        "unanswered": {cause.value: figures.unanswered(told.healed, ids_of(told, cause)) for cause in UNANSWERED},
        "turned_away": figures.turned_away(told.healed, ids_of(told, Cause.TURNED_AWAY)),
        "looks": figures.looks(told.healed),
        "stopped_asking": figures.stopped_asking(runs),
        "verdicts": figures.verdicts(runs),
        "led_to": figures.followed(told.healed, told.ids),
        "in_review_for_want_of_an_answer": figures.for_want_of_an_answer(told.healed),
    }


def meant(told: Told, part: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    """Say what was meant to happen, and whether it did."""
    for cause in UNANSWERED:
        wanted, seen = len(told.plan.of(cause)), part["unanswered"][cause]["operations"]
        yield seen == wanted, f"{cause}: {wanted} calls were to get no answer, {seen} got none"
    wanted, seen = len(told.plan.of(Cause.TURNED_AWAY)), part["turned_away"]
    yield seen == wanted, f"{wanted} calls were to be turned away by the closed CRM, {seen} were"
    yield part["stopped_asking"] > 0, "no sweep stopped asking while the CRM was closed"
    given, led = sum(part["verdicts"].values()), sum(part["led_to"].values())
    yield given == led, f"{given} verdicts were given, and {led} led to something"
    for cause, status in ENDS.items():
        others = [row.operation_id for row in _rows(told, cause) if row.status != status]
        yield not others, f"{cause}: {', '.join(others)} should be {status}"
    for cause, reason in QUESTIONS.items():
        others = [row.operation_id for row in _rows(told, cause) if (row.state, row.why) != ("m", reason)]
        yield not others, f"{cause}: {', '.join(others)} should be in review as {reason}"
    others = [row.operation_id for row in told.case.rows() if row.count(PROVE) and not _is_last_applied(told, row)]
    yield not others, f"confirmed by a look, and called again all the same: {', '.join(others)}"
    others = [row.operation_id for row in told.case.rows() if row.state == "m" and row.why not in QUESTIONS.values()]
    yield not others, f"in review, though no person has to decide: {', '.join(others)}"
    listed, waiting = len(told.exceptions), sum(row.state == "m" for row in told.case.rows())
    yield listed == min(waiting, EXCEPTIONS), f"{waiting} wait for a person, and the command lists {listed}"


def ids_of(told: Told, cause: Cause) -> list[str]:
    """Name the operations that a cause hits."""
    return [told.ids[line] for line in told.plan.of(cause)]


def _is_last_applied(told: Told, row: Row) -> bool:
    """Say whether the CRM applied the last call for a row, and no other."""
    applied = [call["applied"] for call in told.case.calls(row)]
    return sum(applied) == 1 and bool(applied[-1])


def _rows(told: Told, cause: Cause) -> list[Row]:
    return [told.now.rows[name] for name in ids_of(told, cause) if name in told.now.rows]
