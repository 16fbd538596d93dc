"""The courses that operations take in a schedule. Each draws operations, what the remote does to them, what happens.

What may go together is what the promises are about: a remote that forgets keys is never one whose calls land late, or
whose reads lag, since then nobody could keep an effect from being doubled; others change a customer at the very version
that was promised only when our own call has landed.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from makegood_cli.local.crm_faults import Fault
from makegood_cli.local.crm_misreadings import MISREADINGS, misreading

from tests.schedules.plan import ENDS_AT, Ordered, Plan, What

if TYPE_CHECKING:
    from collections.abc import Callable

SILENT = ("swallow", "hang_after", "close_before", "close_after")
APPLIED = ("hang_after", "close_after")
HALF = 0.5
HANGS = 8.0  #: seconds; longer than any client waits
IN_TIME = 2.5  #: seconds until a call lands that its caller has given up after 2; the settle window is 2 more
PAGE = {"status": 200, "headers": {"Content-Type": "text/html"}, "body": "<html>Please log in</html>"}


def plain(plan: Plan) -> None:
    """Promise two that nothing happens to."""
    for _ in range(2):
        plan.does(plan.when(), What.PROMISE, plan.order().name)


def unsent(plan: Plan) -> None:
    """Lose what is sent, in two ways."""
    plan.does(plan.when(), What.PROMISE_UNSENT, plan.order().name)
    plan.does(plan.when(), What.PROMISE_LOST, plan.order(queue=plan.chance.choice(("high", "low"))).name)


def silent(plan: Plan) -> None:
    """Let calls end without an answer, before or after they are applied; half of the remote's keys are forgotten."""
    for kind in plan.chance.sample(SILENT, 3):
        ordered = plan.order()
        plan.suffers(ordered, fault(ordered, kind, seconds=HANGS))
        if plan.chance.random() < 0.5:
            plan.suffers(ordered, Fault(kind="forget_keys", entity=ordered.entity))
        plan.does(plan.when(), What.PROMISE, ordered.name)


def turned_away(plan: Plan) -> None:
    """Let calls be refused at the door for now."""
    for kind, more in (("throttle", {"seconds": 2.0}), ("unavailable", {"seconds": 1.0}), ("in_progress", {})):
        ordered = plan.order()
        plan.suffers(ordered, fault(ordered, kind, **more))
        plan.does(plan.when(), What.PROMISE, ordered.name)


def broken_down(plan: Plan) -> None:
    """Let the remote break down in a call; what it remembers of it is forgotten where nothing was applied."""
    for applied in (True, False):
        ordered = plan.order()
        plan.suffers(ordered, fault(ordered, "error", applied=applied))
        if not applied:
            plan.suffers(ordered, Fault(kind="forget_keys", entity=ordered.entity))
        plan.does(plan.when(), What.PROMISE, ordered.name)


def oddly_answered(plan: Plan) -> None:
    """Let answers prove nothing, or reads show the effect later."""
    odd: tuple[tuple[str, dict[str, Any]], ...] = (
        ("garble", PAGE),
        ("accept", {"seconds": 4.0}),
        ("lag", {"seconds": 4.0}),
    )
    for kind, more in odd:
        ordered = plan.order()
        plan.suffers(ordered, fault(ordered, kind, **more))
        if kind == "lag":
            plan.suffers(ordered, fault(ordered, "close_after"))
        plan.does(plan.when(), What.PROMISE, ordered.name)


def looked_at_in_vain(plan: Plan) -> None:
    """Let calls end without an answer, and looks tell nothing, something old, or something odd."""
    looks: tuple[Callable[[str], Fault], ...] = (
        lambda entity: Fault(kind="drop_read", entity=entity, count=1),
        lambda entity: Fault(kind="hang_read", entity=entity, count=1, seconds=HANGS),
        lambda entity: Fault(kind="behind", entity=entity, count=1),
        lambda entity: Fault(kind="tombstone", entity=entity, count=1),
        lambda entity: misreading(plan.chance.choice(tuple(MISREADINGS)), entity=entity, count=2),
    )
    for look in plan.chance.sample(looks, 3):
        ordered = plan.order()
        plan.suffers(ordered, fault(ordered, plan.chance.choice(SILENT), seconds=HANGS))
        plan.suffers(ordered, look(ordered.entity))
        plan.does(plan.when(), What.PROMISE, ordered.name)


