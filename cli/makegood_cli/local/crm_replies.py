"""What the remote may reply: an answer, something garbled, or silence."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import formatdate
from time import time
from typing import TYPE_CHECKING, TypeAlias

from makegood_cli.local.crm_records import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from makegood.domain.document import Document, Json

    from makegood_cli.local.crm_faults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """No answer comes: after so many seconds the connection is closed."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbled:
    """Something else comes than what the remote decided."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Reply: TypeAlias = Answer | Garbled | Silence


def ok(body: Document) -> Answer:
    """Make a good answer."""
    return Answer(status=200, body=body)


def refusal(
    status: int,
    code: str,
    message: str,
    *,
    headers: Mapping[str, str] | None = None,
    current_version: int | None = None,
) -> Answer:
    """Make an answer that says no, with its documented code."""
    body: dict[str, Json] = {"code": code, "message": message}
    if current_version is not None:
        body["current_version"] = current_version
    return Answer(status=status, body=body, headers=headers or {})


def unknown_customer() -> Answer:
    """Say that there is no such customer; no other answer has this code."""
    return refusal(404, "unknown_customer", "no such customer")


def turned_away(fault: Fault) -> Reply:
    """Reply to a call that gets no further than the gate or the door."""
    match fault.kind:
        case "down" if fault.seconds is None:
            return Silence(seconds=0)
        case "swallow":
            return Silence(seconds=fault.patience)
        case "down" | "unavailable":
            return refusal(503, "unavailable", "the CRM is being serviced", headers=_retry_after(fault))
        case "throttle":
            return refusal(429, "throttled", "too many calls", headers=_retry_after(fault))
        case _:
            return in_progress()


def in_progress() -> Answer:
    """Say that a call with this key is being executed."""
    return refusal(409, "in_progress", "a call with this key is still being executed")


def garbled(fault: Fault) -> Garbled:
    """Reply what the fault says."""
    return Garbled(status=fault.status, headers=fault.headers, body=fault.body.encode())


def _retry_after(fault: Fault) -> dict[str, str]:
    if fault.seconds is None:
        return {}
    return {"Retry-After": formatdate(time() + fault.seconds, usegmt=True) if fault.as_date else f"{fault.seconds:.0f}"}
