"""Does every message get its own answer, whatever the service makes of the batch?"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from makegood.adapters.memory import MemoryQueue
from makegood.adapters.sqs_queue import SqsQueue
from makegood.domain import hint
from makegood.domain.operation import OperationId, QueueName
from makegood.ports import Message, Queue, Sent

from tests.contract.worlds import hooked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from makegood.adapters.aws import AwsClients


class Post(Protocol):
    """A queue, and what a worker would find in it."""

    @property
    def queue(self) -> Queue:
        """What is held to the contract."""
        ...

    def delivered(self) -> Counter[tuple[QueueName, str]]:
        """Take out every message that is not held back."""
        ...


class MemoryPost:
    """The queue in memory."""

    def __init__(self) -> None:
        self.queue = MemoryQueue()

    def delivered(self) -> Counter[tuple[QueueName, str]]:
        """Take out every message."""
        return Counter((message.queue, str(message.operation_id)) for message in self.queue.take())


class SqsPost:
    """Three queues in SQS."""

    def __init__(self, clients: AwsClients) -> None:
        client: Any = clients.of("sqs")
        self.client = client
        self.urls = {name: self.client.create_queue(QueueName=name)["QueueUrl"] for name in QueueName}
        self.queue = SqsQueue(clients, self.urls)

    def delivered(self) -> Counter[tuple[QueueName, str]]:
        """Take out every message that is not held back."""
        found: Counter[tuple[QueueName, str]] = Counter()
        for name, url in self.urls.items():
            while batch := self.client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", ()):
                found.update((name, hint.parse(message["Body"])) for message in batch)
        return found


@pytest.fixture
def sqs(aws_clients: AwsClients) -> SqsPost:
    """Return three queues, once in moto and once in the engine."""
    return SqsPost(aws_clients)


@pytest.fixture(params=["memory", "moto", pytest.param("engine", marks=pytest.mark.xdist_group("engine"))])
def post(request: pytest.FixtureRequest) -> Post:
    """Return three queues in each world."""
    if request.param == "memory":
        return MemoryPost()
    return SqsPost(request.getfixturevalue(f"{request.param}_clients"))


def hints(count: int, queue: QueueName = QueueName.DEFAULT) -> list[Message]:
    """Return so many messages."""
    return [Message(operation_id=OperationId(f"op-{queue}-{number}"), queue=queue) for number in range(count)]


def by_queue(messages: Sequence[Message]) -> Counter[tuple[QueueName, str]]:
    """Return what should be delivered."""
    return Counter((message.queue, str(message.operation_id)) for message in messages)


def test_nothing_to_send_is_nothing_sent(post: Post) -> None:
    assert list(post.queue.send([])) == []


@pytest.mark.parametrize("count", [1, 10, 11, 25])
def test_every_message_is_sent_and_answered_in_order(post: Post, count: int) -> None:
    messages = hints(count)
    assert list(post.queue.send(messages)) == [Sent.SENT] * count
    assert post.delivered() == by_queue(messages)


def test_messages_reach_the_queue_that_they_name(post: Post) -> None:
    queues = [QueueName.LOW, QueueName.HIGH, QueueName.DEFAULT] * 5
    messages = [message for position, queue in enumerate(queues) for message in hints(position + 1, queue)[-1:]]
    assert list(post.queue.send(messages)) == [Sent.SENT] * 15
    assert post.delivered() == by_queue(messages)


def answering(post: SqsPost, change: Callable[[dict[str, Any]], None]) -> AbstractContextManager[None]:
    """Change what the service answers to a batch."""
    return hooked(post.client, "after-call.sqs.SendMessageBatch", lambda parsed, **_: change(parsed))


def refused(entry: dict[str, Any], *, code: str = "InternalError", fault: bool = False) -> dict[str, Any]:
    """Return the service's refusal of an entry."""
    return {"Id": entry["Id"], "Code": code, "SenderFault": fault, "Message": "said no"}


def test_of_seven_taken_and_three_refused_each_gets_its_own_answer(sqs: SqsPost) -> None:
    def change(parsed: dict[str, Any]) -> None:
        parsed["Failed"] = [refused(entry) for entry in parsed["Successful"][7:]]
        del parsed["Successful"][7:]

    with answering(sqs, change):
        assert list(sqs.queue.send(hints(10))) == [Sent.SENT] * 7 + [Sent.FAILED] * 3


def test_of_seven_taken_and_two_refused_the_tenth_has_failed(sqs: SqsPost) -> None:
    def change(parsed: dict[str, Any]) -> None:
        parsed["Failed"] = [refused(entry) for entry in parsed["Successful"][8:]]
        del parsed["Successful"][7:]

    with answering(sqs, change):
        assert list(sqs.queue.send(hints(10))) == [Sent.SENT] * 7 + [Sent.FAILED] * 3


