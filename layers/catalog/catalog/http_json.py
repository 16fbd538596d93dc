"""One bounded call over HTTP with JSON in and out, and what its end means for an operation.

Three ends are told apart: the remote answered; the call certainly was not sent; nobody knows. There are no redirects,
no repetitions, and no kept connections: one that was kept while a Lambda slept may be dead, and a call sent into a dead
one has an uncertain end. A call lasts as long as its limit at most; only looking up the remote's name, and headers that
come drop by drop, can last longer, and then the worker's own time-out ends it.
"""

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime

import urllib3
from makegood import InvalidInput, TransientError, UncertainError, document, scrubbed

BODY_LIMIT = 64 * 1024  #: bytes of an answer
WORDS_LIMIT = 120  #: characters of a remote's explanation
RETRY_AFTER_LIMIT = timedelta(hours=1)  #: a remote may ask for more, but is not waited for any longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a remote answered, whatever it was."""

    remote: str  #: its name for people
    status: int
    headers: Mapping[str, str]
    body: bytes  #: cut one byte above the limit

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
        return " ".join(
            [str(self.status), *(scrubbed(text, limit=WORDS_LIMIT) for text in said if isinstance(text, str))]
        )

    def retry_after(self) -> timedelta | None:
        """Return how long the remote wants to be left alone, an hour at most; `None` if it does not say so clearly.

        A date is measured against the answer's own `Date`, so nobody's clock matters.
        """
        text = self.headers.get("Retry-After", "").strip()
        if text.isascii() and text.isdigit():
            return min(timedelta(seconds=int(text[:9])), RETRY_AFTER_LIMIT)
        try:
            wait = parsedate_to_datetime(text) - parsedate_to_datetime(self.headers.get("Date", ""))
        except (TypeError, ValueError):
            return None
        return max(timedelta(), min(wait, RETRY_AFTER_LIMIT))


class HttpJson:
    """Calls one remote; may be shared by threads."""

    def __init__(self, remote: str) -> None:
        self._remote = remote
        self._pool = urllib3.PoolManager(maxsize=16, retries=False)

    def call(
        self, method: str, url: str, *, body: document.Document, headers: Mapping[str, str], limit: timedelta
    ) -> Answer:
        """Call once and return the answer, whatever its status.

        Raises:
            TransientError: it certainly was not sent.
            UncertainError: it may have been.
        """
        if limit <= timedelta():
            raise TransientError(f"no time was left to call {self._remote}")
        ends_at = time.monotonic() + limit.total_seconds()  # noqa: TID251 - a stopwatch, not a time of day
        try:
            response = self._pool.request(
                method,
                url,
                body=document.render(body).encode(),
                headers={"Content-Type": "application/json", "Connection": "close", **headers},
                timeout=urllib3.Timeout(total=limit.total_seconds()),
                redirect=False,
                retries=False,
                preload_content=False,
            )
            text = _read(response, ends_at)
        except (urllib3.exceptions.ConnectTimeoutError, urllib3.exceptions.LocationValueError) as error:
            raise TransientError(f"{self._remote} cannot be reached ({type(error).__name__})") from error
        except urllib3.exceptions.HTTPError as error:
            raise UncertainError(f"{self._remote} did not answer to the end ({type(error).__name__})") from error
        if time.monotonic() > ends_at:  # noqa: TID251 - the same stopwatch
            raise UncertainError(f"{self._remote} did not answer to the end within {limit.total_seconds():g} s")
        return Answer(remote=self._remote, status=response.status, headers=response.headers, body=text)


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
