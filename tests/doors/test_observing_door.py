"""Does the reconciler's door ask the outside, act by what it says, and say no more of it than that?"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from makegood import UncertainError
from makegood.domain.limits import Limits
from makegood.domain.observation import Absent, Found, Look, Observed, Unknown
from makegood.domain.operation import Operation, Status
from makegood.domain.run import RunOutcome

from tests.contract.worlds import TABLE
from tests.doors import types
from tests.doors.test_reconciler_door import lines
from tests.doors.world import message

if TYPE_CHECKING:
    from makegood import Attempt
    from makegood.domain.outcome import Outcome

    from tests.doors.world import Doors

SETTLED = Limits().settle_window + Limits().skew_margin
MINUTE = timedelta(minutes=1)
SECRET = "sk_live_9f8e7d6c5b4a39281706"  # noqa: S105 - nobody's


def timing_out(attempt: Attempt) -> Outcome:
    """Answer as a call that broke off: nobody knows whether it was applied."""
    raise UncertainError(f"no answer to {attempt.idempotency_key}")


def in_doubt(doors: Doors, count: int = 1, type_name: str = "seen", **facts: Any) -> list[Operation]:
    """Leave operations whose call timed out, and let the settle window pass."""
    rows = doors.lost(count, ago=MINUTE, type_name=type_name, **facts)
    types.answer(timing_out)
    for row in rows:
        assert doors.failed(message(row)) == []
    doors.clock.advance(SETTLED)
    types.answer(types.agree)
    return rows


def only_watching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deploy with the parameter Sweeps=observe; the reconciler is built at its first event."""
    monkeypatch.setenv("MAKEGOOD_SWEEPS", "observe")


def metrics(said: list[dict[str, Any]]) -> dict[str, float]:
    """Return what the last run printed as metrics."""
    found = [line for line in said if "SweepScanned" in line][-1]
    return {name: value[0] for name, value in found.items() if isinstance(value, list)}


def test_a_call_that_timed_out_after_it_was_applied_is_confirmed_by_a_look_and_not_sent_again(doors: Doors) -> None:
    [row] = in_doubt(doors)
    answer = doors.sweep(source="schedule")
    now = doors.row(row)
    assert (answer["verdicts"], answer["acted"], answer["sent"]) == ({"correct": 1}, {"confirm_by_proof": 1}, 0)
    assert (now.status, now.remote_id) == (Status.CONFIRMED, "r-1")
    assert now.verdict is not None
    assert (now.verdict.asked, now.verdict.compared, now.verdict.policy_version) == ("by key", ("version",), 1)
    assert [look.effect_key for look in types.looks] == [row.idempotency_key]


def test_a_call_that_timed_out_before_it_was_applied_is_sent_again_under_its_key(doors: Doors) -> None:
    [row] = in_doubt(doors)
    types.show(lambda _: Absent(asked="by key"))
    answer = doors.sweep()
    assert (answer["verdicts"], answer["acted"], answer["sent"]) == ({"missing": 1}, {"requeue": 1}, 1)
    assert doors.waiting() == 1, "the message is held back for the wait"
    doors.clock.advance(MINUTE)
    assert doors.failed(message(row)) == []
    assert doors.row(row).status is Status.CONFIRMED
    assert [call.idempotency_key for call in types.calls] == [row.idempotency_key]


def test_something_else_is_there_and_a_person_gets_the_difference(quick_doors: Doors) -> None:
    [row] = in_doubt(quick_doors, expected_fields={"email": "ada@example.org"})
    types.show(lambda _: Found(version=1, fields={"email": "eve@example.org"}, remote_id="r-9"))
    assert quick_doors.sweep()["verdicts"] == {"divergent": 1}
    now = quick_doors.row(row)
    assert (now.status, quick_doors.messages()) == (Status.MANUAL_REVIEW, [])
    assert now.verdict is not None
    assert [difference.field for difference in now.verdict.differences] == ["email"]


