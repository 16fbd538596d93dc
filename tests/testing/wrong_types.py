"""Operation types with one mistake each, such as teams make them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from makegood import Absent, Done, Found, NotApplicable, OperationType, Policy, RejectedError, Step, TransientError

from tests.testing.publish_price import PublishPrice

if TYPE_CHECKING:
    from makegood import Attempt, Look, Observed


class NoKey(PublishPrice):
    """Sends no idempotency key, though the remote would make something of one."""

    def perform(self, attempt: Attempt) -> Done:
        """Write it without a key."""
        price = attempt.operation
        shown = self.shop.put(
            price.entity, key=None, version=price.expected_version, fields=price.expected_fields
        ).json()
        return Done(remote_id=shown["id"], version=shown["version"], fields=shown["fields"])


class KeyOfItsOwn(PublishPrice):
    """Makes a new key for every attempt, so that the remote cannot recognise the second."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Write it under a key that nobody else knows."""
        price = attempt.operation
        key = f"{attempt.idempotency_key}-{attempt.number}"
        shown = self.shop.put(price.entity, key=key, version=price.expected_version, fields=price.expected_fields)
        return Done(remote_id=shown.json()["id"], version=shown.json()["version"], fields=shown.json()["fields"])


class ErrorsAreAbsent(PublishPrice):
    """Takes every answer but 200 for the news that nothing is there."""

    def observe(self, look: Look) -> Observed:
        """Believe an error."""
        answer = self.shop.get(look.operation.entity, key=look.effect_key)
        return super().observe(look) if answer.status == 200 else Absent()


class SilenceIsAbsent(PublishPrice):
    """Takes a question that fails for the news that nothing is there."""

    def observe(self, look: Look) -> Observed:
        """Believe silence."""
        try:
            return super().observe(look)
        except OSError:
            return Absent()


class TriesAgainInside(PublishPrice):
    """Tries again by itself when no answer comes."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Try three times."""
        for _ in range(2):
            try:
                return super().perform(attempt)
            except TimeoutError:
                continue
        return super().perform(attempt)


class ExistenceIsEnough(PublishPrice):
    """Takes what is there for what was promised, whatever its version."""

    def observe(self, look: Look) -> Observed:
        """Find what was promised wherever anything is."""
        price, seen = look.operation, super().observe(look)
        if isinstance(seen, Found):
            return Found(remote_id=price.entity, version=price.expected_version, fields=price.expected_fields)
        return seen


class TimeOutIsDone(PublishPrice):
    """Swallows a time-out and says that all is well."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Hope for the best."""
        price = attempt.operation
        try:
            return super().perform(attempt)
        except TimeoutError:
            return Done(remote_id=price.entity, version=price.expected_version, fields=price.expected_fields)


class TimeOutIsTransient(PublishPrice):
    """Takes a time-out for the news that nothing was applied."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Have it sent again."""
        try:
            return super().perform(attempt)
        except TimeoutError as error:
            raise TransientError("no answer") from error


class AnswerIsNotRead(PublishPrice):
    """Says that what was promised is there, without reading the answer."""

    def perform(self, attempt: Attempt) -> Done:
        """Repeat the promise."""
        price, key = attempt.operation, attempt.idempotency_key
        self.shop.put(price.entity, key=key, version=price.expected_version, fields=price.expected_fields)
        return Done(remote_id=price.entity, version=price.expected_version, fields=price.expected_fields)


class OutageIsRefusal(PublishPrice):
    """Takes a remote that is down for one that refuses."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Give up at once."""
        try:
            return super().perform(attempt)
        except TransientError as error:
            raise RejectedError("it does not work") from error


class OutageCostsAttempts(PublishPrice):
    """Says of a remote that is down only that nothing was applied, so each call costs an attempt."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Use up the attempts."""
        try:
            return super().perform(attempt)
        except TransientError as error:
            raise TransientError("it does not work now") from error


class LookWrites(PublishPrice):
    """Puts right what it should only look at."""

    def observe(self, look: Look) -> Observed:
        """Write while looking."""
        price = look.operation
        self.shop.put(price.entity, key="look", version=price.expected_version, fields=price.expected_fields)
        return super().observe(look)


class VersionIsKeptBack(PublishPrice):
    """Says that it is done and nothing of what the remote shows, and cannot be asked either."""

    policy = Policy(idempotent=True)
    observe = OperationType.observe

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Keep back what would prove it."""
        said = super().perform(attempt)
        return Done(remote_id=said.remote_id) if isinstance(said, Done) else said


class UndoesUnderTheEffectsKey(PublishPrice):
    """Takes its effect back under the key that it was made with, which the remote already knows."""

    policy = replace(PublishPrice.policy, on_cancelled=Step.COMPENSATE)

    def compensate(self, attempt: Attempt) -> Done:
        """Take it back under the wrong key."""
        price = attempt.operation
        self.shop.delete(price.entity, key=attempt.effect_key, version=price.expected_version)
        return Done(remote_id=price.entity)


class RefusalIsNotApplicable(PublishPrice):
    """Closes what the remote refuses, and nobody is told."""

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Let it drop."""
        try:
            return super().perform(attempt)
        except RejectedError as error:
            return NotApplicable(reason=str(error))


class UndoneIsLookedForUnderTheWrongKey(PublishPrice):
    """Looks for what is undone under the compensation's key, under which nothing was ever made."""

    policy = replace(PublishPrice.policy, on_cancelled=Step.COMPENSATE)

    def compensate(self, attempt: Attempt) -> Done:
        """Take it back."""
        price, key = attempt.operation, attempt.idempotency_key
        self.shop.delete(price.entity, key=key, version=price.expected_version)
        return Done(remote_id=price.entity)

    def observe(self, look: Look) -> Observed:
        """Ask with the key of the present intent."""
        answer = self.shop.get(look.operation.entity, key=look.operation.idempotency_key)
        if answer.status == 200 and not answer.json()["applied"]:
            return Absent()
        return super().observe(look)
