"""A row as the auditor reads it: plain attributes of the raw item, with no model and no mapper between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from makegood_cli.demo.auditor import lifecycle

if TYPE_CHECKING:
    from makegood_cli.demo.auditor.lifecycle import Entry

Item: TypeAlias = Mapping[str, Mapping[str, Any]]


class Unreadable(Exception):
    """An item that is no row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the auditor looks at of one operation."""

    operation_id: str
    operation_type: str
    status: str
    queue: str
    entity: str
    version: int  #: that the effect must have
    fields: Mapping[str, Any]  #: that the effect must have
    key: str  #: the idempotency key of what it now wants: its effect, or the undoing of it
    revision: int
    attempt: int
    claimed: bool  #: a token or a lease stands in it
    due: tuple[str, int] | None  #: shard and instant, as the index has them
    half_due: bool  #: one of the two is there without the other
    evidence: Mapping[str, Any] | None
    verdict: Mapping[str, Any] | None
    entries: tuple[Entry, ...]
    text: str  #: the whole raw item, written down always in the same way

    @property
    def state(self) -> str:
        """The letter of its status; `?` for one that the table does not know."""
        return lifecycle.STATUSES.get(self.status, "?")

    @property
    def is_terminal(self) -> bool:
        """Say whether nothing may change it any more."""
        return self.state in lifecycle.TERMINAL

    @property
    def is_cut(self) -> bool:
        """Say whether its history no longer holds every entry."""
        return any(entry.left_out for entry in self.entries)

    @property
    def last(self) -> Entry | None:
        """The move that brought it to its status: a wish to cancel that left it where it was is none."""
        led = [entry for entry in self.entries if entry.verb != lifecycle.CANCEL or entry.target in lifecycle.TERMINAL]
        return led[-1] if led else None

    @property
    def why(self) -> str:
        """The reason of that move."""
        return self.last.reason if self.last else ""

    def count(self, *verbs: str) -> int:
        """Count the moves of these kinds."""
        return sum(entry.verb in verbs for entry in self.entries)

    def is_decided(self, since: int, until: int) -> bool:
        """Say whether a person had it tried again, or undone, between two instants."""
        verbs = {lifecycle.DECIDE_RETRY, lifecycle.COMPENSATE}
        return any(each.verb in verbs and each.role == "o" and since <= each.at <= until for each in self.entries)


def read(item: Item) -> Row:
    """Read an operation's raw item.

    Raises:
        Unreadable: saying which attribute is missing or of another kind.
    """
    try:
        return _row(item)
    except (LookupError, TypeError, ValueError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


def text_of(item: Item) -> str:
    """Write a raw item down, the same item always the same way."""
    return json.dumps(item, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=repr)


def document(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Read JSON with its numbers exact, so that 1 and 1.0 are equal and 0.1 is 0.1."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def _row(item: Item) -> Row:
    return Row(
        operation_id=item["pk"]["S"],
        operation_type=item["operation_type"]["S"],
        status=item["status"]["S"],
        queue=item.get("queue", {"S": "default"})["S"],
        entity=item["entity"]["S"],
        version=int(item["expected_version"]["N"]),
        fields=document(item["expected_fields"]["S"]),
        key=item["idempotency_key"]["S"],
        revision=int(item["revision"]["N"]),
        attempt=int(item.get("attempt", {"N": "0"})["N"]),
        claimed=not item.keys().isdisjoint({"claim_token", "claimed_at", "lease_ends_at"}),
        due=(item["due_shard"]["S"], int(item["due_at"]["N"])) if {"due_shard", "due_at"} <= item.keys() else None,
        half_due=("due_shard" in item) != ("due_at" in item),
        evidence=document(item["evidence"]["S"]) if "evidence" in item else None,
        verdict=document(item["verdict"]["S"]) if "verdict" in item else None,
        entries=tuple(lifecycle.read(entry["S"]) for entry in item["history"]["L"]),
        text=text_of(item),
    )
