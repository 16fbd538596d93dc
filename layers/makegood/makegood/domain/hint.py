"""A message: a hint that names an operation, and nothing else. The row is the truth."""

import json

from makegood.domain.errors import InvalidInput
from makegood.domain.operation import OperationId, operation_id

MESSAGE_FORMAT = 1


def render(identifier: OperationId) -> str:
    """Write a message's body: ASCII, some 60 bytes, no payload, no personal data."""
    return json.dumps({"operation_id": identifier, "format": MESSAGE_FORMAT})


def parse(body: str) -> OperationId:
    """Read which operation a message names.

    Older messages carry no format, newer ones may carry more: a hint that names an operation is enough, whatever else
    it says.

    Raises:
        InvalidInput: if it names none.
    """
    try:
        message = json.loads(body)
    except (json.JSONDecodeError, RecursionError, TypeError) as error:
        raise InvalidInput("the message is not JSON") from error
    named = message.get("operation_id") if isinstance(message, dict) else None
    if not isinstance(named, str):
        raise InvalidInput('the message names no operation; {"operation_id": "…", "format": 1} is wanted')
    return operation_id(named)
