"""The pytest plugin: the fixture `makegood`, and what a team may override in its conftest.py."""

import pytest

from makegood.domain.limits import Limits
from makegood.domain.operation_type import OperationType
from makegood.testing.bench import Bench
from makegood.testing.double import RemoteDouble


@pytest.fixture
def makegood_types() -> tuple[type[OperationType], ...]:
    """Return the operation types that `makegood` knows. Override it: `return OPERATION_TYPES`."""
    return ()


@pytest.fixture
def makegood_remote() -> RemoteDouble | None:
    """Return the double of the remote. Override it, and `makegood` finds and counts it."""
    return None


@pytest.fixture
def makegood_limits() -> Limits:
    """Return the numbers of the deployment. Override it where yours are not the defaults."""
    return Limits()


@pytest.fixture
def makegood(
    makegood_types: tuple[type[OperationType], ...], makegood_remote: RemoteDouble | None, makegood_limits: Limits
) -> Bench:
    """Return a Makegood in memory, empty, at a clock that only a test moves."""
    bench = Bench(limits=makegood_limits)
    bench.register(*makegood_types)
    if makegood_remote is not None:
        bench.connect(makegood_remote)
    return bench
