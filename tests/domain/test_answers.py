"""Does an HTTP answer prove what it proves, and nothing more?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain.answers import observed
from makegood.domain.errors import InvalidInput
from makegood.domain.observation import Absent, Found, Observed, Unknown
from makegood.domain.wholeness import ANSWER_LIMIT

from tests.case import case

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.domain.document import Document

ASKED = "GET /customers/452"
CUSTOMER = b'{"id": "452", "version": 7, "fields": {"plan": "gold"}}'
JSON, HTML = {"Content-Type": "application/json"}, {"Content-Type": "text/html; charset=utf-8"}
PAGE = b"<!doctype html><p>Not found</p>"


def reading(shown: Document) -> Found | Absent:
    """Take of a customer what is compared."""
    match dict(shown):
        case {"id": str(found), "version": int(version), "fields": dict(fields)}:
            return Found(version=version, fields=fields, remote_id=found)
        case _:
            raise LookupError(shown)


def asking(status: int, body: bytes, headers: Mapping[str, str] = JSON, **how: Any) -> Observed:
    """Read an answer as sync_customer does."""
    usual: dict[str, Any] = {"asked": ASKED, "found": reading, "absent_code": "unknown_customer"}
    return observed(status=status, headers=headers, body=body, **usual | how)


def test_a_whole_answer_is_found_with_what_was_asked_and_what_came() -> None:
    wanted = Found(version=7, fields={"plan": "gold"}, remote_id="452", asked=ASKED, summary="200")
    assert asking(200, CUSTOMER) == wanted
    assert asking(200, CUSTOMER, {}) == wanted


def test_words_of_the_reading_itself_are_kept() -> None:
    said = asking(200, CUSTOMER, found=lambda _: Absent(asked="the list", summary="200, applied 0"))
    assert said == Absent(asked="the list", summary="200, applied 0")


def test_absent_is_what_the_remote_says_by_its_own_code_alone() -> None:
    body = b'{"code": "unknown_customer", "message": "no such customer"}'
    assert asking(404, body) == Absent(asked=ASKED, summary="404 unknown_customer")


UNPROVEN: dict[str, tuple[int, bytes, Mapping[str, str]]] = {
    "500": (500, b'{"code": "internal"}', JSON),
    "500 that says unknown": (500, b'{"code": "unknown_customer"}', JSON),
    "502 page": (502, PAGE, HTML),
    "503": (503, b"", {"Retry-After": "5"}),
    "429": (429, b'{"code": "throttled"}', JSON),
    "401": (401, b"", {}),
    "403": (403, b'{"code": "unknown_customer"}', JSON),
    "400": (400, b'{"code": "unknown_customer"}', JSON),
    "410": (410, b'{"code": "unknown_customer"}', JSON),
    "404 on the collection": (404, PAGE, HTML),
    "404 of a gateway": (404, b'{"message": "no Route matched with those values"}', JSON),
    "404 of another thing": (404, b'{"code": "unknown_account"}', JSON),
    "404 of a path": (404, b'{"code": "no_such_path"}', JSON),
    "404 whose code is a list": (404, b'{"code": ["unknown_customer"]}', JSON),
    "404 whose code is spelt otherwise": (404, b'{"code": "Unknown_Customer"}', JSON),
    "404 that holds the code deeper": (404, b'{"error": {"code": "unknown_customer"}}', JSON),
    "404 as a list": (404, b'[{"code": "unknown_customer"}]', JSON),
    "404 cut short": (404, b'{"code": "unknown_customer", "mess', JSON),
    "404 of half its length": (404, b'{"code": "unknown_customer"}', {"Content-Length": "90"}),
    "404 without a body": (404, b"", {}),
    "404 out of a cache": (404, b'{"code": "unknown_customer"}', {"Age": "40"}),
    "301": (301, b"", {"Location": "/customers"}),
    "302 with a customer": (302, CUSTOMER, {"Location": "/login"}),
    "304": (304, b"", {}),
    "100": (100, b"", {}),
    "201": (201, CUSTOMER, JSON),
    "202": (202, CUSTOMER, JSON),
    "204": (204, b"", {}),
    "206": (206, CUSTOMER, {"Content-Range": "bytes 0-54/900"}),
    "empty 200": (200, b"", JSON),
    "blank 200": (200, b" \r\n", JSON),
    "html with 200": (200, b"<html>Please log in</html>", HTML),
    "a JSON array": (200, b"[" + CUSTOMER + b"]", JSON),
    "an empty array": (200, b"[]", JSON),
    "null": (200, b"null", JSON),
    "text": (200, b'"none"', JSON),
    "cut short": (200, CUSTOMER[:-9], JSON),
    "of half its length": (200, CUSTOMER, {"content-length": "900"}),
    "too long": (200, b'{"id": "' + b"x" * ANSWER_LIMIT + b'"}', JSON),
    "packed": (200, b"\x1f\x8b\x08\x00", {"Content-Encoding": "gzip"}),
    "no text": (200, b"\xff\xfe{\x00}\x00", JSON),
    "twice the same key": (200, b'{"id": "452", "id": "453", "version": 7, "fields": {}}', JSON),
    "not a number": (200, b'{"id": "452", "version": NaN, "fields": {}}', JSON),
    "nested without end": (200, b'{"a":' * 5000, JSON),
    "nothing in it": (200, b"{}", JSON),
    "no version": (200, b'{"id": "452", "fields": {}}', JSON),
    "an error under 200": (200, b'{"code": "unknown_customer"}', JSON),
    "out of a cache": (200, CUSTOMER, {"Age": "1"}),
}


@case("F051")
@pytest.mark.parametrize("name", UNPROVEN)
def test_what_is_no_plain_proof_is_unknown_and_never_absent(name: str) -> None:
    said = asking(*UNPROVEN[name])
    assert isinstance(said, Unknown)
    assert said.asked == ASKED
    assert said.why.isprintable()
    assert 0 < len(said.why) <= 120


@pytest.mark.parametrize(("body", "more"), [(CUSTOMER, "fields"), (b'{"data": [], "next": "p2"}', "next")])
def test_a_part_of_a_list_is_unknown(body: bytes, more: str) -> None:
    said = asking(200, body, more=more, found=lambda _: Absent())
    assert said == Unknown(why=f"it answered 200 with a part of its list: {more} is set", asked=ASKED)


@pytest.mark.parametrize("end", [None, False, "", "left out"])
def test_a_list_that_ends_here_is_read(end: object) -> None:
    body = {"data": []} | ({} if end == "left out" else {"next": end})
    assert isinstance(asking(200, json.dumps(body).encode(), more="next", found=lambda _: Absent()), Absent)


@pytest.mark.parametrize("unread", [True, 0, 1, "p2", ["p2"], {"page": 2}])
def test_anything_else_there_is_a_list_that_goes_on(unread: object) -> None:
    body = json.dumps({"data": [], "next": unread}).encode()
    assert isinstance(asking(200, body, more="next", found=lambda _: Absent()), Unknown)


@pytest.mark.parametrize(
    "error",
    [
        KeyError("version"),
        TypeError(),
        ValueError(),
        LookupError(),
        InvalidInput("no"),
        AttributeError(),
        RecursionError(),
    ],
)
def test_a_reading_that_fails_is_unknown_and_repeats_nothing_of_the_answer(error: Exception) -> None:
    def failing(_: Document) -> Found:
        raise error

    said = asking(200, b'{"secret": "sk_live_1234567890"}', found=failing)
    why = f"it answered 200 without what is looked for ({type(error).__name__})"
    assert said == Unknown(why=why, asked=ASKED)


def test_a_reading_that_says_nothing_is_unknown() -> None:
    assert isinstance(asking(200, CUSTOMER, found=lambda _: None), Unknown)


def test_without_a_code_of_its_own_no_404_means_absent() -> None:
    for body in (b'{"code": null}', b'{"code": "unknown_customer"}', b"{}"):
        assert isinstance(asking(404, body, absent_code=None), Unknown)


def test_what_was_asked_holds_no_address_of_a_person() -> None:
    said = asking(404, b"", asked="GET /customers/jane.doe@example.com")
    assert said.asked == "GET /customers/***@***"


@given(
    status=st.integers(100, 599),
    headers=st.dictionaries(
        st.sampled_from(["Content-Length", "Age", "Link", "Content-Range", "X-Cache"]), st.text(max_size=30)
    ),
    body=st.binary(max_size=60) | st.sampled_from([CUSTOMER, b"{}", PAGE, b'{"code": "unknown_customer"}']),
)
def test_nothing_raises_and_absence_has_one_door(status: int, headers: dict[str, str], body: bytes) -> None:
    said = asking(status, body, headers)
    if isinstance(said, Absent):
        assert (status, json.loads(body)["code"]) == (404, "unknown_customer")
    if isinstance(said, Found):
        assert (status, body) == (200, CUSTOMER)
