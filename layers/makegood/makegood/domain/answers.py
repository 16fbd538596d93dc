"""What one HTTP answer to a question proves. Whatever is not plain proof is `Unknown`, and nothing here raises.

    answer                                                      observed
    200, a whole JSON object in which `found` finds its parts   what `found` says: `Found`, or `Absent`
    404, a JSON object whose code is `absent_code`              `Absent`: the remote itself says that it has none
    200 of a listing that says that there is more               `Unknown`: what is sought may be on the next page
    200 of a shared cache that is older than the question       `Unknown`
    any other 404: a page, a gateway's, a collection's          `Unknown`: the address may be wrong
    any other 2xx, 3xx, 4xx and 5xx                             `Unknown`
    no body, HTML, a JSON array, text cut short, a long body    `Unknown`

A type's `observe` is a call and this; a call that fails raises, which means `Unknown` as well.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from makegood.domain import document
from makegood.domain.document import Document, Json
from makegood.domain.errors import InvalidInput
from makegood.domain.observation import Absent, Found, Observed, Unknown
from makegood.domain.scrub import scrubbed

Reading: TypeAlias = Callable[[Mapping[str, Any]], Found | Absent]  #: of a JSON object, numbers exact

ANSWER_LIMIT = 64 * 1024  #: bytes of an answer that are read; of a longer one nothing is believed
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
    said = {name.lower(): value for name, value in headers.items()}
    asked = scrubbed(asked, limit=ASKED_LIMIT)
    if why := _in_part(status, said, body):
        return Unknown(why=why, asked=asked)
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


def _in_part(status: int, said: Mapping[str, str], body: bytes) -> str | None:
    """Say why an answer is not the whole and present truth, whatever its status."""
    if len(body) > ANSWER_LIMIT:
        return f"it answered {status} with more than {ANSWER_LIMIT} bytes"
    length, age = said.get("content-length", "").strip(), said.get("age", "").strip()
    if _whole(length) and "content-encoding" not in said and len(body) < int(length[:18]):
        return f"it answered {status} with {len(body)} of {length[:18]} bytes"
    if _whole(age) and int(age[:18]):
        return f"it answered {status} out of a cache, {age[:18]} s old"
    return None


def _goes_on(says: Json) -> bool:
    return says is not None and says is not False and says not in ("", [])


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit()


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
