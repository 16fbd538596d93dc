"""A small CRM and a payment system with a memory and a temper: the remote of the local stack, of the demo and of tests.

    python -m makegood_cli.local.crm --port 8080 --state .makegood/crm [--key-lifetime 86400]

It is a process of its own, listens on 127.0.0.1 and keeps everything but its faults in the state folder, where a kill
loses nothing. What callers use:

    PUT    /customers/ID             {"version": 7, "fields": {…}} with the headers Idempotency-Key and (optional)
                                     X-Operation-Id; answers {"id", "version", "fields"}. Each application is one
                                     effect, also of equal fields
    DELETE /customers/ID/versions/N  withdraw version N, with a key of its own: the customer goes back to the version
                                     before, or is gone if there was none. ?of=KEY: only what was written under it,
                                     never what somebody else wrote at the same version. Answers {"id", "version",
                                     "fields", "withdrawn": N} with what stands then (version null: nothing). One effect
    GET    /customers/ID?key=KEY     {"id", "version", "fields", "applied": n}: how often a call with that key was
                                     applied to this customer and not withdrawn; 404 unknown_customer. Faults strike
    POST   /charges                  {"invoice", "version", "amount", "currency"} with an Idempotency-Key, of which
                                     nothing is made: each call is a new charge. Answers 201 {"id", "invoice",
                                     "version", "amount": "10.00", "currency", "status": "succeeded"}. Charges cannot
                                     be looked up

What nobody's operation calls, and no fault hits:

    GET    /customers/ID             {"id", "version", "fields"}, or 404 unknown_customer
    PUT    /elsewhere/customers/ID   {"version", "fields"}: somebody else changes a customer, under no key
    GET    /elsewhere                {"effects": […]}: all that somebody else changed; it is in no log of calls
    GET    /effects?key=KEY          {"count", "effects": […]}: all that was applied under a key, changes, withdrawals
                                     and charges, as far as reads see it
    GET    /log?after=N&key=KEY      {"calls": […]}: each changing call behind number N, at most 1000, whatever became
                                     of it
    GET    /reads?after=N&key=KEY    {"reads": […]}: each read by a caller, in the same way
    GET    /faults                   {"faults": {NAME: fault}}, each with its hits
    PUT    /faults/NAME              switch a fault on; under a name that is taken, instead of it and afresh
    DELETE /faults[/NAME]            switch one fault off, or all
    GET    /health                   {"process_id"}

**Idempotency** of changes and withdrawals, for the key's lifetime from its first use: an executed call's answer is
recorded in the same step as its effect, and the same request gets it again. A refusal that comes before anything is
executed is not recorded. Nothing is recorded for a charge.

    status  code              when                                                                  recorded
    200                       applied; 201 for a charge                                             yes
    202                       taken; reads see it later (fault `accept`)                            yes
    400     bad_key, …        the request cannot be read                                            no
    402     declined          the charge is refused (fault `refuse`)                                no
    404     unknown_customer  there is no such customer, or no version of it to withdraw            no
    409     in_progress       another call with this key is being executed                          no
    409     key_reused        this key was used for another request; it never is for this one       no
    409     stale_version     the customer has a newer version, which is named as current_version   no
    409     not_current       another version, or another's, stands than is to be withdrawn         no
    422     refused           the CRM refuses the change (fault `refuse`)                           no
    429     throttled         too many calls; nothing was applied (fault `throttle`)                no
    500     internal          it broke down (fault `error`); the same key gets it for ever          yes
    503     unavailable       it is being serviced; nothing was applied (fault `unavailable`)       no

**Faults** strike at five stages of a call and at two of a caller's read, at most one at each. All take `entity` and
`key` (patterns with `*`; a charge's entity is invoice/ID), `count` (so many times, then no more), `probability` and
`seed` (a draw follows from seed, key and how many calls of that key were drawn for before).

    kind          stage      what happens                                                   takes
    down          gate       calls and reads alike: 503 with Retry-After if `seconds` are   seconds, as_date
                             given, else the connection is closed; nothing is applied
    in_progress   door       409 in_progress                                                –
    throttle      door       429; `seconds` is for its Retry-After                          seconds, as_date
    unavailable   door       503; `seconds` is for its Retry-After                          seconds, as_date
    swallow       door       nothing is applied, now or later; no answer comes, at last     seconds
                             the connection is closed
    forget_keys   key        the key counts as new: a repeated call is applied again        –
    close_before  execution  nothing is applied; the connection is closed                   –
    hang_before   execution  it waits, then goes on, even if the caller has left meanwhile  seconds
    refuse        execution  422, or 402 for a charge                                       message, echo: the headers
    error         execution  500, recorded                                                  applied: or not
    accept        execution  applied, 202; reads see it later                               seconds
    lag           execution  applied, 200; reads see it later                               seconds
    close_after   delivery   applied; the connection is closed without an answer            –
    hang_after    delivery   applied; no answer comes, later the connection is closed       seconds
    garble        delivery   applied; something else is answered                            status, headers, body
    drop_read     read       the connection is closed without an answer                     –
    hang_read     read       it waits, then answers                                         seconds
    misread       read       something else is answered; crm_misreadings.py has a dozen     status, headers, body
    behind        read       answered as if nothing had been applied under the key yet      –
    tombstone     read       answered with "deleted": true                                  –
"""

