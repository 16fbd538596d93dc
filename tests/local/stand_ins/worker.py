"""A worker that does what its message says, so that a test sees what the engine makes of it."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import boto3


def handler(event: dict[str, Any], _: object) -> dict[str, Any]:
    """Do each message's `do`: a function of this file. What it returns true for is named as failed."""
    orders = [(record, json.loads(record["body"])) for record in event["Records"]]
    failed = [record["messageId"] for record, order in orders if globals()[order["do"]](order)]
    return {"batchItemFailures": [{"itemIdentifier": name} for name in failed]}


def note(order: dict[str, Any]) -> None:
    """Leave a row; the role allows that."""
    _table().update_item(
        Key=_key(order), UpdateExpression="SET pid = :pid", ExpressionAttributeValues={":pid": os.getpid()}
    )


def sleep(order: dict[str, Any]) -> None:
    """Leave a row, then outlast the function's time-out."""
    note(order)
    time.sleep(60)


def refuse(order: dict[str, Any]) -> bool:
    """Count that it came, and do not do it."""
    _table().update_item(Key=_key(order), UpdateExpression="ADD came :one", ExpressionAttributeValues={":one": 1})
    return True


def die(order: dict[str, Any]) -> None:
    """Count that it came, and be gone without an answer."""
    refuse(order)
    os._exit(1)


def delete(order: dict[str, Any]) -> None:
    """Do what the role does not allow."""
    _table().delete_item(Key=_key(order))


def _table() -> Any:  # noqa: ANN401
    return boto3.resource("dynamodb").Table(os.environ["MAKEGOOD_TABLE"])


def _key(order: dict[str, Any]) -> dict[str, str]:
    return {"pk": order["id"], "sk": "operation"}
