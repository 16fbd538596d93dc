"""The three queues in SQS: the `Queue` of `ports`, and what a message holds.

A message is a hint: an operation's id and a format, no payload, no personal data. Sends go in batches of ten, and each
entry's answer is read: SendMessageBatch answers 200 even where it refused entries.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from makegood.adapters.aws import AwsClients, AwsRefusal, ask
from makegood.adapters.chunks import chunks
from makegood.domain import hint
from makegood.domain.errors import InvalidInput, StoreError
from makegood.domain.limits import SQS_DELAY_LIMIT
from makegood.domain.operation import QueueName
from makegood.domain.scrub import scrubbed
from makegood.ports import Message, Sent

BATCH = 10  #: entries that one SendMessageBatch takes
_REFUSED = "InvalidMessageContents"
_SECOND = timedelta(seconds=1)
_UNSENDABLE = Sent("refused", "SQS takes no message with these characters")
_UNACCOUNTED = Sent("failed", "the queue's answer does not account for it")

# Source: Amazon SQS API reference, "SendMessage", "Message content".
_SENDABLE = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


class SqsQueue:
    """Queues by urgency."""

    def __init__(self, clients: AwsClients, urls: Mapping[QueueName, str]) -> None:
        self._clients = clients
        self._urls = urls

    def send(self, messages: Sequence[Message]) -> Sequence[Sent]:
        """Send each message and say what became of each, in the same order."""
        fates: dict[int, Sent] = {}
        for queue, positions in _by_queue(messages).items():
            sendable = [position for position in positions if is_sendable(messages[position])]
            fates.update(dict.fromkeys(set(positions) - set(sendable), _UNSENDABLE))
            for batch in chunks(sendable, BATCH):
                fates.update(self._send(queue, {position: messages[position] for position in batch}))
        return [fates[position] for position in range(len(messages))]

    def _send(self, queue: QueueName, batch: Mapping[int, Message]) -> Mapping[int, Sent]:
        """Send one batch. What the answer does not account for has failed."""
        entries = [_entry(position, message) for position, message in batch.items()]
        try:
            answer = ask(self._clients.of("sqs"), "SendMessageBatch", QueueUrl=self._urls[queue], Entries=entries)
        except AwsRefusal as refusal:
            if _REFUSED not in refusal.code:
                return dict.fromkeys(batch, Sent("failed", str(refusal)))
            return self._send_apart(queue, batch)
        except StoreError as error:
            return dict.fromkeys(batch, Sent("failed", str(error)))
        fates = _fates(answer)
        return {position: fates.get(str(position), _UNACCOUNTED) for position in batch}

    def _send_apart(self, queue: QueueName, batch: Mapping[int, Message]) -> Mapping[int, Sent]:
        """Send one by one after a batch was refused as a whole, so that the one bad body costs only itself."""
        if len(batch) == 1:
            return dict.fromkeys(batch, _UNSENDABLE)
        return {position: self._send(queue, {position: message})[position] for position, message in batch.items()}


def is_sendable(message: Message) -> bool:
    """Say whether SQS takes the message's characters and a worker understands it; if not, sending it cannot help."""
    body = hint.render(message.operation_id)
    try:
        return _SENDABLE.fullmatch(body) is not None and hint.parse(body) == message.operation_id
    except InvalidInput:
        return False


def _by_queue(messages: Sequence[Message]) -> Mapping[QueueName, Sequence[int]]:
    positions: dict[QueueName, list[int]] = {}
    for position, message in enumerate(messages):
        positions.setdefault(message.queue, []).append(position)
    return positions


def _entry(position: int, message: Message) -> Mapping[str, Any]:
    return {
        "Id": str(position),
        "MessageBody": hint.render(message.operation_id),
        "DelaySeconds": _whole_seconds(message.delay),
    }


def _whole_seconds(delay: timedelta) -> int:
    """Round up, so that no message comes early, and stay within what SQS takes: 0 to 900."""
    return -(-min(max(delay, timedelta()), SQS_DELAY_LIMIT) // _SECOND)


def _fates(answer: Mapping[str, Any]) -> Mapping[str, Sent]:
    taken = ((entry["Id"], Sent.SENT) for entry in answer.get("Successful", ()))
    return {**dict(taken), **dict(_refusals(answer.get("Failed", ())))}


def _refusals(failed: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Sent]]:
    for entry in failed:
        for_its_content = entry.get("SenderFault", False) and _REFUSED in entry.get("Code", "")
        words = scrubbed(f"{entry.get('Code', 'refused')}: {entry.get('Message', '')}")
        yield entry["Id"], Sent("refused" if for_its_content else "failed", words)
