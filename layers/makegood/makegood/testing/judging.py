"""What a trial came to: the lines of the contract that were broken on the way, and whether its end is the truth."""

from collections.abc import Iterator
from itertools import groupby

from makegood.domain.history import last
from makegood.domain.observation import Absent, Found, Unknown
from makegood.domain.operation import Intent, Operation, Status, idempotency_key_for
from makegood.domain.outcome import Accepted, Done, RejectedError
from makegood.domain.scrub import error_line
from makegood.testing.contract import Clause, Finding, Harm, broken
from makegood.testing.double import NO_KEY, Fault
from makegood.testing.hearing import breaches
from makegood.testing.world import Ended, World

BLIND = frozenset(  #: with these on, or after this, a look may well be Unknown
    {Fault.DOWN, Fault.ERRORS_TO_LOOKS, Fault.PAGES_TO_LOOKS, Fault.LAG, Fault.CHANGED_ELSEWHERE}
)
DISTURBING = frozenset(set(Fault) - {Fault.LAG, Fault.ERRORS_TO_LOOKS, Fault.PAGES_TO_LOOKS})


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
        yield from _never_read(world, row)
        if row.operation_id in world.ended:
            yield from _untrue(world.ended[row.operation_id])
        elif _is_undone_in_vain(world, row):
            yield broken(Clause.PROOF, "compensate said Done, and nothing shows that it is undone: a person is asked")
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
    if made <= len(world.promises) or twice:
        return
    words = f"{made} effects of {len(world.promises)} promise(s)"
    if world.kind.policy.idempotent:
        yield broken(Clause.KEY, f"{words}, which no key holds together")
    elif made - _undone_without_a_key(world) > len(world.promises):
        yield broken(Clause.ONCE, words)


def _undone_without_a_key(world: World) -> int:
    return sum(heard.gained[NO_KEY] for heard in world.watch.heard if heard.method == "compensate")


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
            clause = Clause.ABSENT if by_look else Clause.RULED_OUT
            yield broken(clause, "closed as not applicable, and it is there", harm=Harm.MISJUDGES)
        case Status.COMPENSATED if not seen.effects.get(row.idempotency_key):
            clause = Clause.ABSENT if by_look else Clause.DONE
            yield broken(clause, "recorded as compensated, and nothing was taken back", harm=Harm.LOSES)
        case _:
            return


def _never_read(world: World, row: Operation) -> Iterator[Finding]:
    """Find an operation that went to a person because no look could read what the remote answered."""
    of_it = [heard for heard in world.watch.heard if heard.method == "observe"]
    looks = [heard for heard in of_it if heard.operation.operation_id == row.operation_id and not heard.faults & BLIND]
    if row.status is not Status.MANUAL_REVIEW or len(looks) < 2:  # noqa: PLR2004 - one may come too early
        return
    if not any(isinstance(heard.said, Found | Absent) for heard in looks):
        said = looks[-1].said
        words = f"Unknown({said.why})" if isinstance(said, Unknown) else repr(said)[:80]
        yield broken(Clause.READ, f"no look says what is there, though the remote answers: {words}; a person is asked")


def _is_undone_in_vain(world: World, row: Operation) -> bool:
    """Say whether an undoing that nothing disturbed left it to a person whether it is undone."""
    calls = [heard for heard in world.watch.heard if heard.method == "compensate"]
    is_disturbed = world.fuse.at is not None or any(heard.faults & DISTURBING for heard in calls)
    in_review = row.status is Status.MANUAL_REVIEW and row.intent is Intent.COMPENSATION
    return in_review and not is_disturbed and bool(calls) and all(isinstance(heard.said, Done) for heard in calls)


def _asked_for_nothing(world: World, row: Operation) -> Iterator[Finding]:
    if any(isinstance(heard.said, Accepted) for heard in world.watch.heard) or _is_in_doubt(world, row):
        return
    if row.deadline_at is not None and row.deadline_at <= world.makegood.clock.now():
        return
    raised = _last_raised(world, row)
    words = error_line(raised) if raised else row.last_error
    yield broken(_why_asked(world), f"a person is asked after {row.attempt} attempt(s){f': {words}' if words else ''}")


def _last_raised(world: World, row: Operation) -> BaseException | None:
    """Return what the type raised at the last attempt, if it raised."""
    heard = [each for each in world.watch.heard if each.operation.operation_id == row.operation_id]
    said = [each.said for each in heard if each.method != "observe"]
    return said[-1] if said and isinstance(said[-1], BaseException) else None


def _why_asked(world: World) -> Clause:
    """Name the line that may have led there: an outage, a refusal where nothing was wrong, or no proof."""
    if any(isinstance(heard.said, RejectedError) for heard in world.watch.heard):
        return Clause.REJECTED
    were_down = any(Fault.DOWN in heard.faults for heard in world.watch.heard)
    return Clause.OUTAGE if were_down else Clause.PROOF


def _is_in_doubt(world: World, row: Operation) -> bool:
    """Say whether nobody could be asked what became of an attempt: then a person is right."""
    were_down = any(Fault.DOWN in heard.faults for heard in world.watch.heard)
    return were_down and row.uncertain and not world.kind.policy.capability.can_ask
