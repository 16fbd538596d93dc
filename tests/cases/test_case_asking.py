"""Is no bad answer of a CRM over HTTP ever read as "it is not there"? The shipped type, at the real doors."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

import pytest
from catalog import SyncCustomer
from makegood.domain.operation import Status

from tests.case import case
from tests.cases.outside import elapsed, outside
from tests.cases.scene import submitted
from tests.catalog.scripted import scripted
from tests.doors.world import message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from makegood.domain.operation import Operation
    from makegood.domain.policy import Policy

    from tests.cases.outside import Outside
    from tests.catalog.scripted import Scripted, Step
    from tests.doors.world import Doors

LINES = {200: "OK", 204: "No Content", 404: "Not Found"}
ASKED = "GET /customers/452 by the idempotency key"
THERE = {"id": "452", "version": 7, "fields": {"plan": "gold"}, "applied": 1}


class Quick(SyncCustomer):
    """The shipped type, which waits for a fraction of a second."""

    policy: ClassVar[Policy] = replace(SyncCustomer.policy, observe_timeout=timedelta(milliseconds=400))


def http(status: int, body: bytes | str | Mapping[str, object] = b"", *headers: str) -> bytes:
    """Write an answer as it goes over the wire."""
    text = body if isinstance(body, bytes | str) else json.dumps(body)
    content = text.encode() if isinstance(text, str) else text
    head = [f"HTTP/1.1 {status} {LINES.get(status, 'Whatever')}", "Connection: close", *headers]
    if not any(header.lower().startswith("content-length") for header in headers):
        head.append(f"Content-Length: {len(content)}")
    return "\r\n".join([*head, "", ""]).encode() + content


PAGE = http(200, "<!doctype html><title>Sign in</title>", "Content-Type: text/html")
NOT_THERE = {"code": "unknown_customer", "message": "no such customer"}
NO_ANSWERS: dict[str, tuple[Step, ...]] = {
    "500": (http(500, {"code": "internal"}),),
    "502, a page": (http(502, "<h1>Bad Gateway</h1>", "Content-Type: text/html"),),
    "503": (http(503, "", "Retry-After: 3600"),),
    "429": (http(429, {"code": "slow_down"}, "Retry-After: 5"),),
    "401": (http(401),),
    "403": (http(403, {"code": "forbidden"}),),
    "404 of the collection": (http(404, {"code": "no_such_route"}),),
    "404, a page": (http(404, "<h1>Not Found</h1>", "Content-Type: text/html"),),
    "404, nothing": (http(404),),
    "404, the code in another place": (http(404, {"error": NOT_THERE}),),
    "404, cut short": (http(404, json.dumps(NOT_THERE)[:-2]),),
    "404, announced longer than it is": (http(404, NOT_THERE, "Content-Length: 4000"),),
    "410": (http(410, NOT_THERE),),
    "400 with the code for not there": (http(400, NOT_THERE),),
    "200 with the code for not there": (http(200, NOT_THERE),),
    "200, nothing": (http(200),),
    "204": (http(204),),
    "200, a page": (PAGE,),
    "200, a page that says JSON": (http(200, "<html></html>", "Content-Type: application/json"),),
    "200, null": (http(200, "null"),),
    "200, an empty list": (http(200, "[]"),),
    "200, an empty object": (http(200, {}),),
    "200, cut short": (http(200, json.dumps(THERE)[:-3]),),
    "200, two objects": (http(200, json.dumps(THERE) * 2),),
    "200, somebody else": (http(200, {**THERE, "id": "453"}),),
    "200, no version": (http(200, {**THERE, "version": None}),),
    "200, a version that is a text": (http(200, {**THERE, "version": "7"}),),
    "200, no count": (http(200, {name: value for name, value in THERE.items() if name != "applied"}),),
    "200, out of a cache": (http(200, {**THERE, "version": 6, "applied": 0}, "Age: 86000"),),
    "206, a part": (http(206, THERE),),
    "a redirect": (http(302, "", "Location: http://127.0.0.1:9/customers"),),
    "a redirect for good, with a body": (http(308, NOT_THERE, "Location: /v2/customers"),),
    "no HTTP": (b"220 mail.example.com ESMTP\r\n",),
    "hangs up": (b"",),
    "hangs up in the head": (b"HTTP/1.1 404 Not Fo",),
    "says nothing in time": (2.0, http(404, NOT_THERE)),
    "says it drop by drop": (http(404, NOT_THERE)[:-4], 2.0, http(404, NOT_THERE)[-4:]),
}


@contextmanager
def crm(monkeypatch: pytest.MonkeyPatch, *steps: Step) -> Iterator[Scripted]:
    """Let a CRM answer so, whatever it is asked."""
    with scripted(*steps) as remote:
        monkeypatch.setenv("MAKEGOOD_REMOTE_CRM_URL", remote.url)
        yield remote


def timed_out(world: Outside, monkeypatch: pytest.MonkeyPatch) -> Operation:
    """Promise a customer's sync whose call ends in an error that says nothing of its effect."""
    entity = {"entity": "customer/452", "expected_fields": {"plan": "gold"}}
    row = submitted(operation_type="sync_customer", **entity).operation
    with crm(monkeypatch, http(500)):
        world.doors.work(message(row))
    assert world.doors.messages() == [message(row)], "the first hint, which came twice"
    assert world.row(row).status is Status.AWAITING_CONFIRMATION
    return row


