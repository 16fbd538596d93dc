"""A worker that does what its message says, so that a test sees what the engine makes of it."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import boto3


def handler(event: dict[str, Any], _: object) -> dict[str, Any]:
    """Do each message's `do`: `note` itself in the table, `sleep` after that, `delete` (which its role forbids)."""
    for record in event["Records"]:
        order = json.loads(record["body"])
        globals()[order["do"]](order)
    return {"batchItemFailures": []}


def note(order: dict[str, Any]) -> None:
    """Leave a row; the role allows that."""
    _table().update_item(
        Key=_key(order), UpdateExpression="SET pid = :pid", ExpressionAttributeValues={":pid": os.getpid()}
    )


def sleep(order: dict[str, Any]) -> None:
    """Leave a row, then outlast the function's time-out."""
    note(order)
    time.sleep(60)


def delete(order: dict[str, Any]) -> None:
    """Do what the role does not allow."""
    _table().delete_item(Key=_key(order))


def _table() -> Any:  # noqa: ANN401
    return boto3.resource("dynamodb").Table(os.environ["MAKEGOOD_TABLE"])


def _key(order: dict[str, Any]) -> dict[str, str]:
    return {"pk": order["id"], "sk": "operation"}
