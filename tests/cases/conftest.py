"""Fixtures: the real doors, as tests/doors has them."""

from __future__ import annotations

from tests.contract.conftest import (  # noqa: F401 - fixtures
    clients_of_engine,
    clients_of_moto,
    engine_clients,
    moto_clients,
)
from tests.doors.conftest import doors, engine_doors, quick_doors  # noqa: F401 - fixtures
