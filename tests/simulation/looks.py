"""What a look shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from makegood.domain import answers
from makegood.domain.choices import Capability
from makegood.domain.observation import Absent, Found, Look, Observed, Unknown

from tests.simulation.catalog import REGISTRY
from tests.simulation.engine import SECOND, Killed
from tests.simulation.kinds import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.simulation.remote import Remote, State

    Sight: TypeAlias = Callable[[Remote, Look], Observed]

LAG = 20 * SECOND  #: how old a look that lags may be


def sight(remote: Remote, look: Look) -> Observed:
    """Show what is there, unless the whole remote is in trouble."""
    if remote.crisis is not None:
        return Unknown(why=f"the remote: {remote.crisis}")
    remote.missed.discard(remote.place(look.operation))
    return _shown(remote, look, remote.state(look.operation))


def _shown(remote: Remote, look: Look, state: State) -> Observed:
    if state.version is None:
        return Absent(asked="the place")
    if state.deleted and remote.world.shows_no_tombstones:
        return Absent(asked="the place")
    key_count = remote.applied[look.effect_key]
    by_key = REGISTRY.terms[look.operation.operation_type].policy.capability is Capability.BY_KEY
    count = 1 if by_key else max(key_count, 1)
    fields = {"plan": state.plan}
    return Found(version=state.version, fields=fields, remote_id="it-9", count=count, deleted=state.deleted)


def _unknown(_: Remote, __: Look) -> Observed:
    return Unknown(why="status 500")


def _raises(_: Remote, __: Look) -> Observed:
    raise ZeroDivisionError


def _slow(remote: Remote, _: Look) -> Observed:
    remote.world.rest(5 * SECOND)
    return Unknown(why="no answer within 5 s")


def _lags(remote: Remote, look: Look) -> Observed:
    if remote.crisis is not None:
        return sight(remote, look)
    return _shown(remote, look, remote.states_since(look.operation, remote.world.engine.now - LAG)[0])


def _flickers(remote: Remote, look: Look) -> Observed:
    """Miss what is there, never twice in a row, and only for a type that wants to see an absence twice."""
    place, absences = remote.place(look.operation), REGISTRY.terms[look.operation.operation_type].policy.absences
    if place in remote.missed or (absences < 2 and not remote.world.kind.looks_miss):
        return sight(remote, look)
    remote.missed.add(place)
    return Absent(asked="a list that was not complete")


def _several(remote: Remote, look: Look) -> Observed:
    state = remote.state(look.operation)
    if not state.present or state.version != look.operation.expected_version:
        return sight(remote, look)
    return Found(version=state.version, fields={"plan": "gold"}, count=2)


def _no_version(remote: Remote, look: Look) -> Observed:
    if not remote.state(look.operation).present:
        return sight(remote, look)
    return Found(fields={"plan": "gold"})


def _anothers(remote: Remote, _: Look) -> Observed:
    """Let something on the way answer in the remote's place: that it knows no such page says nothing of the effect."""
    said = b"<html>no such host</html>" if remote.world.draw(2) else b'{"message": "no such route"}'
    return answers.observed(
        status=404, headers={}, body=said, asked="the place", found=lambda _: Absent(), absent_code="gone"
    )


def _kills(_: Remote, __: Look) -> Observed:
    raise Killed


SIGHTS: Mapping[Fault, Sight] = {
    Fault.UNKNOWN: _unknown,
    Fault.LOOK_RAISES: _raises,
    Fault.LOOK_SLOW: _slow,
    Fault.LOOK_LAGS: _lags,
    Fault.FLICKER: _flickers,
    Fault.SEVERAL: _several,
    Fault.NO_VERSION: _no_version,
    Fault.ANOTHERS_ANSWER: _anothers,
    Fault.LOOK_KILLS: _kills,
}
