"""A remote's signed acknowledgement, as it comes from outside: verified before anything in it is believed.

    signature   t=1790000000,v1=5f3c…     epoch seconds of signing; HMAC-SHA256 of "1790000000." and the body, in hex
    body        {"operation_id": "op-…", "version": 7, "fields": {…}, "remote_id": "crm-9"}

An old one is refused by its time, one that was used by the row it names, which has moved on.
"""

import hmac
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from hashlib import sha256

from makegood.domain import document
from makegood.domain.answer import whole_version
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant
from makegood.domain.observation import Found
from makegood.domain.operation import OperationId, operation_id

BODY_LIMIT = 64 * 1024  #: bytes
TOLERANCE = timedelta(minutes=5)  #: how old or how far ahead a signature may be
ASKED = "a signed acknowledgement"


class Received(StrEnum):
    """What became of it. `ACCEPTED` confirms, `WITHHELD` may ask a person; the rest changes nothing."""

    ACCEPTED = "accepted"
    UNSIGNED = "unsigned"  #: no signature, a wrong one, or one of another body
    TOO_OLD = "too_old"  #: signed too long ago, or in the future
    MALFORMED = "malformed"  #: the body is not what a remote of ours sends
    UNKNOWN = "unknown"  #: it names no operation of this type
    OTHER = "other"  #: another version or other fields than were promised
    NOT_AWAITED = "not_awaited"  #: the operation has moved on; so is a replay met
    TOO_EARLY = "too_early"  #: a worker holds the operation; it may be sent again in a minute
    WITHHELD = "withheld"  #: the type's mode or policy leaves it to a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a remote says of one operation."""

    operation_id: OperationId
    found: Found


def verified(body: bytes, signature: str, *, secret: str, now: Instant) -> Received | None:
    """Check who says it and when; `None` if both hold."""
    parts = dict(part.split("=", 1) for part in signature[:200].split(",") if "=" in part)
    signed_at, given = parts.get("t", "").strip(), parts.get("v1", "").strip()
    if not secret or not given or not (signed_at.isascii() and signed_at.isdigit()) or len(body) > BODY_LIMIT:
        return Received.UNSIGNED
    wanted = sign(body, secret=secret, at=int(signed_at[:12]))
    if not hmac.compare_digest(wanted.encode(), given.encode(errors="replace")):
        return Received.UNSIGNED
    age = abs(now - int(signed_at[:12]) * 1000)
    return Received.TOO_OLD if age > TOLERANCE // timedelta(milliseconds=1) else None


def sign(body: bytes, *, secret: str, at: int) -> str:
    """Sign a body as a remote does. `at` is in epoch seconds."""
    return hmac.new(secret.encode(), f"{at}.".encode() + body, sha256).hexdigest()


def read(body: bytes) -> Statement:
    """Read a verified body.

    Raises:
        InvalidInput: saying what is wrong with it.
    """
    try:
        said = document.parse(body.decode(), what="the acknowledgement")
    except UnicodeDecodeError as error:
        raise InvalidInput("the acknowledgement is not UTF-8") from error
    identifier, remote_id, fields = said.get("operation_id"), said.get("remote_id"), said.get("fields", {})
    found = Found(
        version=whole_version(said.get("version")),
        fields=document.accept(fields, what="the acknowledgement's fields"),
        remote_id=None if remote_id is None else str(remote_id),
        asked=ASKED,
    )
    return Statement(operation_id=operation_id(identifier if isinstance(identifier, str) else ""), found=found)
