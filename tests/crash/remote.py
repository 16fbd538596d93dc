"""The outside system of the crash tests: it is on the wire, has a script, and tells the truth once that has ended."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from makegood import (
    Absent,
    Accepted,
    Attempt,
    Done,
    Found,
    Look,
    NotApplicable,
    OutageError,
    RejectedError,
    TransientError,
)

if TYPE_CHECKING:
    from makegood import Observed
    from makegood.domain.outcome import Outcome

    from tests.crash.wire import Wire

Reply: TypeAlias = Callable[[Attempt], "Outcome"]
Sight: TypeAlias = Callable[[Look], "Observed"]


class Remote:
    """Applies whatever it is asked to, each time: it knows no key, so a second send is a second effect."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.script: dict[str, list[Reply]] = {}  #: by operation id; what is not scripted is done
        self.undoing: dict[str, list[Reply]] = {}  #: of calls that undo, likewise
        self.sights: dict[str, list[Sight]] = {}  #: of looks, likewise; what is not scripted is the truth
        self.effects: Counter[str] = Counter()  #: that stand, by operation id, whatever the key
        self.by_key: Counter[str] = Counter()  #: calls that were applied, of both kinds
        self.overwritten: set[str] = set()  #: operations whose effect somebody else has changed since
        self.order: defaultdict[str, list[int]] = defaultdict(list)  #: versions as they were applied, by entity

    def ask(self, attempt: Attempt) -> Outcome:
        """Take a call."""
        return self._wire.call("perform", lambda: self._next(self.script, attempt, self.done))

    def undo(self, attempt: Attempt) -> Outcome:
        """Take a call that undoes the effect."""
        return self._wire.call("compensate", lambda: self._next(self.undoing, attempt, self.undone))

    def see(self, look: Look) -> Observed:
        """Take a look."""
        sights = self.sights.get(look.operation.operation_id)
        return self._wire.call("observe", lambda: (sights.pop(0) if sights else self.truth)(look))

    def done(self, attempt: Attempt) -> Done:
        """Make the effect and prove it."""
        self._apply(attempt)
        operation = attempt.operation
        return Done(remote_id="r-1", version=operation.expected_version, fields=operation.expected_fields)

    def accepted(self, attempt: Attempt) -> Accepted:
        """Make the effect and do not prove it."""
        self._apply(attempt)
        return Accepted(remote_id="r-1")

    def times_out(self, attempt: Attempt) -> NoReturn:
        """Make the effect and never say so."""
        self._apply(attempt)
        raise TimeoutError("read timed out")

    def undone(self, attempt: Attempt) -> Done:
        """Undo the effect and bear witness."""
        self._take_back(attempt)
        return Done(remote_id="r-2")

    def times_out_undone(self, attempt: Attempt) -> NoReturn:
        """Undo the effect and never say so."""
        self._take_back(attempt)
        raise TimeoutError("read timed out")

    def truth(self, look: Look) -> Observed:
        """Say what is there."""
        operation = look.operation
        count = self.effects[operation.operation_id]
        if not count:
            return Absent(asked="the scripted remote, by key")
        newer = operation.operation_id in self.overwritten
        return Found(
            version=operation.expected_version + newer,
            fields=operation.expected_fields,
            remote_id="r-1",
            count=count,
            asked="the scripted remote, by key",
        )

    def _next(self, script: dict[str, list[Reply]], attempt: Attempt, usual: Reply) -> Outcome:
        replies = script.get(attempt.operation.operation_id)
        return (replies.pop(0) if replies else usual)(attempt)

    def _apply(self, attempt: Attempt) -> None:
        operation = attempt.operation
        self.effects[operation.operation_id] += 1
        self.by_key[attempt.idempotency_key] += 1
        self.order[operation.entity].append(operation.expected_version)

    def _take_back(self, attempt: Attempt) -> None:
        self.effects[attempt.operation.operation_id] -= 1
        self.by_key[attempt.idempotency_key] += 1


def transient(_: Attempt) -> NoReturn:
    """Say that nothing was done, and that another try may help."""
    raise TransientError("503")


def busy(_: Attempt) -> NoReturn:
    """Say so, and ask for more patience than a queue has."""
    raise TransientError("429", retry_after=timedelta(minutes=20))


def down(_: Attempt) -> NoReturn:
    """Take no calls at all."""
    raise OutageError("no connection")


def rejected(_: Attempt) -> NoReturn:
    """Refuse for good."""
    raise RejectedError("422")


def ruled_out(_: Attempt) -> NotApplicable:
    """Say that nothing is to be done."""
    return NotApplicable(reason="superseded by version 8")


def lost(_: Attempt) -> NoReturn:
    """Do nothing and never say so."""
    raise TimeoutError("read timed out")


def blind(_: Look) -> NoReturn:
    """Give a look no answer."""
    raise TimeoutError("read timed out")
