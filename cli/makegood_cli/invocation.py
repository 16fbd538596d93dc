"""Starting the reconciler function itself, so that its reserved concurrency, its role and its lease hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from makegood.adapters.aws import AwsRefusal, ask
from makegood.domain.errors import InvalidInput

from makegood_cli.exits import Ended, ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from botocore.client import BaseClient

_BUSY = "TooManyRequestsException"


def invoke(client: BaseClient, function: str, event: Mapping[str, object]) -> Mapping[str, Any]:
    """Run the function once and return its summary.

    Raises:
        InvalidInput: the run was asked for what no run may do; nothing was done.
        Ended: a sweep is running already, or this one failed.
        StoreError: Lambda refused or did not answer; the run may have begun.
    """
    try:
        answer = ask(client, "Invoke", FunctionName=function, Payload=json.dumps(event).encode())
    except AwsRefusal as error:
        if error.code != _BUSY:
            raise
        raise Ended(
            ExitCode.REFUSED, "another sweep is running; nothing was done. Try again when it has ended"
        ) from error
    said: dict[str, Any] = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        raise _failure(said)
    return said


def _failure(said: Mapping[str, Any]) -> Exception:
    kind, words = str(said.get("errorType", "")), str(said.get("errorMessage", said))
    if kind == InvalidInput.__name__:
        return InvalidInput(words)
    return Ended(ExitCode.FAULT, f"the sweep failed: {kind or 'an error'}: {words}; the reconciler's log has more")
