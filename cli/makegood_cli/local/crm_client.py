"""A client of the CRM's other side: its faults, its log, its customers. For the command, the demo and tests."""

from __future__ import annotations

import http.client
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from makegood.domain import document
from makegood.domain.errors import InvalidInput

from makegood_cli.local import crm_faults
from makegood_cli.local.crm_records import Customer, Effect, Kind, LoggedCall, Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from makegood.domain.document import Document

    from makegood_cli.local.crm_faults import Fault

SECONDS = 10  #: of patience for one answer


class CrmError(Exception):
    """The CRM did not do what was asked; the message is its own."""


@dataclass(frozen=True, slots=True)
class CrmClient:
    """Talks to one CRM, a connection for each question. Raises `OSError` if nobody is there."""

    url: str  #: such as http://127.0.0.1:8080

    def is_healthy(self) -> bool:
        """Say whether it answers."""
        return self.process_id() is not None

    def process_id(self) -> int | None:
        """Return which process answers; None if none does."""
        try:
            return int(self._ask("GET", "/health")["process_id"])
        except (OSError, http.client.HTTPException, CrmError, InvalidInput):
            return None

    def set_fault(self, fault: Fault, *, name: str | None = None) -> None:
        """Switch a fault on, under its kind's name if none is given; one of the same name is replaced."""
        self._ask("PUT", f"/faults/{quote(name or fault.kind, safe='')}", crm_faults.as_document(fault))

    def lift(self, name: str) -> None:
        """Switch one fault off, if it is on."""
        self._ask("DELETE", f"/faults/{quote(name, safe='')}")

    def clear(self) -> None:
        """Switch every fault off."""
        self._ask("DELETE", "/faults")

    def faults(self) -> dict[str, Fault]:
        """Return the faults that are switched on, by name."""
        listed = self._ask("GET", "/faults")["faults"]
        return {
            name: crm_faults.fault_of({key: value for key, value in fault.items() if key != "hits"})
            for name, fault in listed.items()
        }

    def hits(self) -> dict[str, int]:
        """Return how often each fault that is switched on struck."""
        return {name: fault["hits"] for name, fault in self._ask("GET", "/faults")["faults"].items()}

    def log(self, *, key: str | None = None) -> list[LoggedCall]:
        """Return every changing call, oldest first; of one key if it is given."""
        return list(self._calls(key))

    def applications(self) -> Counter[str]:
        """Count the effective applications of each idempotency key; above 1 is a double effect."""
        return Counter(call.key for call in self.log() if call.applied)

    def customer(self, identifier: str) -> Customer | None:
        """Return a customer as reads see it now; None if it is unknown."""
        try:
            return Customer(**self._ask("GET", f"/customers/{quote(identifier, safe='')}"))
        except CrmNotFound:
            return None

    def effects(self, key: str) -> list[Effect]:
        """Return the effects of a key that reads see now, oldest first: changes, withdrawals and charges."""
        return [_effect(effect) for effect in self._ask("GET", f"/effects?{urlencode({'key': key})}")["effects"]]

    def change_elsewhere(self, identifier: str, *, version: int, fields: Document) -> None:
        """Change a customer as somebody else would, under no key."""
        self._ask("PUT", f"/elsewhere/customers/{quote(identifier, safe='')}", {"version": version, "fields": fields})

    def elsewhere(self) -> list[Effect]:
        """Return what somebody else changed, oldest first."""
        return [_effect(effect) for effect in self._ask("GET", "/elsewhere")["effects"]]

    def reads(self, *, key: str | None = None) -> list[Seen]:
        """Return every read by a caller, oldest first; of one key if it is given."""
        return [Seen(**line) for line in self._lines("reads", key)]

    def _calls(self, key: str | None) -> Iterator[LoggedCall]:
        for line in self._lines("log", key):
            faults = tuple(line.pop("faults"))
            yield LoggedCall(**(line | {"kind": Kind(line["kind"]), "faults": faults}))

    def _lines(self, log: str, key: str | None) -> Iterator[dict[str, Any]]:
        """Yield a log's lines, page by page."""
        after = 0
        while page := self._page(log, after, key):
            yield from map(dict, page)
            after = page[-1]["number"]

    def _page(self, log: str, after: int, key: str | None) -> list[dict[str, Any]]:
        query = urlencode({"after": after} | ({} if key is None else {"key": key}))
        answer = self._ask("GET", f"/{log}?{query}")
        return list(answer["calls" if log == "log" else "reads"])

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=SECONDS)
        try:
            connection.request(method, path, None if body is None else document.render(body).encode())
            response = connection.getresponse()
            answer = dict(document.parse(response.read().decode(), what="the CRM's answer"))
        finally:
            connection.close()
        if response.status != http.client.OK:
            error = CrmNotFound if answer.get("code") == "unknown_customer" else CrmError
            raise error(f"{method} {path}: {response.status} {answer.get('message')}")
        return answer


def _effect(said: dict[str, Any]) -> Effect:
    return Effect(**(said | {"kind": Kind(said["kind"])}))


class CrmNotFound(CrmError):
    """It has no such thing."""
