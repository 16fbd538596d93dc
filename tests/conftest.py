"""Fixtures that several folders of tests share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests import local_crm, local_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.local_crm import LocalCrm
    from tests.local_engine import LocalEngine


@pytest.fixture(scope="session")
def running_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """Start the embedded engine when the first test of this process asks for it, and stop it after the last."""
    yield from local_engine.started_under(tmp_path_factory.mktemp("engine"))


@pytest.fixture
def engine(running_engine: LocalEngine) -> LocalEngine:
    """Return the embedded engine, emptied."""
    running_engine.reset()
    return running_engine


@pytest.fixture(scope="session")
def running_crm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCrm]:
    """Start the CRM when the first test of this process asks for it, and stop it after the last."""
    yield from local_crm.started_under(tmp_path_factory.mktemp("crm"))


@pytest.fixture
def crm(running_crm: LocalCrm) -> LocalCrm:
    """Return the CRM, with no fault switched on. Customers and keys of earlier tests are still there."""
    running_crm.client.clear()
    return running_crm


Tell = Callable[[int, str], None]


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Tell:
    """Count something for the end of the whole run, where the counts of all tests are added up, by what was counted."""
    return lambda count, what: record_property("counted", [count, what])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have counted, on whichever process they ran."""
    reports = (one for kind in terminalreporter.stats.values() for one in kind if getattr(one, "when", "") == "call")
    sums: Counter[str] = Counter()
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name == "counted":
                sums[value[1]] += value[0]
    if sums:
        terminalreporter.section("counted")
    for what, count in sums.items():
        terminalreporter.line(f"{count} {what}")
