"""The paths that have a price. Each is walked on the real doors and returns what it alone has cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from makegood import RejectedError, TransientError
from makegood.domain import hint
from makegood.domain.backoff import Backoff
from makegood.domain.limits import Limits

from tests.costs.meter import WRITES, Bill

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from makegood import Attempt

    from tests.costs.metered import Metered

STALE = Limits().stale_after
LARGE = {"text": "x" * 100_000}
WRITING = WRITES | {"TransactWriteItems"}
FURTHER = 3  #: attempts after the first, for which the price holds


def unavailable(_: Attempt) -> NoReturn:
    """Say that nothing was done, in as many words as remotes use."""
    raise TransientError("503 Service Unavailable: the CRM is being updated, try again in a minute")


def refuses(_: Attempt) -> NoReturn:
    """Refuse for good."""
    raise RejectedError("422 Unprocessable Content: the customer's e-mail address is not valid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one path has cost, in everything that has a price."""

    bill: Bill
    messages: int  #: handed to a worker, each in an invocation of its own
    sweeps: int = 0

    @property
    def writes(self) -> int:
        """Return the requests that write to the table."""
        return sum(count for name, count in self.bill.requests.items() if name in WRITING)

    @property
    def reads(self) -> int:
        """Return the requests that read from it."""
        return self.bill.requests.total() - self.writes

    @property
    def queue_requests(self) -> int:
        """Return what was sent, and what the mapping receives and deletes, at worst one message at a time."""
        return self.bill.sent + 2 * self.messages

    @property
    def function_requests(self) -> int:
        """Return the invocations."""
        return self.messages + self.sweeps


def spent(stack: Metered, *steps: Callable[[], object]) -> Spent:
    """Take these steps and return what they alone have cost."""
    stack.meter.take()
    before = stack.house.invoked.copy()
    for step in steps:
        step()
    invoked = stack.house.invoked - before
    return Spent(bill=stack.meter.take(), messages=invoked["worker"], sweeps=invoked["reconciler"])


def happy(stack: Metered, **facts: object) -> Spent:
    """Promise, work, confirm."""
    return spent(stack, lambda: stack.submit(**facts), stack.house.deliver)


def further_attempts(stack: Metered) -> list[Spent]:
    """Fail again and again; return the cost of each attempt after the first but before the one that confirms."""
    name = stack.submit()
    stack.house.remote.script[name] = [unavailable] * (FURTHER + 1)
    stack.house.deliver()
    return [next_attempt(stack, number) for number in range(1, FURTHER + 1)]


def next_attempt(stack: Metered, after: int) -> Spent:
    """Let the time of the next attempt come, and let a worker make it."""
    stack.house.wait(Backoff().wait(after, fraction=1))
    return spent(stack, stack.house.deliver)


def rescued(stack: Metered) -> Spent:
    """Promise, lose the message, sweep, work, confirm."""
    return spent(
        stack,
        stack.submit,
        stack.house.broker.purge,
        lambda: stack.house.wait(STALE),
        stack.house.sweep,
        stack.house.deliver,
    )


def rescued_alone(stack: Metered) -> Spent:
    """Return what a rescue costs beyond the sweep that would have run anyhow."""
    return less(rescued(stack), idle(stack))


def less(whole: Spent, without: Spent) -> Spent:
    """Return what one thing costs beyond another."""
    bill = Bill(
        requests=whole.bill.requests - without.bill.requests,
        write_units=whole.bill.write_units - without.bill.write_units,
        read_units=whole.bill.read_units - without.bill.read_units,
        sent=whole.bill.sent,
        single_units=whole.bill.single_units - without.bill.single_units,
        told_units=whole.bill.told_units - without.bill.told_units,
        of_row=whole.bill.of_row,
        writes_of_row=whole.bill.writes_of_row,
    )
    return Spent(bill=bill, messages=whole.messages, sweeps=whole.sweeps - without.sweeps)


def duplicate(stack: Metered) -> Spent:
    """Deliver a message of an operation that has ended."""
    name = stack.submit()
    stack.house.deliver()
    stack.house.broker.put(hint.render(name))
    return spent(stack, stack.house.deliver)


def rejected(stack: Metered) -> Spent:
    """Promise, work, be refused for good: a person's."""

    def submit() -> None:
        stack.house.remote.script[stack.submit()] = [refuses]

    return spent(stack, submit, stack.house.deliver)


def idle(stack: Metered) -> Spent:
    """Sweep while nothing is due, though something is open."""
    stack.submit()
    return spent(stack, stack.house.sweep)


#: by the name that the page on costs gives each
PATHS: Mapping[str, Callable[[Metered], Spent]] = {
    "submit, work, confirm": happy,
    "one more attempt, up to the fourth": lambda stack: further_attempts(stack)[-1],
    "a lost dispatch: submit, sweep, work, confirm": rescued_alone,
    "a duplicate delivery": duplicate,
    "submit, work, rejected: in review": rejected,
    "submit, work, confirm with a payload of 100 KB": lambda stack: happy(stack, payload=LARGE),
    "a sweep that finds nothing": idle,
}
