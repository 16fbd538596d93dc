"""Does the gate let containers through to the loopback, both ways, and nobody else, and only while it is open?"""

from __future__ import annotations

import socket
import socketserver
import sys
from contextlib import contextmanager
from ipaddress import IPv4Interface
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import gate

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPBACK = IPv4Interface("127.0.0.1/8")
SECONDS = 10.0


class Echo(socketserver.StreamRequestHandler):
    """Reads to the end, then says it all in capitals."""

    def handle(self) -> None:
        """Answer."""
        self.wfile.write(self.rfile.read().upper())


@pytest.fixture
def echo() -> Iterator[int]:
    """Return the port of the loopback where the echo listens."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def called(port: int, *, source: str = "") -> Iterator[socket.socket]:
    """Call a port of 127.0.0.1."""
    with socket.create_connection(("127.0.0.1", port), SECONDS, (source, 0)) as caller:
        yield caller


def said(caller: socket.socket) -> bytes:
    """Return all that is said until the other side ends."""
    return b"".join(iter(lambda: caller.recv(65536), b""))


@pytest.mark.parametrize("words", [b"", b"let me in", b"x" * 3_000_000])
def test_what_is_said_gets_through_both_ways_to_its_end(echo: int, words: bytes) -> None:
    with gate.opened(LOOPBACK, [echo]) as gates, called(gates[echo]) as caller:
        caller.sendall(words)
        caller.shutdown(socket.SHUT_WR)
        assert said(caller) == words.upper()


def test_each_port_has_a_gate_of_its_own() -> None:
    with gate.opened(LOOPBACK, [1, 2]) as gates:
        assert set(gates) == {1, 2}
        assert len(set(gates.values())) == 2


def test_the_gate_is_shut_when_it_is_needed_no_more_even_if_somebody_stands_in_it(echo: int) -> None:
    with gate.opened(LOOPBACK, [echo]) as gates:
        lingering = socket.create_connection(("127.0.0.1", gates[echo]), SECONDS)
    with lingering, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", gates[echo]), SECONDS)


def test_where_nobody_is_behind_the_gate_the_call_ends() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        with gate.opened(LOOPBACK, [port]) as gates, called(gates[port]) as caller:
            assert said(caller) == b""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux owns all of 127.0.0.0/8")
def test_a_caller_from_another_network_is_turned_away(echo: int) -> None:
    with gate.opened(IPv4Interface("127.0.0.1/32"), [echo]) as gates:
        with called(gates[echo], source="127.0.0.9") as stranger:
            assert said(stranger) == b""
        with called(gates[echo]) as neighbour:
            neighbour.sendall(b"me")
            neighbour.shutdown(socket.SHUT_WR)
            assert said(neighbour) == b"ME"


@pytest.mark.parametrize(("address", "here"), [("127.0.0.1/8", True), ("203.0.113.1/24", False)])
def test_an_address_is_this_machine_s_or_not(address: str, *, here: bool) -> None:
    assert gate.is_here(IPv4Interface(address)) is here
