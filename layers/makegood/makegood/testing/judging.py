"""What a trial came to: the lines of the contract that were broken on the way, and whether its end is the truth."""

from collections.abc import Iterator
from itertools import groupby

from makegood.domain.history import last
from makegood.domain.operation import Intent, Operation, Status, idempotency_key_for
from makegood.domain.outcome import Accepted, RejectedError
from makegood.testing.contract import Clause, Finding, Harm, broken
from makegood.testing.double import NO_KEY, Fault
from makegood.testing.hearing import breaches
from makegood.testing.world import Ended, World


def findings(world: World) -> tuple[Finding, ...]:
    """Judge a trial that is over."""
    said = [finding for heard in world.watch.heard for finding in breaches(heard)]
    return tuple(dict.fromkeys([*said, *_of_the_end(world)]))


def ending(world: World) -> str:
    """Say where it all ended, and by which reason: `confirmed (proven); 1 effect`."""
    statuses = ", ".join(f"{row.status} ({last(row.history).reason.replace('_', ' ')})" for row in world.rows())
    count = sum(world.remote.seen().effects.values())
    return f"{statuses}; {count} effect{'' if count == 1 else 's'}"


def story(world: World) -> str:
    """Say what the type said, one after the other; the same thing in a row once, with how often."""
    runs = [(words, len(list(same))) for words, same in groupby(heard.words for heard in world.watch.heard)]
    told = [words if times == 1 else f"{words} ({times} times)" for words, times in runs]
    return ", ".join(told) or "was never called"


def _of_the_end(world: World) -> Iterator[Finding]:
    yield from _doubled(world)
    yield from _overwritten(world)
    for row in world.rows():
        if not row.is_terminal and row.status is not Status.MANUAL_REVIEW:
            yield broken(
                Clause.MAKEGOOD, f"{row.operation_type} version {row.expected_version} is {row.status} for ever"
            )
        if row.operation_id in world.ended:
            yield from _untrue(world.ended[row.operation_id])
        elif world.is_calm and row.status is Status.MANUAL_REVIEW:
            yield from _asked_for_nothing(world, row)


def _doubled(world: World) -> Iterator[Finding]:
    effects = world.remote.seen().effects
    twice = [count for key, count in effects.items() if count > 1 and key != NO_KEY]
    for count in twice:
        clause = Clause.IDEMPOTENT if world.kind.policy.idempotent else Clause.ONCE
        yield broken(clause, f"{count} effects under one key")
    undoing = {idempotency_key_for(row.operation_id, Intent.COMPENSATION) for row in world.rows()}
    made = sum(count for key, count in effects.items() if key not in undoing)
    if made > len(world.promises) and not twice:
        yield broken(Clause.KEY, f"{made} effects of {len(world.promises)} promise(s), which no key holds together")


def _overwritten(world: World) -> Iterator[Finding]:
    stands = world.remote.seen().versions.get(world.promise.entity)
    if world.newest is not None and stands is not None and stands < world.newest:
        yield broken(Clause.VERSIONS, f"version {stands} stands, and version {world.newest} had been written")


def _untrue(ended: Ended) -> Iterator[Finding]:
    """Hold a terminal status to what the remote had at that moment."""
    row, seen = ended.operation, ended.seen
    stands = seen.versions.get(row.entity)
    made = seen.effects.get(idempotency_key_for(row.operation_id, Intent.EFFECT), 0) + seen.effects.get(NO_KEY, 0)
    by_look = row.verdict is not None
    match row.status:
        case Status.CONFIRMED if not seen.effects:
            yield broken(
                Clause.FOUND if by_look else Clause.DONE, "confirmed, and nothing was applied", harm=Harm.LOSES
            )
        case Status.CONFIRMED if stands not in (None, row.expected_version) and (by_look or not made):
            clause = Clause.FOUND if by_look else Clause.DONE
            yield broken(clause, f"confirmed at version {row.expected_version}, and the remote stands at {stands}")
        case Status.NOT_APPLICABLE if made and stands in (None, row.expected_version):
            yield broken(Clause.ABSENT, "closed as not applicable, and it is there")
        case Status.COMPENSATED if not seen.effects.get(row.idempotency_key):
            clause = Clause.ABSENT if by_look else Clause.DONE
            yield broken(clause, "recorded as compensated, and nothing was taken back", harm=Harm.LOSES)
        case _:
            return


def _asked_for_nothing(world: World, row: Operation) -> Iterator[Finding]:
    if any(isinstance(heard.said, Accepted) for heard in world.watch.heard) or _is_in_doubt(world, row):
        return
    if row.deadline_at is not None and row.deadline_at <= world.makegood.clock.now():
        return
    last = f": {row.last_error}" if row.last_error else ""
    clause = _why_asked(world)
    yield broken(clause, f"a person is asked after {row.attempt} attempt(s){last}")


def _why_asked(world: World) -> Clause:
    """Name the line that may have led there: an outage, a refusal where nothing was wrong, or no proof."""
    if any(Fault.DOWN in heard.faults for heard in world.watch.heard):
        return Clause.OUTAGE
    refused = any(isinstance(heard.said, RejectedError) for heard in world.watch.heard)
    return Clause.REJECTED if refused else Clause.PROOF


def _is_in_doubt(world: World, row: Operation) -> bool:
    """Say whether nobody could be asked what became of an attempt: then a person is right."""
    were_down = any(Fault.DOWN in heard.faults for heard in world.watch.heard)
    return were_down and row.uncertain and not world.kind.policy.capability.can_ask
