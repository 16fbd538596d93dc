"""The story in its order: lose, doubt, heal, refuse, allow. It counts nothing; what comes out is for the auditor."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from makegood_cli import promises
from makegood_cli.demo.auditor import world
from makegood_cli.demo.auditor.case import Capped, Case
from makegood_cli.demo.doubting import Doubting
from makegood_cli.demo.healing import Healing
from makegood_cli.demo.losing import Losing
from makegood_cli.demo.plan import EXCEPTIONS, planned, pool_of
from makegood_cli.demo.promising import Promising
from makegood_cli.demo.refusing import Refusing, wave

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from makegood.domain.instant import Instant
    from makegood.domain.promise import Promise
    from makegood.flows.review import Case as Waiting
    from makegood.ports import Unreadable

    from makegood_cli.demo.auditor.world import World
    from makegood_cli.demo.plan import Plan
    from makegood_cli.demo.progress import Reporter
    from makegood_cli.demo.stage import Stage

    Exceptional: TypeAlias = Waiting | Unreadable

FILE = "operations.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What happened, as far as the auditor has to be told."""

    plan: Plan
    ids: tuple[str, ...]  #: of the lines of the file, by line
    wave: tuple[str, ...]  #: the ids of the second part
    lost: World  #: when all was lost and no sweep had helped yet
    healed: World  #: at the end of the first part
    capped: Capped
    now: World
    exceptions: tuple[Exceptional, ...]  #: what a person would decide now, as the command lists it
    ended_at: Instant

    @property
    def case(self) -> Case:
        """All of it, to be judged."""
        moments = (self.lost, self.healed, self.capped.before)
        return Case(promised=self.ids + self.wave, moments=moments, now=self.now, capped=self.capped)


def tell(stage: Stage, report: Reporter, *, seed: int) -> Told:
    """Play the whole story on this stage."""
    lines = read(stage.stack.rooms.clock.now())
    plan = planned([pool_of(line) for line in lines], seed=seed)
    promising = Promising(stage=stage, plan=plan, promises=lines, report=report)
    healing = Healing(stage=stage, report=report)
    refusing = Refusing(stage=stage, healing=healing, report=report, promises=wave(lines, _cap(stage) + 1))
    lost = _lost(Losing(promising=promising), Doubting(promising=promising, healing=healing))
    ids = tuple(promising.ids(range(len(lines))))
    healing.wait_for_the_schedule()
    report.step("Sweeping until nothing is lost, and nothing unknown that can be asked")
    healing.sweep_until_sent(set(ids))
    refusing.lose()  # now: they become stale while the retries of the others go on by themselves
    report.step("Sweeping until all has ended or waits for a person")
    healing.sweep_until_healed(set(ids))
    healed = world.look(stage.where)
    capped = refusing.halt()
    refusing.drain({*ids, *refusing.identifiers})
    report.step("Auditing: the whole table, its index, the CRM's own logs")
    return Told(
        plan=plan,
        ids=ids,
        wave=refusing.identifiers,
        lost=lost,
        healed=healed,
        capped=capped,
        now=world.look(stage.where),
        exceptions=tuple(stage.stack.rooms.review.exceptions(EXCEPTIONS)),
        ended_at=stage.stack.rooms.clock.now(),
    )


def _lost(losing: Losing, doubting: Doubting) -> World:
    """Play the first acts; return what stood there when all messages were lost that get lost."""
    losing.kill()
    doubting.meanwhile()
    lost = losing.lose()
    losing.deliver_again()
    doubting.outage()
    return lost


def read(now: Instant) -> Sequence[Promise]:
    """Return the promises of the file that ships with the demo."""
    text = (files("makegood_cli.demo") / FILE).read_bytes()
    lines = promises.read(text.splitlines(), now)
    return [line.promise for line in lines if line.promise is not None]


def _cap(stage: Stage) -> int:
    return stage.stack.rooms.settings.sweep.halt_cap
