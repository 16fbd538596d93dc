"""A remote that hears one call and then does exactly what a script says, byte by byte."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Step = bytes | float  #: bytes are sent, seconds are waited


@dataclass(slots=True)
class Scripted:
    """Where the remote listens, and what it heard."""

    url: str
    heard: list[bytes] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)  #: ends every wait of the script

    @property
    def request(self) -> str:
        """Return the first request."""
        return self.heard[0].decode("latin-1")


@contextmanager
def scripted(*steps: Step) -> Iterator[Scripted]:
    """Listen on the loopback; play the steps to each caller, then hang up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        remote = Scripted(f"http://127.0.0.1:{server.getsockname()[1]}")
        player = threading.Thread(target=_play, args=(server, remote, steps))
        player.start()
        try:
            yield remote
        finally:
            remote.over.set()
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            player.join()


def _play(server: socket.socket, remote: Scripted, steps: Sequence[Step]) -> None:
    while True:
        try:
            caller, _ = server.accept()
        except OSError:
            return
        with caller, suppress(OSError):
            remote.heard.append(_request(caller))
            for step in steps:
                caller.sendall(step) if isinstance(step, bytes) else remote.over.wait(step)


def _request(caller: socket.socket) -> bytes:
    """Read a whole request, whose body is a JSON object if it has one."""
    text = b""
    while not _is_whole(text):
        text += caller.recv(65536)
    return text


def _is_whole(text: bytes) -> bool:
    head, ended, body = text.partition(b"\r\n\r\n")
    return bool(ended) and (body.endswith(b"}") or b"content-length" not in head.lower())
