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
    status: str
    queue: str
    entity: str
    version: int  #: that the effect must have
    fields: Mapping[str, Any]  #: that the effect must have
    key: str  #: the idempotency key
    revision: int
    attempt: int
    claimed: bool  #: a token or a lease stands in it
    due: tuple[str, int] | None  #: shard and instant, as the index has them
    half_due: bool  #: one of the two is there without the other
    evidence: Mapping[str, Any] | None
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

    def count(self, verb: str) -> int:
        """Count the moves of one kind."""
        return sum(entry.verb == verb for entry in self.entries)


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
        entries=tuple(lifecycle.read(entry["S"]) for entry in item["history"]["L"]),
        text=text_of(item),
    )
