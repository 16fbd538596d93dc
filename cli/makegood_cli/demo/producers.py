"""The producers of the demo: they promise by the library's own flow, and some of them lose what they send."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from makegood.adapters.aws import AwsAccess, AwsClients
from makegood.adapters.sqs_queue import SqsQueue
from makegood.domain.operation import QueueName
from makegood.ports import Sent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from makegood.domain.instant import Instant
    from makegood.flows.submit import Submit
    from makegood.ports import Message

    from makegood_cli.local.clients import Clients

NOWHERE = "-which-is-gone"


class Leak:
    """A queue that takes every message and loses it."""

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Say that all were sent, and send none."""
        return [Sent.SENT] * len(messages)


class Stopped:
    """A clock that stands, so that many promises are due at one instant."""

    def __init__(self, at: Instant) -> None:
        self._at = at

    def now(self) -> Instant:
        """Return that instant."""
        return self._at


def losing(submit: Submit) -> Submit:
    """Return a producer that is told "sent" while nothing comes."""
    return replace(submit, queue=Leak())


def failing(submit: Submit, clients: Clients, urls: dict[QueueName, str]) -> Submit:
    """Return a producer whose queues do not exist: SQS itself refuses what it sends."""
    keys = clients.credentials
    access = AwsAccess(
        region=clients.region, endpoint_url=clients.endpoint_url, access_key=keys.access_key, secret_key=keys.secret_key
    )
    gone = {name: url + NOWHERE for name, url in urls.items()}
    return replace(submit, queue=SqsQueue(AwsClients(access), gone))


def at_once(submit: Submit, at: Instant) -> Submit:
    """Return a producer for which no time passes."""
    return replace(submit, clock=Stopped(at))


def urls(outputs: dict[str, str]) -> dict[QueueName, str]:
    """Return the queues' addresses by the stack's outputs."""
    return {
        QueueName.HIGH: outputs["QueueHighUrl"],
        QueueName.DEFAULT: outputs["QueueDefaultUrl"],
        QueueName.LOW: outputs["QueueLowUrl"],
    }
