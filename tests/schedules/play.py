"""Playing schedules on one stack, side by side: the acts at their times, then calm, then sweeps until nothing moves."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from makegood.domain import hint
from makegood.domain.instant import after
from makegood.domain.run import Acknowledgement
from makegood.flows.order import SweepOrder
from makegood_cli.demo import losses
from makegood_cli.demo.auditor import world
from makegood_cli.demo.auditor.case import Capped, Case
from makegood_cli.demo.healing import MOVING
from makegood_cli.demo.waiting import until

from tests.schedules import acts
from tests.schedules.plan import ENDS_AT, Act, What
from tests.schedules.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from makegood_cli.demo.auditor.world import World
    from makegood_cli.demo.stage import Stage
    from makegood_cli.local.crm_faults import Fault

    from tests.schedules.plan import Plan

#: What differs from the local profile: a third of a minute less to wait for what was lost, and a cap that is reached.
CAP = 4
NUMBERS = {"StaleAfterSeconds": "30", "HaltCap": str(CAP)}
HANDS = 24  #: acts at a time
WARM_SECONDS = 5.0  #: of patience, as below: a machine may be busy
CAME_SECONDS = 20.0
CALM_SECONDS = 40.0
STALE_SECONDS = 60.0
HEALED_SECONDS = 240.0
UNCLAIMED = frozenset({"lease_running", "awaiting", "in_review", "terminal"})  #: why a message led to no call
DRAIN_RATE = 12
AT_MOST = 10_000  #: rows; no cap


@dataclass(slots=True, kw_only=True)
class Played:
    """What happened, for the auditor and for the census."""

    plans: Sequence[Plan]
    case: Case
    scene: Scene
    hits: Mapping[str, int]  #: of each fault at the remote
    faults: Mapping[str, Fault]
    seconds: float


def play(stage: Stage, plans: Sequence[Plan], tell: Callable[[str], None] = lambda _: None) -> Played:
    """Play these schedules to their end."""
    began = time.monotonic()
    scene = Scene(stage=stage, orders={name: each for plan in plans for name, each in plan.operations.items()})
    faults = {name: fault for plan in plans for name, fault in plan.faults.items()}
    for name, fault in faults.items():
        stage.crm.set_fault(fault, name=name)
    _warm(scene)
    tell(f"playing {len(plans)} schedules, {len(scene.orders)} operations")
    timeline = sorted((act for plan in plans for act in plan.acts), key=lambda act: act.at)
    _act_out(scene, timeline)
    _until_delivered_again(scene, {act.whom for act in timeline if act.what is What.KILL})
    hits = stage.crm.hits()
    faults = stage.crm.faults()
    tell("lifting every fault, purging every queue")
    _lift(stage, faults)
    calm = _calm(scene)
    _only_look(scene, calm)
    tell("waiting until what is lost is stale")
    capped = _refused(scene)
    tell("sweeping until nothing moves")
    if _heal(scene):
        for plan in plans:  # and what waits for people gets one more visit
            acts.do(scene, Act(at=ENDS_AT, what=What.VISIT, whom=plan.mark, number=float(plan.seed)))
        _heal(scene)
    names = tuple(scene.promised)
    case = Case(promised=names, moments=(calm,), now=world.look(stage.where), capped=capped)
    return Played(plans=plans, case=case, scene=scene, hits=hits, faults=faults, seconds=time.monotonic() - began)


def _warm(scene: Scene) -> None:
    """Let workers start before anything counts: a message that meets a cold one on a busy machine is handed back."""
    for name in ("high", "default", "low"):
        for number in range(2):
            scene.send(name, hint.render(f"nobody-{number}"))
    until(lambda: not sum(losses.depth(scene.stage, name) for name in scene.stage.where.queues), seconds=WARM_SECONDS)


def _act_out(scene: Scene, timeline: Sequence[Act]) -> None:
    """Let everything happen at its time, side by side; an error of an act is an error of the run."""
    began = scene.began = time.monotonic()
    with ThreadPoolExecutor(HANDS) as pool:
        happening = []
        for act in timeline:
            time.sleep(max(began + act.at - time.monotonic(), 0))
            happening.append(pool.submit(acts.do, scene, act))
        time.sleep(max(began + ENDS_AT - time.monotonic(), 0))
        for each in happening:
            each.result()


def _until_delivered_again(scene: Scene, killed: set[str]) -> None:
    """Wait until SQS has delivered a message again whose worker was killed: on a busy machine it may come late."""
    owners = {scene.promised[name].operation_id for name in killed if name in scene.promised}

    def came() -> bool:
        turned_away = world.look(scene.stage.where).turned_away
        return any(not UNCLAIMED.isdisjoint(turned_away.get(owner, ())) for owner in owners)

    scene.saw("a killed worker's message came again", until(came, seconds=CAME_SECONDS, every=1.0))


def _lift(stage: Stage, faults: Mapping[str, Fault]) -> None:
    """Let no fault strike any more; they stay listed, because the auditor tells by them who got an answer."""
    for name, fault in faults.items():
        if fault.kind != "forget_keys":  # what is forgotten stays forgotten
            stage.crm.set_fault(replace(fault, probability=0.0), name=name)


def _calm(scene: Scene) -> World:
    """Purge every queue until nothing moves; return what stands then: whoever waits for a message waits in vain."""
    stage, found = scene.stage, Counter[str]()

    def is_calm() -> bool:
        for name in stage.where.queues:
            found[name] += losses.purge(stage, name, when=0)
        before = world.look(stage.where)
        time.sleep(1.0)
        calm.append(world.look(stage.where))
        held = {row.operation_id for row in before.rows.values() if row.claimed}
        return not sum(calm[-1].depths.values()) and before.digest == calm[-1].digest and not _working(stage, held)

    calm: list[World] = []
    scene.saw("calm after all faults", until(is_calm, seconds=CALM_SECONDS))
    scene.saw("messages purged", sum(found.values()))
    return calm[-1]


def _working(stage: Stage, held: set[str]) -> bool:
    """Say whether a worker may still be in a call: its operation was claimed less than a worker's time-out ago."""
    rows = stage.stack.rooms.store.find(sorted(held))  # type: ignore[arg-type]
    now = stage.stack.rooms.clock.now()
    claims = [getattr(row, "claimed_at", None) for row in rows.values()]
    return any(at is not None and now < after(at, timedelta(seconds=8)) for at in claims)


