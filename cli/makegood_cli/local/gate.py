"""A gate in the loopback's wall: containers of this machine get in, nobody else.

The local stack listens on 127.0.0.1 alone, for it runs whatever code it is given under a key that everybody knows. A
container has a loopback of its own. Binding the engine elsewhere would move it away from the command, mean a restart,
and leave the remote behind; a gate lets containers in for as long as somebody needs it, and nothing else changes.
"""

from __future__ import annotations

import socket
import socketserver
from contextlib import ExitStack, contextmanager, suppress
from ipaddress import ip_address
from threading import Thread
from typing import TYPE_CHECKING

from makegood_cli.local.processes import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from ipaddress import IPv4Interface

CHUNK = 65536  #: bytes passed on at a time


def is_here(bridge: IPv4Interface) -> bool:
    """Say whether the address is this machine's own; that of an engine in a virtual machine is not."""
    with socket.socket() as probe:
        try:
            probe.bind((str(bridge.ip), 0))
        except OSError:
            return False
    return True


@contextmanager
def opened(bridge: IPv4Interface, ports: Collection[int]) -> Iterator[dict[int, int]]:
    """Pass on what comes to this machine's address on the bridge, from within its network, while the block lasts.

    Yields for each of the ports of the loopback the port that leads there.
    """
    with ExitStack() as gates:
        yield {port: gates.enter_context(_gate(bridge, port)) for port in ports}


@contextmanager
def _gate(bridge: IPv4Interface, port: int) -> Iterator[int]:
    with _Gate(bridge, port) as gate:
        Thread(target=gate.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield gate.server_address[1]
        finally:
            gate.shutdown()


class _Gate(socketserver.ThreadingTCPServer):
    """Listens on a free port of the bridge; each connection is a passage of its own."""

    daemon_threads = True
    block_on_close = False  # a caller that keeps its connection must not keep the gate
    request_queue_size = 64

    def __init__(self, bridge: IPv4Interface, port: int) -> None:
        self.port = port
        self._network = bridge.network
        super().__init__((str(bridge.ip), 0), _Passage)

    def verify_request(self, _: object, client_address: tuple[str, int]) -> bool:
        """Let only the bridge's own network in: another machine may have found a route to the address."""
        return ip_address(client_address[0]) in self._network


class _Passage(socketserver.BaseRequestHandler):
    """One connection, both ways."""

    server: _Gate

    def handle(self) -> None:
        """Pass everything on until both sides have ended."""
        with suppress(OSError), socket.create_connection((LOOPBACK, self.server.port)) as inside:
            answers = Thread(target=_pass_on, args=(inside, self.request), daemon=True)
            answers.start()
            _pass_on(self.request, inside)
            answers.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    """Pass on what one side says until it says no more; if the other is gone, end both."""
    try:
        while said := source.recv(CHUNK):
            sink.sendall(said)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for side in (source, sink):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