def test_an_answer_in_another_order_is_read_by_id(sqs: SqsPost) -> None:
    def change(parsed: dict[str, Any]) -> None:
        first = parsed["Successful"].pop(0)
        parsed["Successful"].reverse()
        parsed["Failed"] = [refused(first)]

    with answering(sqs, change):
        assert list(sqs.queue.send(hints(3))) == [Sent.FAILED, Sent.SENT, Sent.SENT]


@pytest.mark.parametrize(
    ("code", "fault", "fate"),
    [
        ("InvalidMessageContents", True, Sent.REFUSED),
        ("com.amazonaws.sqs#InvalidMessageContents", True, Sent.REFUSED),
        ("InvalidMessageContents", False, Sent.FAILED),
        ("AccessDenied", True, Sent.FAILED),
        ("RequestThrottled", True, Sent.FAILED),
        ("InternalError", False, Sent.FAILED),
    ],
)
def test_only_what_is_refused_for_its_content_is_refused(sqs: SqsPost, code: str, *, fault: bool, fate: Sent) -> None:
    def change(parsed: dict[str, Any]) -> None:
        parsed["Failed"] = [refused(parsed["Successful"].pop(1), code=code, fault=fault)]

    with answering(sqs, change):
        assert list(sqs.queue.send(hints(3))) == [Sent.SENT, fate, Sent.SENT]


def refusing(post: SqsPost, code: str, bad: str = "") -> AbstractContextManager[None]:
    """Refuse every request of which one body holds the text `bad`."""

    def handler(params: dict[str, Any], **_: object) -> None:
        if any(bad in entry["MessageBody"] for entry in params["Entries"]):
            raise ClientError({"Error": {"Code": code, "Message": "said no"}}, "SendMessageBatch")

    return hooked(post.client, "provide-client-params.sqs.SendMessageBatch", handler)


def test_one_body_for_which_the_whole_batch_is_refused_costs_only_itself(sqs: SqsPost) -> None:
    messages = hints(12)
    with refusing(sqs, "InvalidMessageContents", bad="op-default-2"):
        answers = list(sqs.queue.send(messages))
    assert answers == [Sent.SENT] * 2 + [Sent.REFUSED] + [Sent.SENT] * 9
    assert sqs.delivered() == by_queue([*messages[:2], *messages[3:]])


@pytest.mark.parametrize("code", ["AccessDenied", "AWS.SimpleQueueService.NonExistentQueue", "BatchRequestTooLong"])
def test_a_queue_that_takes_nothing_fails_its_own_messages_only(sqs: SqsPost, code: str) -> None:
    messages = [*hints(3, QueueName.HIGH), *hints(3, QueueName.LOW)]
    with refusing(sqs, code, bad="op-high"):
        answers = list(sqs.queue.send(messages))
    assert answers == [Sent.FAILED] * 3 + [Sent.SENT] * 3
    assert [code in (answer.why or "") for answer in answers] == [True] * 3 + [False] * 3


def test_a_queue_that_does_not_answer_fails_every_message(sqs: SqsPost) -> None:
    def handler(**_: object) -> None:
        raise EndpointConnectionError(endpoint_url="https://x")

    with hooked(sqs.client, "provide-client-params.sqs.SendMessageBatch", handler):
        assert list(sqs.queue.send(hints(12))) == [Sent.FAILED] * 12


@pytest.mark.parametrize("identifier", ["bad\uffff", "bad\x00", "bad\ud800", "with space", "", "x" * 129, "ä"])
def test_what_no_worker_could_read_is_refused_without_being_sent(sqs: SqsPost, identifier: str) -> None:
    bad = Message(operation_id=OperationId(identifier), queue=QueueName.DEFAULT)
    good = hints(2)
    assert list(sqs.queue.send([good[0], bad, good[1]])) == [Sent.SENT, Sent.REFUSED, Sent.SENT]
    assert sqs.delivered() == by_queue(good)


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [
        (timedelta(), 0),
        (timedelta(milliseconds=1), 1),
        (timedelta(seconds=7), 7),
        (timedelta(seconds=7, microseconds=1), 8),
        (timedelta(seconds=900), 900),
        (timedelta(hours=2), 900),
        (timedelta(seconds=-5), 0),
    ],
)
def test_a_delay_is_rounded_up_to_seconds_within_what_sqs_takes(sqs: SqsPost, delay: timedelta, seconds: int) -> None:
    asked: list[int] = []

    def note(params: dict[str, Any], **_: object) -> None:
        asked.extend(entry["DelaySeconds"] for entry in params["Entries"])

    message = Message(operation_id=OperationId("op-1"), queue=QueueName.HIGH, delay=delay)
    with hooked(sqs.client, "provide-client-params.sqs.SendMessageBatch", note):
        assert list(sqs.queue.send([message])) == [Sent.SENT]
    assert asked == [seconds]
