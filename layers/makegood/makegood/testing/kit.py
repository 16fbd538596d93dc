"""The fault kit: one line puts a team's own operation type, with its remote's double, through everything that happens.

put_on_trial(PublishPrice, RemoteInMemory(), promise).assert_sound()
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import TypeAlias

from makegood.domain.errors import UnsafePolicy
from makegood.domain.limits import Limits
from makegood.domain.operation_type import OperationType
from makegood.domain.promise import Promise
from makegood.testing.double import RemoteDouble
from makegood.testing.fuse import Fuse, every_crash
from makegood.testing.judging import ending, findings, story
from makegood.testing.report import Report, Result
from makegood.testing.trials import Trial, tours_of, trials_of
from makegood.testing.world import World

NOT_ALL_DAY = timedelta(hours=4)  #: in a tour: a look that never answers would be asked for a day at every request

Promised: TypeAlias = Promise | Callable[[], Promise]


def put_on_trial(
    kind: type[OperationType], remote: RemoteDouble, promise: Promised, *, limits: Limits | None = None
) -> Report:
    """Run an operation type through every fault that its double can be told, and a crash at every request.

    `promise` is an ordinary promise of the type. Where the double outlives its `reset`, a server with a memory for one,
    give a function that makes a promise for a new entity each time. The type runs with its own policy, in mode
    `correct`: a mode would only hide what it does. `limits` are your deployment's, where they are not the defaults.

    Raises:
        UnsafePolicy: the type could not even be registered.
    """
    court = _Court(kind, remote, promise, replace(limits or Limits(), shards=1))
    trials, tours = trials_of(kind), tours_of(kind)
    reached = court.reaches(trials[0])
    return Report(
        operation_type=kind.name,
        results=tuple(court.tried(trial) for trial in trials if court.is_possible(trial)),
        crashes=tuple(result for tour in tours if court.is_possible(tour) for result in court.toured(tour)),
        left_out=tuple(trial for trial in trials if not court.is_possible(trial)),
        can=frozenset(remote.can),
        reached=reached,
    )


class _Court:
    def __init__(self, kind: type[OperationType], remote: RemoteDouble, promise: Promised, limits: Limits) -> None:
        self._kind, self._remote, self._promise, self._limits = kind, remote, promise, limits

    def is_possible(self, trial: Trial) -> bool:
        """Say whether the double can be told what a trial needs."""
        return set(trial.needs) <= set(self._remote.can)

    def reaches(self, plain: Trial) -> bool:
        """Say whether the double counts a call of the type, if nothing goes wrong."""
        return bool(self._run(plain, Fuse(), self._limits).remote.seen().calls)

    def tried(self, trial: Trial) -> Result:
        """Run a trial."""
        return self._result(trial, self._run(trial, Fuse(), self._limits))

    def toured(self, trial: Trial) -> Iterator[Result]:
        """Run a trial again and again, each time with another of its requests cut off."""
        counted, limits = Fuse(), self._short_of_patience()
        self._run(trial, counted, limits)
        for fuse in every_crash(counted.requests):
            world = self._run(trial, fuse, limits)
            where = fuse.requests[(fuse.at or 1) - 1] if len(fuse.requests) >= (fuse.at or 1) else "no request"
            yield self._result(trial, world, crash=f"{where}, {fuse.manner}")

    def _short_of_patience(self) -> Limits:
        """Return the deployment's numbers with less patience, where the policy allows it."""
        limits = replace(self._limits, outage_limit=min(self._limits.outage_limit, NOT_ALL_DAY))
        try:
            self._kind.policy.under(limits)
        except UnsafePolicy:  # its windows are longer than that
            return self._limits
        return limits

    def _run(self, trial: Trial, fuse: Fuse, limits: Limits) -> World:
        promise = self._promise if isinstance(self._promise, Promise) else self._promise()
        world = World(
            kind=self._kind,
            remote=self._remote,
            promise=promise,
            limits=limits,
            fuse=fuse,
            is_calm=trial.is_calm,
        )
        trial.run(world)
        return world

    def _result(self, trial: Trial, world: World, crash: str | None = None) -> Result:
        found = findings(world)
        return Result(trial=trial, ending=ending(world), story=story(world), findings=found, crash=crash)
