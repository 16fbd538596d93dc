"""What a request asks of the remote: headers and JSON in; a call, or a refusal that says what is wanted."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from makegood.domain import document
from makegood.domain.errors import InvalidInput

from makegood_cli.local import crm_faults
from makegood_cli.local.crm_faults import FaultError
from makegood_cli.local.crm_records import Call, Kind
from makegood_cli.local.crm_replies import refusal

if TYPE_CHECKING:
    from email.message import Message

    from makegood.domain.document import Document, Json

    from makegood_cli.local.crm_faults import Fault

KEY_LIMIT = 255  #: characters of an idempotency key
_DEAREST = Decimal(10) ** 12


class BadRequest(Exception):
    """A request that gets an answer and nothing else."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.answer = refusal(status, code, message)


def no_such_path() -> BadRequest:
    """Refuse a path that is not there."""
    return BadRequest(404, "no_such_path", "the paths are listed in the documentation of makegood_cli.local.crm")


def change(identifier: str, headers: Message, body: bytes) -> Call:
    """Read the change of a customer."""
    version, fields = _state_of_a_customer(body)
    entity = f"customer/{identifier}"
    return replace(_sent(headers), entity=entity, version=version, fields=fields)


def elsewhere(identifier: str, body: bytes) -> Call:
    """Read what somebody else does to a customer."""
    version, fields = _state_of_a_customer(body)
    return Call(
        kind=Kind.ELSEWHERE,
        key="",
        operation_id=None,
        entity=f"customer/{identifier}",
        version=version,
        fields=fields,
    )


def withdrawal(identifier: str, version: str, of: str | None, headers: Message) -> Call:
    """Read the withdrawal of a customer's version; `of` is the key that it must have been written under."""
    entity, fields = f"customer/{identifier}", {} if of is None else {"of": of}
    sent = _sent(headers)
    return replace(sent, kind=Kind.WITHDRAW, entity=entity, version=number(version, "a version"), fields=fields)


def charge(headers: Message, body: bytes) -> Call:
    """Read a charge."""
    match dict(_parsed(body)):
        case {"invoice": str(name), "version": int(version), "amount": amount, "currency": str(currency), **rest} if (
            name and not rest and not isinstance(version, bool) and _is_payable(amount)
        ):
            fields = {"amount": amount, "currency": currency}
            return replace(_sent(headers), kind=Kind.CHARGE, entity=f"invoice/{name}", version=version, fields=fields)
        case _:
            wanted = '{"invoice": text, "version": whole number, "amount": with 2 decimals at most, "currency": code}'
            raise BadRequest(400, "bad_body", f"a JSON object {wanted} is wanted")


def fault(body: bytes) -> Fault:
    """Read a fault that is to be switched on."""
    try:
        return crm_faults.fault_of(_parsed(body))
    except FaultError as error:
        raise BadRequest(400, "bad_fault", str(error)) from error


def number(text: str, what: str) -> int:
    """Read a whole number of a path or a query."""
    if not (text.isascii() and text.isdigit()):
        raise BadRequest(400, "bad_number", f"{what}: a whole number is wanted")
    return min(int(text[:18]), 2**62)


def _sent(headers: Message) -> Call:
    """Read who calls; what about is not known yet."""
    key = headers.get("Idempotency-Key", "")
    if not (0 < len(key) <= KEY_LIMIT and key.isascii() and key.isprintable()):
        raise BadRequest(400, "bad_key", f"an Idempotency-Key of 1 to {KEY_LIMIT} printable ASCII characters is wanted")
    told = dict(headers.items())
    return Call(key=key, operation_id=headers.get("X-Operation-Id"), entity="", version=0, fields={}, headers=told)


def _state_of_a_customer(body: bytes) -> tuple[int, Document]:
    match dict(_parsed(body)):
        case {"version": int(version), "fields": dict(fields), **rest} if not rest and not isinstance(version, bool):
            return version, fields
        case _:
            raise BadRequest(400, "bad_body", 'a JSON object {"version": whole number, "fields": object} is wanted')


def _is_payable(amount: Json) -> bool:
    try:
        exact = Decimal(str(amount))
    except InvalidOperation:
        return False
    return exact.is_finite() and 0 < exact < _DEAREST and exact == round(exact, 2)


def _parsed(body: bytes) -> Document:
    try:
        return document.parse(body.decode(), what="the request")
    except (InvalidInput, UnicodeDecodeError) as error:
        raise BadRequest(400, "bad_body", str(error)) from error
