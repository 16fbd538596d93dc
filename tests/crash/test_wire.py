"""Does a blow fall as it says: nothing before it is missing, nothing after it passes?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ReadTimeoutError

from tests.contract.worlds import TABLE, hooked
from tests.crash.wire import Blow, Killed, Kind, Wire, blows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.adapters.aws import AwsClients


class Line:
    """A client on the wire."""

    def __init__(self, client: Any, wire: Wire) -> None:  # noqa: ANN401 - botocore makes its classes at run time
        self.client, self.wire, self.sent = client, wire, Counter[str]()

    def put(self, name: str) -> None:
        """Write an item."""
        self.client.put_item(TableName=TABLE, Item={"pk": {"S": name}, "sk": {"S": "-"}})

    def puts_two(self, number: int, kind: Kind) -> None:
        """Write two items in one process, one of which a blow meets."""
        self.wire.listen(Blow(number=number, request="dynamodb.PutItem", kind=kind))
        with self.wire.process():
            self.put("one")
            self.put("two")

    def held(self) -> set[str]:
        """Name what stands in the table."""
        return {item["pk"]["S"] for item in self.client.scan(TableName=TABLE)["Items"]}

    def note(self, model: Any, **_: object) -> None:  # noqa: ANN401 - as above
        """Count what is really sent."""
        self.sent[model.name] += 1


@pytest.fixture
def line(double_clients: AwsClients) -> Iterator[Line]:
    client: Any = double_clients.of("dynamodb")
    line = Line(client, Wire())

    def note(**_: object) -> None:
        line.sent["PutItem"] += 1

    with line.wire.between(client), hooked(client, "before-send.dynamodb.PutItem", note):
        yield line


def test_nothing_of_a_request_passes_before_which_the_process_was_killed(line: Line) -> None:
    with pytest.raises(Killed):
        line.puts_two(2, Kind.BEFORE)
    assert line.held() == {"one"}


def test_a_request_has_landed_after_which_the_process_was_killed(line: Line) -> None:
    with pytest.raises(Killed):
        line.puts_two(1, Kind.AFTER)
    assert line.held() == {"one"}


@pytest.mark.parametrize("kind", [Kind.BEFORE, Kind.AFTER])
def test_a_dead_process_sends_nothing_whatever_it_tries(line: Line, kind: Kind) -> None:
    line.wire.listen(Blow(number=1, request="dynamodb.PutItem", kind=kind))
    with line.wire.process():
        for name in ("one", "two", "three"):
            with pytest.raises(Killed):
                line.put(name)
    assert line.held() == ({"one"} if kind is Kind.AFTER else set())


def test_the_next_process_is_alive(line: Line) -> None:
    with pytest.raises(Killed):
        line.puts_two(1, Kind.BEFORE)
    with line.wire.process():
        line.put("three")
    assert line.held() == {"three"}


def test_a_request_whose_reply_is_lost_is_sent_twice_by_the_sdk(line: Line) -> None:
    line.puts_two(1, Kind.REPEATED)
    assert (line.held(), line.sent["PutItem"]) == ({"one", "two"}, 3)


def test_a_request_that_is_never_answered_has_landed(line: Line) -> None:
    with pytest.raises(ReadTimeoutError):
        line.puts_two(1, Kind.UNANSWERED)
    assert line.held() == {"one"}


def test_what_the_test_itself_asks_is_neither_recorded_nor_hit(line: Line) -> None:
    line.wire.listen(Blow(number=1, request="dynamodb.PutItem", kind=Kind.BEFORE))
    line.put("one")
    assert (line.wire.recording, line.wire.struck) == ([], False)


def test_each_request_is_four_places_and_a_call_to_the_remote_three() -> None:
    assert len(blows(["dynamodb.PutItem", "sqs.SendMessageBatch"])) == 8
    assert len(blows(["remote.perform"])) == 3
