"""Does a release leave alone what another has written into a row, and go on with the row all the same?"""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from makegood.adapters import dynamodb_rows as rows
from makegood.adapters.dynamodb_changes import change
from makegood.domain import history, transitions
from makegood.domain.history import Role
from makegood.domain.operation import Operation, Status
from makegood.domain.reason import Reason
from makegood_cli.json_operation import operation_data
from makegood_cli.screens.operation import show
from rich.console import Console

from tests.contract import builders as a
from tests.crash import healing
from tests.crash.house import house
from tests.crash.stories import STORIES

if TYPE_CHECKING:
    from makegood.adapters.aws import AwsClients

    from tests.crash.house import House
    from tests.crash.story import Story

#: what a later release may add without another format: attributes, and moves that this one does not know
ADDED = {
    "region": {"S": "eu"},
    "priority": {"N": "3"},
    "tags": {"M": {"a": {"L": [{"BOOL": True}, {"NULL": True}]}}},
    "signature": {"B": b"\x00\xff"},
}
THEIRS = "mubbs7i8 zz {status} s a_reason_of_theirs"
TEXTS = ("evidence", "verdict", "closure", "decisions")

each_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)


def visited(home: House) -> dict[str, dict[str, Any]]:
    """Let another release move every row: attributes and a history entry that this one does not know."""
    for name, row in home.rows().items():
        item = home.table.item(name)
        code = history.STATUS_CODES[row.status]
        item["history"]["L"].append({"S": THEIRS.format(status=code)})
        item["revision"]["N"] = str(row.revision + 1)
        home.table.place_item(item | ADDED)
    return {name: home.table.item(name) for name in home.rows()}


@each_story
def test_what_another_release_added_stays_on_every_path(story: Story, double_clients: AwsClients) -> None:
    with house(double_clients, **dict(story.numbers)) as home:
        story.given(home)
        before = visited(home)
        story.step(home)
        story.then(home)
        healing.heal(home)
        assert {row.status for row in home.rows().values()} == story.all_ends
        for name, item in before.items():
            now = home.table.item(name)
            assert {key: now[key] for key in ADDED} == ADDED
            assert now["history"]["L"][: len(item["history"]["L"])] == item["history"]["L"]
            assert len(now["history"]["L"]) == int(now["revision"]["N"])


def known_and_more(item: dict[str, Any], name: str) -> dict[str, Any]:
    """Put a key that this release does not know into one of the row's texts."""
    held = json.loads(item[name]["S"])
    for one in held if isinstance(held, list) else [held]:
        one["of_tomorrow"] = {"kept": [1, None]}
    return item | {name: {"S": json.dumps(held, separators=(",", ":"))}}


def read(item: dict[str, Any]) -> Operation:
    """Read a row, which must be possible."""
    found = rows.read(item)
    assert isinstance(found, Operation), found
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_a_move_does_not_concern_is_not_written_anew(name: str) -> None:
    row = read(known_and_more(dict(rows.item_of(a.full())), name))
    moved = transitions.escalate(row, a.hand(role=Role.RECONCILER), reason=Reason.DEADLINE_PASSED)
    assert name not in change("operations", row, moved)["ExpressionAttributeNames"].values()


def test_a_decision_that_is_added_takes_nothing_from_the_earlier_ones() -> None:
    item = known_and_more(dict(rows.item_of(a.full())), "decisions")
    row = read(item | {"status": {"S": Status.MANUAL_REVIEW.value}})
    again = transitions.close(
        row, a.hand(role=Role.OPERATOR), reason=Reason.DECIDED, words="done by hand", decision=a.DECISION
    )
    earlier = json.loads(item["decisions"]["S"])
    now = json.loads(rows.item_of(again)["decisions"]["S"])
    assert (now[: len(earlier)], len(now)) == (earlier, len(earlier) + 1)


@pytest.mark.parametrize(
    "packed",
    [
        "mubbs7i8 zz w w delivered",
        "mubbs7i8 cl q w delivered",
        "mubbs7i8 cl w s delivered",
        "mubbs7i8 cl w w delivered and more",
        "something else",
    ],
)
def test_an_entry_that_this_release_cannot_decode_is_shown_as_it_stands(packed: str) -> None:
    row = a.claimed()
    odd = rows.read(dict(rows.item_of(row)) | {"history": {"L": [{"S": one} for one in (*row.history, packed)]}})
    assert isinstance(odd, Operation)
    assert list(history.read(odd.history))[-1] == history.Foreign(packed)
    assert operation_data(odd)["history"][-1] == {"packed": packed}
    paper = Console(width=120, file=StringIO())
    show(paper, odd, None, a.LATER)
    assert packed in paper.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO
