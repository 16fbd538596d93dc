# ruff: noqa: I001 - it lies in layers/catalog when it is used, where its own package stands apart
"""Close an account in the CRM: the operation type that the README's guide makes."""

from datetime import timedelta
from urllib.parse import quote

from makegood import Attempt, Done, OperationType, OutageError, Policy, QueueName, RejectedError, UncertainError

from catalog.http_json import HttpJson


class CloseAccount(OperationType):
    """Mark an account as closed in the CRM."""

    name = "close_account"
    destination = "the CRM"
    policy = Policy(idempotent=True, queue=QueueName.LOW, client_timeout=timedelta(seconds=2))

    def perform(self, attempt: Attempt) -> Done:
        """Send the promised version and fields once, and say only what is certain."""
        operation = attempt.operation
        answer = HttpJson(self.destination).call(
            "PUT",
            f"{self.remotes.url('crm')}/customers/{quote(operation.entity.removeprefix('account/'), safe='')}",
            body={"version": operation.expected_version, "fields": operation.expected_fields},
            headers={"Idempotency-Key": attempt.idempotency_key, "X-Operation-Id": operation.operation_id},
            bearer=self.remotes.secret("crm"),
            limit=min(self.policy.client_timeout, attempt.time_limit),
        )
        match answer.status, dict(answer.problem()):
            case 200, {"id": str(remote_id), "version": int(version), "fields": fields}:
                return Done(remote_id=remote_id, version=version, fields=fields)  # compared with what was expected
            case 429, _:
                raise OutageError("the CRM is throttling", retry_after=answer.retry_after())  # not applied
            case 503, _ if answer.retry_after():
                raise OutageError("the CRM is being serviced", retry_after=answer.retry_after())  # nor this
            case 400 | 401 | 403 | 404 | 422, _:
                raise RejectedError(answer.words())  # refused for good: trying again cannot help
            case status, _:
                raise UncertainError(f"the CRM answered {status}")  # it may have been applied