def landing_late(plan: Plan) -> None:
    """Let calls land when nobody waits for them any more: within the settle window, and beyond it."""
    for seconds in (IN_TIME, HANGS):
        ordered = plan.order()
        plan.suffers(ordered, fault(ordered, "hang_before", seconds=seconds))
        plan.does(plan.when(), What.PROMISE, ordered.name)


def cancelled(plan: Plan) -> None:
    """Let promises be withdrawn: before they are called, while their call hangs, and any time later."""
    for after, kinds in ((0.0, SILENT), (0.8, APPLIED), (plan.chance.uniform(2, 8), SILENT)):
        ordered, when = plan.order(), plan.when()
        plan.suffers(ordered, fault(ordered, plan.chance.choice(kinds), seconds=HANGS))
        plan.does(when, What.PROMISE if after else What.PROMISE_LOST, ordered.name)
        plan.does(when + after + 0.1, What.CANCEL, ordered.name)


def changed_elsewhere(plan: Plan) -> None:
    """Let somebody else change a customer: to a newer version at any time, to this very one when ours has landed."""
    for kind, ahead in ((plan.chance.choice(SILENT), 1), ("hang_after", 0)):
        ordered, when = plan.order(), plan.when()
        plan.suffers(ordered, fault(ordered, kind, seconds=HANGS))
        if not ahead:
            plan.suffers(ordered, Fault(kind="forget_keys", entity=ordered.entity))  # a second call would be applied
        plan.does(when, What.PROMISE, ordered.name)
        plan.does(when + plan.chance.uniform(0.2, 2), What.ELSEWHERE, ordered.name, number=float(ahead))


def versions(plan: Plan) -> None:
    """Promise two versions of one customer, in either order, of which one gets no answer."""
    older = plan.order()
    newer = plan.order(of=older, version=8)
    plan.suffers(older, fault(older, plan.chance.choice(APPLIED), seconds=HANGS))
    when = plan.when()
    for ordered in plan.chance.sample((older, newer), 2):
        plan.does(when, What.PROMISE, ordered.name)
        when += plan.chance.uniform(0.0, 1.5)


def with_times(plan: Plan) -> None:
    """Promise for later, and with deadlines that pass or do not."""
    plan.does(plan.when(), What.PROMISE, plan.order(starts_in=plan.chance.uniform(3, 9)).name)
    plan.does(plan.when(), What.PROMISE_LOST, plan.order(ends_in=plan.chance.uniform(6, 14)).name)
    plan.does(plan.when(), What.PROMISE, plan.order(starts_in=4, ends_in=90).name)


def refused(plan: Plan) -> None:
    """Let the remote refuse for good, and a person have to look."""
    ordered = plan.order()
    plan.suffers(ordered, fault(ordered, "refuse", echo=True))
    plan.does(plan.chance.uniform(0.5, 9), What.PROMISE, ordered.name)


def messages(plan: Plan) -> None:
    """Let messages come twice, late, for nobody, for nothing, and die of curiosity."""
    twice, late, peeked = plan.order(), plan.order(), plan.order(queue="low")
    when = plan.when()
    plan.does(when, What.PROMISE, twice.name)
    plan.does(when, What.DOUBLE, twice.name)
    plan.does(when + 1, What.PROMISE_AGAIN, twice.name)
    plan.does(plan.chance.uniform(0.5, 8), What.PROMISE, late.name)
    plan.does(9, What.LATE_MESSAGE, late.name, number=float(plan.chance.randint(2, 8)))
    plan.does(plan.when(), What.FORGED, f"{plan.mark}nobody")
    plan.does(1, What.GARBAGE, plan.chance.choice(("high", "low")), text=plan.chance.choice(_BODIES))
    plan.does(plan.when(), What.PEEKED, peeked.name)


