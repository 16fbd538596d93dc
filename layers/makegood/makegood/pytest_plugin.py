"""The pytest plugin: the fixture `makegood`, and what a team may override in its conftest.py.

pytest imports this in every run of an environment that has the package, so it imports nothing before a test asks.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from makegood.domain.limits import Limits
    from makegood.domain.operation_type import OperationType
    from makegood.testing.bench import Bench
    from makegood.testing.double import RemoteDouble


@pytest.fixture
def makegood_types() -> "tuple[type[OperationType], ...]":
    """Return the operation types that `makegood` knows. Override it: `return OPERATION_TYPES`."""
    return ()


@pytest.fixture
def makegood_remote() -> "RemoteDouble | None":
    """Return the double of the remote. Override it, and `makegood` finds and counts it."""
    return None


@pytest.fixture
def makegood_limits() -> "Limits | None":
    """Return the numbers of the deployment. Override it where yours are not the defaults."""
    return None


@pytest.fixture
def makegood(
    makegood_types: "tuple[type[OperationType], ...]",
    makegood_remote: "RemoteDouble | None",
    makegood_limits: "Limits | None",
) -> "Bench":
    """Return a Makegood in memory, empty, at a clock that only a test moves."""
    from makegood.testing.bench import Bench  # noqa: PLC0415 - see above

    bench = Bench(limits=makegood_limits)
    bench.register(*makegood_types)
    if makegood_remote is not None:
        bench.connect(makegood_remote)
    return bench