def _only_look(scene: Scene, calm: World) -> None:
    """Run dry, and by a reconciler that only watches: not a byte of any operation may change."""
    rooms = scene.stage.stack.rooms
    patient = replace(rooms.sweep, sweep_limits=replace(rooms.sweep.sweep_limits, halt_cap=AT_MOST))
    until_then = after(rooms.clock.now(), timedelta(seconds=20))
    looking = ("dry", patient, True), ("observed", replace(patient, only_watching=True), False)
    for name, sweep, dry in looking:
        done = sweep(SweepOrder(run_id=f"only looking, {name}", until=until_then, dry_run=dry))
        scene.saw(f"run {name}", done.record.dry_run or done.record.outcome.value == name)
    now = world.look(scene.stage.where)
    since = {run["run_id"] for run in now.runs} - {run["run_id"] for run in calm.runs}
    others = [name for name in since if not name.startswith("only looking")]
    if now.digest != calm.digest and not others:
        scene.wrong.append("a dry run or a sweep that only watches changed an operation")


def _refused(scene: Scene) -> Capped | None:
    """Wait until all that is lost is stale, and sweep; return what was seen around the sweep if it had to refuse."""
    stage, seen = scene.stage, list[Capped]()
    until(lambda: _all_are_due(stage), seconds=STALE_SECONDS, every=0.5)

    def is_told() -> bool:
        before = world.look(stage.where)
        held = {row.operation_id for row in before.rows.values() if row.claimed}
        if any(before.depths.values()) or _working(stage, held):
            return False  # a tick of the schedule came first, and its messages are being worked on
        run = acts.swept(scene, {})
        if run is None or run["outcome"] == "overlapped":
            return False
        seen.clear()
        if _lost(before, stage) <= CAP:
            return True  # there was too little to refuse
        seen.append(Capped(cap=CAP, before=before, after=world.look(stage.where), halts=1, alarm="not asked"))
        others = [each for each in seen[-1].runs if each["run_id"] != run["run_id"]]
        return not any(each["outcome"] == "completed" for each in others)

    is_halted = until(is_told, seconds=CALM_SECONDS, every=0.5)
    _acknowledge(stage)
    return seen[-1] if is_halted and seen else None


def _lost(moment: World, stage: Stage) -> int:
    now = stage.stack.rooms.clock.now()
    return sum(row.state == "p" and row.due is not None and row.due[1] <= now for row in moment.rows.values())


def _acknowledge(stage: Stage) -> None:
    """Let a person permit sweeps to act above the cap, at a rate."""
    rooms = stage.stack.rooms
    now = rooms.clock.now()
    rooms.ledger.acknowledge(
        Acknowledgement(
            by=stage.stack.who(),
            at=now,
            until=after(now, timedelta(minutes=30)),
            drain_rate=DRAIN_RATE,
            reason="the purged queues are known; their work is wanted",
        )
    )


def _all_are_due(stage: Stage) -> bool:
    now = time.time() * 1000
    waiting = {name for name, status in world.statuses(stage.where).items() if status == "pending"}
    return all(at <= now for name, (_, at) in world.index(stage.where).items() if name in waiting)


def _heal(scene: Scene) -> bool:
    """Sweep until nothing moves but by a person; say whether that came."""

    def is_healed() -> bool:
        if not any(status in MOVING for status in world.statuses(scene.stage.where).values()):
            return True
        acts.swept(scene, {})
        return False

    return until(is_healed, seconds=HEALED_SECONDS, every=0.5)
