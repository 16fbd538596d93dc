"""What finding out, undoing, cancelling and deciding cost, each without the sweep that would have run anyhow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain.operation import OperationId
from makegood.domain.review import Action

from tests.costs.paths import STALE, Spent, happy, idle, less, spent
from tests.crash import desk, remote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.costs.metered import Metered
    from tests.crash.remote import Reply


def in_the_dark(stack: Metered, *replies: str | Reply, type_name: str = "watched") -> OperationId:
    """Promise, work with an uncertain end, and let the time of the first look come; at no cost that counts."""
    name = stack.submit(operation_type=type_name)
    house = stack.house
    house.remote.script[name] = [getattr(house.remote, each) if isinstance(each, str) else each for each in replies]
    house.deliver()
    house.wait(STALE)
    return OperationId(name)


def swept(stack: Metered, *steps: Callable[[], object]) -> Spent:
    """Sweep, and go on; return what this cost beyond a sweep that finds nothing."""
    return less(spent(stack, stack.house.sweep, *steps), idle(stack))


def proven(stack: Metered) -> Spent:
    """Look, and find what was promised."""
    in_the_dark(stack, "times_out")
    return swept(stack)


def unanswered(stack: Metered) -> Spent:
    """Look, and get no answer."""
    stack.house.remote.sights[in_the_dark(stack, "times_out")] = [remote.blind]
    return swept(stack)


def reviewed(stack: Metered) -> Spent:
    """Look, and find something else than was promised."""
    stack.house.remote.overwritten.add(in_the_dark(stack, "times_out"))
    return swept(stack)


def sent_again(stack: Metered) -> Spent:
    """Look, find nothing, send again, confirm."""
    in_the_dark(stack, remote.lost)
    return swept(stack, lambda: stack.house.wait(STALE), stack.house.deliver)


def undone(stack: Metered) -> Spent:
    """Look at what was cancelled, find it, undo it."""
    desk.cancel(stack.house, in_the_dark(stack, "times_out"))
    return swept(stack, stack.house.deliver)


def put_off(stack: Metered) -> Spent:
    """Try while the remote takes no calls."""
    stack.house.remote.script[stack.submit()] = [remote.down]
    return spent(stack, stack.house.deliver)


def cancelled(stack: Metered) -> Spent:
    """Cancel what was never tried."""
    name = OperationId(stack.submit())
    return spent(stack, lambda: desk.cancel(stack.house, name))


def decided(stack: Metered) -> Spent:
    """Show a person what waits for them, look, and record that they confirm it."""
    name = in_the_dark(stack, "times_out", type_name="reported")
    stack.house.sweep()
    return spent(stack, lambda: desk.decide(stack.house, Action.CONFIRM, name))


def retried(stack: Metered) -> Spent:
    """Show a person what was refused, record that it is to be tried again, and confirm it."""
    name = OperationId(stack.submit(operation_type="watched"))
    stack.house.remote.script[name] = [remote.rejected]
    stack.house.deliver()
    return spent(stack, lambda: desk.decide(stack.house, Action.RETRY, name), stack.house.deliver)


def in_line(stack: Metered) -> Spent:
    """Promise, work, confirm, where a newer version takes the place of older ones."""
    return happy(stack, operation_type="ordered")


#: by the name that the page on costs gives each
OUTCOME_PATHS: Mapping[str, Callable[[Metered], Spent]] = {
    "a look that confirms": proven,
    "a look without an answer": unanswered,
    "a look that ends in review": reviewed,
    "a look that finds nothing: sent again, confirmed": sent_again,
    "a look at what was cancelled: undone": undone,
    "an attempt while the remote takes no calls": put_off,
    "a cancellation before the first attempt": cancelled,
    "a decision: shown, looked at, confirmed": decided,
    "a decision: shown, looked at, retried, confirmed": retried,
    "submit, work, confirm, with `supersedes`": in_line,
}
