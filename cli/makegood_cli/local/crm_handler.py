"""The CRM's HTTP side: paths, headers and JSON in; an answer, something garbled, or silence out."""

from __future__ import annotations

import os
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

from makegood.domain import document
from makegood.domain.errors import InvalidInput

from makegood_cli.local import crm_faults, crm_records
from makegood_cli.local.crm_desk import Garbled, Silence, refusal
from makegood_cli.local.crm_faults import FaultError
from makegood_cli.local.crm_records import Answer, Call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from makegood.domain.document import Document

    from makegood_cli.local.crm_desk import Desk, Reply

BODY_LIMIT = 256 * 1024  #: bytes of a request
KEY_LIMIT = 255  #: characters of an idempotency key


class _BadRequest(Exception):
    """A request that gets an answer and nothing else."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.answer = refusal(status, code, message)


class Handler(BaseHTTPRequestHandler):
    """One connection; its requests come one after the other."""

    desk: ClassVar[Desk]  # the server makes a subclass that has one

    protocol_version = "HTTP/1.1"
    server_version = "MakegoodCRM"
    sys_version = ""  # whose Python this is
    wbufsize = -1  # one packet for head and body: two would wait for each other (Nagle's algorithm), some 40 ms
    timeout = 60  # seconds of an idle connection

    def do_GET(self) -> None:
        """Read a customer, a key's effects, the log, the faults, the health."""
        self._serve(self._get)

    def do_PUT(self) -> None:
        """Change a customer, or switch a fault on."""
        self._serve(self._put)

    def do_DELETE(self) -> None:
        """Switch one fault off, or all."""
        self._serve(self._delete)

    def _serve(self, treat: Callable[[list[str], bytes], Reply]) -> None:
        try:
            body = self._body()
            reply = treat([unquote(part) for part in urlsplit(self.path).path.split("/")[1:]], body)
        except _BadRequest as error:
            reply = error.answer
        match reply:
            case Answer():
                self._send(reply.status, reply.headers, document.render(reply.body).encode(), "application/json")
            case Garbled():
                self.close_connection = True
                self._send(reply.status, reply.headers, reply.body, None)
            case Silence():
                self.close_connection = True
                self.desk.stopping.wait(reply.seconds)

    def _get(self, parts: list[str], _: bytes) -> Reply:
        match parts:
            case ["health"]:
                return _ok({"process_id": os.getpid()})
            case ["customers", identifier]:
                customer = self.desk.store.customer(identifier)
                if customer is None:
                    raise _BadRequest(404, "not_found", "no such customer")
                return _ok(crm_records.as_document(customer))
            case ["effects"]:
                effects = self.desk.store.effects(self._query("key") or "")
                return _ok({"count": len(effects), "effects": [crm_records.as_document(effect) for effect in effects]})
            case ["log"]:
                calls = self.desk.store.log(after=self._after(), key=self._query("key"))
                return _ok({"calls": [crm_records.as_document(call) for call in calls]})
            case ["faults"]:
                return _ok({"faults": self.desk.board.listed()})
            case _:
                raise _no_such_path()

    def _put(self, parts: list[str], body: bytes) -> Reply:
        match parts:
            case ["customers", identifier] if identifier:
                return self.desk.put(self._call(identifier, _parsed(body)))
            case ["faults", name] if name:
                return self._switch_on(name, _parsed(body))
            case _:
                raise _no_such_path()

    def _delete(self, parts: list[str], _: bytes) -> Reply:
        match parts:
            case ["faults"]:
                self.desk.board.clear()
            case ["faults", name]:
                self.desk.board.remove(name)
            case _:
                raise _no_such_path()
        return _ok({})

    def _switch_on(self, name: str, asked: Document) -> Answer:
        try:
            fault = crm_faults.fault_of(asked)
        except FaultError as error:
            raise _BadRequest(400, "bad_fault", str(error)) from error
        self.desk.board.put(name, fault)
        return _ok(crm_faults.as_document(fault))

    def _call(self, identifier: str, asked: Document) -> Call:
        key = self.headers.get("Idempotency-Key", "")
        if not (0 < len(key) <= KEY_LIMIT and key.isascii() and key.isprintable()):
            raise _BadRequest(
                400, "bad_key", f"an Idempotency-Key of 1 to {KEY_LIMIT} printable ASCII characters is wanted"
            )
        match dict(asked):
            case {"version": int(version), "fields": dict(fields), **rest} if not rest and not isinstance(
                version, bool
            ):
                return Call(
                    key=key,
                    operation_id=self.headers.get("X-Operation-Id"),
                    entity=f"customer/{identifier}",
                    version=version,
                    fields=fields,
                    headers=dict(self.headers.items()),
                )
            case _:
                raise _BadRequest(
                    400, "bad_body", 'a JSON object {"version": whole number, "fields": object} is wanted'
                )

    def _after(self) -> int:
        text = self._query("after") or "0"
        if not (text.isascii() and text.isdigit()):
            raise _BadRequest(400, "bad_number", "after: the number of a call is wanted")
        return min(int(text[:18]), 2**62)

    def _query(self, name: str) -> str | None:
        return parse_qs(urlsplit(self.path).query).get(name, [None])[0]

    def _body(self) -> bytes:
        """Read the whole request, so that the connection stays in step."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdigit() or int(length) > BODY_LIMIT:
            self.close_connection = True
            raise _BadRequest(413, "bad_length", f"a Content-Length of at most {BODY_LIMIT} is wanted")
        return self.rfile.read(int(length))

    def _send(self, status: int, headers: Mapping[str, str], body: bytes, content_type: str | None) -> None:
        given = {name.lower() for name in headers}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if content_type and "content-type" not in given:
            self.send_header("Content-Type", content_type)
        if not given & {"content-length", "transfer-encoding"}:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _ok(body: Document) -> Answer:
    return Answer(status=200, body=body)


def _no_such_path() -> _BadRequest:
    return _BadRequest(404, "no_such_path", "the paths are listed in the documentation of makegood_cli.local.crm")


def _parsed(body: bytes) -> Document:
    try:
        return document.parse(body.decode(), what="the request")
    except (InvalidInput, UnicodeDecodeError) as error:
        raise _BadRequest(400, "bad_body", str(error)) from error