def test_a_new_type_s_policy_is_only_said_and_its_line_tells_what_it_would_have_done(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    [row] = in_doubt(quick_doors, type_name="pilot")
    types.show(lambda _: Absent())
    capsys.readouterr()
    answer = quick_doors.sweep()
    transition, sweep, printed = lines(capsys.readouterr().out)
    assert answer["would"] == {"would_requeue": 1}
    assert quick_doors.row(row).status is Status.MANUAL_REVIEW
    assert (transition["verb"], transition["to"], transition["would"]) == ("escalate", "manual_review", "would_requeue")
    assert (sweep["verdicts"], sweep["would"], sweep["not_asked"]) == ({"missing": 1}, {"would_requeue": 1}, {})
    assert (printed["WouldHaveActed"], printed["VerdictMissing"]) == ([1], [1])


def test_a_move_that_nothing_withheld_says_nothing_of_it(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    in_doubt(quick_doors)
    capsys.readouterr()
    quick_doors.sweep()
    assert "would" not in lines(capsys.readouterr().out)[0]


def test_a_remote_that_is_down_is_named_once_and_nobody_is_put_in_front_of_a_person(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = in_doubt(quick_doors, 6)
    types.show(lambda _: Unknown(why=f"503 from https://crm.example.com/?key={SECRET}"))
    capsys.readouterr()
    answer = quick_doors.sweep()
    out = capsys.readouterr().out
    assert list(answer["not_asked"]) == ["seen"]
    assert (answer["verdicts"], answer["acted"]) == ({}, {"observe_again": 6})
    assert len(types.looks) == 3
    assert {quick_doors.row(row).status for row in rows} == {Status.AWAITING_CONFIRMATION}
    assert metrics(lines(out))["SweepRemotesDown"] == 1
    assert SECRET not in out


def test_what_a_look_saw_is_in_no_line(quick_doors: Doors, capsys: pytest.CaptureFixture[str]) -> None:
    in_doubt(quick_doors, expected_fields={"email": "ada@example.org"}, payload={"note": "for ada only"})
    seen: dict[str, Any] = {"email": "eve@example.org", "iban": "DE02120300000000202051", "token": SECRET}
    types.show(lambda _: Found(version=1, fields=seen, remote_id="r-9", asked="GET /c/452", summary=json.dumps(seen)))
    capsys.readouterr()
    quick_doors.sweep()
    out = capsys.readouterr().out
    said = lines(out)
    assert len(said) == 3
    for word in (*map(str, seen.values()), "ada@example.org", "for ada only", "r-9", "GET /c/452"):
        assert word not in out, word


def test_what_a_look_raised_is_in_no_line_and_costs_its_row_alone(
    quick_doors: Doors, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = in_doubt(quick_doors, 2)

    def raising(look: Look) -> Observed:
        if look.operation.operation_id == bad.operation_id:
            raise PermissionError(f"Authorization: Bearer {SECRET}")
        return types.agreeing(look)

    types.show(raising)
    capsys.readouterr()
    assert quick_doors.sweep()["verdicts"] == {"correct": 1}
    assert quick_doors.row(good).status is Status.CONFIRMED
    assert quick_doors.row(bad).status is Status.AWAITING_CONFIRMATION
    assert SECRET not in capsys.readouterr().out
    assert SECRET not in json.dumps(quick_doors.table.client.scan(TableName=TABLE)["Items"], default=str)


def test_a_deployment_whose_sweeps_only_watch_asks_judges_counts_and_changes_nothing(
    doors: Doors, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_doubt(doors, 2)
    doors.lost(3)
    only_watching(monkeypatch)
    before = doors.bytes()
    capsys.readouterr()
    answer = doors.sweep(source="schedule")
    said = lines(capsys.readouterr().out)
    assert (doors.bytes(), doors.messages()) == (before, [])
    assert (answer["outcome"], answer["acted"], answer["sent"]) == ("observed", {}, 0)
    assert (answer["verdicts"], answer["would"]) == ({"correct": 2}, {"would_touch": 3, "would_confirm_by_proof": 2})
    assert [line["event"] for line in said if "event" in line] == ["sweep"]
    assert (metrics(said)["SweepObserving"], metrics(said)["SweepCompleted"]) == (1, 1)
    [record] = doors.table.ledger.runs(5)
    assert (record.outcome, record.would) == (RunOutcome.OBSERVED, answer["would"])


def test_a_sweep_that_acts_says_so_and_a_halted_one_says_neither(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MAKEGOOD_HALT_CAP", "4")
    quick_doors.sweep()
    assert metrics(lines(capsys.readouterr().out))["SweepObserving"] == 0
    quick_doors.lost(5)
    quick_doors.sweep()
    printed = metrics(lines(capsys.readouterr().out))
    assert printed["SweepHalted"] == 1
    assert not {"SweepObserving", "SweepRemotesDown"} & set(printed)


@pytest.mark.parametrize("word", ["Observe", "off", "true"])
def test_another_word_for_what_sweeps_do_is_refused_at_the_start(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv("MAKEGOOD_SWEEPS", word)
    with pytest.raises(Exception, match="MAKEGOOD_SWEEPS"):
        quick_doors.sweep()


def test_an_older_version_that_arrives_late_is_ruled_out_without_a_call(doors: Doors) -> None:
    [older] = doors.lost(ago=MINUTE, type_name="seen", expected_version=6)
    [newer] = doors.lost(ago=MINUTE, type_name="seen", expected_version=7)
    assert doors.failed(message(newer)) == []
    assert doors.failed(message(older)) == []
    assert [call.operation.expected_version for call in types.calls] == [7]
    ended = doors.row(older)
    assert (ended.status, doors.row(newer).status) == (Status.NOT_APPLICABLE, Status.CONFIRMED)
    assert ended.closure is not None
    assert newer.operation_id in ended.closure.reason
