"""The trials: what can go wrong, one after the other, and what is expected of a type then."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from makegood.domain.choices import Step
from makegood.domain.operation_type import OperationType
from makegood.testing.double import Fault
from makegood.testing.world import World

OUTAGE = timedelta(hours=2)
DONE_ONCE = "confirmed, or in front of a person; one effect at most"
DONE = "confirmed by itself, one effect"
UNASKED = "nobody is asked because of it; then confirmed by itself, one effect"
REFUSAL = "in front of a person, nothing applied"
OTHER = "other faults"
BACK = "taken back once, or in front of a person"
THEIRS = "never confirmed, and what somebody else wrote stands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One thing that goes wrong."""

    name: str
    expected: str
    run: Callable[[World], None]
    group: str = "the seven failures"
    needs: tuple[Fault, ...] = ()  #: what the double must be able to be told
    is_calm: bool = False  #: nothing is wrong but an outage, so nobody needs to be asked


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
        name = world.submit()
        world.tell(*before)
        if before:
            world.deliver(name)
        world.tell(Fault.DOWN)
        world.live(min(OUTAGE, world.patience / 2))
        world.lift()
        world.live()

    return run


def changed(*before: Fault) -> Callable[[World], None]:
    """Return a trial in which somebody else writes the next version; `before` strikes an attempt before that."""

    def run(world: World) -> None:
        name = world.submit()
        world.tell(*before)
        if before:
            world.deliver(name)
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


AFTER, BEFORE, LATE, ELSEWHERE = (
    Fault.TIME_OUT_AFTER,
    Fault.TIME_OUT_BEFORE,
    Fault.APPLY_LATE,
    Fault.CHANGED_ELSEWHERE,
)

CALM = (
    Trial(name="nothing goes wrong", expected=DONE, run=plain, is_calm=True, group="in calm"),
    Trial(name="message lost", expected=DONE, run=lost, is_calm=True, group="in calm"),
)
SEVEN = (
    Trial(name="crash after the effect, before recording", expected=DONE_ONCE, run=crashed_after_the_effect),
    Trial(name="duplicate execution", expected=DONE, run=duplicated, is_calm=True),
    Trial(name="out-of-order message", expected="each applied once at most, the newer stands", run=out_of_order),
    Trial(name="worker restart", expected=DONE_ONCE, run=restarted),
    Trial(name="time-out, applied", expected=DONE_ONCE, run=told(AFTER), needs=(AFTER,)),
    Trial(name="time-out, not applied", expected=DONE_ONCE, run=told(BEFORE), needs=(BEFORE,)),
    Trial(name="prolonged outage", expected=UNASKED, run=down(), needs=(Fault.DOWN,), is_calm=True),
    Trial(name="prolonged outage after a time-out", expected=DONE_ONCE, run=down(AFTER), needs=(AFTER, Fault.DOWN)),
    Trial(name="version change while pending", expected=THEIRS, run=changed(), needs=(ELSEWHERE,)),
    Trial(name="version change after a time-out", expected=THEIRS, run=changed(AFTER), needs=(AFTER, ELSEWHERE)),
)
REFUSED = Trial(name="refused for good", expected=REFUSAL, run=refused, needs=(Fault.REFUSE,), group=OTHER)
LATE_ONES = (
    Trial(name="applied late, within the window", expected=DONE_ONCE, run=landed_soon, needs=(LATE,), group=OTHER),
    Trial(name="applied late, sent again before", expected=DONE_ONCE, run=told(LATE), needs=(LATE,), group=OTHER),
)
CANCELLED = tuple(
    Trial(name=name, expected=BACK, run=cancelled(*undoing), needs=(AFTER, *undoing), group="undoing")
    for name, undoing in (
        ("cancelled when it was applied", ()),
        ("the undoing times out, applied", (AFTER,)),
        ("the undoing times out, not applied", (BEFORE,)),
    )
)
TOURS = (  #: in which every request is cut off
    *(replace(trial, expected=DONE_ONCE, is_calm=False) for trial in CALM),
    Trial(name="time-out, applied", expected=DONE_ONCE, run=told(AFTER), needs=(AFTER,)),
    Trial(name="time-out, not applied", expected=DONE_ONCE, run=told(BEFORE), needs=(BEFORE,)),
)


def trials_of(kind: type[OperationType]) -> tuple[Trial, ...]:
    """Return the trials of a type, the plain one first."""
    return (
        *CALM,
        *SEVEN,
        REFUSED,
        *LATE_ONES,
        *(_of_looks() if kind.policy.capability.can_ask else ()),
        *_undone(kind),
    )


def tours_of(kind: type[OperationType]) -> tuple[Trial, ...]:
    """Return what a type is led through with a crash at every request."""
    return (*TOURS, *_undone(kind)[:1])


def _of_looks() -> Iterator[Trial]:
    """Yield the trials in which looks get no answer, or an old one."""
    for fault, words in ((Fault.ERRORS_TO_LOOKS, "errors"), (Fault.PAGES_TO_LOOKS, "pages")):
        for first, name in ((AFTER, "applied"), (BEFORE, "not applied")):
            yield Trial(
                name=f"looks get {words}, {name}",
                expected="nothing is sent while nobody can say; one effect at most",
                run=told(first, fault),
                needs=(first, fault),
                group=OTHER,
            )
    lagging = AFTER, Fault.LAG
    yield Trial(name="looks lag behind", expected=DONE_ONCE, run=told(*lagging), needs=lagging, group=OTHER)


def _undone(kind: type[OperationType]) -> tuple[Trial, ...]:
    """Return the trials of a compensation, where the policy leads to one."""
    return CANCELLED if kind.policy.on_cancelled is Step.COMPENSATE else ()
