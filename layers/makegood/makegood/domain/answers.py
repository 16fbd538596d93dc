"""What one HTTP answer to a question proves. Whatever is not plain proof is `Unknown`, and nothing here raises.

    answer                                                      observed
    200, a whole JSON object in which `found` finds its parts   what `found` says: `Found`, or `Absent`
    404, a JSON object whose code is `absent_code`              `Absent`: the remote itself says that it has none
    200 of a listing that says that there is more               `Unknown`: what is sought may be on the next page
    any that is cut, a part, or out of a cache: `wholeness`     `Unknown`
    any other 404: a page, a gateway's, a collection's          `Unknown`: the address may be wrong
    any other 2xx, 3xx, 4xx and 5xx                             `Unknown`
    no body, HTML, a JSON array, text cut short, a long body    `Unknown`

A type's `observe` is a call and this; a call that fails raises, which means `Unknown` as well. What a remote says only
in its body is for the type to read, such as a list of errors beside what was found, a shard that did not answer, or the
total of a search. What kind of text the body is said to be decides nothing: a whole JSON object in which everything is
found that is looked for may be called a text, and a page is none whatever it is called.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from makegood.domain import document
from makegood.domain.document import Document, Json
from makegood.domain.errors import InvalidInput
from makegood.domain.observation import Absent, Found, Observed, Unknown
from makegood.domain.scrub import scrubbed
from makegood.domain.wholeness import by_name, doubt

Reading: TypeAlias = Callable[[Mapping[str, Any]], Found | Absent]  #: of a JSON object, numbers exact

ASKED_LIMIT = 160  #: characters of what was asked that are kept
_OK, _NOT_FOUND = 200, 404


def observed(
    *,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    asked: str,
    found: Reading,
    absent_code: str | None = None,
    more: str | None = None,
) -> Observed:
    """Read an HTTP answer safely.

    `asked` says the question in words, such as `GET /customers/452`. `found` gets the body of a 200 and takes from it
    what it needs, and may raise if that is not there. `absent_code` is the remote's own `code` that on a 404 means "not
    there"; without one no 404 proves anything. `more` names the key by which a listing says that it goes on, such as
    `next`.
    """
    said = by_name(headers)
    asked = scrubbed(asked, limit=ASKED_LIMIT)
    if why := doubt(said, body):
        return Unknown(why=f"it answered {status} {why}", asked=asked)
    shown = _object(body)
    if status == _NOT_FOUND and shown is not None and absent_code is not None and shown.get("code") == absent_code:
        return Absent(asked=asked, summary=f"{status} {scrubbed(absent_code)}")
    if status != _OK:
        return Unknown(why=_refused(status), asked=asked)
    if shown is None:
        return Unknown(why=f"it answered {status} with {_instead(said, body)}, not with a JSON object", asked=asked)
    if more is not None and _goes_on(shown.get(more)):
        return Unknown(why=f"it answered {status} with a part of its list: {scrubbed(more)} is set", asked=asked)
    return _found(shown, found, status, asked)


def _found(shown: Document, found: Reading, status: int, asked: str) -> Observed:
    try:
        there: object = found(shown)
    except Exception as error:  # noqa: BLE001 - a team's reading of whatever a remote wrote
        return Unknown(why=f"it answered {status} without what is looked for ({type(error).__name__})", asked=asked)
    if not isinstance(there, Found | Absent):
        return Unknown(why=f"it answered {status}, and its reading gave no answer", asked=asked)
    return replace(there, asked=there.asked or asked, summary=there.summary or str(status))


def _goes_on(says: Json) -> bool:
    return says is not None and says is not False and says not in ("", [])


def _object(body: bytes) -> Document | None:
    try:
        return document.parse(body.decode(), what="the body")
    except (InvalidInput, UnicodeDecodeError):
        return None


def _refused(status: int) -> str:
    if status == _NOT_FOUND:
        return f"it answered {status}, but not by the code that means that it is not there"
    if status in range(300, 400):
        return f"it answered {status}; no redirect is followed"
    return f"it answered {status}"


def _instead(said: Mapping[str, str], body: bytes) -> str:
    if not body.strip():
        return "nothing"
    if "html" in said.get("content-type", "").lower() or body.lstrip()[:1] == b"<":
        return "a page"
    return "something else"
