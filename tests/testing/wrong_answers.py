"""Operation types with one mistake each in what they say of an answer, or in how they take an effect back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from makegood import Absent, Done, Found, NotApplicable, OperationType, Policy, Step, TransientError

from tests.testing.publish_price import PublishPrice

if TYPE_CHECKING:
    from makegood import Attempt, Look, Observed

UNDONE = replace(PublishPrice.policy, on_cancelled=Step.COMPENSATE)


class EchoesTheRequest(PublishPrice):
    """Reads whether it went well, and takes the fields from the request instead of the answer."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Repeat the promised fields."""
        said = super().perform(attempt)
        return replace(said, fields=attempt.operation.expected_fields) if isinstance(said, Done) else said


class LookEchoesTheQuestion(PublishPrice):
    """Reads that something is there, and at which version, and takes the fields from the promise."""

    def observe(self, look: Look) -> Observed:
        """Repeat the promised fields."""
        seen = super().observe(look)
        return replace(seen, fields=look.operation.expected_fields) if isinstance(seen, Found) else seen


class GatewayErrorIsTransient(PublishPrice):
    """Takes a 502 for the news that nothing was applied."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Have it sent again."""
        price, key = attempt.operation, attempt.idempotency_key
        answer = self.shop.put(price.entity, key=key, version=price.expected_version, fields=price.expected_fields)
        if answer.status >= 500:
            raise TransientError(f"the shop answered {answer.status}")
        return super().perform(attempt)


class ErrorIsDone(PublishPrice):
    """Takes every answer for a good one, if only one comes."""

    def perform(self, attempt: Attempt) -> Done:
        """Look at nothing."""
        price, key = attempt.operation, attempt.idempotency_key
        self.shop.put(price.entity, key=key, version=price.expected_version, fields=price.expected_fields)
        return Done(remote_id=price.entity)


class KeepsItsFirstKey(PublishPrice):
    """Keeps what belongs to an attempt for longer, so that the next operation goes under the first one's key."""

    kept: str | None

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Send under the first key of this price."""
        kind = type(self)
        if attempt.operation.expected_version == 3 or getattr(kind, "kept", None) is None:
            kind.kept = attempt.idempotency_key
        return super().perform(replace(attempt, idempotency_key=kind.kept or ""))


class SaysNothing(PublishPrice):
    """Forgets to return what came of it."""

    def perform(self, attempt: Attempt) -> None:  # type: ignore[override]
        """Write it, and say nothing."""
        super().perform(attempt)


class LookSaysNothing(PublishPrice):
    """Forgets to return what it has seen."""

    def observe(self, look: Look) -> None:  # type: ignore[override]
        """Look, and say nothing."""
        super().observe(look)


class LookNeverReads(PublishPrice):
    """Looks for a part of the answer that has another name."""

    def observe(self, look: Look) -> Observed:
        """Read what is not there."""
        shown = self.shop.get(look.operation.entity, key=look.effect_key).json()
        return Found(version=shown["revision"])


class NewerIsAbsent(PublishPrice):
    """Takes another version for the news that its own was never written."""

    def observe(self, look: Look) -> Observed:
        """Know no version but one."""
        seen = super().observe(look)
        is_other = isinstance(seen, Found) and seen.version != look.operation.expected_version
        return Absent() if is_other else seen


class WritesAtTheTop(PublishPrice):
    """Writes at a version that is above all others, so that nothing is ever refused."""

    def perform(self, attempt: Attempt) -> Done:
        """Win."""
        price, key = attempt.operation, attempt.idempotency_key
        shown = self.shop.put(price.entity, key=key, version=1_000_000, fields=price.expected_fields).json()
        return Done(remote_id=shown["id"], version=price.expected_version, fields=shown["fields"])


class UndoesWhateverStands(PublishPrice):
    """Takes away what it finds, whoever wrote it."""

    policy = UNDONE

    def compensate(self, attempt: Attempt) -> Done:
        """Take away the version that stands."""
        price, key = attempt.operation, attempt.idempotency_key
        self.shop.delete(price.entity, key=key, version=self.shop.get(price.entity).json()["version"])
        return Done(remote_id=price.entity)


class UndoesInVain(PublishPrice):
    """Has a compensation that was copied from `perform`, and so makes the effect once more."""

    policy = UNDONE

    def compensate(self, attempt: Attempt) -> Done | NotApplicable:
        """Write what was to be taken back."""
        return self.perform(attempt)


class UndoesUnderTheEffectsKeyWhenAPersonSaysSo(PublishPrice):
    """Has a compensation that only people lead to, and it calls under the effect's key."""

    def compensate(self, attempt: Attempt) -> Done:
        """Take it back under the wrong key."""
        price = attempt.operation
        self.shop.delete(price.entity, key=attempt.effect_key, version=price.expected_version)
        return Done(remote_id=price.entity)


class SendLetter(PublishPrice):
    """Is right: its remote takes no keys and shows nothing, and its policy says both."""

    policy = Policy()
    observe = OperationType.observe

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Send it once, without a key."""
        return super().perform(replace(attempt, idempotency_key=""))


class SendsACopy(SendLetter):
    """Sends each letter twice."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Send it, and once more."""
        super().perform(attempt)
        return super().perform(attempt)
