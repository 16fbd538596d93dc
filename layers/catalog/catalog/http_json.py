"""One bounded call over HTTP with JSON in and out, and what its end means for an operation.

Three ends are told apart: the remote answered; the call certainly was not sent; nobody knows. There are no redirects
and no repetitions. What an answer that says no means, if its type knows nothing better:

    answer                        outcome         because
    429; 503 with Retry-After     OutageError     the remote turns calls away at the door; certainly not applied
    401, 403, any other 4xx       RejectedError   it refuses for good; a person must look
    anything else: 3xx, 5xx       UncertainError  it may have been applied

Each call has a connection of its own: a kept one may have been closed at the other side, above all
while a Lambda slept, and a call sent into it has an uncertain end (one in ten, measured with 8 threads and a server
that closed without saying so). A call lasts as long as its limit at most; only looking up the remote's name and headers
that come drop by drop can last longer, and then the worker's own time-out ends it.
"""

import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from types import MappingProxyType
from typing import Any

import urllib3
from makegood import (
    Absent,
    Found,
    InvalidInput,
    Observed,
    OutageError,
    RejectedError,
    TransientError,
    UncertainError,
    Unknown,
    document,
    observed,
    scrubbed,
)

BODY_LIMIT = 64 * 1024  #: bytes of an answer
WORDS_LIMIT = 120  #: characters of a remote's explanation
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
_ALWAYS = {"Accept": "application/json", "Connection": "close"}
RETRY_AFTER_LIMIT = timedelta(hours=1)  #: a remote may ask for more, but is not waited for any longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a remote answered, whatever it was."""

    remote: str  #: its name for people
    status: int
    headers: Mapping[str, str]
    body: bytes  #: cut one byte above the limit
    bearer: str | None = field(default=None, repr=False)  #: the secret it was called with, to be kept out of words

    def json(self) -> document.Document:
        """Read the body as a JSON object, numbers exact.

        Raises:
            UncertainError: it is none, or too long. The status alone proves nothing: proxies answer 200 as well.
        """
        if len(self.body) > BODY_LIMIT:
            raise UncertainError(f"{self.remote} answered {self.status} with more than {BODY_LIMIT} bytes")
        try:
            return document.parse(self.body.decode(), what="the body")
        except (InvalidInput, UnicodeDecodeError) as error:
            raise UncertainError(
                f"{self.remote} answered {self.status} with something else than a JSON object"
            ) from error

    def problem(self) -> document.Document:
        """Read the body of an answer that says no; empty if it explains nothing."""
        try:
            return self.json()
        except UncertainError:
            return {}

    def words(self) -> str:
        """Say the answer in short: status, and the remote's own code and message without secrets or personal data."""
        said = (self.problem().get(name) for name in ("code", "message"))
        return " ".join([str(self.status), *(self._scrubbed(text) for text in said if isinstance(text, str))])

    def _scrubbed(self, text: str) -> str:
        bare = text.replace(self.bearer, "***") if self.bearer else text
        return scrubbed(bare, limit=WORDS_LIMIT)

    def retry_after(self) -> timedelta | None:
        """Return how long the remote wants to be left alone, an hour at most; `None` if it does not say so clearly.

        A date is measured against the answer's own `Date`, so nobody's clock matters.
        """
        text = self.headers.get("Retry-After", "").strip()
        if text.isascii() and text.isdigit():
            return min(timedelta(seconds=int(text[:9])), RETRY_AFTER_LIMIT)
        try:
            wait = parsedate_to_datetime(text) - parsedate_to_datetime(self.headers.get("Date", ""))
        except (TypeError, ValueError, OverflowError):
            return None
        return max(timedelta(), min(wait, RETRY_AFTER_LIMIT))

    def refusal(self) -> Exception:
        """Return what an answer that says no means, to be raised; the table stands at the top."""
        match self.status:
            case 429:
                return OutageError(f"{self.remote} is throttling: 429", retry_after=self.retry_after())
            case 503 if (wait := self.retry_after()) is not None:
                return OutageError(f"{self.remote} is being serviced: 503", retry_after=wait)
            case 401 | 403:
                words = f"{self.remote} does not accept our credentials ({self.status}): check the remote's secret"
                return RejectedError(words)
            case status if status in range(400, 500):
                return RejectedError(f"{self.remote} refuses it: {self.words()}")
            case status:
                return UncertainError(f"{self.remote} answered {status}")


