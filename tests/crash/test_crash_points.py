"""Is nothing lost and nothing doubled wherever a process is cut off, and is every request such a place?"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.crash import explore
from tests.crash.stories import STORIES
from tests.crash.wire import blows
from tests.house.template_reading import FUNCTIONS, RESOURCES

if TYPE_CHECKING:
    from makegood.adapters.aws import AwsClients

    from tests.conftest import Tell
    from tests.crash.story import Story

LEAST = 1500  #: crash points; fewer means that a path is no longer walked

#: what a permission allows goes by another name where several items are written or sent in one request
CALLED = {"SendMessage": "SendMessageBatch"}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_process_may_be_cut_off_at_every_request(story: Story, double_clients: AwsClients) -> None:
    runs = explore.every_blow(story, double_clients)
    assert len(runs) >= 4


def test_the_places_at_which_a_process_can_be_cut_off_are_counted(double_clients: AwsClients, tell: Tell) -> None:
    recordings = [explore.whole(story, double_clients).step for story in STORIES]
    points = sum(len(blows(recording)) for recording in recordings)
    tell(sum(map(len, recordings)), f"requests on {len(STORIES)} paths, recorded from the adapters")
    tell(points, "crash points")
    assert points >= LEAST


def test_whatever_the_functions_may_ask_of_table_and_queues_is_cut_off_somewhere(double_clients: AwsClients) -> None:
    recorded = {request for story in STORIES for request in explore.whole(story, double_clients).step}
    roles = json.dumps([RESOURCES[role] for role in FUNCTIONS.values()])
    allowed = {
        f"{service}.{CALLED.get(action, action)}"
        for service, action in re.findall(r'"(dynamodb|sqs):(\w+)"', roles)
        if action not in {"ReceiveMessage", "DeleteMessage", "GetQueueAttributes"}  # the mapping's, not a function's
        and action != "LeadingKeys"
    }
    assert allowed <= recorded
    several = "dynamodb.TransactWriteItems"  # PutItem and UpdateItem of several
    assert recorded - allowed == {"remote.perform", "remote.observe", "remote.compensate", several}
