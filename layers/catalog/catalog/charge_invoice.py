"""Take money for an invoice: the operation type of the other corner, where a mistake cannot be taken back.

    POST {payments}/charges        Idempotency-Key, X-Operation-Id, Authorization: Bearer (where a secret is deployed)
    {"invoice": "88", "version": 3, "amount": 10, "currency": "EUR"}

The payment system makes nothing of the key: each call is a new charge. Nor can a charge be looked up. So a call whose
end nobody knows is never made again by a program; it goes to a person.

The promise is in `expected_fields`: `amount` (a number, or its text) and `currency`, nothing else. The payment system
knows no versions of an invoice: the request carries the promised one, and the answer repeats it beside amount and
currency. Only an answer that holds all three for this invoice, and says that the charge succeeded, proves the effect.

    answer                                     outcome           because
    200, 201 with all of that                  Done              compared: another amount is divergent, for a person
    200, 201 with this invoice's id, less      Done, no version  money may have moved, and how much is not proven
    200, 201 without an id, or not of it       UncertainError    it may have been taken
    202                                        Accepted          taken, not yet provable
    402, 401, 403, any other 4xx               RejectedError     the payment system refuses; a person must look
    429; 503 with Retry-After; no connection   OutageError       turned away at the door, or never sent: nothing taken
    anything else: silence, 3xx, 5xx, HTML     UncertainError    it may have been taken
"""

from datetime import timedelta

from makegood import (
    Accepted,
    Attempt,
    Capability,
    Done,
    Mode,
    Operation,
    OperationType,
    Policy,
    QueueName,
    RejectedError,
    Remotes,
    UncertainError,
    document,
)

from catalog.http_json import Answer, HttpJson

_PROMISED = {"amount", "currency"}


class ChargeInvoice(OperationType):
    """Charge an invoice, at a version, once."""

    name = "charge_invoice"
    destination = "the payment system"
    effect = "the invoice's amount is taken, once"
    source_of_truth = ""  # a charge cannot be looked up
    proof = "the answer to the call itself: the charge's id, with version, amount and currency of the invoice"
    policy = Policy(
        queue=QueueName.HIGH,
        idempotent=False,
        capability=Capability.NOT_OBSERVABLE,
        mode=Mode.OBSERVE,
        numbers=frozenset({"amount"}),
        client_timeout=timedelta(seconds=2),
        client_tries=1,
    )

    def __init__(self, remotes: Remotes) -> None:
        super().__init__(remotes)
        self._http = HttpJson(self.destination)

    def perform(self, attempt: Attempt) -> Done | Accepted:
        """Charge once."""
        operation, invoice = attempt.operation, _invoice(attempt.operation)
        answer = self._http.call(
            "POST",
            f"{self.remotes.url('payments')}/charges",
            body={"invoice": invoice, "version": operation.expected_version, **operation.expected_fields},
            headers={"Idempotency-Key": attempt.idempotency_key, "X-Operation-Id": operation.operation_id},
            bearer=self.remotes.secret("payments"),
            limit=min(self.policy.client_timeout, attempt.time_limit),
        )
        return _charged(answer, invoice)


def _invoice(operation: Operation) -> str:
    kind, _, invoice = operation.entity.partition("/")
    if kind != "invoice" or not invoice:
        raise RejectedError(f"entity {operation.entity!a}: invoice/ID is wanted, such as invoice/88")
    if set(operation.expected_fields) != _PROMISED:
        raise RejectedError("the expected fields of a charge are amount and currency, and no others")
    return invoice


def _charged(answer: Answer, invoice: str) -> Done | Accepted:
    match answer.status, dict(answer.problem()):
        case 200 | 201, {"id": str(charge), "invoice": str(shown), **told} if charge and shown == invoice:
            fields = {name: told[name] for name in _PROMISED if name in told}
            return Done(
                remote_id=charge,
                version=_proven_version(told, fields),
                fields=fields,
                summary=f"POST {answer.status}",
            )
        case 200 | 201, _:
            raise UncertainError(f"the payment system answered {answer.status} without this invoice's charge")
        case 202, {"id": str(charge)}:
            return Accepted(remote_id=charge)
        case 202, _:
            return Accepted()
        case _:
            raise answer.refusal()


def _proven_version(told: document.Document, fields: document.Document) -> int | None:
    """Take the version from an answer that proves the charge; from any other, none."""
    match dict(told):
        case {"version": int(version), "status": "succeeded"} if not isinstance(version, bool):
            return version if set(fields) == _PROMISED else None
        case _:
            return None
