"""Is one call over HTTP bounded in time and bytes, and its end told truly?"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from catalog.http_json import BODY_LIMIT, Answer, HttpJson
from makegood import TransientError, UncertainError, document

from tests.catalog.scripted import scripted

if TYPE_CHECKING:
    from tests.catalog.scripted import Step

LIMIT = timedelta(seconds=0.6)
OK = b"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
DRIP: tuple[Step, ...] = (b"x", 0.1) * 30


def call(url: str, *, bearer: str | None = None, body: document.Document | None = None) -> Answer:
    return HttpJson("the CRM").call("PUT", url, body=body or {}, headers={}, bearer=bearer, limit=LIMIT)


def answer(headers: dict[str, str], body: bytes = b"{}") -> Answer:
    return Answer(remote="the CRM", status=429, headers=headers, body=body, bearer="topsecret")


def test_it_says_who_it_is_asks_for_json_and_keeps_no_connection() -> None:
    with scripted(OK, b"Content-Length: 2\r\n\r\n{}") as remote:
        call(f"{remote.url}/a%2Fb", bearer="topsecret", body=document.parse('{"a":1.10}', what="body"))
    lines = remote.request.split("\r\n")
    assert lines[0] == "PUT /a%2Fb HTTP/1.1"
    assert lines[-1] == '{"a":1.10}'
    assert {"Authorization: Bearer topsecret", "Connection: close", "Content-Type: application/json"} <= set(lines)


def test_it_calls_once_and_follows_no_redirect() -> None:
    with scripted(b"HTTP/1.1 307 Go\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n") as remote:
        assert call(remote.url).status == 307
    assert len(remote.heard) == 1


def test_each_call_has_a_connection_of_its_own_though_the_remote_would_keep_it() -> None:
    with scripted(OK, b"Connection: keep-alive\r\nContent-Length: 2\r\n\r\n{}") as remote:
        http = HttpJson("the CRM")
        for _ in range(3):
            assert http.call("PUT", remote.url, body={}, headers={}, bearer=None, limit=LIMIT).status == 200
    assert len(remote.heard) == 3


@pytest.mark.parametrize(
    "steps",
    [
        (2.0,),
        (OK, 2.0),
        (OK, b"Content-Length: 100\r\n\r\n", 2.0),
        (OK, b"Content-Length: 100\r\n\r\n", *DRIP),
        (OK, b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", 2.0),
        (OK, b"\r\n", *DRIP),
    ],
    ids=["silence", "half a head", "no body", "a body drop by drop", "half of the chunks", "a body without end"],
)
def test_a_remote_that_takes_its_time_is_cut_off_at_the_limit(steps: tuple[Step, ...]) -> None:
    with scripted(*steps) as remote:
        began = time.monotonic()
        with pytest.raises(UncertainError, match="did not answer to the end"):
            call(remote.url)
        assert time.monotonic() - began < 2 * LIMIT.total_seconds()


@pytest.mark.parametrize(
    "steps",
    [
        (),
        (b"nonsense\r\n\r\n",),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000,),
        (OK, b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"),
        (OK, b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        (OK, b"Content-Length: 5\r\n\r\n"),
    ],
    ids=["hung up", "no HTTP", "a header without end", "chunks broken off", "no chunk", "no body"],
)
def test_a_remote_that_breaks_off_leaves_the_effect_unknown(steps: tuple[Step, ...]) -> None:
    with scripted(*steps) as remote, pytest.raises(UncertainError, match="did not answer to the end"):
        call(remote.url)


def test_more_than_the_limit_is_not_read() -> None:
    with scripted(OK, b"\r\n", b"x" * (4 * BODY_LIMIT)) as remote:
        heard = call(remote.url)
    assert len(heard.body) == BODY_LIMIT + 1
    with pytest.raises(UncertainError, match="more than 65536 bytes"):
        heard.json()


def test_as_much_as_the_limit_is_read_whole() -> None:
    body = b'{"a":"' + b"x" * (BODY_LIMIT - 8) + b'"}'
    with scripted(OK, b"\r\n", body) as remote:
        assert len(str(call(remote.url).json()["a"])) == BODY_LIMIT - 8


def test_what_was_not_asked_to_be_packed_is_not_unpacked() -> None:
    with scripted(OK, b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}") as remote:
        assert call(remote.url).body == b"{}"


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'"x"', b"{", b"NaN", b'{"a":NaN}', b"\xff", b'{"a":"\\ud800"}']
)
def test_what_is_no_json_object_proves_nothing(body: bytes) -> None:
    with pytest.raises(UncertainError, match="something else than a JSON object"):
        answer({}, body).json()
    assert answer({}, body).problem() == {}


def test_a_body_of_brackets_proves_nothing() -> None:
    with pytest.raises(UncertainError):
        answer({}, b'{"a":' * 10_000).json()


DATE = "Sun, 06 Nov 1994 08:49:37 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": " 120 "}, 120),
        ({"Retry-After": "3601"}, 3600),
        ({"Retry-After": "9" * 5000}, 3600),
        ({"Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT", "Date": DATE}, 30),
        ({"Retry-After": "Sun, 06 Nov 1994 08:00:00 GMT", "Date": DATE}, 0),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT", "Date": DATE}, 3600),
        ({"Retry-After": "Sun, 06 Nov 1994 09:50:07 +0100", "Date": DATE}, 30),
    ],
)
def test_the_wait_is_read_as_seconds_or_as_a_date_and_capped(headers: dict[str, str], seconds: int) -> None:
    assert answer(headers).retry_after() == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Retry-After": ""},
        {"Retry-After": "-5"},
        {"Retry-After": "Sun, 06 Nov 999999999999999999999 08:00:00 GMT", "Date": DATE},
        {"Retry-After": "Sun, 06 Nov 1994 08:00:00 +999999999", "Date": DATE},
        {"Retry-After": "1.5"},
        {"Retry-After": "²"},
        {"Retry-After": "soon"},
        {"Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"},
        {"Retry-After": "Sun, 06 Nov 1994 08:50:07 -0000", "Date": DATE},
        {"Retry-After": "Sun, 99 Nov 1994 08:50:07 GMT", "Date": DATE},
    ],
)
def test_a_wait_that_is_not_clear_is_none(headers: dict[str, str]) -> None:
    assert answer(headers).retry_after() is None


def test_words_hold_the_remotes_own_code_and_message_and_never_the_secret_it_was_called_with() -> None:
    body = b'{"code":"refused","message":"your key topsecret is old","other":"left out"}'
    assert answer({}, body).words() == "429 refused your key *** is old"


@pytest.mark.parametrize("body", [b"<html>", b'{"message":5,"code":["x"]}'])
def test_words_without_an_explanation_are_the_status_alone(body: bytes) -> None:
    assert answer({}, body).words() == "429"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://no-such-host.invalid", "http://", "ftp://x"])
def test_what_cannot_be_reached_was_certainly_not_called(url: str) -> None:
    with pytest.raises(TransientError):
        call(url)
