"""Bring a customer in the CRM to what was promised: the example of an operation type.

    perform      PUT {crm}/customers/452              {"version": 7, "fields": {…}}
    observe      GET {crm}/customers/452?key=KEY
    compensate   DELETE {crm}/customers/452/versions/7?of=KEY

Each goes with X-Operation-Id and Authorization: Bearer (where a secret is deployed), the calls that change something
with Idempotency-Key. The CRM applies one key once and answers a repeated call as it did the first.

    answer to a change or a withdrawal       outcome         because
    200, 201 with id, version and fields     Done            the CRM shows what it has; the worker compares it
    202                                      Accepted        taken, not yet provable
    409 stale_version, the CRM's is newer    NotApplicable   a later change has overtaken this one
    409 in_progress                          UncertainError  a call with this key is running; its effect may yet come
    409 not_current, to a withdrawal         RejectedError   another's change stands, and it is not ours to take away
    409 otherwise, such as key_reused        RejectedError   this key will never fit; a new one would be a new effect
    404 unknown_customer, to a withdrawal    UncertainError  nothing is there to be withdrawn; a look can prove it
    429; 503 with Retry-After                OutageError     turned away at the door
    401, 403, any other 4xx                  RejectedError   the CRM refuses; a person must look
    no connection                            OutageError     certainly not sent
    anything else: silence, 3xx, 5xx, HTML   UncertainError  it may have been applied

    answer to a look                         observed        because
    404 unknown_customer                     Absent          the CRM itself says so, by the code that means it
    an older version, our key never applied  Absent          what was promised is not there
    another version, after a compensation    Absent          our key is not applied any more
    otherwise, with id, version and fields   Found           compared with what was expected; `applied` counts doubles
    anything else: an error, HTML, silence   Unknown         nobody can say
"""

from datetime import timedelta
from urllib.parse import quote, urlencode

from makegood import (
    Accepted,
    Attempt,
    Backoff,
    Capability,
    Done,
    Look,
    Mode,
    NotApplicable,
    Observed,
    Operation,
    OperationType,
    Policy,
    RejectedError,
    Remotes,
    Step,
    document,
)

from catalog import crm_answers
from catalog.http_json import Answer, HttpJson


class SyncCustomer(OperationType):
    """Write a customer's fields, at a version, to the CRM."""

    name = "sync_customer"
    destination = "the CRM"
    effect = "the customer has these fields, at this version"
    source_of_truth = "the CRM's own record of the customer, asked with the idempotency key"
    proof = "id, version and each promised field, as the CRM shows them"
    policy = Policy(
        version=2,
        idempotent=True,
        capability=Capability.BY_KEY,
        mode=Mode.CORRECT,
        on_missing=Step.REQUEUE,
        on_divergent=Step.REVIEW,
        on_cancelled=Step.COMPENSATE,
        key_lifetime=timedelta(hours=24),
        client_timeout=timedelta(seconds=2),
        client_tries=1,
        observe_timeout=timedelta(seconds=2),
        observation_backoff=Backoff(first=timedelta(seconds=10), ceiling=timedelta(minutes=30)),  # a look is cheap here
    )

    def __init__(self, remotes: Remotes) -> None:
        super().__init__(remotes)
        self._http = HttpJson(self.destination)

    def perform(self, attempt: Attempt) -> Done | Accepted | NotApplicable:
        """Send the promised version and fields once."""
        operation, customer_id = attempt.operation, _customer_id(attempt.operation)
        body: document.Document = {"version": operation.expected_version, "fields": operation.expected_fields}
        answer = self._call("PUT", self._url(customer_id), attempt, body=body)
        return crm_answers.changed(answer, customer_id, operation.expected_version)

    def observe(self, look: Look) -> Observed:
        """Ask for the customer, and how often the effect's key was applied to it."""
        customer_id = _customer_id(look.operation)
        return self._http.look(
            f"{self._url(customer_id)}?{urlencode({'key': look.effect_key})}",
            asked=f"GET /customers/{customer_id} by the idempotency key",
            found=lambda shown: crm_answers.stands(shown, look, customer_id),
            absent_code=crm_answers.UNKNOWN_CUSTOMER,
            headers={"X-Operation-Id": look.operation.operation_id},
            bearer=self.remotes.secret("crm"),
            limit=look.time_limit,
        )

    def compensate(self, attempt: Attempt) -> Done | Accepted:
        """Withdraw the version that was written, once; the customer goes back to the one before."""
        version, customer_id = attempt.operation.expected_version, _customer_id(attempt.operation)
        ours = urlencode({"of": attempt.effect_key})  # never what somebody else wrote at the same version
        answer = self._call("DELETE", f"{self._url(customer_id)}/versions/{version}?{ours}", attempt, body=None)
        return crm_answers.withdrawn(answer, customer_id, version)

    def _url(self, customer_id: str) -> str:
        return f"{self.remotes.url('crm')}/customers/{quote(customer_id, safe='')}"

    def _call(self, method: str, url: str, attempt: Attempt, *, body: document.Document | None) -> Answer:
        return self._http.call(
            method,
            url,
            body=body,
            headers={"Idempotency-Key": attempt.idempotency_key, "X-Operation-Id": attempt.operation.operation_id},
            bearer=self.remotes.secret("crm"),
            limit=min(self.policy.client_timeout, attempt.time_limit),
        )


def _customer_id(operation: Operation) -> str:
    kind, _, customer_id = operation.entity.partition("/")
    if kind != "customer" or customer_id in {"", ".", ".."}:  # a path would be shortened by the dots
        raise RejectedError(f"entity {operation.entity!a}: customer/ID is wanted, such as customer/452")
    return customer_id
