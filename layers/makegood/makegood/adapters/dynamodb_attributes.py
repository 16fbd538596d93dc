"""The kinds of attributes that rows are made of, for PynamoDB. Each stores exactly or refuses; none guesses."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

from pynamodb.attributes import Attribute
from pynamodb.constants import BOOLEAN, LIST, NUMBER, NUMBER_SET, STRING

from makegood.adapters import dynamodb_texts as texts
from makegood.domain import document
from makegood.domain.document import Document
from makegood.domain.evidence import Closure, Decision, Evidence, Verdict
from makegood.domain.instant import EARLIEST, LATEST, Instant

C = TypeVar("C", bound=StrEnum)

AttributeValue: TypeAlias = Mapping[str, Any]  #: as DynamoDB's API writes it: {"N": "1"}
Item: TypeAlias = Mapping[str, AttributeValue]


class Text(Attribute[str]):
    """Text as it is."""

    attr_type = STRING


class WholeNumber(Attribute[int]):
    """A whole number of any size that DynamoDB holds (38 digits)."""

    attr_type = NUMBER

    def serialize(self, value: int) -> str:
        """Write digits."""
        return str(int(value))

    def deserialize(self, value: str) -> int:
        """Read digits; a fraction is an error, not something to be cut."""
        return int(value)


class WholeNumbers(Attribute[frozenset[int]]):
    """A set of whole numbers; DynamoDB knows no empty one."""

    attr_type = NUMBER_SET

    def deserialize(self, value: Sequence[str]) -> frozenset[int]:
        """Read digits."""
        return frozenset(map(int, value))


class Moment(Attribute[Instant]):
    """An instant: epoch milliseconds, never ISO text, seconds or microseconds."""

    attr_type = NUMBER

    def serialize(self, value: Instant) -> str:
        """Write digits."""
        return str(int(value))

    def deserialize(self, value: str) -> Instant:
        """Read digits; what is no time between the years 1973 and 9999 is an error."""
        if not (value.isdigit() and EARLIEST <= int(value) <= LATEST):
            raise ValueError(f"{self.attr_name} is no time in milliseconds")
        return Instant(int(value))


class OnlyIfTrue(Attribute[bool]):
    """A mark that is stored where it is set and absent where it is not."""

    attr_type = BOOLEAN

    def serialize(self, value: bool) -> bool | None:  # noqa: FBT001 - PynamoDB's signature
        """Write `True`; write nothing for `False`."""
        return True if value else None


class OnlyIfSome(WholeNumber):
    """A count that is absent while it is 0."""

    def serialize(self, value: int) -> str | None:  # type: ignore[override]
        """Write digits; write nothing for 0."""
        return str(int(value)) if value else None


class Choice(Attribute[C], Generic[C]):
    """One of the values of an enumeration; any other text is an error."""

    attr_type = STRING

    def __init__(self, of: type[C], *, null: bool = False) -> None:
        super().__init__(null=null)
        self._of = of

    def serialize(self, value: C) -> str:
        """Write the value."""
        return value.value

    def deserialize(self, value: str) -> C:
        """Read a value."""
        return self._of(value)


class JsonText(Attribute[Document]):
    """A JSON object as compact text, so that every number survives as it was written."""

    attr_type = STRING

    def serialize(self, value: Document) -> str:
        """Write compact JSON."""
        return document.render(value)

    def deserialize(self, value: str) -> Document:
        """Read JSON, keeping numbers exact."""
        return document.parse(value, what=self.attr_name)


class EvidenceText(Attribute[Evidence]):
    """Evidence as JSON text."""

    attr_type = STRING

    def serialize(self, value: Evidence) -> str:
        """Write compact JSON."""
        return texts.of_evidence(value)

    def deserialize(self, value: str) -> Evidence:
        """Read JSON."""
        return texts.evidence(value)


class VerdictText(Attribute[Verdict]):
    """A verdict as JSON text."""

    attr_type = STRING

    def serialize(self, value: Verdict) -> str:
        """Write compact JSON."""
        return texts.of_verdict(value)

    def deserialize(self, value: str) -> Verdict:
        """Read JSON."""
        return texts.verdict(value)


class ClosureText(Attribute[Closure]):
    """A closure as JSON text."""

    attr_type = STRING

    def serialize(self, value: Closure) -> str:
        """Write compact JSON."""
        return texts.of_closure(value)

    def deserialize(self, value: str) -> Closure:
        """Read JSON."""
        return texts.closure(value)


class DecisionsText(Attribute[tuple[Decision, ...]]):
    """A person's decisions as JSON text; absent while there is none."""

    attr_type = STRING

    def serialize(self, value: Sequence[Decision]) -> str | None:
        """Write compact JSON; write nothing for none."""
        return texts.of_decisions(value) if value else None

    def deserialize(self, value: str) -> tuple[Decision, ...]:
        """Read JSON."""
        return texts.decisions(value)


class Lines(Attribute[tuple[str, ...]]):
    """A list of texts."""

    attr_type = LIST

    def serialize(self, value: Sequence[str]) -> list[AttributeValue]:
        """Write a list of strings."""
        return [{STRING: line} for line in value]

    def deserialize(self, value: Sequence[AttributeValue]) -> tuple[str, ...]:
        """Read a list of strings."""
        return tuple(line[STRING] for line in value)
