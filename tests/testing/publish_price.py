"""Publish a price in the shop: the operation type that docs/testing.md puts to the test."""

from collections.abc import Mapping
from typing import Any

from makegood import (
    Absent,
    Attempt,
    Capability,
    Done,
    Found,
    Look,
    Mode,
    NotApplicable,
    Observed,
    OperationType,
    OutageError,
    Policy,
    RejectedError,
    Step,
    UncertainError,
    observed,
)


class PublishPrice(OperationType):
    """Write a price, at a version, to the shop."""

    name = "publish_price"
    destination = "the shop"
    policy = Policy(idempotent=True, capability=Capability.BY_KEY, mode=Mode.CORRECT, on_missing=Step.REQUEUE)
    shop: Any  #: the shop's client, with `put` and `get`

    def perform(self, attempt: Attempt) -> Done | NotApplicable:
        """Write it once, and say only what is certain. A time-out leaves as it is: it means that nobody knows."""
        price, key = attempt.operation, attempt.idempotency_key
        try:
            answer = self.shop.put(price.entity, key=key, version=price.expected_version, fields=price.expected_fields)
        except ConnectionRefusedError as error:
            raise OutageError("the shop cannot be reached") from error  # certainly not sent
        match answer.status, answer.json():
            case 200, {"id": str(shown), "version": int(version), "fields": fields}:
                return Done(remote_id=shown, version=version, fields=fields)
            case 409, {"code": "stale_version", "version": int(version)}:
                return NotApplicable(reason=f"the shop has version {version}, which is newer")
            case 422, _:
                raise RejectedError("the shop refuses this price")
            case status, _:
                raise UncertainError(f"the shop answered {status}")

    def observe(self, look: Look) -> Observed:
        """Ask what is there; whatever is no plain proof is Unknown."""
        price = look.operation
        answer = self.shop.get(price.entity, key=look.effect_key)

        def read(shown: Mapping[str, Any]) -> Found | Absent:
            if not shown["applied"] and shown["version"] < price.expected_version:
                return Absent()  # an older price stands, and our key was never applied
            return Found(remote_id=shown["id"], version=shown["version"], fields=shown["fields"])

        return observed(
            status=answer.status,
            headers=answer.headers,
            body=answer.body,
            asked=f"GET {price.entity}",
            found=read,
            absent_code="not_found",  # the shop's own: no other 404 says that it is not there
        )
