"""The local stack's remote as a double for the fault kit: customers are asked by key, charges by nobody."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from makegood.domain.promise import Promise
from makegood.testing import Addresses, Fault, Seen
from makegood_cli.local import crm_faults
from makegood_cli.local.crm_misreadings import misreading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood import Remotes

    from tests.local_crm import LocalCrm

FAULTS: Mapping[Fault, crm_faults.Fault] = {
    Fault.TIME_OUT_AFTER: crm_faults.Fault(kind="close_after", count=1),
    Fault.TIME_OUT_BEFORE: crm_faults.Fault(kind="close_before", count=1),
    Fault.ERROR_AFTER: crm_faults.Fault(kind="error", count=1),
    Fault.REFUSE: crm_faults.Fault(kind="refuse"),
    Fault.DOWN: crm_faults.Fault(kind="down", seconds=60),
    Fault.ERRORS_TO_LOOKS: misreading("error"),
    Fault.PAGES_TO_LOOKS: misreading("no collection"),
    Fault.LAG: crm_faults.Fault(kind="behind"),
}


@dataclass(slots=True)
class CrmDouble:
    """One running CRM. It never forgets, so each trial gets a customer of its own and counts from where it began."""

    crm: LocalCrm
    operation_type: str = "sync_customer"
    kind: str = "customer"  #: what the type calls a customer of the CRM, such as account
    customer: str = ""
    begun_at: int = 0  #: the number of the last call before this trial
    can: frozenset[Fault] = field(default=frozenset({*FAULTS, Fault.CHANGED_ELSEWHERE, Fault.APPLY_LATE}))
    late: list[Promise] = field(default_factory=list)  #: whose first call lands when the faults are lifted

    def promise(self) -> Promise:
        """Promise version 7 of a customer that nobody has used yet."""
        self.customer = self.crm.stranger()
        return Promise(
            operation_type=self.operation_type,
            entity=f"{self.kind}/{self.customer}",
            expected_version=7,
            expected_fields={"plan": "gold"},
        )

    def charge(self) -> Promise:
        """Promise to charge an invoice that nobody has used yet."""
        return Promise(
            operation_type="charge_invoice",
            entity=f"invoice/{self.crm.stranger()}",
            expected_version=3,
            expected_fields={"amount": 10, "currency": "EUR"},
        )

    def reset(self) -> Remotes:
        """Switch every fault off and count from here."""
        self.crm.client.clear()
        self.late.clear()
        self.begun_at = max((call["number"] for call in self._calls(self.begun_at)), default=self.begun_at)
        return Addresses(urls={"crm": self.crm.url, "payments": self.crm.url})

    def tell(self, fault: Fault, promise: Promise) -> None:
        """Switch a fault on."""
        match fault:
            case Fault.CHANGED_ELSEWHERE:
                self.crm.client.change_elsewhere(
                    self.customer, version=promise.expected_version + 1, fields={"plan": "silver"}
                )
            case Fault.APPLY_LATE:
                self.late.append(promise)
                self.crm.client.set_fault(FAULTS[Fault.TIME_OUT_BEFORE])
            case _:
                self.crm.client.set_fault(FAULTS[fault])

    def lift(self) -> None:
        """Switch every fault off; a call that hung goes on, under its own key."""
        self.crm.client.clear()
        for promise in self.late:
            key = self._calls(self.begun_at)[0]["key"]
            body = {"version": promise.expected_version, "fields": promise.expected_fields}
            self.crm.ask("PUT", f"/customers/{self.customer}", body, {"Idempotency-Key": key})
        self.late.clear()

    def seen(self) -> Seen:
        """Read the CRM's own log, and what stands."""
        calls = self._calls(self.begun_at)
        stands = self.crm.client.customer(self.customer) if self.customer else None
        return Seen(
            effects=Counter(call["key"] for call in calls if call["applied"]),
            calls=len(calls),
            versions={} if stands is None else {f"{self.kind}/{self.customer}": stands.version},
        )

    def _calls(self, after: int) -> list[dict[str, Any]]:
        said: Any = self.crm.ask("GET", f"/log?after={after}").body["calls"]
        return list(said)
