"""How the CRM treats a changing call: door → key → execution → delivery; at each stage a fault may strike."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import formatdate
from time import time
from typing import TYPE_CHECKING, TypeAlias

from makegood_cli.local.crm_faults import NO_FAULT, Stage
from makegood_cli.local.crm_records import Answer
from makegood_cli.local.crm_store import Busy, Fresh, Reused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from threading import Event

    from makegood.domain.document import Json

    from makegood_cli.local.crm_board import FaultBoard
    from makegood_cli.local.crm_faults import Fault
    from makegood_cli.local.crm_records import Call
    from makegood_cli.local.crm_store import CrmStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """No answer comes: after so many seconds the connection is closed."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbled:
    """Something else comes than what the CRM decided."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Reply: TypeAlias = Answer | Garbled | Silence


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Takes calls side by side; the store keeps them apart."""

    store: CrmStore
    board: FaultBoard
    stopping: Event  #: set when the process is about to end; ends every wait

    def put(self, call: Call) -> Reply:
        """Treat one call to the end."""
        number = self.store.received(call)
        door = self._fault(Stage.DOOR, number, call)
        if door is not NO_FAULT:
            return self._settled(number, _turned_away(door))
        forget = self._fault(Stage.KEY, number, call) is not NO_FAULT
        match self.store.take_key(call, forget=forget):
            case Busy():
                return self._settled(number, _in_progress())
            case Reused():
                return self._settled(number, refusal(409, "key_reused", "this key was used for another request"))
            case Answer() as recorded:
                return self._delivered(number, call, self._settled(number, recorded, replayed=True))
            case Fresh():
                answer = self._execute(number, call)
                return Silence(seconds=0) if answer is None else self._delivered(number, call, answer)

    def _fault(self, stage: Stage, number: int, call: Call) -> Fault:
        name, fault = self.board.draw(stage, call)
        if fault is not NO_FAULT:
            self.store.struck(number, name)
        return fault

    def _settled(self, number: int, answer: Answer, *, replayed: bool = False) -> Answer:
        self.store.answered(number, answer, replayed=replayed)
        return answer

    def _execute(self, number: int, call: Call) -> Answer | None:
        """Execute a call whose key is ours; None if the connection is to break with nothing applied."""
        fault = self._fault(Stage.EXECUTION, number, call)
        match fault.kind:
            case "close_before":
                return self._let_go(number, call, None)
            case "hang_before" if self.stopping.wait(fault.patience):
                return self._let_go(number, call, None)
            case "refuse":
                return self._let_go(number, call, refusal(422, "refused", _message(fault, call)))
            case "error" if not fault.applied:
                self.store.record(number, call, _BROKEN)
                return _BROKEN
            case _:
                return self._apply(number, call, fault)

    def _let_go(self, number: int, call: Call, answer: Answer | None) -> Answer | None:
        self.store.let_go(number, call, answer)
        return answer

    def _apply(self, number: int, call: Call, fault: Fault) -> Answer | None:
        answer = _success(call, fault)
        lag = fault.seconds or 0.0 if fault.kind in {"lag", "accept"} else 0.0
        if self.store.apply(number, call, answer, lag_seconds=lag):
            return answer
        latest = self.store.latest_version(call.entity)
        message = f"version {call.version} is older than {latest}"
        return self._let_go(number, call, refusal(409, "stale_version", message, current_version=latest))

    def _delivered(self, number: int, call: Call, answer: Answer) -> Reply:
        fault = self._fault(Stage.DELIVERY, number, call)
        match fault.kind:
            case "close_after":
                return Silence(seconds=0)
            case "hang_after":
                return Silence(seconds=fault.patience)
            case "garble":
                return Garbled(status=fault.status, headers=fault.headers, body=fault.body.encode())
            case _:
                return answer


def refusal(
    status: int,
    code: str,
    message: str,
    *,
    headers: Mapping[str, str] | None = None,
    current_version: int | None = None,
) -> Answer:
    """Make an answer that says no, with its documented code."""
    body: dict[str, Json] = {"code": code, "message": message}
    if current_version is not None:
        body["current_version"] = current_version
    return Answer(status=status, body=body, headers=headers or {})


_BROKEN = refusal(500, "internal", "the CRM broke down")


def _in_progress() -> Answer:
    return refusal(409, "in_progress", "a call with this key is still being executed")


def _success(call: Call, fault: Fault) -> Answer:
    identifier = call.entity.partition("/")[2]
    match fault.kind:
        case "error":
            return _BROKEN
        case "accept":
            return Answer(status=202, body={"id": identifier})
        case _:
            return Answer(status=200, body={"id": identifier, "version": call.version, "fields": call.fields})


def _turned_away(fault: Fault) -> Answer:
    match fault.kind:
        case "throttle":
            return refusal(429, "throttled", "too many calls", headers=_retry_after(fault))
        case "unavailable":
            return refusal(503, "unavailable", "the CRM is being serviced", headers=_retry_after(fault))
        case _:
            return _in_progress()


def _retry_after(fault: Fault) -> dict[str, str]:
    if fault.seconds is None:
        return {}
    return {"Retry-After": formatdate(time() + fault.seconds, usegmt=True) if fault.as_date else f"{fault.seconds:.0f}"}


def _message(fault: Fault, call: Call) -> str:
    echoed = (f"{name}: {value}" for name, value in call.headers.items()) if fault.echo else ()
    return "; ".join([fault.message, *echoed])