def charges(plan: Plan) -> None:
    """Take money: in peace, and without anybody knowing whether it was taken."""
    plan.does(plan.when(), What.PROMISE, plan.order("invoice").name)
    doubts = (*SILENT, "error", "garble", "accept", "refuse", "throttle")
    for kind in plan.chance.sample(doubts, 4):
        ordered = plan.order("invoice")
        more: dict[str, Any] = PAGE if kind == "garble" else {"seconds": 1.0 if kind == "throttle" else HANGS}
        plan.suffers(ordered, fault(ordered, kind, **(more if kind not in {"error", "refuse"} else {})))
        plan.does(plan.chance.uniform(0.5, 12), What.PROMISE, ordered.name)


COURSES: tuple[Callable[[Plan], None], ...] = (
    plain,
    unsent,
    silent,
    turned_away,
    broken_down,
    oddly_answered,
    looked_at_in_vain,
    landing_late,
    cancelled,
    changed_elsewhere,
    versions,
    with_times,
    refused,
    messages,
    charges,
)
_BODIES = ("not json", "[]", '{"operation_id": 7}', '{"format": 1}', '{"operation_id": "a b", "format": 1}')


def draw(seed: int) -> Plan:
    """Draw the plan of a seed: every course once, one of them once more, and what strikes all of them."""
    plan = Plan(seed, random.Random(seed))  # noqa: S311 - a repeatable draw, no secret
    for course in (*COURSES, *plan.chance.sample(COURSES, 1)):
        course(plan)
    _over_all(plan)
    return plan


def fault(ordered: Ordered, kind: str, **more: Any) -> Fault:
    """Return a fault that strikes the first call for an operation's entity."""
    takes = {name: value for name, value in more.items() if name != "seconds" or not kind.startswith("close")}
    return Fault(kind=kind, entity=ordered.entity, count=1, **takes)


def _over_all(plan: Plan) -> None:
    chance = plan.chance
    _BLOWS[plan.seed % len(_BLOWS)](plan)
    down = chance.uniform(7, 16)
    plan.does(down, What.DOWN, f"*/{plan.mark}*", number=chance.choice((0, 2)))
    plan.does(down + chance.uniform(1, 4), What.UP, f"*/{plan.mark}*")
    sweeps = (What.SWEEP, What.SWEEP, What.SWEEP_TWICE, What.SWEEP_PART, What.DRY_RUN)
    when = chance.uniform(3, 6)
    while when < ENDS_AT:
        plan.does(when, chance.choice(sweeps))
        when += chance.uniform(2, 5)
    for when in (10, 15, 19, 23, 27, 31):
        plan.does(when + chance.random(), What.VISIT, plan.mark, number=float(chance.randint(1, 10**6)))


def _struck(plan: Plan, what: What, when: float) -> None:
    """Strike the workers in the middle of a call."""
    ordered, kind = plan.order(queue="high"), plan.chance.choice(("swallow", "hang_after", "hang_before"))
    plan.suffers(ordered, fault(ordered, kind, seconds=IN_TIME if kind == "hang_before" else HANGS))
    plan.does(when, What.PROMISE, ordered.name)
    plan.does(when, what, ordered.name)


def _paused(plan: Plan) -> None:
    for queue in plan.chance.sample(("high", "default", "low"), 2):
        plan.does(plan.chance.uniform(2, 15), What.PAUSE, queue, number=plan.chance.uniform(1, 3))


#: what strikes all that runs beside a schedule as well; four seeds in a row have one each, or nothing else would happen
_BLOWS: tuple[Callable[[Plan], None], ...] = (
    lambda plan: _struck(plan, What.KILL, plan.chance.uniform(2, 4)),
    lambda plan: _struck(plan, What.FREEZE, plan.chance.uniform(7, 9)),
    lambda plan: plan.does(plan.chance.uniform(12, 18), What.PURGE, "default", number=plan.chance.uniform(0.5, 2)),
    _paused,
)
