"""The paths that have a price. Each is walked on the real doors and returns what it alone has cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from makegood import RejectedError, TransientError
from makegood.domain import hint
from makegood.domain.backoff import Backoff
from makegood.domain.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from makegood import Attempt

    from tests.costs.meter import Bill
    from tests.costs.metered import Metered

STALE = Limits().stale_after
LARGE = {"text": "x" * 100_000}
FURTHER = 3  #: attempts after the first, for which the price holds


def unavailable(_: Attempt) -> NoReturn:
    """Say that nothing was done, in as many words as remotes use."""
    raise TransientError("503 Service Unavailable: the CRM is being updated, try again in a minute")


def refuses(_: Attempt) -> NoReturn:
    """Refuse for good."""
    raise RejectedError("422 Unprocessable Content: the customer's e-mail address is not valid")


def happy(stack: Metered, **facts: object) -> Bill:
    """Promise, work, confirm."""
    stack.submit(**facts)
    stack.house.deliver()
    return stack.meter.take()


def large(stack: Metered) -> Bill:
    """Promise, work, confirm, with a payload of 100 KB."""
    return happy(stack, payload=LARGE)


def further_attempts(stack: Metered) -> list[Bill]:
    """Fail again and again; return the bill of each attempt after the first but before the one that confirms."""
    name = stack.submit()
    stack.house.remote.script[name] = [unavailable] * (FURTHER + 1)
    stack.house.deliver()
    stack.meter.take()
    return [next_attempt(stack, number) for number in range(1, FURTHER + 1)]


def next_attempt(stack: Metered, after: int) -> Bill:
    """Let the time of the next attempt come, and let a worker make it."""
    stack.house.wait(Backoff().wait(after, fraction=1))
    stack.house.deliver()
    return stack.meter.take()


def rescued(stack: Metered) -> tuple[str, Bill]:
    """Promise, lose the message, sweep, work, confirm; the bill holds the whole sweep, `of_row` the row's own part."""
    name = stack.submit()
    stack.house.broker.purge()
    stack.house.wait(STALE)
    stack.house.sweep()
    stack.house.deliver()
    return name, stack.meter.take()


def duplicate(stack: Metered) -> Bill:
    """Deliver a message of an operation that has ended."""
    name = stack.submit()
    stack.house.deliver()
    stack.meter.take()
    stack.house.broker.put(hint.render(name))
    stack.house.deliver()
    return stack.meter.take()


def rejected(stack: Metered) -> Bill:
    """Promise, work, be refused for good: a person's."""
    stack.house.remote.script[stack.submit()] = [refuses]
    stack.house.deliver()
    return stack.meter.take()


def idle(stack: Metered) -> Bill:
    """Sweep while nothing is due, though something is open."""
    stack.submit()
    stack.meter.take()
    stack.house.sweep()
    return stack.meter.take()


PATHS: Mapping[str, Callable[[Metered], Bill]] = {
    "submit, work, confirm": happy,
    "one more attempt (up to the fourth)": lambda stack: further_attempts(stack)[-1],
    "a duplicate delivery": duplicate,
    "rejected by the remote: in review": rejected,
    "a payload of 100 KB: submit, work, confirm": large,
    "an idle sweep": idle,
}
