"""How many messages the queues hold, by the stack's outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.adapters.aws import ask

from makegood_cli.stacks import Depth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from botocore.client import BaseClient

_OUTPUTS = {
    "high": "QueueHighUrl",
    "default": "QueueDefaultUrl",
    "low": "QueueLowUrl",
    "high, dead letters": "DeadLetterHighUrl",
    "default, dead letters": "DeadLetterDefaultUrl",
    "low, dead letters": "DeadLetterLowUrl",
}
_WAITING, _IN_FLIGHT, _DELAYED = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)


def depths(client: BaseClient, outputs: Mapping[str, str]) -> Mapping[str, Depth]:
    """Ask each queue of the stack how much it holds."""
    return {name: _depth(client, outputs[output]) for name, output in _OUTPUTS.items() if output in outputs}


def _depth(client: BaseClient, url: str) -> Depth:
    names = [_WAITING, _IN_FLIGHT, _DELAYED]
    found = ask(client, "GetQueueAttributes", QueueUrl=url, AttributeNames=names)["Attributes"]
    waiting, in_flight, delayed = (int(found.get(name, 0)) for name in names)
    return Depth(waiting=waiting, in_flight=in_flight, delayed=delayed)
