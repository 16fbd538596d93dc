"""Fixtures: the real doors, as tests/doors has them."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.conftest import (  # noqa: F401 - fixtures
    clients_of_engine,
    clients_of_moto,
    engine_clients,
    moto_clients,
)
from tests.doors.conftest import doors, engine_doors, quick_doors  # noqa: F401 - fixtures
from tests.double.table import TableDouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.doors.world import Doors


class Locked(TableDouble):
    """Takes one request at a time, as the worker's threads come side by side."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()

    def _at_once(self, model: Any, params: Any, **_: object) -> tuple[Any, Any]:  # noqa: ANN401 - as its parent
        with self._lock:
            return super()._at_once(model, params)


@pytest.fixture
def many_rows(quick_doors: Doors) -> Iterator[None]:  # noqa: F811 - the fixture
    """Let the table be one that takes many rows quickly: moto takes minutes for this."""
    with Locked().at_once(quick_doors.table.client):
        yield
