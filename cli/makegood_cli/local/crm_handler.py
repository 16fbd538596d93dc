"""The remote's HTTP side: paths, headers and JSON in; an answer, something garbled, or silence out."""

from __future__ import annotations

import os
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

from makegood.domain import document

from makegood_cli.local import crm_faults, crm_requests
from makegood_cli.local.crm_records import Answer, Question, as_document
from makegood_cli.local.crm_replies import Garbled, Silence, ok, unknown_customer
from makegood_cli.local.crm_requests import BadRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from makegood.domain.document import Document

    from makegood_cli.local.crm_desk import Desk
    from makegood_cli.local.crm_replies import Reply
    from makegood_cli.local.crm_window import Window

BODY_LIMIT = 256 * 1024  #: bytes of a request


class Handler(BaseHTTPRequestHandler):
    """One connection; its requests come one after the other."""

    desk: ClassVar[Desk]  # the server makes a subclass that has one of each
    window: ClassVar[Window]

    protocol_version = "HTTP/1.1"
    server_version = "MakegoodCRM"
    sys_version = ""  # whose Python this is
    wbufsize = -1  # one packet for head and body: two would wait for each other (Nagle's algorithm), some 40 ms
    timeout = 60  # seconds of an idle connection

    def do_GET(self) -> None:
        """Read a customer, a key's effects, the logs, the faults, the health."""
        self._serve(self._get)

    def do_PUT(self) -> None:
        """Change a customer, or switch a fault on."""
        self._serve(self._put)

    def do_POST(self) -> None:
        """Charge an invoice."""
        self._serve(self._post)

    def do_DELETE(self) -> None:
        """Withdraw a customer's version, or switch one fault off, or all."""
        self._serve(self._delete)

    def _serve(self, treat: Callable[[list[str], bytes], Reply]) -> None:
        try:
            body = self._body()
            reply = treat([unquote(part) for part in urlsplit(self.path).path.split("/")[1:]], body)
        except BadRequest as error:
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
                return ok({"process_id": os.getpid()})
            case ["customers", identifier]:
                return self._customer(identifier)
            case ["faults"]:
                return ok({"faults": self.desk.board.listed()})
            case [name]:
                return ok(self._listed(name))
            case _:
                raise crm_requests.no_such_path()

    def _customer(self, identifier: str) -> Reply:
        if key := self._query("key"):
            return self.window.customer(Question(key=key, entity=f"customer/{identifier}"))
        customer = self.window.views.customer(identifier)
        return unknown_customer() if customer is None else ok(as_document(customer))

    def _listed(self, name: str) -> Document:
        views, key = self.window.views, self._query("key")
        after = crm_requests.number(self._query("after") or "0", "after")
        match name:
            case "effects":
                effects = [as_document(effect) for effect in views.effects(key or "")]
                return {"count": len(effects), "effects": effects}
            case "elsewhere":
                return {"effects": [as_document(effect) for effect in views.elsewhere()]}
            case "log":
                return {"calls": [as_document(call) for call in views.log(after=after, key=key)]}
            case "reads":
                return {"reads": [as_document(read) for read in views.reads(after=after, key=key)]}
            case _:
                raise crm_requests.no_such_path()

    def _put(self, parts: list[str], body: bytes) -> Reply:
        match parts:
            case ["customers", identifier] if identifier:
                return self.desk.take(crm_requests.change(identifier, self.headers, body))
            case ["elsewhere", "customers", identifier] if identifier:
                call = crm_requests.elsewhere(identifier, body)
                self.desk.store.elsewhere(call)
                return ok({"id": identifier, "version": call.version, "fields": call.fields})
            case ["faults", name] if name:
                fault = crm_requests.fault(body)
                self.desk.board.put(name, fault)
                return ok(crm_faults.as_document(fault))
            case _:
                raise crm_requests.no_such_path()

    def _post(self, parts: list[str], body: bytes) -> Reply:
        if parts != ["charges"]:
            raise crm_requests.no_such_path()
        return self.desk.take(crm_requests.charge(self.headers, body))

    def _delete(self, parts: list[str], _: bytes) -> Reply:
        match parts:
            case ["customers", identifier, "versions", version] if identifier:
                return self.desk.take(crm_requests.withdrawal(identifier, version, self._query("of"), self.headers))
            case ["faults"]:
                self.desk.board.clear()
            case ["faults", name]:
                self.desk.board.remove(name)
            case _:
                raise crm_requests.no_such_path()
        return ok({})

    def _query(self, name: str) -> str | None:
        return parse_qs(urlsplit(self.path).query).get(name, [None])[0]

    def _body(self) -> bytes:
        """Read the whole request, so that the connection stays in step."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdigit() or int(length) > BODY_LIMIT:
            self.close_connection = True
            raise BadRequest(413, "bad_length", f"a Content-Length of at most {BODY_LIMIT} is wanted")
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
