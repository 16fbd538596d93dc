"""Is an answer that is cut, a part, or old taken for the whole and present truth?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from makegood.domain.answers import observed
from makegood.domain.observation import Absent, Found, Observed, Unknown

from tests.case import case

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.domain.document import Document

ONE = b'{"data": [{"id": "452", "version": 7}]}'
NONE = b'{"data": []}'


def listed(shown: Document) -> Found | Absent:
    """Take of a list what a type that searches by its key would."""
    data = shown["data"]
    assert isinstance(data, list)
    return Found(version=7, remote_id="452", count=len(data)) if data else Absent()


def search(body: bytes, headers: Mapping[str, str]) -> Observed:
    return observed(status=200, headers=headers, body=body, asked="GET /charges?key=k", found=listed)


PARTS: Mapping[str, dict[str, str]] = {
    "a next page": {"Link": '<https://crm.example/charges?page=2>; rel="next"'},
    "a next page among others": {"Link": '</charges?page=1>; rel="first", </charges?page=3>; REL=Next; title="on"'},
    "a next page by two names": {"link": "</charges?page=2>; rel='last next'"},
    "a next page in a second header": {"Link": '</charges>; rel="self"', "link": '</charges?page=2>; rel="next"'},
    "the first of many": {"Content-Range": "items 0-24/900"},
    "the end of many": {"Content-Range": "items 875-899/900"},
    "nobody knows of how many": {"Content-Range": "0-24/*"},
    "a range that says nothing": {"Content-Range": "all"},
    "a range of none that is asked for": {"Content-Range": "bytes */900"},
}
OLD: Mapping[str, dict[str, str]] = {
    "by a second": {"Age": "1"},
    "by one cache of two": {"Age": "30, 0"},
    "by the other cache of two": {"age": "0, 30"},
    "by a cache of two headers": {"Age": "0", "age": "30"},
    "nobody knows by how much": {"Age": "some"},
    "by less than nothing": {"Age": "-1"},
    "stale": {"Warning": '110 proxy "Response is Stale"'},
    "not to be made sure of": {"Warning": '299 - "deprecated", 111 - "Revalidation Failed"'},
    "without a connection": {"Warning": '112 - "Disconnected Operation"'},
    "a hit": {"X-Cache": "Hit from cloudfront"},
    "a hit behind a miss": {"X-Cache": "MISS, HIT"},
    "a hit in memory": {"X-Cache": "TCP_MEM_HIT from a1-2"},
    "a hit by the standard": {"Cache-Status": 'ExampleCache; hit; ttl=30, "edge"; fwd=miss'},
    "of nginx, stale": {"X-Cache-Status": "STALE"},
    "of nginx, while it is renewed": {"X-Proxy-Cache": "UPDATING"},
    "of a network": {"CF-Cache-Status": "HIT"},
}
CUT: Mapping[str, dict[str, str]] = {
    "of a length": {"Content-Length": "900"},
    "of one length of two": {"Content-Length": "12, 900"},
}


@case("F051")
@pytest.mark.parametrize("body", [NONE, ONE])
@pytest.mark.parametrize("headers", [*PARTS.values(), *OLD.values(), *CUT.values()], ids=[*PARTS, *OLD, *CUT])
def test_a_part_or_what_is_old_is_neither_absent_nor_the_only_one(headers: dict[str, str], body: bytes) -> None:
    said = search(body, headers)
    assert isinstance(said, Unknown)
    assert said.why.startswith("it answered 200 ")
    assert len(said.why) <= 100


WHOLE: Mapping[str, dict[str, str]] = {
    "plain": {},
    "the last page": {"Link": '</charges?page=1>; rel="prev", </charges?rel=next&a=b>; rel="last"'},
    "next in a title alone": {"Link": '</charges>; rel="self"; title="next"'},
    "all of a range": {"Content-Range": "items 0-24/25"},
    "all of a range, without its unit": {"Content-Range": "0-0/1"},
    "none of none": {"Content-Range": "*/0"},
    "of this second": {"Age": "0"},
    "of this second, twice": {"Age": "0, 0"},
    "deprecated": {"Warning": '299 - "this version ends in 1100 days"'},
    "a miss": {"X-Cache": "Miss from cloudfront", "X-Cache-Hits": "0, 0"},
    "made sure of": {"X-Cache": "RefreshHit from cloudfront"},
    "sent on because it was old": {"Cache-Status": "ExampleCache; fwd=stale; stored"},
    "may be kept": {"Cache-Control": "max-age=60, stale-if-error=600", "Expires": "0", "Date": "long ago"},
    "packed on the way": {"Content-Encoding": "gzip", "Content-Length": "900"},
    "called a text": {"Content-Type": "text/plain"},
    "in its charset": {"Content-Type": 'application/json; charset="UTF-8"'},
    "in a charset that does not matter": {"Content-Type": "application/json; charset=iso-8859-1"},
}


@pytest.mark.parametrize("headers", WHOLE.values(), ids=WHOLE)
def test_what_is_whole_and_present_is_read(headers: dict[str, str]) -> None:
    assert isinstance(search(NONE, headers), Absent)
    assert isinstance(search(ONE, headers), Found)


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "UTF-16", "utf-8; charset=latin1"])
def test_text_that_is_written_otherwise_than_it_is_read_is_unknown(charset: str) -> None:
    body = '{"data": [], "city": "Zürich"}'.encode()
    assert isinstance(search(body, {"Content-Type": f"application/json; charset={charset}"}), Unknown)
    assert isinstance(search(body, {"Content-Type": "application/json; charset=utf-8"}), Absent)


def test_a_404_is_as_old_or_as_partial_as_any_answer() -> None:
    for headers in ({"X-Cache": "HIT"}, {"Age": "0, 9"}, {"Warning": "110 - stale"}):
        said = observed(
            status=404,
            headers=headers,
            body=b'{"code": "unknown_charge"}',
            asked="GET /charges/1",
            found=listed,
            absent_code="unknown_charge",
        )
        assert isinstance(said, Unknown)
