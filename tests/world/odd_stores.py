"""Stores that do not keep what a store promises."""

from makegood.adapters.memory import MemoryStore
from makegood.domain.operation import Operation
from makegood.ports import Applied, Claim, Claimed, Moved, NotClaimed


class TakesAnyClaim(MemoryStore):
    """A store that tells its own claim by the status alone."""

    def claim(self, claim: Claim) -> Claimed | NotClaimed:
        """Take what is claimed for claimed by us."""
        answer = super().claim(claim)
        taken = isinstance(answer, NotClaimed) and isinstance(answer.found, Operation) and answer.found.is_claimed
        return Claimed(answer.found) if taken else answer  # type: ignore[union-attr, arg-type]


class TakesAnyWrite(MemoryStore):
    """A store that tells its own write by status and revision."""

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Take what looks like ours for ours."""
        answer = super().apply(before, after)
        found = answer.found if isinstance(answer, Moved) else None
        looks_alike = isinstance(found, Operation) and (found.status, found.revision) == (after.status, after.revision)
        return Applied(after) if looks_alike else answer


class KnowsNoWrite(MemoryStore):
    """A store that does not know its own write again."""

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Refuse whatever finds another row than it saw."""
        found = self.rows[before.operation_id]
        return super().apply(before, after) if found.revision == before.revision else Moved(found)


class AsksNoToken(MemoryStore):
    """A store whose write names the status alone."""

    def apply(self, before: Operation, after: Operation) -> Applied | Moved:
        """Write over whatever has the status that was seen."""
        found = self.rows[before.operation_id]
        if found.status is before.status:
            self.rows[before.operation_id] = after
            return Applied(after)
        return super().apply(before, after)
