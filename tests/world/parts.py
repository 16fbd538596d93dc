"""What a small world's deployment is made of, beside the real flows: chance, looks, an operation type, plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from makegood.adapters.memory import SeededEntropy
from makegood.domain.decide import Action
from makegood.domain.judge import Judged, Judgement
from makegood.domain.observation import Look, Observed
from makegood.domain.operation_type import Attempt, OperationType
from makegood.domain.outcome import Accepted, Outcome
from makegood.domain.review import Wish
from makegood.ports import Question

from tests.world.kinds import Kind
from tests.world.rows import TYPE


class Move(NamedTuple):
    """What became of one request."""

    row: int
    landed: bool
    words: str
    broken: str | None = None
    decided: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A move that a careless sweep tries because the table has it."""

    verb: str
    judged: Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What a person is about to decide, having looked."""

    wish: Wish
    told: Observed | None
    judgement: Judgement | None
    rests_on: str | None  #: the verdict's kind


Plan = Action | Judgement | Tried | Decided


class Chance(SeededEntropy):
    """Tokens that never repeat, and waits of one unit."""

    def fraction(self) -> float:
        """Return one half."""
        return 0.5


class Shown:
    """A look that sees what it is told to see."""

    def __init__(self) -> None:
        self.sight: Observed | None = None

    def ask(self, questions: Sequence[Question]) -> Sequence[Observed]:
        """Answer each question."""
        assert self.sight is not None
        return [self.sight for _ in questions]


def type_of(kind: Kind) -> type[OperationType]:
    """Return the only operation type. What its remote does is the world's; here it matters only that it is called."""

    class Small(OperationType):
        name = TYPE
        policy = kind.policy
        destination = "the small world's remote"

        def perform(self, attempt: Attempt) -> Outcome:  # noqa: ARG002
            return Accepted()

    class Seen(Small):
        def observe(self, look: Look) -> Observed:
            raise NotImplementedError

        def compensate(self, attempt: Attempt) -> Outcome:  # noqa: ARG002
            return Accepted()

    return Seen if kind.observable else Small