from __future__ import annotations

import argparse
import signal
import socketserver
import sqlite3
import sys
import threading
from datetime import timedelta
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from makegood_cli.local.crm_board import FaultBoard
from makegood_cli.local.crm_desk import Desk
from makegood_cli.local.crm_handler import Handler
from makegood_cli.local.crm_state import State
from makegood_cli.local.crm_store import CrmStore
from makegood_cli.local.crm_views import Views
from makegood_cli.local.crm_window import Window

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

HOST = "127.0.0.1"


class CrmServer(ThreadingHTTPServer):
    """One thread for each connection."""

    request_queue_size = 128

    def __init__(self, port: int, desk: Desk, window: Window) -> None:
        super().__init__((HOST, port), type("OurHandler", (Handler,), {"desk": desk, "window": window}))

    def server_bind(self) -> None:
        """Bind without asking any name server who we are."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a caller that left; that is what half of the faults are for."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT."""
    options = _parser().parse_args(arguments)
    stopping = threading.Event()
    try:
        state = State(options.state)
        server = _server(options.port, state, stopping, key_lifetime=timedelta(seconds=options.key_lifetime))
    except (sqlite3.OperationalError, OSError) as error:
        sys.stderr.write(f"The CRM cannot start on port {options.port} with {options.state}: {error}\n")
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, partial(_stop, server, stopping))
    sys.stdout.write(f"The CRM listens on http://{HOST}:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    state.close()
    return 0


def _server(port: int, state: State, stopping: threading.Event, *, key_lifetime: timedelta) -> CrmServer:
    store, board = CrmStore(state, key_lifetime=key_lifetime), FaultBoard()
    desk = Desk(store=store, board=board, stopping=stopping)
    return CrmServer(port, desk, Window(views=Views(state), store=store, board=board, stopping=stopping))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m makegood_cli.local.crm", description="A small CRM with faults.")
    parser.add_argument("--port", type=int, required=True, help="on 127.0.0.1; 0 takes a free one, which is printed")
    parser.add_argument("--state", type=Path, required=True, help="the folder of what it remembers")
    parser.add_argument("--key-lifetime", type=float, default=86400, help="seconds for which a key is remembered")
    return parser


def _stop(server: CrmServer, stopping: threading.Event, _: int, __: FrameType | None) -> None:
    stopping.set()
    threading.Thread(target=server.shutdown).start()  # it waits for the loop that this very signal has interrupted


if __name__ == "__main__":
    sys.exit(main())
