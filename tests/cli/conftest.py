"""The bench that these tests type at, and the keyboard of a real local stack."""

from collections.abc import Iterator

import pytest
from makegood_cli.local import stack as local_stack
from makegood_cli.local.places import Places

from tests.cli.bench import Bench
from tests.cli.keyboard import Keyboard, seated


@pytest.fixture
def bench() -> Bench:
    """Return a stack in memory and the command."""
    return Bench()


@pytest.fixture(scope="module")
def keyboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyboard]:
    """Return a keyboard at a local stack of the file's own."""
    with seated(Places(state=tmp_path_factory.mktemp("stack"))) as person:
        yield person


@pytest.fixture
def callers(keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let AWS be the engine, and its operator the caller, as an environment says it."""
    found = local_stack.current(keyboard.places)
    keys = found.clients.credentials
    monkeypatch.setenv("AWS_ENDPOINT_URL", found.endpoint_url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys.secret_key)
