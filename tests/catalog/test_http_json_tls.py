"""Is a remote whose certificate nobody trusts told from one that may have heard the call?"""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from catalog import http_json
from catalog.http_json import HttpJson
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from makegood import TransientError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def nobody_read_before() -> Iterator[None]:
    """Read anew whom the system trusts, before each test and after the last."""
    http_json.trusted.cache_clear()
    yield
    http_json.trusted.cache_clear()


def self_signed(path: Path) -> Path:
    """Write a key and a certificate for localhost that only itself vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(private + certificate.public_bytes(pem))
    return path


@contextmanager
def remote(certificate: Path) -> Iterator[str]:
    """Answer every call that comes through with 200 and `{}`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = threading.Thread(target=_answer, args=(server, context))
        answering.start()
        yield f"https://localhost:{server.getsockname()[1]}"
        answering.join()


def _answer(server: socket.socket, context: ssl.SSLContext) -> None:
    caller, _ = server.accept()
    with suppress(OSError), caller, context.wrap_socket(caller, server_side=True) as secure:
        heard = b""
        while not heard.endswith(b"{}"):
            heard += secure.recv(65536)
        secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")


def call(url: str) -> int:
    limit = timedelta(seconds=5)
    return HttpJson("the CRM").call("PUT", url, body={}, headers={}, bearer="topsecret", limit=limit).status


def test_a_remote_that_nobody_vouches_for_hears_nothing(tmp_path: Path) -> None:
    with remote(self_signed(tmp_path / "remote.pem")) as url, pytest.raises(TransientError, match="SSLError"):
        call(url)


def test_whom_the_system_trusts_is_read_once_for_all_remotes() -> None:
    assert http_json.trusted() is http_json.trusted()


def test_a_remote_that_the_system_trusts_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = self_signed(tmp_path / "remote.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with remote(certificate) as url:
        assert call(url) == 200