class HttpJson:
    """Calls one remote; may be shared by threads."""

    def __init__(self, remote: str) -> None:
        self._remote = remote

    def call(
        self,
        method: str,
        url: str,
        *,
        body: document.Document | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
        bearer: str | None,
        limit: timedelta,
    ) -> Answer:
        """Call once and return the answer, whatever its status. `bearer` is the secret, where there is one.

        Raises:
            OutageError: there was no connection, so it certainly was not sent.
            TransientError: it certainly was not sent, for another reason.
            UncertainError: it may have been.
        """
        if limit <= timedelta():
            raise TransientError(f"no time was left to call {self._remote}")
        ends_at = time.monotonic() + limit.total_seconds()  # noqa: TID251 - a stopwatch, not a time of day
        try:
            with urllib3.PoolManager(ssl_context=trusted()) as pool:
                response = pool.request(
                    method,
                    url,
                    body=None if body is None else document.render(body).encode(),
                    headers={**headers, **_headers(body), **self._authorization(bearer)},
                    timeout=urllib3.Timeout(total=limit.total_seconds()),
                    redirect=False,
                    retries=False,
                    preload_content=False,
                )
                text = _read(response, ends_at)
        except urllib3.exceptions.HTTPError as error:
            if _ended_before_sending(error):
                raise OutageError(f"{self._remote} cannot be reached ({type(error).__name__})") from error
            raise UncertainError(f"{self._remote} did not answer to the end ({type(error).__name__})") from error
        if time.monotonic() > ends_at:  # noqa: TID251 - the same stopwatch
            raise UncertainError(f"{self._remote} did not answer to the end within {limit.total_seconds():g} s")
        return Answer(remote=self._remote, status=response.status, headers=response.headers, body=text, bearer=bearer)

    def look(
        self,
        url: str,
        *,
        asked: str,
        found: Callable[[Mapping[str, Any]], Found | Absent],
        absent_code: str | None,
        headers: Mapping[str, str] = NO_HEADERS,
        bearer: str | None,
        limit: timedelta,
    ) -> Observed:
        """Ask with GET and read the answer safely; it never raises for what the remote does or leaves undone.

        `asked` says the question in words, `found` takes what it needs from a good answer, and `absent_code` is the
        remote's own code for "not there"; see `makegood.observed`.
        """
        try:
            answer = self.call("GET", url, headers=headers, bearer=bearer, limit=limit)
        except (TransientError, UncertainError) as error:
            return Unknown(why=str(error), asked=asked)
        return observed(
            status=answer.status,
            headers=answer.headers,
            body=answer.body,
            asked=asked,
            found=found,
            absent_code=absent_code,
        )

    def _authorization(self, bearer: str | None) -> dict[str, str]:
        if not bearer:
            return {}
        if not (bearer.isascii() and bearer.isprintable()):  # the HTTP library would repeat it in its complaint
            raise TransientError(f"the secret of {self._remote} must be printable ASCII on one line; it was not sent")
        return {"Authorization": f"Bearer {bearer}"}


@cache
def trusted() -> ssl.SSLContext:
    """Read whom this system trusts, once for the process: it takes some 25 ms, and every remote needs the same."""
    return ssl.create_default_context()


def _headers(body: document.Document | None) -> Mapping[str, str]:
    return _ALWAYS if body is None else {**_ALWAYS, "Content-Type": "application/json"}


def _ended_before_sending(error: urllib3.exceptions.HTTPError) -> bool:
    """Say whether there was no address, no connection in time, or no trust in the certificate."""
    match error:
        case urllib3.exceptions.ConnectTimeoutError() | urllib3.exceptions.LocationValueError():
            return True
        case urllib3.exceptions.SSLError(args=(ssl.SSLCertVerificationError(), *_)):
            return True
        case _:
            return False


def _read(response: urllib3.BaseHTTPResponse, ends_at: float) -> bytes:
    """Read what the limit allows and one byte more; cut the remote off when the time is over."""
    left = max(ends_at - time.monotonic(), 0)  # noqa: TID251 - the same stopwatch
    cut = threading.Timer(left, _shut, [response])
    cut.start()
    try:
        return response.read(BODY_LIMIT + 1, decode_content=False)
    finally:
        cut.cancel()
        response.close()


def _shut(response: urllib3.BaseHTTPResponse) -> None:
    with suppress(ValueError, OSError):  # it has just come to its end
        response.shutdown()
