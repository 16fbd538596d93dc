"""Whatever policy is registered: does nothing that anybody sees lead from ambiguous to a send without a decision?"""

from collections import Counter
from dataclasses import fields
from datetime import timedelta
from random import Random
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule, run_state_machine_as_test
from makegood.domain.instant import between
from makegood.domain.observation import Absent, Found
from makegood.domain.operation import OPEN, OperationId, QueueName, Status
from makegood.domain.policy import Capability, Mode, Policy, Step
from makegood.domain.review import Action
from makegood.ports import Message

from tests.flows.test_any_course import LANDING, MISSING, SIGHTS, AnyCourse
from tests.support.deployment import Deployment
from tests.support.policies import Said, accepted, drawn, is_accepted
from tests.support.remote import Nowhere, calling
from tests.support.rows import LIMITS, MINUTE, SECOND
from tests.support.witness import Rows, Witness

#: a failing course is shown as it is: made of seeds, it would hardly become smaller
QUIET = settings(derandomize=True, deadline=None, database=None, print_blob=False, phases=[Phase.generate])
EVENTS, DECIDED = 8, 0.2  #: at a time, and how often a person decides
DIFFERENT = Found(version=8, fields={"plan": "free"})
MOVING = OPEN - {Status.MANUAL_REVIEW}
ALLOWED = {
    *((name, Step.REVIEW) for name in Policy.__slots__ if name.startswith("on_")),
    *(("on_correct", Step.CONFIRM), ("on_missing", Step.REQUEUE), ("on_not_applicable", Step.CLOSE)),
    *(("on_divergent", Step.COMPENSATE), ("on_cancelled", Step.COMPENSATE)),
}


MET: Counter[str] = Counter()  #: what the courses came to, so that they show something


class AnyPolicy(AnyCourse):
    """Any course of events under any policy that is accepted, before a remote that knows what may follow what."""

    witness = Witness()

    @initialize(policy=accepted)
    def begins(self, policy: Said) -> None:
        """Promise versions of two entities under this policy."""
        self.witness = Witness()
        self.said = policy
        house = Deployment(calling(self.witness, **policy))
        house.remote, house.store.rows = self.witness, Rows(self.witness.wrote)
        self.witness.now, self.witness.terms = house.clock.now, lambda: house.registry.terms["sync"]
        self.opens(house)

    @rule(seed=st.integers(0, 2**30))
    def time_goes_on(self, seed: int) -> None:
        """Sweep when the next row is due, or let a person decide; what is sent is delivered, and answered somehow."""
        draw = Random(seed)  # noqa: S311 - evenly drawn, where Hypothesis prefers what is simple
        for _ in range(EVENTS):
            sight = draw.choice(SIGHTS)
            if draw.random() < DECIDED:
                self._decided(sight, draw.randrange(4), draw.choice([*Action, Action.RETRY]))
            else:
                self._looks(sight)
            self.delivers(draw.choice([*LANDING, *MISSING]))

    @rule(sight=st.sampled_from([None, Absent(), DIFFERENT]))
    def the_world_shows_the_same_for_a_while(self, sight: Any) -> None:  # noqa: ANN401 - as in any course
        """Sweep again and again; each look shows this, and each call is lost on its way."""
        for _ in range(EVENTS):
            self._looks(sight)
            self.delivers(TimeoutError())

    def _looks(self, sight: Any) -> None:  # noqa: ANN401 - as above
        self.house.clock.advance(self._until_the_next() + LIMITS.skew_margin + SECOND)
        self.sweeps([(timedelta(), sight)])

    def _decided(self, sight: Any, which: int, action: Action) -> None:  # noqa: ANN401 - as in any course
        waiting = [name for name, row in self.house.store.rows.items() if row.status is Status.MANUAL_REVIEW]
        if waiting:
            name = waiting[which % len(waiting)]
            self.somebody_decides(name, action, "asked them by phone" if which % 2 else None, sight)
            self.house.queue.messages += [Message(operation_id=OperationId(name), queue=QueueName.DEFAULT)]

    def _until_the_next(self) -> timedelta:
        due = [row.due_at for row in self.house.store.rows.values() if row.status in MOVING and row.due_at]
        return max(between(self.house.clock.now(), min(due)), timedelta()) if due else MINUTE

    @rule(mode=st.sampled_from(Mode))
    def another_mode_is_released(self, mode: Mode) -> None:
        """Let the type go further by itself, or less far."""
        types = [calling(self.witness, **{**self.said, "mode": mode})]
        self.house.registry.__init__(types, limits=LIMITS, remotes=Nowhere())  # type: ignore[misc] # flows hold it

    def teardown(self) -> None:
        """Count what this course came to."""
        MET.update(self.witness.met)

    @invariant()
    def no_call_was_made_out_of_doubt(self) -> None:
        """Hold that whatever was sent was certain, or decided by a person."""
        assert not self.witness.broken


def test_no_accepted_policy_leads_from_ambiguous_to_a_send_without_a_decision() -> None:
    MET.clear()
    run_state_machine_as_test(AnyPolicy, settings=settings(QUIET, max_examples=300, stateful_step_count=8))
    least = {"calls": 600, "ambiguous": 50, "sent by decision": 5, "sent by requeue": 5, "undone by policy": 5}
    assert not {what: MET[what] for what in least if MET[what] < least[what]}


def test_the_policies_that_are_tried_are_drawn_from_the_whole_space_and_enough_are_accepted() -> None:
    taken: Counter[tuple[str, Any]] = Counter()
    verdicts: Counter[bool] = Counter()

    @settings(QUIET, max_examples=600)
    @given(drawn())
    def draw(said: Said) -> None:
        verdicts[is_accepted(said)] += 1
        taken.update(said.items() if is_accepted(said) else ())

    draw()
    assert verdicts[True] > 180
    assert verdicts[False] > 50
    choices = {("mode", mode) for mode in Mode} | {("capability", capability) for capability in Capability}
    least = {name: taken[name] for name in choices | ALLOWED | {("idempotent", False), ("supersedes", True)}}
    assert min(least.values()) >= 5, least
    assert {name for name, _ in taken} == {each.name for each in fields(Policy)}
