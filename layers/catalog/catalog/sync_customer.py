"""Bring a customer in the CRM to what was promised: the example of an operation type.

    PUT {crm}/customers/452        Idempotency-Key, X-Operation-Id, Authorization: Bearer (where a secret is deployed)
    {"version": 7, "fields": {…}}

The CRM applies one key once and answers a repeated call as it did the first. What its answers mean:

    answer                                   outcome         because
    200, 201 with id, version and fields     Done            the CRM shows what it has; the worker compares it
    202                                      Accepted        taken, not yet provable
    409 stale_version, the CRM's is newer    NotApplicable   a later change has overtaken this one
    409 in_progress                          UncertainError  a call with this key is running; its effect may yet come
    409 otherwise, such as key_reused        RejectedError   this key will never fit; a new one would be a new effect
    429; 503 with Retry-After                TransientError  turned away at the door
    401, 403, any other 4xx                  RejectedError   the CRM refuses; a person must look
    no connection                            TransientError  certainly not sent
    anything else: silence, 3xx, 5xx, HTML   UncertainError  it may have been applied
"""

from datetime import timedelta
from urllib.parse import quote

from makegood import (
    Accepted,
    Attempt,
    Capability,
    Done,
    Mode,
    NotApplicable,
    OperationType,
    Policy,
    RejectedError,
    Remotes,
    TransientError,
    UncertainError,
)

from catalog.http_json import Answer, HttpJson


class SyncCustomer(OperationType):
    """Write a customer's fields, at a version, to the CRM."""

    name = "sync_customer"
    destination = "the CRM"
    policy = Policy(
        idempotent=True,
        capability=Capability.BY_KEY,
        mode=Mode.OBSERVE,
        key_lifetime=timedelta(hours=24),
        client_timeout=timedelta(seconds=2),
        client_tries=1,
    )

    def __init__(self, remotes: Remotes) -> None:
        super().__init__(remotes)
        self._http = HttpJson(self.destination)

    def perform(self, attempt: Attempt) -> Done | Accepted | NotApplicable:
        """Send the promised version and fields once."""
        operation = attempt.operation
        customer_id = _customer_id(operation.entity)
        answer = self._http.call(
            "PUT",
            f"{self.remotes.url('crm')}/customers/{quote(customer_id, safe='')}",
            body={"version": operation.expected_version, "fields": operation.expected_fields},
            headers={"Idempotency-Key": attempt.idempotency_key, "X-Operation-Id": operation.operation_id},
            bearer=self.remotes.secret("crm"),
            limit=min(self.policy.client_timeout, attempt.time_limit),
        )
        return _outcome(answer, customer_id, operation.expected_version)


def _customer_id(entity: str) -> str:
    kind, _, customer_id = entity.partition("/")
    if kind != "customer" or customer_id in {"", ".", ".."}:  # a path would be shortened by the dots
        raise RejectedError(f"entity {entity!a}: customer/ID is wanted, such as customer/452")
    return customer_id


def _outcome(answer: Answer, customer_id: str, version: int) -> Done | Accepted | NotApplicable:
    match answer.status:
        case 200 | 201:
            return _done(answer, customer_id)
        case 202:
            return Accepted()
        case 409:
            return _conflict(answer, version)
        case 429:
            raise TransientError("the CRM is throttling: 429", retry_after=answer.retry_after())
        case 503 if (wait := answer.retry_after()) is not None:
            raise TransientError("the CRM is being serviced: 503", retry_after=wait)
        case 401 | 403:
            raise RejectedError(f"the CRM does not accept our credentials ({answer.status}): check the remote's secret")
        case status if status in range(400, 500):
            raise RejectedError(f"the CRM refuses it: {answer.words()}")
        case status:
            raise UncertainError(f"the CRM answered {status}")


def _done(answer: Answer, customer_id: str) -> Done:
    match dict(answer.json()):
        case {"id": str(shown), "version": int(version), "fields": dict(fields)} if (
            shown == customer_id and not isinstance(version, bool)
        ):
            return Done(remote_id=shown, version=version, fields=fields, summary=f"PUT {answer.status}")
        case _:
            raise UncertainError(f"the CRM answered {answer.status} without this customer's id, version and fields")


def _conflict(answer: Answer, version: int) -> NotApplicable:
    match dict(answer.problem()):
        case {"code": "stale_version", "current_version": int(current)} if current > version:
            return NotApplicable(reason=f"the CRM has version {current}, which is newer than {version}")
        case {"code": "in_progress"}:
            raise UncertainError("the CRM is still executing a call with this key: 409 in_progress")
        case _:
            raise RejectedError(f"the CRM refuses it: {answer.words()}")
