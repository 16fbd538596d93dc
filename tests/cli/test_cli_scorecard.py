"""Does the scorecard count what people decided against what was recommended, and say what that means and cost?"""

from typing import Any

import pytest
from makegood.domain.choices import Mode, Step
from makegood.domain.evidence import VerdictKind
from makegood.domain.follow import follow
from makegood.domain.judge import Judged
from makegood.domain.operation import Operation, Status
from makegood.domain.policy import Capability
from makegood.domain.reason import Reason
from makegood_cli.modes import NEXT, withholds
from makegood_cli.scorecard import FOLLOWING, Score, meaning

from tests.cli.bench import Bench
from tests.support.rows import RECONCILER, decision, evidence, hand, operation, verdict


def decided(
    number: int,
    action: str,
    recommended: str | None,
    operation_type: str = "charge",
    *,
    policy_version: int | None = 1,
) -> Operation:
    """Return an operation that a person decided upon."""
    taken = decision(action=action, recommended=recommended, outcome="confirmed", policy_version=policy_version)
    facts = {"operation_id": f"op-{number}", "operation_type": operation_type, "decisions": (taken,)}
    return operation(Status.CONFIRMED, **facts)


def test_agreed_otherwise_and_none_recommended_are_counted_by_step(bench: Bench) -> None:
    bench.hold(
        decided(1, "confirm", "confirm"),
        decided(2, "retry", "requeue"),
        decided(3, "close", "requeue"),
        decided(4, "close", None),
        decided(5, "confirm", "confirm", "seen", policy_version=3),
        operation(operation_id="op-undecided"),
    )
    card = bench.json("scorecard")
    charge = card["types"]["charge"]
    assert charge["recommended"] == {
        "confirm": {"agreed": 1, "otherwise": 0, "otherwise_ids": []},
        "requeue": {"agreed": 1, "otherwise": 1, "otherwise_ids": ["op-3"]},
    }
    assert (charge["mode"], charge["none_recommended"]) == ("observe", {"close": 1})
    assert card["types"]["seen"]["recommended"]["confirm"]["agreed"] == 1
    assert list(bench.json("scorecard", "--type", "seen")["types"]) == ["seen"]


def test_it_says_where_the_numbers_come_from_and_what_they_cost(bench: Bench) -> None:
    bench.hold(decided(1, "confirm", "confirm"))
    text = " ".join(bench.run("scorecard").stdout.split())
    assert "source the decisions kept in the rows of table: 1 operation that people decided upon" in text
    assert "2 pages; it cost 129.0 read units" in text
    source = bench.json("scorecard")["source"]
    assert (source["table"], source["pages"], source["read_units"]) == ("table", 2, 129.0)


def test_a_type_nobody_decided_upon_has_nothing_to_go_by(bench: Bench) -> None:
    text = " ".join(bench.run("scorecard", "--type", "charge").stdout.split())
    assert "not yet confirm: people decided upon 0 recommendations to confirm, too few to say anything" in text


def test_agreement_speaks_for_the_next_mode_and_says_how_surely(bench: Bench) -> None:
    bench.hold(*(decided(number, "confirm", "confirm") for number in range(30)))
    text = " ".join(bench.run("scorecard", "--type", "charge").stdout.split())
    assert "confirm is supported: it would have done what people decided, 30 times of 30" in text
    assert "Fewer than 10 in 100 are to be expected otherwise (95 % confidence)" in text


def test_one_decision_otherwise_is_named(bench: Bench) -> None:
    bench.hold(*(decided(number, "confirm", "confirm") for number in range(9)), decided(9, "compensate", "confirm"))
    text = " ".join(bench.run("scorecard", "--type", "charge").stdout.split())
    assert "not yet confirm: 1 of 10 recommendations to confirm were decided otherwise" in text
    assert "look why, such as at op-9" in text


def test_decisions_under_another_version_of_the_policy_are_said_and_not_counted(bench: Bench) -> None:
    bench.hold(
        *(decided(number, "confirm", "confirm", policy_version=7) for number in range(9)),
        decided(9, "close", "confirm", policy_version=None),
        *(decided(number, "confirm", "confirm") for number in range(10, 13)),
        decided(20, "close", "requeue", "gone", policy_version=7),
    )
    card = bench.json("scorecard")["types"]
    assert card["charge"]["recommended"]["confirm"] == {"agreed": 3, "otherwise": 0, "otherwise_ids": []}
    assert (card["charge"]["of_other_versions"], card["gone"]["of_other_versions"]) == (10, 0)
    text = " ".join(bench.run("scorecard", "--type", "charge").stdout.split())
    assert "not counted 10 decisions under other versions of its policy" in text
    assert "3 times of 3" in text


def test_the_furthest_mode_has_no_next() -> None:
    assert "it does all that its policy allows already" in meaning(Score(), Mode.CORRECT)
    assert "does not know the type" in meaning(Score(), None)


def test_the_steps_of_a_mode_are_those_that_it_takes_by_itself() -> None:
    for mode, (following, steps) in NEXT.items():
        for step, kind in ((Step.CONFIRM, VerdictKind.CORRECT), (Step.REQUEUE, VerdictKind.MISSING)):
            withheld, taken = (_would(each, kind) for each in (mode, following))
            assert (withheld is not None and taken is None) is (step in steps)


@pytest.mark.parametrize("mode", Mode)
def test_what_a_mode_withholds_is_said_as_it_is(mode: Mode) -> None:
    for step, kind in ((Step.CONFIRM, VerdictKind.CORRECT), (Step.REQUEUE, VerdictKind.MISSING)):
        assert withholds(mode, step) is (_would(mode, kind) is not None)
    assert not withholds(mode, Step.CLOSE)


def _would(mode: Mode, kind: VerdictKind) -> object:
    policy: dict[str, Any] = {"mode": mode, "idempotent": True, "capability": Capability.BY_KEY}
    judged = Judged(verdict=verdict(kind), reason=Reason.PROVEN, evidence=evidence())
    row = operation(Status.AWAITING_CONFIRMATION)
    return follow(row, judged, hand(RECONCILER.role, on_missing=Step.REQUEUE, **policy), fraction=0.0).would


@pytest.mark.parametrize("step", [step.value for step in Step if step is not Step.REVIEW])
def test_every_step_that_can_be_recommended_has_the_action_that_follows_it(step: str) -> None:
    assert step in FOLLOWING


@pytest.mark.parametrize("columns", [60, 80])
def test_a_scorecard_fits(bench: Bench, columns: int) -> None:
    bench.hold(*(decided(number, "close", "requeue") for number in range(9)))
    assert max(len(line) for line in bench.run("scorecard", columns=columns).stdout.splitlines()) <= columns
