"""What the CRM itself says: its logs of calls and of reads, its effects, its customers, and what others did there."""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from makegood_cli.demo.auditor import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SECONDS = 10  #: of patience for one answer
_SILENCING = frozenset({"swallow", "hang_before", "hang_after", "close_before", "close_after"})
_TELLING = frozenset(
    {"behind", "tombstone"}
)  #: faults of a read that is answered all the same, as things were or will be


def calls(url: str) -> Iterator[Mapping[str, Any]]:
    """Read every changing call, page by page, each with whether the caller can have heard the answer."""
    faults = _ask(url, "/faults")["faults"]
    silencing = {name for name, fault in faults.items() if fault["kind"] in _SILENCING}
    for call in _log(url, "log", "calls"):
        yield {**call, "answered": call["status"] is not None and silencing.isdisjoint(call["faults"])}


def reads(url: str) -> Iterator[Mapping[str, Any]]:
    """Read every question of a caller, page by page, each with whether a fault that hit it left it an answer."""
    faults = _ask(url, "/faults")["faults"]
    telling = {name for name, fault in faults.items() if fault["kind"] in _TELLING}
    for read in _log(url, "reads", "reads"):
        yield {**read, "told": read["fault"] in telling}


def effects(url: str, keys: Iterable[str]) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Read what was applied under each of these keys."""
    return {key: tuple(_ask(url, f"/effects?{urlencode({'key': key})}")["effects"]) for key in keys}


def elsewhere(url: str) -> tuple[Mapping[str, Any], ...]:
    """Read what somebody else changed, oldest first."""
    return tuple(_ask(url, "/elsewhere")["effects"])


def customers(url: str, entities: Iterable[str]) -> dict[str, Mapping[str, Any] | None]:
    """Read how each of these customers stands; `None` for one that is not there."""
    return {entity: _customer(url, entity) for entity in entities}


def _customer(url: str, entity: str) -> Mapping[str, Any] | None:
    status, said = _heard(url, f"/customers/{quote(entity.partition('/')[2], safe='')}")
    if status == http.client.NOT_FOUND and said.get("code") == "unknown_customer":
        return None
    return _good(status, said, entity)


def _log(url: str, path: str, name: str) -> Iterator[Mapping[str, Any]]:
    after = 0
    while page := _ask(url, f"/{path}?after={after}")[name]:
        yield from page
        after = int(page[-1]["number"])


def _ask(url: str, path: str) -> dict[str, Any]:
    status, said = _heard(url, path)
    return _good(status, said, path)


def _good(status: int, said: dict[str, Any], what: str) -> dict[str, Any]:
    if status != http.client.OK:
        raise OSError(f"the CRM answered {status} to GET {what}")
    return said


def _heard(url: str, path: str) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        said: dict[str, Any] = rows.document(answer.read().decode())
    finally:
        connection.close()
    return answer.status, said
