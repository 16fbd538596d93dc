"""The local stack's CRM for tests: one per test process, without faults at the start of each test.

A test takes the fixture `crm: LocalCrm` and a customer of its own from `crm.stranger()`.
"""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from makegood.domain import document
from makegood_cli.local import crm_process
from makegood_cli.local.places import Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from makegood.domain.document import Document
    from makegood_cli.local.crm_client import CrmClient
    from makegood_cli.local.crm_process import Crm

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a caller heard of the CRM."""

    status: int
    body: Document
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LocalCrm:
    """A running CRM that belongs to this test process."""

    running: Crm

    @property
    def url(self) -> str:
        """Where it answers."""
        return self.running.url

    @property
    def client(self) -> CrmClient:
        """Return a client of its faults and its log."""
        return self.running.client

    @staticmethod
    def stranger() -> str:
        """Return the id of a customer that nobody has used yet."""
        return f"c{next(_numbers)}"

    def put(self, customer: str, *, key: str, version: int = 1, seconds: float = 5, **headers: str) -> Heard:
        """Change a customer as a caller with that much patience would; raises what `http.client` does."""
        body = {"version": version, "fields": {"plan": "gold"}}
        sent = {"Idempotency-Key": key, "X-Operation-Id": f"op-{key}", **headers}
        return self.ask("PUT", f"/customers/{customer}", body, sent, seconds)

    def withdraw(self, customer: str, *, key: str, version: int, seconds: float = 5) -> Heard:
        """Withdraw a customer's version, as `put` changes one."""
        return self.ask("DELETE", f"/customers/{customer}/versions/{version}", None, {"Idempotency-Key": key}, seconds)

    def look(self, customer: str, *, key: str, seconds: float = 5) -> Heard:
        """Read a customer as a caller would."""
        return self.ask("GET", f"/customers/{customer}?key={key}", seconds=seconds)

    def charge(self, invoice: str, *, key: str, seconds: float = 5, **told: Any) -> Heard:
        """Charge an invoice as a caller would."""
        body = {"invoice": invoice, "version": 1, "amount": 10, "currency": "EUR", **told}
        return self.ask("POST", "/charges", body, {"Idempotency-Key": key, "X-Operation-Id": f"op-{key}"}, seconds)

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 5,
    ) -> Heard:
        """Make any request whose answer is JSON."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=seconds)
        try:
            text = None if body is None else document.render(document.accept(body, what="the request"))
            connection.request(method, path, text, dict(headers or {}))
            response = connection.getresponse()
            said = document.parse(response.read().decode() or "{}", what="the answer")
        finally:
            connection.close()
        return Heard(response.status, said, dict(response.headers.items()))


def started_under(state: Path) -> Iterator[LocalCrm]:
    """Run a CRM with its state in that folder, for as long as the generator lives."""
    places = Places(state=state)
    try:
        yield LocalCrm(crm_process.start(places))
    finally:
        crm_process.stop(places)
