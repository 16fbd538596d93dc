"""What is known of an effect and who said so: evidence, verdicts, closures, decisions. All capped.

What comes from outside is scrubbed, values that differ included; a person's words stay as they said them.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from makegood.domain.document import Document
from makegood.domain.instant import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Stored proof about the effect."""

    at: Instant
    remote_id: str | None = None
    version: int | None = None
    fields: Document = field(default_factory=dict)  #: what was compared, as the remote said it
    summary: str | None = None  #: the answer in short, scrubbed and capped
    reference: str | None = None  #: where more can be found


class VerdictKind(StrEnum):
    """What the outside system really has, against what was intended."""

    MISSING = "missing"
    CORRECT = "correct"
    DIVERGENT = "divergent"
    AMBIGUOUS = "ambiguous"
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that was expected and is otherwise."""

    field: str
    expected: str
    observed: str | None  #: `None` if the answer does not hold it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judgement of the outcome with what it rests on."""

    kind: VerdictKind
    at: Instant
    asked: str  #: what was asked, such as "perform's own answer"
    answered: str | None = None  #: what came back, summarised
    compared: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    policy_version: int = 1
    recommendation: str | None = None  #: the step that the policy wanted, where a person has to take it


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """Why an operation ended, and by whose hand."""

    reason: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person decided: who, what they saw, what they chose and why."""

    at: Instant
    by: str
    seen_revision: int
    action: str
    reason: str
    stated: str | None = None  #: what the person checked outside
    verdict: str | None = None  #: the kind of the fresh verdict that the decision rests on
    recommended: str | None = None  #: the step that was recommended to them
    policy_version: int | None = None  #: of the policy it was decided under; `None` if an older release wrote it
    outcome: str | None = None  #: once known
    more: Document = field(default_factory=dict)  #: what another release wrote of it; it is kept
