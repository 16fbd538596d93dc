"""Does the built reconciler, in a container under its own role, sweep as each event of `events/` says?"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.sam.invoking import SamLocal
    from tests.sam.world import World

pytestmark = pytest.mark.timeout(1800)  # the first test pays for the build, the engine and the stack
TEN_MINUTES, AN_HOUR = timedelta(minutes=10), timedelta(hours=1)


def test_a_scheduled_run_touches_and_sends_what_was_lost_leaves_what_is_fresh_and_gives_its_heartbeat(
    sam_local: SamLocal, stack: World
) -> None:
    stack.promise("lost-1", ago=AN_HOUR)
    stack.promise("lost-2", ago=TEN_MINUTES)
    stack.promise("fresh", ago=-AN_HOUR)  # from a clock that is ahead: fresh however long the container takes
    fresh = stack.row("fresh")
    said = sam_local.invoke("ReconcilerFunction", "schedule")
    answer = said.answer
    assert (answer["outcome"], answer["scanned"], answer["sent"], answer["dry_run"]) == ("completed", 2, 2, False)
    assert sorted(line["operation_id"] for line in said.of_event("transition")) == ["lost-1", "lost-2"]
    assert [line["run_id"] for line in said.of_event("sweep")] == [answer["run_id"]]
    assert {stack.row(name).dispatches for name in ("lost-1", "lost-2")} == {1}
    assert stack.row("fresh") == fresh
    assert stack.messages() == ["lost-1", "lost-2"]
    assert [run.run_id for run in stack.stack.rooms.ledger.runs(5)] == [answer["run_id"]]
    (metrics,) = [line for line in said.lines if "_aws" in line]
    assert (metrics["SweepCompleted"], metrics["SweepActed"], metrics["stack"]) == ([1.0], [2.0], "makegood-local")


def test_overrides_choose_what_is_looked_at(sam_local: SamLocal, stack: World) -> None:
    stack.promise("old", ago=AN_HOUR)
    stack.promise("younger-than-asked-for", ago=TEN_MINUTES)
    spared = stack.row("younger-than-asked-for")
    said = sam_local.invoke("ReconcilerFunction", "schedule_overrides")
    assert (said.answer["outcome"], said.answer["sent"]) == ("completed", 1), said.text
    assert stack.row("younger-than-asked-for") == spared
    assert stack.messages() == ["old"]


def test_a_dry_run_plans_and_changes_no_byte(sam_local: SamLocal, stack: World) -> None:
    stack.promise("lost", ago=AN_HOUR)
    before = stack.rows()
    said = sam_local.invoke("ReconcilerFunction", "schedule_dry_run")
    (plan,) = said.answer["plan"]
    assert (plan["operation_id"], plan["reason"], said.answer["dry_run"]) == ("lost", "lost_dispatch", True)
    assert stack.rows() == before
    assert stack.messages() == []


def test_above_the_cap_nothing_is_touched_or_sent(sam_local: SamLocal, stack: World) -> None:
    for number in range(3):
        stack.promise(f"lost-{number}", ago=AN_HOUR)
    before = stack.rows()
    said = sam_local.invoke("ReconcilerFunction", "schedule", MAKEGOOD_HALT_CAP="2")
    assert said.answer["outcome"] == "halted", said.text
    assert said.answer["halted_why"].startswith("more than 2 anomalies are due")
    assert stack.rows() == before
    assert stack.messages() == []
