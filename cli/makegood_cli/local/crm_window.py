"""How the remote treats a caller's read: gate → read; at each a fault may strike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from makegood_cli.local.crm_faults import NO_FAULT, Stage
from makegood_cli.local.crm_records import Answer, as_document
from makegood_cli.local.crm_replies import Garbled, Silence, garbled, ok, turned_away, unknown_customer

if TYPE_CHECKING:
    from threading import Event

    from makegood_cli.local.crm_board import FaultBoard
    from makegood_cli.local.crm_faults import Fault
    from makegood_cli.local.crm_records import Question
    from makegood_cli.local.crm_replies import Reply
    from makegood_cli.local.crm_store import CrmStore
    from makegood_cli.local.crm_views import Views


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Shows customers to callers. It changes nothing but the log of reads."""

    views: Views
    store: CrmStore
    board: FaultBoard
    stopping: Event  #: set when the process is about to end; ends every wait

    def customer(self, question: Question) -> Reply:
        """Treat one read to the end, and log it."""
        name, fault = self._drawn(question)
        reply = self._reply(question, fault)
        status = None if isinstance(reply, Silence) else reply.status
        self.store.asked(question, status=status, fault=name)
        return reply

    def _drawn(self, question: Question) -> tuple[str, Fault]:
        name, fault = self.board.draw(Stage.GATE, question)
        return (name, fault) if fault is not NO_FAULT else self.board.draw(Stage.READ, question)

    def _reply(self, question: Question, fault: Fault) -> Answer | Garbled | Silence:
        match fault.kind:
            case "down":
                return turned_away(fault)
            case "drop_read":
                return Silence(seconds=0)
            case "hang_read" if self.stopping.wait(fault.patience):
                return Silence(seconds=0)
            case "misread":
                return garbled(fault)
            case "behind":
                return self._shown(question, behind=True)
            case "tombstone":
                return self._shown(question, deleted=True)
            case _:
                return self._shown(question)

    def _shown(self, question: Question, *, behind: bool = False, deleted: bool = False) -> Answer:
        customer = self.views.customer(question.name, without=question.key if behind else None)
        if customer is None:
            return unknown_customer()
        applied = 0 if behind else self.views.applied(question.name, question.key)
        return ok({**as_document(customer), "applied": applied} | ({"deleted": True} if deleted else {}))
