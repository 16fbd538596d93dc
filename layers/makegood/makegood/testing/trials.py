"""The trials: what can go wrong, one after the other, and what is expected of a type then."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from makegood.domain.operation_type import OperationType
from makegood.domain.registry import can_compensate
from makegood.testing import courses
from makegood.testing.courses import cancelled, changed, down, told
from makegood.testing.double import Fault
from makegood.testing.world import World

DONE_ONCE = "confirmed, or in front of a person; one effect at most"
DONE = "confirmed by itself, one effect"
EACH = "each confirmed by itself, one effect each"
SHOWN = "what was not made is not shown"
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


AFTER, BEFORE, LATE, ELSEWHERE, ERROR = (
    Fault.TIME_OUT_AFTER,
    Fault.TIME_OUT_BEFORE,
    Fault.APPLY_LATE,
    Fault.CHANGED_ELSEWHERE,
    Fault.ERROR_AFTER,
)

CALM = (
    Trial(name="nothing goes wrong", expected=DONE, run=courses.plain, is_calm=True, group="in calm"),
    Trial(name="message lost", expected=DONE, run=courses.lost, is_calm=True, group="in calm"),
    Trial(
        name="the next version follows",
        expected=EACH,
        run=courses.one_after_the_other,
        is_calm=True,
        group="in calm",
    ),
)
SEVEN = (
    Trial(name="crash after the effect, before recording", expected=DONE_ONCE, run=courses.crashed_after_the_effect),
    Trial(name="duplicate execution", expected=DONE, run=courses.duplicated, is_calm=True),
    Trial(
        name="out-of-order message", expected="each applied once at most, the newer stands", run=courses.out_of_order
    ),
    Trial(name="worker restart", expected=DONE_ONCE, run=courses.restarted),
    Trial(name="time-out, applied", expected=DONE_ONCE, run=told(AFTER), needs=(AFTER,)),
    Trial(name="time-out, not applied", expected=DONE_ONCE, run=told(BEFORE), needs=(BEFORE,)),
    Trial(name="prolonged outage", expected=UNASKED, run=down(), needs=(Fault.DOWN,), is_calm=True),
    Trial(name="prolonged outage after a time-out", expected=DONE_ONCE, run=down(AFTER), needs=(AFTER, Fault.DOWN)),
    Trial(name="version change while pending", expected=THEIRS, run=changed(), needs=(ELSEWHERE,)),
    Trial(name="version change after a time-out", expected=THEIRS, run=changed(AFTER), needs=(AFTER, ELSEWHERE)),
)
BAITED = Trial(name="asked for what was not made", expected=SHOWN, run=courses.baited, group=OTHER)
REFUSED = Trial(name="refused for good", expected=REFUSAL, run=courses.refused, needs=(Fault.REFUSE,), group=OTHER)
ERRED = Trial(name="an error, applied", expected=DONE_ONCE, run=told(ERROR), needs=(ERROR,), group=OTHER)
LATE_ONES = (
    Trial(
        name="applied late, within the window", expected=DONE_ONCE, run=courses.landed_soon, needs=(LATE,), group=OTHER
    ),
    Trial(name="applied late, sent again before", expected=DONE_ONCE, run=told(LATE), needs=(LATE,), group=OTHER),
)
CANCELLED = tuple(
    Trial(name=name, expected=BACK, run=cancelled(*undoing), needs=(AFTER, *undoing), group="undoing")
    for name, undoing in (
        ("cancelled when it was applied", ()),
        ("the undoing times out, applied", (AFTER,)),
        ("the undoing times out, not applied", (BEFORE,)),
        ("the undoing meets a newer version", (ELSEWHERE,)),
    )
)
TOURS = (  #: in which every request is cut off
    *(replace(trial, expected=DONE_ONCE, is_calm=False) for trial in CALM[:2]),
    Trial(name="time-out, applied", expected=DONE_ONCE, run=told(AFTER), needs=(AFTER,)),
    Trial(name="time-out, not applied", expected=DONE_ONCE, run=told(BEFORE), needs=(BEFORE,)),
)


def trials_of(kind: type[OperationType]) -> tuple[Trial, ...]:
    """Return the trials of a type, the plain one first."""
    return (
        *CALM,
        *SEVEN,
        REFUSED,
        ERRED,
        *LATE_ONES,
        *(_of_looks() if kind.policy.capability.can_ask else ()),
        BAITED,
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
    """Return the trials of a compensation, where there is one: if not the policy, then a person may lead to it."""
    return CANCELLED if can_compensate(kind) else ()