def swept(world: Outside, row: Operation) -> Operation:
    """Let a sweep look when the row is due."""
    world.to(world.row(row).due_at)
    world.doors.sweep()
    return world.row(row)


@case("F051")
@pytest.mark.parametrize("name", NO_ANSWERS)
def test_an_answer_that_proves_nothing_is_never_missing_and_never_sends(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    world = outside(quick_doors, monkeypatch, Quick)
    row = timed_out(world, monkeypatch)
    with crm(monkeypatch, *NO_ANSWERS[name]) as remote:
        looked = swept(world, row)
        assert (looked.status, looked.verdict) == (Status.AWAITING_CONFIRMATION, None)
        assert looked.due_at is not None
        assert quick_doors.clock.now() < looked.due_at <= elapsed(row=looked, duration=timedelta(hours=1))
        world.to(elapsed(looked, timedelta(hours=24)))
        ended = swept(world, row)
    assert {heard.split(b" ")[0] for heard in remote.heard} == {b"GET"}
    assert quick_doors.messages() == []
    verdict = ended.verdict
    assert verdict is not None
    assert (ended.status, verdict.kind.value) == (Status.MANUAL_REVIEW, "ambiguous")
    assert verdict.asked == ("observe" if str(verdict.answered).startswith("no answer within") else ASKED)
    assert verdict.answered
    assert (verdict.policy_version, verdict.at) == (2, quick_doors.clock.now())


@case("F051", "F080")
def test_the_code_for_not_there_sends_again_and_what_is_there_confirms(
    quick_doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = outside(quick_doors, monkeypatch, Quick)
    row = timed_out(world, monkeypatch)
    with crm(monkeypatch, http(404, NOT_THERE)):
        absent = swept(world, row)
    assert absent.status is Status.RETRY_SCHEDULED
    assert absent.verdict is not None
    assert (absent.verdict.kind.value, absent.verdict.asked) == ("missing", ASKED)
    assert absent.verdict.answered == "404 unknown_customer"
    world.to(absent.not_before)
    for _ in range(3):
        with crm(monkeypatch, http(409, {"code": "in_progress"})) as busy:
            quick_doors.work(message(row))
            waiting = swept(world, row)
        assert waiting.status is Status.AWAITING_CONFIRMATION, "a conflict with our own call is no failure"
        assert [heard.split(b" ")[0] for heard in busy.heard][-1:] == [b"GET"]
    with crm(monkeypatch, http(200, THERE)):
        ended = swept(world, row)
    assert (ended.status, ended.attempt, ended.remote_id) == (Status.CONFIRMED, 2, "452")
    assert ended.verdict is not None
    assert (ended.verdict.kind.value, ended.verdict.answered) == ("correct", "200, at version 7, applied 1")
    assert ended.verdict.compared == ("version", "plan")
    assert ended.evidence is not None
    assert (ended.evidence.version, ended.evidence.fields) == (7, {"plan": "gold"})
