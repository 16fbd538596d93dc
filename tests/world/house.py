"""What each request of an actor does to the row: the real flows and the real store, asked once for each row."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from makegood.adapters.memory import ManualClock, MemoryLedger, MemoryLine, MemoryQueue, MemoryStore
from makegood.domain import transitions
from makegood.domain.decide import Action, decide
from makegood.domain.errors import ImpossibleTransition
from makegood.domain.history import last
from makegood.domain.judge import Judgement
from makegood.domain.moving import Hand
from makegood.domain.observation import Observed
from makegood.domain.operation import Operation, Status
from makegood.domain.policy import Terms
from makegood.domain.registry import Registry
from makegood.domain.review import Action as Wanted
from makegood.domain.review import Wish, resolved
from makegood.domain.settle import settle
from makegood.flows.act import Acts
from makegood.flows.cancel import Cancel
from makegood.flows.observe import Observations
from makegood.flows.review import Review, Taken
from makegood.flows.tally import Tally
from makegood.flows.work import Work
from makegood.ports import Applied, Claim, Claimed

from tests.support.remote import Nowhere
from tests.support.rows import OPERATOR, PRODUCER, WORKER
from tests.world.checks import wrong_with
from tests.world.kinds import LIMITS, NOW, UNIT, Kind
from tests.world.parts import Chance, Decided, Move, Plan, Shown, Tried, type_of
from tests.world.rows import ID, REVISION, TOKEN, TYPE, Rows, promised

_ACTORS = {"worker": WORKER, "operator": OPERATOR}
Bend = Callable[[Terms], Terms]
Did = Callable[[Operation], Any]


class House:
    """The flows of one world's deployment, each request remembered."""

    def __init__(self, kind: Kind, store: MemoryStore | None = None, terms: Bend | None = None) -> None:
        self.kind, self.rows = kind, Rows()
        self.store, self.lookout = store or MemoryStore(), Shown()
        self.registry = Registry([type_of(kind)], limits=LIMITS, remotes=Nowhere())
        if terms is not None:
            self.registry.terms = {TYPE: terms(self.registry.terms[TYPE])}
        self.terms = self.registry.terms[TYPE]
        shared: dict[str, Any] = {"clock": ManualClock(NOW), "entropy": Chance(), "registry": self.registry}
        stored = {**shared, "store": self.store}
        sending = {**stored, "queue": MemoryQueue()}
        self._work = Work(**sending, limits=LIMITS, line=MemoryLine())
        self._acts = Acts(**sending, due_until=None, until=NOW + 60_000)  # type: ignore[arg-type]
        self._review = Review(**sending, lookout=self.lookout)
        self._cancel = Cancel(**stored)
        self._entropy = shared["entropy"]
        self.first = self.rows.number(promised(kind))
        self._late = transitions.claim(promised(kind), self._hand("worker"), token="late")  # noqa: S106
        self._late_writes: list[Operation] = []
        self._looks: dict[tuple[int, int], Judgement | None] = {}  #: by row and by what is seen, which is one object

    def claim(self, number: int, token: str) -> tuple[Move, bool]:
        """Ask for the claim; the second value says whether the worker takes it for its own."""
        answer: list[bool] = []

        def did(_: Operation) -> None:
            claim = Claim(
                operation_id=ID, now=NOW, token=token, write_id=self._entropy.token(), terms=self.registry.terms
            )
            answer.append(isinstance(self.store.claim(claim), Claimed))
            repeated = self.store.claim(claim)
            assert isinstance(repeated, Claimed) is answer[0], "a repeated claim is answered otherwise"

        move = self._done(number, did, by="worker")
        return move, answer[0]

    def calls(self, number: int) -> bool:
        """Say whether the worker calls the remote at all."""
        return self._work._perform(self.rows.all[number].operation, NOW + 60_000)[1]  # type: ignore[arg-type]

    def settle(self, number: int, said: Any) -> Move:  # noqa: ANN401 - an outcome or an error
        """Write what became of an attempt, by the worker whose claim stands in the row."""
        standing = self.rows.all[number].operation
        seen = standing if standing.status is Status.PROCESSING else replace(self._late, claim_token=TOKEN)
        return self._done(number, lambda _: self._work._settle(seen, said, self.terms), by="worker")

    def late(self, number: int, answers: Sequence[Any]) -> Move:
        """Let a worker write whose claim has passed on, whatever it heard; the first answer with all that follows."""
        standing = self.rows.all[number].operation
        if not self._late_writes:
            hand = self._hand("worker")
            self._late_writes = [settle(self._late, said, hand, fraction=0.5) for said in answers]
        for write in self._late_writes:
            self.store.rows = {ID: standing}
            self.store.apply(self._late, write)
            if self.store.rows[ID] is not standing:
                broken = "invariant 4: a worker whose claim has passed on changes the row"
                return Move(number, landed=False, words=f"writes {write.status}", broken=broken)
        return self._done(number, lambda _: self._work._settle(self._late, answers[0], self.terms), by="worker")

    def decide(self, number: int) -> Action:
        """Say what a sweep wants to do with the row."""
        return decide(self.rows.all[number].operation, now=NOW, terms=self.terms)

    def judge(self, number: int, told: Observed | None) -> Judgement:
        """Judge a look as a sweep does."""
        return self._observations()._judged(self.rows.all[number].operation, told, NOW, Tally())

    def sweep(self, number: int, plan: Plan) -> Move:
        """Let a sweep write what it planned, having seen the row as it stands."""
        return self._done(number, self._sweeping(plan), by="reconciler")

    def allows(self, number: int, plan: Tried) -> bool:
        """Say whether the table allows what a careless sweep would try."""
        with suppress(ImpossibleTransition):
            return self._tried(self.rows.all[number].operation, plan) is not None
        return False

    def wish(self, number: int, wanted: Wanted, stated: str | None, told: Observed | None) -> Decided | None:
        """Let a person look and say what they would decide; `None` if it would be refused now."""
        row = self.rows.all[number].operation
        wish = Wish(operation_id=ID, action=wanted, reason="decided", seen_revision=row.revision, stated=stated)
        if self._review.why_not(row, wish, self._hand("operator")):
            return None
        judgement = self._look(number, told)
        with suppress(ImpossibleTransition):
            after = resolved(row, wish, judgement, self._hand("operator"))
            return Decided(wish=wish, told=told, judgement=judgement, rests_on=after.decisions[-1].verdict)
        return None

    def _look(self, number: int, told: Observed | None) -> Judgement | None:
        if (number, id(told)) not in self._looks:
            row = self.rows.all[number].operation
            self.store.rows, self.lookout.sight = {ID: row}, told
            self._looks[number, id(told)] = self._review._look(row, self.terms)[0]
        return self._looks[number, id(told)]

    def person(self, number: int, plan: Decided) -> Move:
        """Write a person's decision, who has seen the row as it stands."""
        return self._done(number, self._deciding(plan), by="operator")

    def cancel(self, number: int) -> Move:
        """Ask for the cancellation."""
        return self._done(number, lambda _: self._cancel(ID, reason="cancelled", actor=PRODUCER), by="producer")

    def overtaken(self, number: int, plan: Plan, standing: int) -> str | None:
        """Say what is wrong if a write that saw the row `number` lands on the row that stands there since."""
        seen = self.rows.all[number].operation
        found = replace(self.rows.all[standing].operation, revision=REVISION + 1, write_id="another's")
        tries = self._decisions(plan) if isinstance(plan, Decided) else (self._sweeping(plan),)
        for did in tries:
            self.store.rows, believed = {ID: found}, None
            with suppress(ImpossibleTransition):
                believed = did(seen)
            if self.store.rows[ID] is not found:
                return "invariant 4: a write that saw an older row changes the row"
            if believed is not None:
                return "invariant 4: another's write is taken for its own"
        return None

    def _sweeping(self, plan: Plan) -> Did:
        if isinstance(plan, Tried):
            return lambda seen: self._acts.land(seen, partial(self._tried, seen, plan), Tally())
        if isinstance(plan, Action):
            return lambda seen: self._acts.land(seen, partial(self._acts._after, seen, plan), Tally())
        return lambda seen: self._observations()._follow(seen, plan, Tally())  # type: ignore[arg-type]

    def _tried(self, seen: Operation, plan: Tried) -> Operation:
        hand, judged = self._acts.hand(seen), plan.judged
        match plan.verb:
            case "confirm":
                return transitions.confirm_by_proof(seen, hand, verdict=judged.verdict, evidence=judged.evidence)
            case "compensated":
                return transitions.compensated_by_proof(seen, hand, verdict=judged.verdict)
            case "requeue":
                return transitions.requeue(seen, hand, verdict=judged.verdict, wait=UNIT)
            case "compensate":
                return transitions.compensate(seen, hand, verdict=judged.verdict, shard="open#00")
            case _:
                return transitions.close(seen, hand, reason=judged.reason, words="tried", verdict=judged.verdict)

    def _decisions(self, plan: Decided) -> tuple[Did, Did]:
        """Decide having read the row before it moved, and on a page of it that was printed before."""

        def did(_: Operation) -> Taken | None:
            self.lookout.sight = plan.told
            answer = self._review.decide(plan.wish, actor=OPERATOR)
            return answer if isinstance(answer, Taken) else None

        return self._deciding(plan), did

    def _deciding(self, plan: Decided) -> Did:
        def did(seen: Operation) -> Operation | None:
            answer = self.store.apply(seen, resolved(seen, plan.wish, plan.judgement, self._hand("operator")))
            return answer.operation if isinstance(answer, Applied) else None

        return did

    def _observations(self) -> Observations:
        return Observations(
            acts=self._acts,
            lookout=self.lookout,
            ledger=MemoryLedger(),
            clock=self._acts.clock,
            registry=self.registry,
            token="sweep",  # noqa: S106
            until=self._acts.until,
        )

    def _hand(self, role: str) -> Hand:
        return Hand(now=NOW, actor=_ACTORS[role], write_id=self._entropy.token(), terms=self.terms)

    def _done(self, number: int, did: Did, *, by: str) -> Move:
        seen = self.rows.all[number].operation
        self.store.rows = {ID: seen}
        try:
            did(seen)
        except ImpossibleTransition as refused:
            return Move(number, landed=False, words=f"is refused ({refused})")
        after = self.store.rows[ID]
        if after is seen:
            return Move(number, landed=False, words="changes nothing")
        broken = wrong_with(seen, after, by) or self._not_recognised(seen, after)
        entry = last(after.history)
        return Move(
            self.rows.number(after),
            landed=True,
            words=f"writes {entry.verb} → {after.status} ({entry.reason})",
            broken=broken,
            decided=len(after.decisions) > len(seen.decisions),
        )

    def _not_recognised(self, seen: Operation, after: Operation) -> str | None:
        """Repeat the write, as an SDK does whose answer was lost."""
        self.store.rows = {ID: after}
        recognised = isinstance(self.store.apply(seen, after), Applied)
        if recognised and self.store.rows[ID] is after:
            return None
        return "invariant 4: a repeated write of its own is taken for another's"
