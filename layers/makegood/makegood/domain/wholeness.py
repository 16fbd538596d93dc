"""Whether an HTTP answer is the whole and present truth, by what stands around its body.

    what it says                                                    so it may be
    fewer bytes than Content-Length; more than are read             cut short
    Link with rel=next; Content-Range that is not all there is      a part of a list
    Age; Warning 110 to 113; a cache's own header that says "hit"   older than the question
    a charset that is not UTF-8, and bytes that are not ASCII       other text than is read

A header that is given twice, or whose text is none of those that its standard knows, counts against the answer: nobody
has to explain why it was believed. `Cache-Control`, `Expires` and `Date` do not say that an answer is old, so they
count for nothing. RFC 8288 (Link), 9110 (Content-Range), 9111 (Age), 7234 (Warning), 9211 (Cache-Status).
"""

import re
from collections.abc import Iterator, Mapping

ANSWER_LIMIT = 64 * 1024  #: bytes of an answer that are read; of a longer one nothing is believed
_SHOWN = 18  #: digits of a remote's number that are repeated
_TARGET = re.compile(r"<[^>]*>")
_NEXT = re.compile(r"""\brel\s*=\s*(?:["'][^"']*)?\bnext\b""", re.IGNORECASE)
_RANGE = re.compile(r"[\w-]+[ =](?:\*/0|0-(\d{1,18})/(\d{1,18}))|\*/0|0-(\d{1,18})/(\d{1,18})")
_STALE = re.compile(r"(?:^|,)\s*11[0-3]\b")
_CACHED = re.compile(r"(?<![a-z=])(?:hit|stale|updating)\b", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_READ_AS_IS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


def by_name(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return headers by their names in small letters; what is given twice stands in one line, as HTTP has it."""
    said: dict[str, str] = {}
    for name, value in headers.items():
        key = name.lower()
        said[key] = f"{said[key]}, {value}" if key in said else value
    return said


def doubt(said: Mapping[str, str], body: bytes) -> str | None:
    """Say why an answer is not the whole and present truth, whatever its status; `None` if nothing speaks against it.

    `said` are its headers as `by_name` returns them.
    """
    return next(_doubts(said, body), None)


def _doubts(said: Mapping[str, str], body: bytes) -> Iterator[str]:
    if len(body) > ANSWER_LIMIT:
        yield f"with more than {ANSWER_LIMIT} bytes"
    if "content-encoding" not in said and (length := _most(said.get("content-length", ""))) > len(body):
        yield f"with {len(body)} of {length} bytes"
    if _NEXT.search(_TARGET.sub("", said.get("link", ""))):
        yield "with a part of its list: Link names a next page"
    if "content-range" in said and not _is_all(said["content-range"].strip()):
        yield "with a part of its list: Content-Range does not say that it is all"
    if (age := said.get("age", "").strip()) and any(part.strip() != "0" for part in age.split(",")):
        yield f"out of a cache, {_most(age)} s old" if _most(age) else "out of a cache, nobody knows how old"
    if _STALE.search(said.get("warning", "")) or any(map(_is_hit, said.items())):
        yield "out of a cache, by its own words"
    if not body.isascii() and not _READ_AS_IS.issuperset(_CHARSET.findall(said.get("content-type", "").lower())):
        yield "in another charset than UTF-8"


def _most(text: str) -> int:
    """Return the greatest whole number of a list; 0 if there is none."""
    parts = (part.strip() for part in text.split(","))
    return max((int(part[:_SHOWN]) for part in parts if part.isascii() and part.isdigit()), default=0)


def _is_all(text: str) -> bool:
    """Say whether a range begins at the beginning and ends at the end; one without a known end does not."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return False
    last, total = found[1] or found[3], found[2] or found[4]
    return last is None or int(last) + 1 == int(total)


def _is_hit(header: tuple[str, str]) -> bool:
    """Say whether a cache tells that it answered by itself: X-Cache, CF-Cache-Status, X-Proxy-Cache and their like."""
    name, value = header
    return "cache" in name and name != "cache-control" and _CACHED.search(value) is not None
