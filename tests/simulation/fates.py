"""What becomes of a call."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from makegood.domain.outcome import (
    Accepted,
    Done,
    NotApplicable,
    OutageError,
    Outcome,
    RejectedError,
    TransientError,
    UncertainError,
)

from tests.simulation.engine import SECOND, Killed
from tests.simulation.kinds import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.simulation.remote import Call, Remote

    Fate: TypeAlias = Callable[[Remote, Call], Outcome]

SLIP = "hush-hush-hush"  #: that a remote lets slip in what it says
LET_SLIP = f"no such customer\n\tapi_key={SLIP}\x1b[2K"
PATIENCE = 10 * SECOND  #: of a client; the policy's `client_timeout`


def arrive(remote: Remote, call: Call) -> Outcome:
    """Take the call, apply it and say so, unless the whole remote is in trouble."""
    if remote.crisis == "turned away":
        return _outage(remote, call)
    if remote.crisis == "silence":
        return _lost_call(remote, call)
    remote.land(call)
    remote.world.rest()
    return _answer(remote, call)


def _answer(remote: Remote, call: Call) -> Done:
    if call.undoing:
        return Done(remote_id="undo-9")
    state = remote.state(call.operation)
    return Done(remote_id="it-9", version=state.version, fields={"plan": state.plan})


def _lost_call(remote: Remote, call: Call) -> Outcome:
    remote.world.rest(PATIENCE)
    raise UncertainError(f"no answer to {call.operation.operation_id}: {LET_SLIP}")


def _lost_answer(remote: Remote, call: Call) -> Outcome:
    remote.land(call)
    return _lost_call(remote, call)


def _lands_later(remote: Remote, call: Call) -> None:
    world = remote.world
    wait = PATIENCE + world.draw(world.kind.lateness)
    world.engine.at(world.engine.now + wait, lambda: remote.land(call))


def _late_call(remote: Remote, call: Call) -> Outcome:
    _lands_later(remote, call)
    return _lost_call(remote, call)


def _late_call_crash(remote: Remote, call: Call) -> Outcome:
    _lands_later(remote, call)
    raise Killed


def _died_calling(_: Remote, __: Call) -> Outcome:
    raise Killed


def _died_answered(remote: Remote, call: Call) -> Outcome:
    remote.land(call)
    raise Killed


def _transient(remote: Remote, call: Call) -> Outcome:
    call.may = False
    raise TransientError("try later", retry_after=timedelta(minutes=20) if remote.world.draw(3) == 0 else None)


def _outage(_: Remote, call: Call) -> Outcome:
    call.may = False
    raise OutageError("down for maintenance")


def _rejected(_: Remote, call: Call) -> Outcome:
    call.may = False
    raise RejectedError(LET_SLIP)


def _accepted(remote: Remote, call: Call) -> Outcome:
    _lands_later(remote, call)
    return Accepted(remote_id="it-9")


def _forgotten(_: Remote, __: Call) -> Outcome:
    return Accepted(remote_id="it-9")


def _unproven(remote: Remote, call: Call) -> Outcome:
    remote.land(call)
    if call.undoing and remote.world.draw(2):
        return Done(remote_id="undo-9", version=call.operation.expected_version, fields={"plan": "gold"})
    return Done(remote_id="" if call.undoing else "it-9")


def _otherwise(remote: Remote, call: Call) -> Outcome:
    remote.land(call)
    remote.world.others.change(call.operation)
    return _answer(remote, call)


def _ruled_out(_: Remote, call: Call) -> Outcome:
    call.may = False
    return NotApplicable(reason="the customer is gone")


def _odd_before(_: Remote, __: Call) -> Outcome:
    raise ZeroDivisionError


def _odd_after(remote: Remote, call: Call) -> Outcome:
    remote.land(call)
    raise SystemExit(1)


def _slow_answer(remote: Remote, call: Call) -> Outcome:
    remote.land(call)
    remote.world.rest(45 * SECOND)
    return _answer(remote, call)


def _frozen(remote: Remote, call: Call) -> Outcome:
    remote.world.rest(remote.world.pause())
    remote.land(call)
    remote.world.rest(remote.world.pause())
    return _answer(remote, call)


FATES: Mapping[Fault, Fate] = {
    Fault.LOST_CALL: _lost_call,
    Fault.LOST_ANSWER: _lost_answer,
    Fault.LATE_CALL: _late_call,
    Fault.LATE_CALL_CRASH: _late_call_crash,
    Fault.DIED_CALLING: _died_calling,
    Fault.DIED_ANSWERED: _died_answered,
    Fault.TRANSIENT: _transient,
    Fault.OUTAGE: _outage,
    Fault.REJECTED: _rejected,
    Fault.ACCEPTED: _accepted,
    Fault.FORGOTTEN: _forgotten,
    Fault.UNPROVEN: _unproven,
    Fault.OTHERWISE: _otherwise,
    Fault.RULED_OUT: _ruled_out,
    Fault.ODD_BEFORE: _odd_before,
    Fault.ODD_AFTER: _odd_after,
    Fault.FROZEN: _frozen,
    Fault.SLOW_ANSWER: _slow_answer,
}
