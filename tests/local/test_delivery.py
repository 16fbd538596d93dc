"""What do the queues, their mappings and the functions make of a message that fails, and of a worker that dies?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.house.template_reading import parameters_of
from tests.local.deployed import eventually

if TYPE_CHECKING:
    from tests.local.deployed import Deployed

pytestmark = [
    pytest.mark.xdist_group("local delivery"),  # its engine and deployment are shared
    pytest.mark.timeout(120),
]
RECEIVES = parameters_of("local")["MaxReceiveCount"]


def hidden_for_a_second(deployed: Deployed, queue: str) -> None:
    """Let a message that was received come again after a second."""
    deployed.clients.of("sqs").set_queue_attributes(QueueUrl=deployed.ids[queue], Attributes={"VisibilityTimeout": "1"})


def send(deployed: Deployed, queue: str, *orders: tuple[str, str]) -> None:
    """Send orders in one batch, so that they are delivered together."""
    entries = [{"Id": name, "MessageBody": json.dumps({"do": do, "id": name})} for do, name in orders]
    answer = deployed.clients.of("sqs").send_message_batch(QueueUrl=deployed.ids[queue], Entries=entries)
    assert len(answer["Successful"]) == len(entries)


def depth(deployed: Deployed, queue: str) -> int:
    """Say how many messages a queue holds, hidden ones included."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    url = deployed.ids[queue]
    said = deployed.clients.of("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    return sum(int(said[name]) for name in names)


def came(deployed: Deployed, name: str) -> int:
    """Say how often a message was delivered."""
    row = deployed.row(name)
    return int(row["came"]["N"]) if row else 0


def test_a_message_named_as_failed_comes_again_until_it_is_dead_and_the_others_are_done(deployed: Deployed) -> None:
    hidden_for_a_second(deployed, "QueueHigh")
    send(deployed, "QueueHigh", ("note", "good"), ("refuse", "bad"), ("note", "other"))
    eventually(lambda: depth(deployed, "DeadLetterHigh") == 1 or None)
    assert 1 < came(deployed, "bad") <= RECEIVES  # a start that takes longer than a second counts as a receive
    assert deployed.row("good")
    assert deployed.row("other")
    assert depth(deployed, "QueueHigh") == 0


def test_a_worker_that_dies_lets_its_message_come_again_until_it_is_dead(deployed: Deployed) -> None:
    hidden_for_a_second(deployed, "QueueDefault")
    send(deployed, "QueueDefault", ("die", "deadly"))
    eventually(lambda: depth(deployed, "DeadLetterDefault") == 1 or None)
    assert 1 < came(deployed, "deadly") <= RECEIVES  # a start that takes longer than a second counts as a receive
    assert depth(deployed, "QueueDefault") == 0


def test_a_message_that_is_held_back_comes_when_its_time_is_over_and_not_before(deployed: Deployed) -> None:
    body = json.dumps({"do": "note", "id": "later"})
    sqs = deployed.clients.of("sqs")
    sqs.send_message(QueueUrl=deployed.ids["QueueLow"], MessageBody=body, DelaySeconds=2)
    send(deployed, "QueueLow", ("note", "soon"))
    eventually(lambda: deployed.row("soon"))
    assert deployed.row("later") is None
    assert eventually(lambda: deployed.row("later"))


def test_a_message_deleted_late_by_an_old_receipt_is_still_delivered(deployed: Deployed) -> None:
    sqs = deployed.clients.of("sqs")
    url = deployed.ids["DeadLetterLow"]  # nobody polls it
    sqs.send_message(QueueUrl=url, MessageBody="{}")
    receive = {"QueueUrl": url, "VisibilityTimeout": 0}
    [first], [second] = (sqs.receive_message(**receive)["Messages"] for _ in range(2))
    assert first["MessageId"] == second["MessageId"]
    assert first["ReceiptHandle"] != second["ReceiptHandle"]
    with pytest.raises(sqs.exceptions.ReceiptHandleIsInvalid):  # AWS says yes, and may delete nothing
        sqs.delete_message(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"])
    assert sqs.receive_message(QueueUrl=url)["Messages"][0]["MessageId"] == first["MessageId"]
