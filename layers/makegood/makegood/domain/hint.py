"""A message: a hint that names an operation, and nothing else. The row is the truth."""

import json

from makegood.domain import document
from makegood.domain.errors import InvalidInput
from makegood.domain.operation import OperationId, operation_id

FORMAT = 1  #: of a message; any other that names an operation is as good a hint


def render(identifier: str) -> str:
    """Write a message's body: some 60 characters, no payload, no personal data."""
    return json.dumps({"operation_id": identifier, "format": FORMAT}, separators=(",", ":"), ensure_ascii=False)


def parse(body: str) -> OperationId:
    """Read which operation a message names.

    Older messages carry no format, newer ones may carry more: a hint that names an operation is enough.

    Raises:
        InvalidInput: if it is not a JSON object, or names no operation.
    """
    named = document.parse(body, what="message").get("operation_id")
    if not isinstance(named, str):
        raise InvalidInput('message: it names no operation; {"operation_id": "…", "format": 1} is wanted')
    return operation_id(named)
