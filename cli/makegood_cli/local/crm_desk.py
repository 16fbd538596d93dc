"""How the remote treats a changing call: gate → door → key → execution → delivery; at each a fault may strike.

A charge has no stage of the key: the payment side takes the key and makes nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from makegood_cli.local.crm_faults import NO_FAULT, Stage
from makegood_cli.local.crm_records import Answer, Kind
from makegood_cli.local.crm_replies import Silence, garbled, in_progress, refusal, turned_away, unknown_customer
from makegood_cli.local.crm_store import Busy, Fresh, Reused

if TYPE_CHECKING:
    from threading import Event

    from makegood.domain.document import Document

    from makegood_cli.local.crm_board import FaultBoard
    from makegood_cli.local.crm_faults import Fault
    from makegood_cli.local.crm_records import Call, Customer
    from makegood_cli.local.crm_replies import Reply
    from makegood_cli.local.crm_store import CrmStore

_BROKEN = refusal(500, "internal", "the CRM broke down")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Takes calls side by side; the store keeps them apart."""

    store: CrmStore
    board: FaultBoard
    stopping: Event  #: set when the process is about to end; ends every wait

    def take(self, call: Call) -> Reply:
        """Treat one call to the end."""
        number = self.store.received(call)
        for stage in (Stage.GATE, Stage.DOOR):
            if (fault := self._fault(stage, number, call)) is not NO_FAULT:
                return self._turned_away(number, fault)
        if call.kind is Kind.CHARGE:
            return self._executed(number, call)
        forget = self._fault(Stage.KEY, number, call) is not NO_FAULT
        match self.store.take_key(call, forget=forget):
            case Busy():
                return self._settled(number, in_progress())
            case Reused():
                return self._settled(number, refusal(409, "key_reused", "this key was used for another request"))
            case Answer() as recorded:
                return self._delivered(number, call, self._settled(number, recorded, replayed=True))
            case Fresh():
                return self._executed(number, call)

    def _fault(self, stage: Stage, number: int, call: Call) -> Fault:
        name, fault = self.board.draw(stage, call)
        if fault is not NO_FAULT:
            self.store.struck(number, name)
        return fault

    def _turned_away(self, number: int, fault: Fault) -> Reply:
        reply = turned_away(fault)
        return self._settled(number, reply) if isinstance(reply, Answer) else reply

    def _settled(self, number: int, answer: Answer, *, replayed: bool = False) -> Answer:
        self.store.answered(number, answer, replayed=replayed)
        return answer

    def _executed(self, number: int, call: Call) -> Reply:
        answer = self._execute(number, call)
        return Silence(seconds=0) if answer is None else self._delivered(number, call, answer)

    def _execute(self, number: int, call: Call) -> Answer | None:
        """Execute a call whose key is ours; None if the connection is to break with nothing applied."""
        fault = self._fault(Stage.EXECUTION, number, call)
        match fault.kind:
            case "close_before":
                return self._let_go(number, call, None)
            case "hang_before" if self.stopping.wait(fault.patience):
                return self._let_go(number, call, None)
            case "refuse":
                return self._let_go(number, call, _refused(fault, call))
            case "error" if not fault.applied:
                self.store.record(number, call, _BROKEN)
                return _BROKEN
            case _:
                return self._apply(number, call, fault)

    def _let_go(self, number: int, call: Call, answer: Answer | None) -> Answer | None:
        self.store.let_go(number, call, answer)
        return answer

    def _apply(self, number: int, call: Call, fault: Fault) -> Answer | None:
        lag = fault.seconds or 0.0 if fault.kind in {"lag", "accept"} else 0.0
        match call.kind:
            case Kind.CHARGE:
                answer = _instead(call, fault) or _charged(number, call)
                self.store.charge(number, call, answer, lag_seconds=lag)
                return answer
            case Kind.WITHDRAW:
                return self._withdraw(number, call, fault, lag)
            case _:
                return self._change(number, call, fault, lag)

    def _change(self, number: int, call: Call, fault: Fault, lag: float) -> Answer | None:
        answer = _instead(call, fault) or _changed(call)
        if self.store.change(number, call, answer, lag_seconds=lag):
            return answer
        latest = self.store.latest_version(call.entity)
        message = f"version {call.version} is older than {latest}"
        return self._let_go(number, call, refusal(409, "stale_version", message, current_version=latest))

    def _withdraw(self, number: int, call: Call, fault: Fault, lag: float) -> Answer | None:
        def answer(before: Customer | None) -> Answer:
            return _instead(call, fault) or _withdrawn(call, before)

        if said := self.store.withdraw(number, call, answer, lag_seconds=lag):
            return said
        latest = self.store.latest_version(call.entity)
        if latest is None:
            return self._let_go(number, call, unknown_customer())
        message = f"version {call.version} does not stand, or was not written under the key that is named"
        return self._let_go(number, call, refusal(409, "not_current", message, current_version=latest))

    def _delivered(self, number: int, call: Call, answer: Answer) -> Reply:
        fault = self._fault(Stage.DELIVERY, number, call)
        match fault.kind:
            case "close_after":
                return Silence(seconds=0)
            case "hang_after":
                return Silence(seconds=fault.patience)
            case "garble":
                return garbled(fault)
            case _:
                return answer


def _instead(call: Call, fault: Fault) -> Answer | None:
    """Return what a fault answers in place of the good news, though the effect is there."""
    match fault.kind:
        case "error":
            return _BROKEN
        case "accept":
            return Answer(status=202, body={"id": call.name})
        case _:
            return None


def _changed(call: Call) -> Answer:
    return Answer(status=200, body={"id": call.name, "version": call.version, "fields": call.fields})


def _withdrawn(call: Call, before: Customer | None) -> Answer:
    version, fields = (None, {}) if before is None else (before.version, before.fields)
    shown: Document = {"id": call.name, "version": version, "fields": fields, "withdrawn": call.version}
    return Answer(status=200, body=shown)


def _charged(number: int, call: Call) -> Answer:
    amount = f"{Decimal(str(call.fields['amount'])):.2f}"  # as text, as payment systems do
    told: Document = {
        "invoice": call.name,
        "version": call.version,
        "amount": amount,
        "currency": call.fields["currency"],
    }
    return Answer(status=201, body={"id": f"ch-{number}", **told, "status": "succeeded"})


def _refused(fault: Fault, call: Call) -> Answer:
    echoed = (f"{name}: {value}" for name, value in call.headers.items()) if fault.echo else ()
    status, code = (402, "declined") if call.kind is Kind.CHARGE else (422, "refused")
    return refusal(status, code, "; ".join([fault.message, *echoed]))
