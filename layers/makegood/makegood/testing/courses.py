"""What goes wrong in a trial, step by step."""

from collections.abc import Callable
from datetime import timedelta

from makegood.testing.double import Fault
from makegood.testing.world import World

OUTAGE = timedelta(hours=2)


def plain(world: World) -> None:
    """Let nothing go wrong."""
    world.deliver(world.submit())
    world.live()


def lost(world: World) -> None:
    """Lose the message."""
    world.submit()
    world.makegood.lose_messages()
    world.live()


def crashed_after_the_effect(world: World) -> None:
    """Kill the worker when the remote has answered, before anything is recorded."""
    name = world.submit()
    world.kill_after_call()
    world.deliver(name)
    world.live()


def restarted(world: World) -> None:
    """Kill the worker when it has the claim and has not called yet."""
    name = world.submit()
    world.kill_before_call()
    world.deliver(name)
    world.live()


def duplicated(world: World) -> None:
    """Deliver the message twice more: in the middle of the call, and after it."""
    name = world.submit()
    world.watch.during = lambda: world.makegood.deliver_again(name)
    world.deliver(name)
    world.deliver_again(name)
    world.live()


def one_after_the_other(world: World) -> None:
    """Let nothing go wrong, and then promise the next version."""
    world.deliver(world.submit())
    world.live()
    world.deliver(world.submit_next_version())
    world.live()


def baited(world: World) -> None:
    """Make the effect, and then ask for other fields under the same key: nothing but the remote's own may be shown."""
    name = world.submit()
    world.deliver(name)
    world.live()
    world.bait(name)


def out_of_order(world: World) -> None:
    """Deliver the next version's message before this one's."""
    older, newer = world.submit(), world.submit_next_version()
    world.deliver(newer)
    world.deliver(older)
    world.live()


def told(*faults: Fault) -> Callable[[World], None]:
    """Return a trial in which the remote does this to the first attempt and what follows; it gets well in an hour."""

    def run(world: World) -> None:
        name = world.submit()
        world.tell(*faults)
        world.deliver(name)
        world.live(timedelta(hours=1))
        world.lift()
        world.live()

    return run


def landed_soon(world: World) -> None:
    """Let the call land after a look that did not find it, before the settle window is over."""
    name = world.submit()
    world.tell(Fault.APPLY_LATE)
    world.deliver(name)
    world.sweep()
    world.lift()
    world.live()


def refused(world: World) -> None:
    """Refuse for good."""
    name = world.submit()
    world.tell(Fault.REFUSE)
    world.deliver(name)
    world.live()


def down(*before: Fault) -> Callable[[World], None]:
    """Return a trial in which the remote is down for two hours; `before` strikes the first attempt before that."""

    def run(world: World) -> None:
        _struck(world, before)
        world.tell(Fault.DOWN)
        world.live(min(OUTAGE, world.patience / 2))
        world.lift()
        world.live()

    return run


def _struck(world: World, before: tuple[Fault, ...]) -> None:
    """Promise it, and let these strike an attempt of it; without any there is none yet."""
    name = world.submit()
    world.tell(*before)
    if before:
        world.deliver(name)


def changed(*before: Fault) -> Callable[[World], None]:
    """Return a trial in which somebody else writes the next version; `before` strikes an attempt before that."""

    def run(world: World) -> None:
        _struck(world, before)
        world.tell(Fault.CHANGED_ELSEWHERE)
        world.live()

    return run


def cancelled(*undoing: Fault) -> Callable[[World], None]:
    """Return a trial in which it is wanted no more when it is there; `undoing` strikes the call that undoes it."""

    def run(world: World) -> None:
        name = world.submit()
        world.tell(Fault.TIME_OUT_AFTER)
        world.deliver(name)
        world.cancel(name)
        world.live_until_undoing(name)
        world.tell(*undoing)
        world.live()

    return run
